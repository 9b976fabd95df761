import { Injectable } from '@nestjs/common';
import {
  FAULTS_SHOWN_MAX,
  fieldError,
  jsonText,
  Plan,
  RUNS_RPC,
  type CreatePlanRequest,
  type CreateRunRequest,
  type JsonText,
  type PlanJson,
  type Run,
} from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import { PlanningTimeoutError, readOutputContract, type OutputContract } from '@quarry/plan';
import { paidTexts, readStoredPlans, sizeFaults, estimateOf, type StoredPlan } from '@quarry/plan-compiler';
import { newId, requireId, notFound, type Ctx } from '@quarry/app';
import { Database, IdempotentRequests, ofTenant, tenantOf, type KeepAnswer } from '@quarry/postgres';
import { PromptPlans, type PromptRequest, type ReadPrompt } from './prompt-plans.js';
import { RunFailure } from '../execution/run-failure.error.js';
import { CREATED_AT, insertPlan, understoodOf } from './plan-record.js';
import { WorkspacePort } from '../ports/workspace.port.js';
import { namedPlace } from '../run-place.js';
import { RunStore } from '../run.store.js';
import { statement } from '../statements.types.js';

/** A plan before it is stored. */
interface MadePlan {
  readonly promptRequest: PromptRequest;
  readonly output: Record<string, unknown> | null;
  readonly planner: ReadPrompt['planner'];
  readonly stored: StoredPlan[];
  readonly rootPlanId: string | null;
}

/** Makes, corrects and prices plans without running them, and starts runs of them. */
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
   * Reads a prompt as a run would, or compiles the corrected intent of a plan, and stores the result.
   * @throws AppError invalid_request (output contract, each fault of an intent), workspace_not_found, conversation_not_found,
   * workspace_mismatch, not_found (plan), idempotency_conflict, agent_error when the prompt could not be read, or not in time
   */
  createPlan(
    ctx: Ctx,
    body: CreatePlanRequest,
    idempotencyKey: string | null = null,
  ): Promise<JsonText<typeof Plan>> {
    const keyed = { route: RUNS_RPC.createPlan.pattern, key: idempotencyKey, body };
    return this.requests.whileLeased(ctx, keyed, RUNS_RPC.createPlan.timeoutMs, (keep) =>
      this.makePlan(ctx, body, keep),
    );
  }

  private async makePlan(
    ctx: Ctx,
    body: CreatePlanRequest,
    keep: KeepAnswer<JsonText<typeof Plan>>,
  ): Promise<JsonText<typeof Plan>> {
    const made =
      body.plan_id === undefined ? await this.ofPrompt(ctx, body) : await this.correctPlan(ctx, body);
    const { promptRequest, output, planner, stored, rootPlanId } = made;
    const understood = await understoodOf(this.plans, promptRequest, stored);
    return this.database.transaction(ctx, async (tx) => {
      const { prompt, workspaceId, conversationId } = promptRequest;
      const place = { workspaceId, conversationId };
      const record = {
        id: newId('plan'),
        prompt,
        ...place,
        output,
        planner,
        plans: stored,
        understood,
        rootPlanId,
      };
      const row = await insertPlan(this.database, tx, record);
      const plan = toPlanJson({ ...record, created_at: row!.created_at });
      await keep(tx, plan);
      return plan;
    });
  }

  private async ofPrompt(ctx: Ctx, body: CreatePlanRequest): Promise<MadePlan> {
    const { prompt, intent, output = null } = body;
    if (prompt === undefined) throw fieldError(['prompt'], 'is required unless plan_id and intent are given');
    if (intent !== undefined) throw fieldError(['plan_id'], 'must name the plan whose intent this is');
    const contract = contractOf(body.output);
    const place = await namedPlace(this.database, this.workspaces, ctx, body);
    const promptRequest: PromptRequest = { ctx, prompt, ...place, id: null };
    const { planner, plans: stored } = await this.readPrompt(promptRequest, contract);
    return { promptRequest, output, planner, stored, rootPlanId: null };
  }

  /** Compiles and prices the corrected intent of a plan. */
  private async correctPlan(ctx: Ctx, body: CreatePlanRequest): Promise<MadePlan> {
    const { plan_id: planId, intent, ...rest } = body;
    const beside = Object.entries(rest).find(([, value]) => value !== undefined)?.[0];
    if (beside) throw fieldError([beside], 'must be left out: the plan already has it');
    if (intent === undefined) throw fieldError(['intent'], 'is required with plan_id');
    const row = await this.findPlan(ctx, requireId('plan', planId!));
    const { promptRequest, plans: stored } = await this.compilePlan(ctx, row, requestOf(row), intent);
    const planner = row.planner as ReadPrompt['planner'];
    return {
      promptRequest,
      output: row.output_contract,
      planner,
      stored,
      rootPlanId: row.root_plan_id ?? row.id,
    };
  }

  /** @returns the plan as the public body. @throws AppError not_found */
  async getPlan(ctx: Ctx, planId: string): Promise<JsonText<typeof Plan>> {
    const row = await this.findPlan(ctx, planId);
    return toPlanJson({ ...row, plans: readStoredPlans(row.plans) });
  }

  /** Returns the request and the stored readings of a plan. @throws AppError not_found */
  async readStored(ctx: Ctx, planId: string): Promise<{ request: CreateRunRequest; plans: StoredPlan[] }> {
    const row = await this.findPlan(ctx, planId);
    return { request: requestOf(row), plans: readStoredPlans(row.plans) };
  }

  /**
   * Starts a run of a plan against the tables as they are now. When the plan, or one that it corrects, has run before, the run
   * continues that conversation.
   * @param written the corrected intent; the plan's own when left out
   * @param request the request that the idempotency key belongs to; the plan and the corrected intent when left out
   * @param maxCredits limit of its cost, in credits; undefined for none
   * @throws AppError not_found, invalid_request naming each fault of the intent, and what {@link RunStore.createRun} throws
   */
  async createRun(
    ctx: Ctx,
    planId: string,
    {
      written,
      request,
      maxCredits,
    }: { written?: unknown; request?: unknown; maxCredits?: number | undefined },
    idempotencyKey: string | null,
  ): Promise<{ id: string; json: JsonText<typeof Run> }> {
    // A key belongs to its route and therefore to its plan, or to the route of a caller that passes its own request.
    const key =
      idempotencyKey === null || request !== undefined ? idempotencyKey : `${planId} ${idempotencyKey}`;
    const limit = maxCredits === undefined ? {} : { max_credits: maxCredits };
    const sent = request ?? { plan_id: planId, intent: written, ...limit };
    const known = await this.runs.findByKey(ctx, key, sent);
    if (known) return known;
    const row = await this.findPlan(ctx, planId);
    const rootPlanId = row.root_plan_id ?? row.id;
    const named = requestOf(row);
    const before =
      named.conversation_id === undefined ? await this.runs.conversationOf(ctx, rootPlanId) : null;
    const body = before === null ? named : { ...named, ...before };
    const { plans } = await this.compilePlan(ctx, row, body, written);
    return this.runs.createRun(ctx, body, key, { plans, request: sent, rootPlanId, maxCredits });
  }

  /**
   * Compiles the intents of a plan, or corrected ones.
   * @throws AppError invalid_request naming each fault, workspace_not_found, conversation_not_found
   */
  private async compilePlan(
    ctx: Ctx,
    row: { plans: unknown },
    body: CreateRunRequest,
    written: unknown,
  ): Promise<{ promptRequest: PromptRequest; plans: StoredPlan[] }> {
    const contract = contractOf(body.output);
    const place = await namedPlace(this.database, this.workspaces, ctx, body);
    const promptRequest: PromptRequest = { ctx, prompt: body.prompt, ...place, id: null };
    const stored = readStoredPlans(row.plans);
    const intents = written === undefined ? stored.map(({ intent }) => intent) : listOf(written);
    if (intents.length !== stored.length)
      throw fieldError(['intent', 'tables'], `must have ${stored.length} items, one for each table`);
    const large = stored.flatMap(({ intent }, table) =>
      written === undefined ? [] : sizeFaults(intents[table], intent).map((fault) => ({ table, fault })),
    );
    const { plans, faults } =
      large.length > 0
        ? { plans: [], faults: large }
        : await this.plans.compilePlan(promptRequest, contract, { written: intents, before: stored });
    if (faults.length > 0) throw refusalOf(faults, intents.length > 1);
    return { promptRequest, plans };
  }

  private async readPrompt(
    promptRequest: PromptRequest,
    contract: OutputContract | null,
  ): Promise<ReadPrompt> {
    const limitMs = RUNS_RPC.createPlan.timeoutMs;
    const limits = { signal: AbortSignal.timeout(limitMs), deadlineMs: Date.now() + limitMs };
    try {
      return await this.plans.readPlans(promptRequest, contract, limits);
    } catch (error) {
      if (error instanceof PlanningTimeoutError || error instanceof RunFailure)
        throw new AppError('agent_error', error.message, { cause: error });
      throw error;
    }
  }

  private async findPlan(ctx: Ctx, planId: string) {
    const row = await this.database.queryOne(ctx, FIND, [tenantOf(ctx), planId], 'read');
    if (!row) throw notFound('plan');
    return row;
  }
}

function contractOf(output: Record<string, unknown> | undefined): OutputContract | null {
  return output === undefined ? null : readOutputContract(output);
}

/** @returns the request of a plan, in the form that runs accept */
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

/** @param faults each starts with its path in the intent of its table */
function refusalOf(faults: ReadonlyArray<{ table: number; fault: string }>, isOfSeveral: boolean): AppError {
  const details = faults.slice(0, FAULTS_SHOWN_MAX).map(({ table, fault }) => {
    const [within = '', ...message] = fault.split(': ');
    const at = isOfSeveral ? `intent.tables.${table}` : 'intent';
    return { path: within === 'intent' ? at : `${at}.${within}`, message: message.join(': ') };
  });
  const message = details.map((each) => `${each.path}: ${each.message}`).join('; ');
  return new AppError('invalid_request', message, { details });
}

function listOf(written: unknown): unknown[] {
  const tables = (written as { tables?: unknown } | null)?.tables;
  return Array.isArray(tables) ? tables : [written];
}

function toPlanJson(row: {
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
    // jsonb does not preserve the order of fields.
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
    // When nothing is found, nothing is charged.
    estimate: { rows, credits_min: 0, credits_max: creditsMax },
    links: { self: `/v1/plans/${row.id}`, runs: `/v1/plans/${row.id}/runs` },
    created_at: row.created_at,
  });
}

const FIND = statement(
  'plan.find',
  `
  SELECT id, prompt, workspace_id, conversation_id, output_contract, planner, plans, understood, root_plan_id, ${CREATED_AT}
  FROM runs.plans WHERE ${ofTenant()} AND id = $2`,
).rows<{ output_contract: Record<string, unknown> | null; created_at: string }>();
