import { createHash } from 'node:crypto';
import { toMillicredits } from '@quarry/credit-ledger';
import {
  offsetPageText,
  RunPage,
  type CreateRunRequest,
  type JsonText,
  type Run,
  type RunOutput,
} from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import { readOutputContract } from '@quarry/plan';
import type { StoredPlan } from '@quarry/plan-compiler';
import { canonicalJson, newId, notFound, type Ctx } from '@quarry/app';
import {
  afterCommit,
  violatedConstraint,
  type Database,
  type TxCtx,
  ofTenant,
  TENANT,
  tenantOf,
} from '@quarry/postgres';
import { traceparent } from '@quarry/tracing';
import { insertPlanStep } from './execution/step-journal.js';
import type { WorkspacePort } from './ports/workspace.port.js';
import { namedPlace } from './run-place.js';
import { workspaceName } from './workspace-name.js';
import { isInOpenWorkspace, isInOpenWorkspaceOfTenant } from './open-workspace.sql.js';
import { statement } from './statements.types.js';

export interface RunStoreOptions {
  workspaces: WorkspacePort;
  /** Tells agents about a waiting run. A lost call is harmless: the reaper repeats it. */
  deliver: (runId: string) => Promise<void>;
  /** Address of the web application, without a slash at its end. */
  appUrl: string;
}

/** Options of a run that are not in its body. */
export interface RunOptions {
  /** Plans to perform; when left out, the agent plans the prompt. */
  plans?: readonly StoredPlan[];
  /** The request that the idempotency key belongs to, if it is not the body. */
  request?: unknown;
  /** The first plan in the chain of corrections. */
  rootPlanId?: string;
  /** Limit of its cost, in credits; undefined for none. */
  maxCredits?: number | undefined;
  /** The monitor that starts it. */
  monitorId?: string;
}

/** Options of a run with the key of its request, and a hash of what the key was sent with. */
type KeyedOptions = RunOptions & { key: string | null; bodyHash: string };

type RunAndId = { id: string; json: JsonText<typeof Run> };

/** Runs as the API shows them: creates, lists, reads and cancels them. */
export class RunStore {
  constructor(
    private readonly database: Database,
    private readonly options: RunStoreOptions,
  ) {}

  /**
   * Accepts a run in one transaction, creating workspace and conversation when none is named. The same key with the same body
   * returns the same run in its current state.
   * @throws AppError invalid_request (output contract), workspace_not_found, conversation_not_found, workspace_mismatch,
   * conversation_busy, idempotency_conflict
   */
  async createRun(
    ctx: Ctx,
    body: CreateRunRequest,
    idempotencyKey: string | null,
    options: RunOptions = {},
  ): Promise<RunAndId> {
    if (body.output !== undefined) readOutputContract(body.output);
    const { maxCredits } = options;
    const sent = maxCredits === undefined ? body : { ...body, max_credits: maxCredits };
    const bodyHash = hashOf(options.request ?? sent);
    const known = await this.findKnown(ctx, idempotencyKey, bodyHash);
    if (known) return known;
    const id = newId('run');
    try {
      await this.database.transaction(ctx, (tx) =>
        this.addRun(tx, id, body, { ...options, key: idempotencyKey, bodyHash }),
      );
    } catch (error) {
      const constraint = violatedConstraint(error);
      // Two requests with one key can race: the loser then finds the winner's run active in the conversation.
      const winner = constraint ? await this.findKnown(ctx, idempotencyKey, bodyHash) : null;
      if (winner) return winner;
      throw busyOr(error);
    }
    return { id, json: await this.readRun(ctx, id) };
  }

  /**
   * @param request what the key was sent with
   * @returns the run that the key has started, in its current state; null when there is none
   * @throws AppError idempotency_conflict
   */
  findByKey(ctx: Ctx, key: string | null, request: unknown): Promise<RunAndId | null> {
    return this.findKnown(ctx, key, hashOf(request));
  }

  /** @returns the conversation of the latest run of a plan or its corrections; null when there is none */
  conversationOf(
    ctx: Ctx | TxCtx,
    rootPlanId: string,
  ): Promise<{ workspace_id: string; conversation_id: string } | null> {
    return this.database.queryOne(ctx, CONVERSATION_OF_PLAN, [tenantOf(ctx), rootPlanId]);
  }

  /** @returns the Run as the public body. @throws AppError run_not_found */
  async readRun(ctx: Ctx, runId: string): Promise<JsonText<typeof Run>> {
    const row = await this.database.queryOne(
      ctx,
      READ_RUN,
      [tenantOf(ctx), runId, this.options.appUrl],
      'read',
    );
    if (!row) throw notFound('run');
    return row.json;
  }

  /** Returns one page of runs, newest first, as the public body. */
  async listRuns(
    ctx: Ctx,
    query: { limit: number; offset: number; workspaceId: string | null; conversationId: string | null },
  ): Promise<JsonText<typeof RunPage>> {
    const { limit, offset, workspaceId, conversationId } = query;
    const rows = await this.database.query(
      ctx,
      LIST,
      [tenantOf(ctx), workspaceId, this.options.appUrl, conversationId, limit + 1, offset],
      'list',
    );
    return offsetPageText(
      RunPage,
      rows.map(({ json }) => json),
      query,
    );
  }

  /**
   * Cancels a run: a queued one ends at once, a running one before its next step, an ended one stays as it is.
   * @returns whether there was anything to cancel, and the Run
   */
  async cancelRun(ctx: Ctx, runId: string): Promise<{ accepted: boolean; json: JsonText<typeof Run> }> {
    await this.readRun(ctx, runId);
    const rows = await this.database.query(ctx, CANCEL, [tenantOf(ctx), runId]);
    return { accepted: rows.length > 0, json: await this.readRun(ctx, runId) };
  }

  /** @returns the published output as the public body. @throws AppError run_not_found, output_not_found */
  async readOutput(ctx: Ctx, runId: string): Promise<JsonText<typeof RunOutput>> {
    await this.readRun(ctx, runId);
    const row = await this.database.queryOne(ctx, OUTPUT, [tenantOf(ctx), runId], 'read');
    if (!row) throw new AppError('output_not_found', 'This run has no published output.');
    return row.json;
  }

  /**
   * Accepts a run in the caller's transaction, for a caller whose key cannot race.
   * @returns its id
   * @throws AppError conversation_busy, which the transaction does not survive
   */
  async createWithin(
    tx: TxCtx,
    body: CreateRunRequest,
    idempotencyKey: string,
    options: RunOptions,
  ): Promise<string> {
    const id = newId('run');
    const keyed = { ...options, key: idempotencyKey, bodyHash: hashOf(body) };
    await this.addRun(tx, id, body, keyed).catch((error: unknown) => {
      throw busyOr(error);
    });
    return id;
  }

  private async addRun(tx: TxCtx, id: string, body: CreateRunRequest, options: KeyedOptions): Promise<void> {
    await this.insertRun(tx, id, body, options);
    if (options.plans) await insertPlanStep(this.database, tx, id, { prompt: body.prompt }, options.plans);
    await afterCommit(tx, () => this.options.deliver(id).catch(() => undefined));
  }

  private async findKnown(ctx: Ctx, key: string | null, bodyHash: string): Promise<RunAndId | null> {
    if (key === null) return null;
    const row = await this.database.queryOne(ctx, FIND_KNOWN, [tenantOf(ctx), key], 'read');
    if (!row) return null;
    if (row.body_hash !== bodyHash)
      throw new AppError(
        'idempotency_conflict',
        'This Idempotency-Key was already used with a different body.',
      );
    return { id: row.id, json: await this.readRun(ctx, row.id) };
  }

  private async insertRun(
    tx: TxCtx,
    id: string,
    body: CreateRunRequest,
    { key, bodyHash, rootPlanId, maxCredits, monitorId }: KeyedOptions,
  ): Promise<void> {
    const named = rootPlanId == null ? body : await this.continuePlan(tx, body, rootPlanId);
    const { workspaceId, conversationId } = await this.findOrCreatePlace(tx, named);
    await this.database.query(tx, INSERT, [
      id,
      tx.orgId,
      tx.mode,
      tx.keyId,
      workspaceId,
      conversationId,
      body.prompt,
      body.output ? JSON.stringify(body.output) : null,
      key,
      bodyHash,
      traceparent(),
      rootPlanId ?? null,
      maxCredits === undefined ? null : String(toMillicredits(maxCredits)),
      monitorId ?? null,
    ]);
  }

  /** Names the conversation of a run of the plan that has been accepted meanwhile: a plan that is run twice at once works once. */
  private async continuePlan(
    tx: TxCtx,
    body: CreateRunRequest,
    rootPlanId: string,
  ): Promise<CreateRunRequest> {
    if (body.conversation_id !== undefined) return body;
    await this.database.query(tx, LOCK_PLAN, [rootPlanId]);
    return { ...body, ...(await this.conversationOf(tx, rootPlanId)) };
  }

  /**
   * Finds or creates the workspace and conversation of a request.
   * @throws AppError workspace_not_found, conversation_not_found, workspace_mismatch
   */
  async findOrCreatePlace(
    tx: TxCtx,
    body: CreateRunRequest,
  ): Promise<{ workspaceId: string; conversationId: string }> {
    const { workspaces } = this.options;
    const named = await namedPlace(this.database, workspaces, tx, body);
    if (named.conversationId !== null) return named;
    const workspaceId =
      named.workspaceId ?? (await workspaces.createWorkspace(tx, workspaceName(body.prompt)));
    const conversationId = newId('conv');
    await this.database.query(tx, INSERT_CONVERSATION, [tenantOf(tx), conversationId, workspaceId]);
    return { workspaceId, conversationId };
  }
}

/** @returns the error, or conversation_busy where it says that the conversation has an active run */
function busyOr(error: unknown): unknown {
  if (violatedConstraint(error) !== 'one_active_run_per_conversation') return error;
  return new AppError('conversation_busy', 'A run is already active in this conversation.');
}

function hashOf(request: unknown): string {
  return createHash('sha256').update(canonicalJson(request)).digest('base64url');
}

/** Narrow read for other libraries. @returns whether the caller's organisation has this run, in a workspace that is not archived */
export async function runExists(database: Database, ctx: Ctx, runId: string): Promise<boolean> {
  return (await database.queryOne(ctx, EXISTS, [tenantOf(ctx), runId], 'read')) !== null;
}

/** Returns SQL of the published output as the API shows it, in the Run and on its own route; null when there is none. */
function publishedOutput(column: string): string {
  return `CASE WHEN ${column} IS NOT NULL THEN json_build_object('type', 'json', 'value', ${column}) END`;
}

/** The Run as the API shows it; $3 is the address of the web application. */
const RUN_JSON = `(SELECT row_to_json(shown)::text FROM (
  SELECT r.id, r.workspace_id, r.conversation_id, r.status, r.message, r.artifacts, ${publishedOutput('r.output')} AS output, r.error,
    r.cancellation_requested,
    (SELECT links FROM (SELECT '/v1/runs/' || r.id AS self, $3::text || '/runs/' || r.id AS app) AS links) AS links
  ) AS shown)`;

/** Prepared: waiting clients read runs by id all the time, and planning the statement costs more than running it. */
const READ_RUN = statement(
  'run.read',
  `SELECT ${RUN_JSON} AS json FROM runs.runs r WHERE ${ofTenant('r')} AND r.id = $2 AND ${isInOpenWorkspace('r')}`,
)
  .rows<{ json: JsonText<typeof Run> }>()
  .prepared();

/** Finds the page by index before it reads the rows and writes them as JSON, so that an offset costs only index steps. */
const LIST = statement(
  'run.list',
  `
  SELECT ${RUN_JSON} AS json FROM (
    SELECT r.id, r.created_at FROM runs.runs r
    WHERE ${ofTenant('r')} AND ($2::text IS NULL OR r.workspace_id = $2) AND ($4::text IS NULL OR r.conversation_id = $4)
      AND ${isInOpenWorkspaceOfTenant('r')}
    ORDER BY r.created_at DESC, r.id DESC LIMIT $5 OFFSET $6) page
  JOIN runs.runs r ON r.id = page.id
  ORDER BY page.created_at DESC, page.id DESC`,
).rows<{ json: JsonText<typeof Run> }>();

/** Condition that no agent has the run: it is queued, or was handed over and not claimed yet. */
const IS_UNTOUCHED = "(status = 'queued' OR (status = 'running' AND lease_token IS NULL))";

const CANCEL = statement(
  'run.cancel',
  `
  UPDATE runs.runs SET cancellation_requested = true,
    status = CASE WHEN ${IS_UNTOUCHED} THEN 'cancelled' ELSE status END,
    ended_at = CASE WHEN ${IS_UNTOUCHED} THEN clock_timestamp() END
  WHERE ${ofTenant()} AND id = $2 AND status IN ('queued', 'running', 'recovering') RETURNING 1`,
);

const OUTPUT = statement(
  'run.output',
  `
  SELECT (${publishedOutput('output')})::text AS json FROM runs.runs
  WHERE ${ofTenant()} AND id = $2 AND status = 'completed' AND output_contract IS NOT NULL`,
).rows<{ json: JsonText<typeof RunOutput> }>();

const FIND_KNOWN = statement(
  'run.findKnown',
  `SELECT id, body_hash FROM runs.runs WHERE ${ofTenant()} AND idempotency_key = $2`,
);

const INSERT = statement(
  'run.insert',
  `
  INSERT INTO runs.runs (id, org_id, mode, key_id, workspace_id, conversation_id, prompt, output_contract, status, idempotency_key, body_hash, traceparent, root_plan_id, credits_max, monitor_id)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'queued', $9, $10, $11, $12, $13, $14)`,
);

const LOCK_PLAN = statement('run.lockPlan', "SELECT pg_advisory_xact_lock(hashtext('plans'), hashtext($1))");

const CONVERSATION_OF_PLAN = statement(
  'run.conversationOfPlan',
  `
  SELECT r.workspace_id, r.conversation_id FROM runs.runs r
  JOIN tables.open_workspaces w ON w.org_id = r.org_id AND w.mode = r.mode AND w.id = r.workspace_id
  WHERE ${ofTenant('r')} AND r.root_plan_id = $2 ORDER BY r.created_at DESC, r.id DESC LIMIT 1`,
);

const INSERT_CONVERSATION = statement(
  'run.insertConversation',
  `INSERT INTO runs.conversations (org_id, mode, id, workspace_id) VALUES (${TENANT}, $2, $3)`,
);

const EXISTS = statement(
  'run.exists',
  `SELECT 1 FROM runs.runs r WHERE ${ofTenant('r')} AND r.id = $2 AND ${isInOpenWorkspace('r')}`,
);
