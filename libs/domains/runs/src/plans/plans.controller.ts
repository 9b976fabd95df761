import { Controller } from '@nestjs/common';
import { RUNS_RPC, type RequestOf } from '@quarry/dto';
import { readIntentSchema } from '@quarry/plan';
import type { Ctx } from '@quarry/app';
import { Answers } from '@quarry/rpc';
import { PlanStore } from './plan.store.js';

type Rpc = typeof RUNS_RPC;

/** Answers calls about plans. */
@Controller()
export class PlansController {
  constructor(private readonly plans: PlanStore) {}

  @Answers(RUNS_RPC.createPlan)
  createPlan(ctx: Ctx, { body, idempotencyKey = null }: RequestOf<Rpc['createPlan']>) {
    return this.plans.createPlan(ctx, body, idempotencyKey);
  }

  @Answers(RUNS_RPC.getPlan)
  getPlan(ctx: Ctx, { planId }: RequestOf<Rpc['getPlan']>) {
    return this.plans.getPlan(ctx, planId);
  }

  @Answers(RUNS_RPC.getIntentSchema)
  getIntentSchema() {
    return Promise.resolve(readIntentSchema());
  }

  @Answers(RUNS_RPC.createRunOfPlan)
  createRun(
    ctx: Ctx,
    { planId, intent, request, maxCredits, idempotencyKey = null }: RequestOf<Rpc['createRunOfPlan']>,
  ) {
    return this.plans.createRun(ctx, planId, { written: intent, request, maxCredits }, idempotencyKey);
  }
}
