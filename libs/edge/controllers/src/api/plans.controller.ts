import { Body, Controller, Get, Post } from '@nestjs/common';
import { CreatePlanRequest, CreateRunOfPlanRequest, Plan, Run, RUNS_RPC } from '@quarry/dto';
import type { Ctx } from '@quarry/app';
import { RpcTransport } from '@quarry/rpc';
import {
  BODIES,
  bodyOf,
  Documented,
  IdempotencyKey,
  IdParam,
  JsonRoute,
  MaxCredits,
  RequestCtx,
} from '@quarry/http';

/** Serves plans: prompts that are read, corrected and priced before anything runs. */
@Controller('v1/plans')
export class PlansController {
  constructor(private readonly rpc: RpcTransport) {}

  @Documented({
    id: 'createPlan',
    client: { sdk: 'plans.create' },
    summary: 'Reads a prompt, and says how.',
    description:
      'Nothing is searched and nothing is charged. Start a run from the plan when it says what you mean, or send its `intent` corrected with its `plan_id`: that makes a new plan, read and priced anew. Kept for 30 days.',
    answers: { 201: { description: 'The plan.', body: Plan } },
    errors: [
      'not_found',
      'workspace_mismatch',
      'workspace_not_found',
      'conversation_not_found',
      'table_not_found',
      'agent_error',
    ],
    example: { prompt: '20 fintech companies in Berlin with 50 to 200 employees' },
  })
  @Post()
  @JsonRoute({ role: 'viewer', rateClass: 'heavy', body: BODIES.ordinary })
  createPlan(
    @RequestCtx() ctx: Ctx,
    @IdempotencyKey() idempotencyKey: string | null,
    @Body(bodyOf(CreatePlanRequest)) body: CreatePlanRequest,
  ): Promise<string> {
    return this.rpc.call(ctx, RUNS_RPC.createPlan, { body, idempotencyKey });
  }

  @Documented({
    id: 'getIntentSchema',
    client: { sdk: 'plans.getSchema' },
    summary: 'Reads the JSON Schema of an intent.',
    description: 'Every filter, column and word that a plan may use.',
    answers: { 200: { description: 'A JSON Schema, 2020-12.', body: 'json' } },
  })
  @Get('schema')
  @JsonRoute()
  async getIntentSchema(@RequestCtx() ctx: Ctx): Promise<string> {
    return JSON.stringify(await this.rpc.call(ctx, RUNS_RPC.getIntentSchema, {}));
  }

  @Documented({
    id: 'getPlan',
    client: { sdk: 'plans.get' },
    summary: 'Reads a plan.',
    answers: { 200: { description: 'The plan.', body: Plan } },
    errors: ['not_found'],
    path: { id: 'The plan.' },
  })
  @Get(':id')
  @JsonRoute()
  getPlan(@RequestCtx() ctx: Ctx, @IdParam('plan') planId: string): Promise<string> {
    return this.rpc.call(ctx, RUNS_RPC.getPlan, { planId });
  }

  @Documented({
    id: 'createRunOfPlan',
    client: { sdk: 'plans.run' },
    spends: true,
    summary: 'Starts a run that does what the plan says.',
    description:
      'A run of a plan is the consent to what was not understood. A second run of a plan goes on in the conversation of the first, with its table, and pays nothing twice. With `intent`, as you have corrected it: it is judged like any body. Items that you put in by hand say `"from": "user"` and need no words of the prompt.',
    answers: { 202: { description: 'The run, queued.', body: Run } },
    errors: [
      'not_found',
      'workspace_not_found',
      'conversation_not_found',
      'conversation_busy',
      'table_not_found',
    ],
    path: { id: 'The plan.' },
    example: {},
  })
  @Post(':id/runs')
  @JsonRoute({ rateClass: 'heavy', body: BODIES.ordinary })
  async createRun(
    @RequestCtx() ctx: Ctx,
    @IdParam('plan') planId: string,
    @IdempotencyKey() idempotencyKey: string | null,
    @MaxCredits() maxCredits: number | undefined,
    @Body(bodyOf(CreateRunOfPlanRequest)) { intent }: CreateRunOfPlanRequest,
  ): Promise<string> {
    const request = { planId, intent, maxCredits, idempotencyKey };
    return (await this.rpc.call(ctx, RUNS_RPC.createRunOfPlan, request)).json;
  }
}
