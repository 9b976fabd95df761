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
    client: { sdk: 'plans.create' },
    summary: 'Creates a plan: shows how a prompt is read.',
    description:
      'Nothing is searched and nothing is charged. Start a run from the plan when it is right, or correct its `intent` and send it with the `plan_id`: that creates a new plan with a new price. Plans are kept for 30 days.',
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
    client: { sdk: 'plans.getSchema' },
    summary: 'Reads the JSON Schema of an intent.',
    description: 'Every filter, column and value that a plan may use.',
    answers: { 200: { description: 'A JSON Schema, 2020-12.', body: 'json' } },
  })
  @Get('schema')
  @JsonRoute()
  async getIntentSchema(@RequestCtx() ctx: Ctx): Promise<string> {
    return JSON.stringify(await this.rpc.call(ctx, RUNS_RPC.getIntentSchema, {}));
  }

  @Documented({
    client: { sdk: 'plans.get' },
    summary: 'Reads a plan.',
    answers: { 200: { description: 'The plan.', body: Plan } },
  })
  @Get(':id')
  @JsonRoute()
  getPlan(@RequestCtx() ctx: Ctx, @IdParam('plan') planId: string): Promise<string> {
    return this.rpc.call(ctx, RUNS_RPC.getPlan, { planId });
  }

  @Documented({
    client: { sdk: 'plans.run' },
    spends: true,
    summary: 'Starts a run of a plan.',
    description:
      'Running a plan is the consent to go on without the words that were not understood. A second run of a plan continues in the conversation and table of the first, and pays nothing twice. `intent` is your corrected intent: it is validated, and items that you added have `"from": "user"`, which need no words of the prompt.',
    answers: { 202: { description: 'The run, queued.', body: Run } },
    errors: ['workspace_not_found', 'conversation_not_found', 'conversation_busy', 'table_not_found'],
    example: {},
  })
  @Post(':id/runs')
  @JsonRoute({ rateClass: 'heavy', body: BODIES.ordinary })
  async createRunOfPlan(
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
