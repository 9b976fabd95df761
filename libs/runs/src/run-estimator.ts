import { Injectable } from '@nestjs/common';
import { RUNS_RPC, type CreateRunRequest } from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import { PlanningTimeoutError, readOutputContract, type RunPlan } from '@quarry/plan';
import { Database, ofTenant, tenantOf, type Ctx } from '@quarry/platform';
import { findSlowService } from '@quarry/service-catalog';
import { PromptPlans } from './agent/prompt-plans.js';
import { RunFailure } from './agent/run-failure.error.js';
import { statement } from './statements.types.js';

const WORKSPACE_OF = statement(
  'run-estimator.workspaceOf',
  `SELECT workspace_id FROM runs.conversations WHERE ${ofTenant()} AND id = $2`,
);

/** What a run can cost at most. */
export interface RunEstimate {
  /** Rows that have paid columns, at most. */
  rows: number;
  creditsMax: number;
}

/** Says before a run what its paid columns can cost. Makes nothing. */
@Injectable()
export class RunEstimator {
  constructor(
    private readonly database: Database,
    private readonly plans: PromptPlans,
  ) {}

  /** @throws AppError invalid_request (output contract), agent_error when the prompt could not be read in time */
  async estimate(ctx: Ctx, body: CreateRunRequest): Promise<RunEstimate> {
    const contract = body.output === undefined ? null : readOutputContract(body.output);
    const conversationId = body.conversation_id ?? null;
    const workspaceId = body.workspace_id ?? (await this.workspaceOf(ctx, conversationId));
    const asked = { ctx, prompt: body.prompt, workspaceId, conversationId, id: null };
    const deadlineMs = Date.now() + RUNS_RPC.estimateRun.timeoutMs;
    try {
      const limits = { signal: AbortSignal.timeout(RUNS_RPC.estimateRun.timeoutMs), deadlineMs };
      const stored = await this.plans.of(asked, contract, limits);
      const paid = stored.map(({ plan }) => paidPart(plan));
      return {
        rows: paid.reduce((sum, { rows }) => sum + rows, 0),
        creditsMax: paid.reduce((sum, { thousandths }) => sum + thousandths, 0) / 1000,
      };
    } catch (error) {
      // A run that fails at its prompt costs nothing.
      if (error instanceof RunFailure) return { rows: 0, creditsMax: 0 };
      if (error instanceof PlanningTimeoutError)
        throw new AppError('agent_error', error.message, { cause: error });
      throw error;
    }
  }

  private async workspaceOf(ctx: Ctx, conversationId: string | null): Promise<string | null> {
    if (conversationId === null) return null;
    const row = await this.database.queryOne(ctx, WORKSPACE_OF, [tenantOf(ctx), conversationId], 'read');
    return row?.workspace_id ?? null;
  }
}

/** Every row that the table gets at most, times every paid column's price without a Deep agent, as runs ask for none. */
function paidPart(plan: RunPlan): { rows: number; thousandths: number } {
  const prices = plan.columns.flatMap(({ source }) =>
    source.from === 'service' ? [findSlowService(source.service)!.worstCase({})] : [],
  );
  const rows = plan.isEmpty || prices.length === 0 ? 0 : plan.limit;
  return { rows, thousandths: rows * prices.reduce((sum, price) => sum + price, 0) };
}
