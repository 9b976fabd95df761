import { Inject, Injectable } from '@nestjs/common';
import { capReached, CreditLedger, toCredits, type Millicredits } from '@quarry/credit-ledger';
import {
  faultsError,
  GO_RPC,
  GoQuestion,
  GoQuestionPage,
  GoRunPage,
  jsonText,
  offsetPageText,
  readObjectSchema,
  type CreateGoRunRequest,
  type Fault,
  type GoAccepted,
  type GoRun,
  type JsonSchemaNode,
  type JsonText,
  type ResponseOf,
} from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import { Evidence, type OutputSchema } from '@quarry/extraction';
import { LANGUAGE_MODEL, type LanguageModel } from '@quarry/language-models';
import { newId, notFound, type Ctx } from '@quarry/app';
import {
  afterCommit,
  Database,
  IdempotentRequests,
  isoTime,
  ofTenant,
  TENANT,
  tenantOf,
  type TxCtx,
} from '@quarry/postgres';
import { Providers } from '@quarry/engine';
import { traceparent } from '@quarry/tracing';
import { goRunText, type ShownGoRun } from './go-resource.js';
import { mostOf, ONE_STEP, SCHEMA_DEFAULT } from './go-terms.js';
import { statement } from '../statements.types.js';

/** Injection token of the function that delivers a waiting run to an agent. A lost call is harmless: the reaper repeats it. */
export const DELIVER_GO = Symbol('quarry:go:deliver');
export type DeliverGo = (runId: string) => Promise<void>;

/** Same limit as for an output contract. Source: docs/contract.md#3-runs. */
const SCHEMA_BYTES_MAX = 65_536;

/** Go runs in the API: created with their credits held, listed, read and cancelled. */
@Injectable()
export class GoRunStore {
  constructor(
    private readonly database: Database,
    private readonly ledger: CreditLedger,
    private readonly requests: IdempotentRequests,
    private readonly providers: Providers,
    @Inject(LANGUAGE_MODEL) private readonly model: LanguageModel | null,
    @Inject(DELIVER_GO) private readonly deliver: DeliverGo,
  ) {}

  /**
   * Creates a run and holds its maximum price, in one transaction. The same key with the same body returns the same run, in
   * its current state.
   * @param heldSeconds time for which the caller waits for the end: until then the key counts as in progress
   * @throws AppError validation_error (schema), capability_error, insufficient_credits, usage_limit, idempotency_conflict
   */
  async createRun(
    ctx: Ctx,
    { body, heldSeconds }: { body: CreateGoRunRequest; heldSeconds: number },
    idempotencyKey: string | null,
  ): Promise<GoAccepted> {
    const { schema, faults } = readSchema(body.schema);
    if (faults.length > 0) throw faultsError('services', faults);
    const { pattern } = GO_RPC.create;
    const request = { route: heldSeconds > 0 ? `${pattern} held` : pattern, key: idempotencyKey, body };
    let isNew = false;
    const { id } = await this.requests.inTransaction(ctx, request, async (tx) => {
      if (!this.canResearch(ctx, body)) throw new AppError('capability_error', this.incapableReason(ctx));
      isNew = true;
      return { id: await this.insertRun(tx, { ...body, ...(schema && { schema }) }) };
    });
    const row = await this.findRun(ctx, id);
    const isWaitedFor = !isNew && row.completed_at === null && row.age_ms < heldSeconds * 1000;
    if (isWaitedFor) throw stillInWork();
    return { id, json: await this.toGoRun(ctx, row) };
  }

  /** @returns the current state of the run. @throws AppError not_found */
  async readRun(ctx: Ctx, runId: string): Promise<ResponseOf<typeof GO_RPC.get>> {
    const row = await this.findRun(ctx, runId);
    const failure = row.status === 'failed' ? (row.error as { message: string }).message : null;
    return { json: await this.toGoRun(ctx, row), hasEnded: row.completed_at !== null, failure };
  }

  /** Returns one page of runs, newest first. */
  async listRuns(
    ctx: Ctx,
    query: { limit: number; offset: number; status: string | null },
  ): Promise<JsonText<typeof GoRunPage>> {
    const { limit, offset, status } = query;
    const rows = await this.database.query(ctx, LIST, [tenantOf(ctx), status, limit + 1, offset], 'list');
    const available = await this.availableCredits(ctx);
    return offsetPageText(
      GoRunPage,
      rows.map((row) => goRunText(row, available)),
      query,
    );
  }

  /** Returns the questions of one page of runs, newest first. */
  async listQuestions(
    ctx: Ctx,
    query: { limit: number; offset: number; status: string | null },
  ): Promise<JsonText<typeof GoQuestionPage>> {
    const { limit, offset, status } = query;
    const params = [tenantOf(ctx), status, limit + 1, offset] as const;
    const rows = await this.database.query(ctx, LIST_QUESTIONS, params, 'list');
    return offsetPageText(
      GoQuestionPage,
      rows.map(({ id, prompt }) => jsonText(GoQuestion, { id, prompt })),
      query,
    );
  }

  /**
   * Requests the cancellation of a run: a queued one ends immediately and is not charged, a running one ends at its next
   * step, an ended one does not change.
   * @returns whether there was something to cancel, and the run
   * @throws AppError not_found
   */
  async cancelRun(ctx: Ctx, runId: string): Promise<{ accepted: boolean; json: JsonText<typeof GoRun> }> {
    await this.findRun(ctx, runId);
    const accepted = await this.database.transaction(ctx, async (tx) => {
      const cancelled = await this.database.queryOne(tx, ASK_CANCEL, [tenantOf(tx), runId]);
      if (cancelled?.status !== 'queued') return cancelled !== null;
      const { schema = SCHEMA_DEFAULT } = cancelled.request;
      const { output, basis } = new Evidence(schema as OutputSchema, new Set()).verified();
      await this.ledger.voidHold(tx, cancelled.hold_id);
      const { available } = await this.ledger.readBalance(tx);
      await this.database.query(tx, CANCEL_QUEUED, [
        tenantOf(tx),
        runId,
        JSON.stringify(output),
        JSON.stringify(basis),
        available,
      ]);
      return true;
    });
    return { accepted, json: await this.toGoRun(ctx, await this.findRun(ctx, runId)) };
  }

  private canResearch(ctx: Ctx, body: CreateGoRunRequest): boolean {
    return this.providers.pagesFor(ctx) !== null && (body.urls !== undefined || this.model !== null);
  }

  private incapableReason(ctx: Ctx): string {
    if (ctx.mode === 'test') return 'Test keys reach no real page, so Go works with live keys only.';
    if (this.providers.pagesFor(ctx) === null)
      return 'No provider that reads pages of the web is configured.';
    return 'No language model is configured (MODEL_URL, MODEL_NAME). Without one, Go reads only the pages that you give: urls in a request, --url on the command line.';
  }

  private async insertRun(tx: TxCtx, body: CreateGoRunRequest): Promise<string> {
    const id = newId('gorun');
    const { holdId, amount } = await this.holdCredits(tx, id, mostOf(body));
    await this.database.query(tx, INSERT, [
      tenantOf(tx),
      id,
      tx.keyId,
      JSON.stringify(body),
      holdId,
      amount,
      traceparent(),
    ]);
    await afterCommit(tx, () => this.deliver(id).catch(() => undefined));
    return id;
  }

  /** Holds the maximum cost of the run, or the whole balance if it is lower: the run then ends with `budget`. */
  private async holdCredits(
    tx: TxCtx,
    runId: string,
    most: Millicredits,
  ): Promise<{ holdId: string; amount: Millicredits }> {
    const { available } = await this.ledger.readBalance(tx);
    const amount = Math.min(most, available);
    if (amount < ONE_STEP) throw tooLittle();
    const holdId = newId('hold');
    const { kind } = await this.ledger.holdCredits(tx, { id: holdId, amount, service: 'go', runId });
    if (kind === 'capped') throw capReached();
    // The balance was spent concurrently.
    if (kind === 'insufficient') throw tooLittle();
    return { holdId, amount };
  }

  private async findRun(ctx: Ctx, runId: string) {
    const row = await this.database.queryOne(ctx, READ, [tenantOf(ctx), runId], 'read');
    if (!row) throw notFound('gorun');
    return row;
  }

  private async toGoRun(ctx: Ctx, row: ShownGoRun): Promise<JsonText<typeof GoRun>> {
    return goRunText(row, row.remaining === null ? await this.availableCredits(ctx) : 0);
  }

  private async availableCredits(ctx: Ctx): Promise<Millicredits> {
    return (await this.ledger.readBalance(ctx)).available;
  }
}

function tooLittle(): AppError {
  return new AppError(
    'insufficient_credits',
    `The balance does not cover one step, which costs ${toCredits(ONE_STEP)} credit.`,
  );
}

function stillInWork(): AppError {
  return new AppError(
    'idempotency_conflict',
    'The first request with this Idempotency-Key is still in progress.',
    { headers: { 'Retry-After': '1' } },
  );
}

/** @returns the schema of a request with its references written out, and its faults */
function readSchema(sent: JsonSchemaNode | undefined): { schema?: JsonSchemaNode; faults: Fault[] } {
  if (sent === undefined) return { faults: [] };
  const isTooLong = (each: JsonSchemaNode): boolean =>
    Buffer.byteLength(JSON.stringify(each)) > SCHEMA_BYTES_MAX;
  const { schema, faults } = readObjectSchema(sent);
  if (isTooLong(sent) || isTooLong(schema))
    return { faults: [{ path: ['schema'], message: 'schema must be at most 64 KiB' }] };
  return {
    schema,
    faults: faults.map(({ path, message }) => {
      const steps = ['schema', ...path];
      return { path: steps, message: `${steps.join('.')} ${message}` };
    }),
  };
}

const SHOWN = `r.id, r.status, r.stop_reason, r.output, r.basis, r.charged, r.remaining, r.error,
  ${isoTime('r.created_at')} AS created_at, ${isoTime('r.ended_at')} AS completed_at`;
type Shown = { basis: unknown; created_at: string; completed_at: string | null };

const READ = statement(
  'go-run.read',
  `SELECT ${SHOWN}, (extract(epoch FROM clock_timestamp() - r.created_at) * 1000)::float8 AS age_ms
   FROM go.runs r WHERE ${ofTenant('r')} AND r.id = $2`,
).rows<Shown & { age_ms: number }>();

/** Subquery that finds the page before its rows are read: skipped rows then cost only an index step each. */
const PAGE = `FROM (
     SELECT r.id, r.created_at FROM go.runs r WHERE ${ofTenant('r')} AND ($2::text IS NULL OR r.status = $2)
     ORDER BY r.created_at DESC, r.id DESC LIMIT $3 OFFSET $4) page
   JOIN go.runs r ON r.id = page.id
   ORDER BY page.created_at DESC, page.id DESC`;

const LIST = statement('go-run.list', `SELECT ${SHOWN} ${PAGE}`).rows<Shown>();

const LIST_QUESTIONS = statement(
  'go-run.listQuestions',
  `SELECT r.id, r.request->>'prompt' AS prompt ${PAGE}`,
).rows<{ prompt: string }>();

const INSERT = statement(
  'go-run.insert',
  `INSERT INTO go.runs (org_id, mode, id, key_id, request, hold_id, held, status, traceparent)
   VALUES (${TENANT}, $2, $3, $4::json, $5, $6, 'queued', $7)`,
);

const ASK_CANCEL = statement(
  'go-run.askCancel',
  `UPDATE go.runs SET cancellation_requested = true WHERE ${ofTenant()} AND id = $2 AND ended_at IS NULL
   RETURNING status, hold_id, request`,
).rows<{ request: CreateGoRunRequest }>();

const CANCEL_QUEUED = statement(
  'go-run.cancelQueued',
  `UPDATE go.runs SET status = 'cancelled', stop_reason = 'cancelled', output = $3::json, basis = $4::json, remaining = $5,
     ended_at = clock_timestamp()
   WHERE ${ofTenant()} AND id = $2 AND status = 'queued'`,
);
