import { Injectable } from '@nestjs/common';
import {
  FAULTS_SHOWN_MAX,
  jsonText,
  Plan,
  RUNS_RPC,
  type CreateRunRequest,
  type JsonText,
  type PlanJson,
  type Run,
} from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import {
  paidTexts,
  PlanningTimeoutError,
  readOutputContract,
  readingsOf,
  readStoredPlans,
  sizeFaults,
  type OutputContract,
  type StoredPlan,
} from '@quarry/plan';
import {
  Database,
  IdempotentRequests,
  newId,
  ofTenant,
  TENANT,
  tenantOf,
  type Ctx,
  type KeepAnswer,
} from '@quarry/platform';
import { PromptPlans, type AskedPrompt, type ReadPrompt } from './agent/prompt-plans.js';
import { RunFailure } from './agent/run-failure.error.js';
import { estimateOf } from './plan-estimate.js';
import { WorkspacePort } from './ports/workspace.port.js';
import { namedPlace } from './run-place.js';
import { RunStore } from './run.store.js';
import { statement } from './statements.types.js';

/** How a prompt is read, before anything runs: seen, corrected and priced. */
@Injectable()
export class PlanStore {
  constructor(
    private readonly database: Database,
    private readonly plans: PromptPlans,
    private readonly workspaces: WorkspacePort,
    private readonly runs: RunStore,
    private readonly requests: IdempotentRequests,
  ) {}

  /**
   * Reads a prompt as a run would, and keeps what it was read as.
   * @throws AppError invalid_request (output contract), workspace_not_found, conversation_not_found, workspace_mismatch,
   * idempotency_conflict, agent_error when the prompt could not be read, or not in time
   */
  create(
    ctx: Ctx,
    body: CreateRunRequest,
    idempotencyKey: string | null = null,
  ): Promise<JsonText<typeof Plan>> {
    const keyed = { route: RUNS_RPC.createPlan.pattern, key: idempotencyKey, body };
    return this.requests.whileLeased(ctx, keyed, RUNS_RPC.createPlan.timeoutMs, (keep) =>
      this.make(ctx, body, keep),
    );
  }

  private async make(
    ctx: Ctx,
    body: CreateRunRequest,
    keep: KeepAnswer<JsonText<typeof Plan>>,
  ): Promise<JsonText<typeof Plan>> {
    const contract = contractOf(body.output);
    const place = await namedPlace(this.database, this.workspaces, ctx, body);
    const asked: AskedPrompt = { ctx, prompt: body.prompt, ...place, id: null };
    const { planner, plans: stored } = await this.read(asked, contract);
    const understood = await Promise.all(
      stored.map(async ({ intent }) =>
        intent ? readingsOf(intent, await this.plans.profileOf(asked, intent)) : [],
      ),
    );
    return this.database.transaction(ctx, async (tx) => {
      const row = await this.database.queryOne(tx, INSERT, [
        tenantOf(ctx),
        newId('plan'),
        body.prompt,
        body.workspace_id ?? null,
        body.conversation_id ?? null,
        body.output ? JSON.stringify(body.output) : null,
        planner,
        JSON.stringify(stored),
        JSON.stringify(understood.flat()),
      ]);
      const plan = shown({ ...row!, plans: stored });
      await keep(tx, plan);
      return plan;
    });
  }

  /** @returns the plan as the public body. @throws AppError not_found */
  async get(ctx: Ctx, planId: string): Promise<JsonText<typeof Plan>> {
    const row = await this.find(ctx, planId);
    return shown({ ...row, plans: readStoredPlans(row.plans) });
  }

  /**
   * Starts a run that does what the plan says, over the tables as they are now.
   * @param written the intent as somebody has changed it; left out, that of the plan
   * @param request what a key that comes again must come with; the plan and the changed intent when left out
   * @throws AppError not_found, invalid_request naming each fault of the intent, and what {@link RunStore.create} throws
   */
  async createRun(
    ctx: Ctx,
    planId: string,
    { written, request }: { written?: unknown; request?: unknown },
    idempotencyKey: string | null,
  ): Promise<{ id: string; json: JsonText<typeof Run> }> {
    // A key belongs to its route, and so to its plan; where the caller says what it was sent with, to the caller's.
    const key =
      idempotencyKey === null || request !== undefined ? idempotencyKey : `${planId} ${idempotencyKey}`;
    const sent = request ?? { plan_id: planId, intent: written };
    const known = await this.runs.knownBy(ctx, key, sent);
    if (known) return known;
    const row = await this.find(ctx, planId);
    const body = requestOf(row);
    const contract = contractOf(body.output);
    const place = await namedPlace(this.database, this.workspaces, ctx, body);
    const asked: AskedPrompt = { ctx, prompt: body.prompt, ...place, id: null };
    const stored = readStoredPlans(row.plans);
    const intents = written === undefined ? stored.map(({ intent }) => intent) : listOf(written);
    if (intents.length !== stored.length)
      throw new AppError('invalid_request', `intent: there must be one for each of ${stored.length} tables.`);
    const large = stored.flatMap(({ intent }, table) =>
      written === undefined ? [] : sizeFaults(intents[table], intent).map((fault) => ({ table, fault })),
    );
    const shapes = stored.map(({ shape }) => shape);
    const { plans, faults } =
      large.length > 0
        ? { plans: [], faults: large }
        : await this.plans.compile(asked, contract, { written: intents, shapes });
    if (faults.length > 0) throw refusal(faults, intents.length > 1);
    return this.runs.create(ctx, body, key, { plans, request: sent });
  }

  private async read(asked: AskedPrompt, contract: OutputContract | null): Promise<ReadPrompt> {
    const limitMs = RUNS_RPC.createPlan.timeoutMs;
    const limits = { signal: AbortSignal.timeout(limitMs), deadlineMs: Date.now() + limitMs };
    try {
      return await this.plans.of(asked, contract, limits);
    } catch (error) {
      if (error instanceof PlanningTimeoutError || error instanceof RunFailure)
        throw new AppError('agent_error', error.message, { cause: error });
      throw error;
    }
  }

  private async find(ctx: Ctx, planId: string) {
    const row = await this.database.queryOne(ctx, FIND, [tenantOf(ctx), planId], 'read');
    if (!row) throw new AppError('not_found', 'There is no such plan.');
    return row;
  }
}

function contractOf(output: Record<string, unknown> | undefined): OutputContract | null {
  return output === undefined ? null : readOutputContract(output);
}

/** @returns the request that a plan was made of, as a run takes it */
function requestOf(row: {
  prompt: string;
  workspace_id: string | null;
  conversation_id: string | null;
  output_contract: Record<string, unknown> | null;
}): CreateRunRequest {
  return {
    prompt: row.prompt,
    ...(row.workspace_id === null ? {} : { workspace_id: row.workspace_id }),
    ...(row.conversation_id === null ? {} : { conversation_id: row.conversation_id }),
    ...(row.output_contract === null ? {} : { output: row.output_contract }),
  };
}

/** @param faults each beginning with its place in the intent of its table */
function refusal(faults: ReadonlyArray<{ table: number; fault: string }>, isOfSeveral: boolean): AppError {
  const details = faults.slice(0, FAULTS_SHOWN_MAX).map(({ table, fault }) => {
    const [within = '', ...message] = fault.split(': ');
    const at = isOfSeveral ? `intent.tables.${table}` : 'intent';
    return { path: within === 'intent' ? at : `${at}.${within}`, message: message.join(': ') };
  });
  return new AppError('invalid_request', `${details[0]!.path}: ${details[0]!.message}`, { details });
}

function listOf(written: unknown): unknown[] {
  const tables = (written as { tables?: unknown } | null)?.tables;
  return Array.isArray(tables) ? tables : [written];
}

function shown(row: {
  id: string;
  prompt: string;
  planner: string;
  plans: readonly StoredPlan[];
  understood: unknown;
  created_at: string;
}): JsonText<typeof Plan> {
  const intents = row.plans.map(({ intent }) => intent);
  const plans = row.plans.map(({ plan }) => plan);
  const { rows, creditsMax } = estimateOf(plans);
  return jsonText(Plan, {
    id: row.id,
    prompt: row.prompt,
    planner: row.planner as PlanJson['planner'],
    intent: (intents.length === 1 ? intents[0] : { tables: intents }) as PlanJson['intent'],
    // The database keeps an object's fields in an order of its own.
    understood: (row.understood as PlanJson['understood']).map(({ fragment, reading }) => ({
      fragment,
      reading,
    })),
    not_understood: [...new Set(plans.flatMap(({ notUnderstood }) => notUnderstood))],
    notes: [
      ...new Set(
        plans.flatMap(({ notes, columns }) => [...notes, ...paidTexts(columns).map((text) => `${text}.`)]),
      ),
    ],
    // Nothing found costs nothing.
    estimate: { rows, credits_min: 0, credits_max: creditsMax },
    links: { self: `/v1/plans/${row.id}`, runs: `/v1/plans/${row.id}/runs` },
    created_at: row.created_at,
  });
}

const CREATED_AT = `to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at`;

const INSERT = statement(
  'plan.insert',
  `
  INSERT INTO runs.plans (org_id, mode, id, prompt, workspace_id, conversation_id, output_contract, planner, plans, understood)
  VALUES (${TENANT}, $2, $3, $4, $5, $6, $7, $8, $9)
  RETURNING id, prompt, planner, understood, ${CREATED_AT}`,
).rows<{ created_at: string }>();

const FIND = statement(
  'plan.find',
  `
  SELECT id, prompt, workspace_id, conversation_id, output_contract, planner, plans, understood, ${CREATED_AT}
  FROM runs.plans WHERE ${ofTenant()} AND id = $2`,
).rows<{ output_contract: Record<string, unknown> | null; created_at: string }>();
