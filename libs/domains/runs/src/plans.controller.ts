import { Controller } from '@nestjs/common';
import { RUNS_RPC, type JsonText, type Plan, type RequestOf, type ResponseOf } from '@quarry/dto';
import { readIntentSchema } from '@quarry/plan';
import type { Ctx } from '@quarry/app';
import { Answers } from '@quarry/rpc';
import { PlanStore } from './plan.store.js';

type Rpc = typeof RUNS_RPC;

/** Answers calls about readings of prompts, before anything runs. */
@Controller()
export class PlansController {
  constructor(private readonly plans: PlanStore) {}

  @Answers(RUNS_RPC.createPlan)
  createPlan(
    ctx: Ctx,
    { body, idempotencyKey = null }: RequestOf<Rpc['createPlan']>,
  ): Promise<JsonText<typeof Plan>> {
    return this.plans.createPlan(ctx, body, idempotencyKey);
  }

  @Answers(RUNS_RPC.getPlan)
  getPlan(ctx: Ctx, { planId }: RequestOf<Rpc['getPlan']>): Promise<JsonText<typeof Plan>> {
    return this.plans.getPlan(ctx, planId);
  }

  @Answers(RUNS_RPC.getIntentSchema)
  getIntentSchema(): Promise<ResponseOf<Rpc['getIntentSchema']>> {
    return Promise.resolve(readIntentSchema());
  }

  @Answers(RUNS_RPC.createRunOfPlan)
  createRun(
    ctx: Ctx,
    { planId, intent, request, maxCredits, idempotencyKey = null }: RequestOf<Rpc['createRunOfPlan']>,
  ): Promise<ResponseOf<Rpc['createRunOfPlan']>> {
    return this.plans.createRun(ctx, planId, { written: intent, request, maxCredits }, idempotencyKey);
  }
}
