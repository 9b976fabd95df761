import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CreditLedger, toCredits } from '@quarry/credit-ledger';
import {
  type Batch,
  Estimate,
  faultsError,
  JobPage,
  jsonText,
  type JsonText,
  offsetPageText,
  type BatchAccepted,
  type FaultStyle,
  SERVICES_RPC,
  type JobStatus,
  type Trail,
  type QueueName,
} from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import { canonicalJson, failpoints, newId, notFound, type Ctx } from '@quarry/app';
import {
  afterCommit,
  Database,
  IdempotentRequests,
  violatedConstraint,
  type TxCtx,
  ofTenant,
  tenantOf,
} from '@quarry/postgres';
import { findService, inputFaults, type AnySlowService } from '@quarry/service-catalog';
import { jobList, READ_BATCH, READ_STATE, RETRYABLE_CODES } from './batch-json.sql.js';
import { planLines, type PlannedLine } from './batch-plan.js';
import type { Failpoint } from './failpoints.js';
import { KeptBatches } from './kept-batches.js';
import { canAnswer, firstOfEach, LineMatcher, type BatchRequest } from './line-matcher.js';
import { statement } from './statements.types.js';
import { DELIVER } from './tokens.js';

export interface NewBatch {
  service: string;
  inputs: Array<Record<string, unknown>>;
  fresh?: boolean;
  idempotencyKey?: string | null;
  /** Id made by the caller: the same id again returns the same batch and creates nothing. */
  batchId?: string;
  runId?: string;
}

/** Outcome of a line, for callers within the product. */
export type LineEnd =
  | { jobId: string; state: 'completed'; result: Record<string, unknown> }
  | { jobId: string; state: 'failed'; error: { code: string; message: string } }
  | { jobId: string; state: 'cancelled' };

/** Tells workers about waiting jobs. A lost call is harmless: the reconciler repeats it. */
export type Deliver = (queue: QueueName, jobIds: string[]) => Promise<void>;

/** Creates, reads, cancels and prices batches. A batch is accepted whole or not at all. */
@Injectable()
export class BatchStore {
  private readonly failpoints = failpoints<Failpoint>();
  private readonly matcher: LineMatcher;
  private readonly kept = new KeptBatches();

  constructor(
    private readonly database: Database,
    private readonly requests: IdempotentRequests,
    private readonly ledger: CreditLedger,
    @Inject(DELIVER) private readonly deliver: Deliver,
  ) {
    this.matcher = new LineMatcher(database);
  }

  /**
   * Accepts a batch: matches each line with a finished or running job, creates jobs for the others, all in one transaction, and
   * tells the workers after the commit.
   * @throws AppError not_found, service_not_async, invalid_request (naming field and index), insufficient_credits, usage_limit,
   * idempotency_conflict
   */
  async createBatch(ctx: Ctx | TxCtx, request: NewBatch): Promise<BatchAccepted> {
    const service = slowService(request.service);
    refuseFaultyInputs(service, request.inputs, 'resources');
    const route = SERVICES_RPC.createBatch.pattern;
    const { inputs, fresh = false, idempotencyKey: key = null } = request;
    if (key === null) return this.acceptBatch(ctx, service, request);
    const body = { service: service.name, inputs, fresh };
    return this.requests.inTransaction(ctx, { route, key, body }, (tx) =>
      this.acceptBatch(tx, service, request),
    );
  }

  /** The part of {@link createBatch} after validation. */
  private async acceptBatch(
    ctx: Ctx | TxCtx,
    service: AnySlowService,
    request: NewBatch,
  ): Promise<BatchAccepted> {
    const bodyHash = hashOf(request);
    const id = request.batchId ?? newId('svcbatch');
    const isRepeatable = request.batchId !== undefined || Boolean(request.idempotencyKey);
    const known = isRepeatable
      ? await this.findKnown(ctx, id, request.idempotencyKey ?? null, bodyHash)
      : null;
    if (known) return known;
    // Runs in parallel with the transaction, unless the caller is in one already. It needs no lock: workers hold the price of
    // each line.
    const spendable = this.ledger.readSpendable(ctx);
    spendable.catch(() => undefined);
    const { inputs, fresh = false, runId = null, idempotencyKey = null } = request;
    const lines = planLines(service, inputs, fresh);
    const list = { batchId: id, service, lines, fresh, runId, idempotencyKey, bodyHash, spendable };
    try {
      await this.database.transaction(ctx, (tx) => this.insertBatch(tx, list));
    } catch (error) {
      // Lost a race against the same key or id: the winner's batch is the answer.
      if (!['batch_by_idempotency_key', 'batches_pkey'].includes(violatedConstraint(error))) throw error;
      const winner = await this.findKnown(ctx, id, request.idempotencyKey ?? null, bodyHash);
      if (!winner) throw error;
      return winner;
    }
    return this.readBatch(ctx, id);
  }

  /** @throws AppError not_found */
  async readBatch(ctx: Ctx | TxCtx, batchId: string): Promise<BatchAccepted> {
    const kept = this.kept.findText(ctx, batchId);
    if (kept) {
      const { done, revision } = await this.readState(ctx, batchId);
      if (done && revision === kept.revision) return { batchId, done, json: kept.json };
    }
    const params = [tenantOf(ctx), batchId, RETRYABLE_CODES] as const;
    const row = await this.database.queryOne(ctx, READ_BATCH, params, 'read');
    if (!row) throw notFound('svcbatch');
    const { done, revision, json } = row;
    if (done) this.kept.keepText(ctx, batchId, { revision, json });
    return { batchId, done, json };
  }

  /** @returns whether a batch has ended, without reading its lines @throws AppError not_found */
  async hasEnded(ctx: Ctx, batchId: string): Promise<boolean> {
    return (await this.readState(ctx, batchId)).done;
  }

  /**
   * @returns the outcome of each line of a batch, in the order of its inputs; null while any line is open
   * @throws AppError not_found
   */
  async endsOf(ctx: Ctx, batchId: string): Promise<LineEnd[] | null> {
    const lines = await this.database.query(ctx, ENDS_OF, [tenantOf(ctx), batchId], 'read');
    if (lines.length === 0) throw notFound('svcbatch');
    return lines.every(({ has_ended: hasEnded }) => hasEnded) ? lines.map(endOf) : null;
  }

  /**
   * Reads a batch that may be open, after {@link endsOf} has checked that it exists.
   * @returns the outcomes in the order sent; null for a line that is open
   */
  async endsSoFar(ctx: Ctx, batchId: string): Promise<Array<LineEnd | null>> {
    const lines = await this.database.query(ctx, ENDS_OF, [tenantOf(ctx), batchId], 'read');
    return lines.map((line) => (line.state === 'queued' || line.state === 'running' ? null : endOf(line)));
  }

  /**
   * Cancels the lines of a batch that have not started. A search that another batch shares continues without this one.
   * @throws AppError not_found
   */
  async cancelBatch(ctx: Ctx, batchId: string): Promise<JsonText<typeof Batch>> {
    await this.readBatch(ctx, batchId);
    // In a separate transaction, which is retried after a deadlock: a group of starts locks lines in any order.
    await this.database.transaction(ctx, (tx) => this.database.query(tx, CANCEL, [...tenantOf(tx), batchId]));
    return (await this.readBatch(ctx, batchId)).json;
  }

  /**
   * Estimates the price of a batch without creating or charging anything.
   * @returns the body of POST /credits/estimate. Source: docs/contract.md#5-services-jobs-credits
   * @throws AppError validation_error naming each invalid input, not_found, service_not_async
   */
  async estimateBatch(
    ctx: Ctx,
    request: Pick<NewBatch, 'service' | 'inputs' | 'fresh'>,
  ): Promise<JsonText<typeof Estimate>> {
    const service = slowService(request.service);
    refuseFaultyInputs(service, request.inputs, 'services');
    const { fresh = false } = request;
    const lines = planLines(service, request.inputs, fresh);
    const existing = fresh ? [] : await this.matcher.findExisting(ctx, service, lines, 'look');
    const wanted = lines.filter((line) => line.thin === null);
    const own = firstOfEach(wanted.filter((line) => !existing.some((job) => canAnswer(job, line))));
    const least = (line: PlannedLine): number =>
      Math.min(...OUTCOMES.map((outcome) => service.charge(line.input, outcome)));
    const max = sumOf([...own.values()].map((line) => line.price));
    return jsonText(Estimate, {
      min: toCredits(sumOf([...own.values()].map(least))),
      max: toCredits(max),
      new_lines: own.size,
      reused_lines: wanted.length - own.size,
      rejected_lines: lines.length - wanted.length,
      affordable: (await this.ledger.readOutlook(ctx, max)).kind === 'held',
    });
  }

  /** Returns one page of the organisation's jobs, newest first, as the public body. */
  async listJobs(
    ctx: Ctx,
    query: {
      limit: number;
      offset: number;
      status: JobStatus | null;
      service: string | null;
      batchId: string | null;
    },
  ): Promise<JsonText<typeof JobPage>> {
    const { limit, offset, status, service, batchId } = query;
    const rows = await this.database.query(
      ctx,
      jobList(status, batchId),
      [tenantOf(ctx), status, service, batchId, limit + 1, offset],
      'list',
    );
    return offsetPageText(
      JobPage,
      rows.map(({ json }) => json),
      query,
    );
  }

  /** @returns the providers that were called for a job, as the public body; none while it is open @throws AppError not_found */
  async readTrail(ctx: Ctx, jobId: string): Promise<JsonText<typeof Trail>> {
    const row = await this.database.queryOne(ctx, READ_TRAIL, [tenantOf(ctx), jobId], 'read');
    if (!row) throw notFound('svcjob');
    return row.json;
  }

  /** @returns the given batches that have ended */
  async endedAmong(ctx: Ctx, batchIds: string[]): Promise<string[]> {
    const rows = await this.database.query(ctx, ENDED_AMONG, [batchIds], 'read');
    return rows.map((row) => row.id);
  }

  private async readState(ctx: Ctx | TxCtx, batchId: string): Promise<{ done: boolean; revision: number }> {
    const state = await this.database.queryOne(ctx, READ_STATE, [tenantOf(ctx), batchId], 'read');
    if (!state) throw notFound('svcbatch');
    return state;
  }

  private async findKnown(
    ctx: Ctx | TxCtx,
    id: string,
    key: string | null,
    bodyHash: string,
  ): Promise<BatchAccepted | null> {
    const row = await this.database.queryOne(ctx, FIND_KNOWN, [tenantOf(ctx), id, key], 'read');
    if (!row) return null;
    if (row.body_hash !== bodyHash)
      throw new AppError(
        'idempotency_conflict',
        'This Idempotency-Key was already used with a different body.',
      );
    return this.readBatch(ctx, row.id);
  }

  private async insertBatch(tx: TxCtx, list: BatchRequest): Promise<void> {
    const matched = await this.matcher.insertBatch(tx, list);
    const made = matched.filter((each) => each.isOpen && !each.reused).map((each) => each.jobId);
    // Not awaited: the batch is safe in the database, and its answer need not wait for the queue.
    await afterCommit(tx, async () => {
      await this.failpoints.reach('after_batch_commit_before_relay', list.lines[0]!.input);
      void this.deliver(list.service.queue, made).catch(() => undefined);
    });
  }
}

function slowService(name: string): AnySlowService {
  const service = findService(name);
  if (!service) throw new AppError('not_found', 'Service not found.');
  if (service.mode === 'slow') return service;
  throw new AppError(
    'service_not_async',
    `${name} is a fast service: call it directly on POST /services/${name}.`,
  );
}

/** @throws AppError naming every invalid field with the index of its input, in the error style of the route */
function refuseFaultyInputs(
  service: AnySlowService,
  inputs: Array<Record<string, unknown>>,
  style: FaultStyle,
): void {
  const faults = inputs.flatMap((input, index) => inputFaults(service, input, ['inputs', index]));
  if (faults.length > 0) throw faultsError(style, faults);
}

/** The possible outcomes of a search, for its minimum price. */
const OUTCOMES = [true, false].flatMap((found) => [true, false].map((deep) => ({ found, deep })));

function sumOf(amounts: number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}

function hashOf(request: NewBatch): string {
  const { service, inputs, fresh = false } = request;
  return createHash('sha256').update(canonicalJson({ service, inputs, fresh })).digest('base64url');
}

const CANCEL = statement('batch.cancel', 'SELECT jobs.cancel_batch($1, $2, $3)');

const READ_TRAIL = statement(
  'batch.readTrail',
  `SELECT json_build_object('job_id', id, 'steps', coalesce(trail, '[]'))::text AS json
   FROM jobs.jobs WHERE ${ofTenant()} AND id = $2`,
).rows<{ json: JsonText<typeof Trail> }>();

const ENDED_AMONG = statement(
  'batch.endedAmong',
  'SELECT id FROM jobs.batches WHERE id = ANY ($1) AND completed_at IS NOT NULL',
);

const FIND_KNOWN = statement(
  'batch.findKnown',
  `SELECT id, body_hash FROM jobs.batches WHERE ${ofTenant()} AND (id = $2 OR idempotency_key = $3)`,
);

// A line that was taken out of its batch is cancelled, whatever happens to its job.
const ENDS_OF = statement(
  'batch.endsOf',
  `
  SELECT l.job_id, b.completed_at IS NOT NULL AS has_ended, j.result, j.error,
    CASE WHEN l.cancelled_at IS NULL THEN j.state ELSE 'cancelled' END AS state
  FROM jobs.batches b JOIN jobs.lines l ON l.batch_id = b.id JOIN jobs.jobs j ON j.id = l.job_id
  WHERE ${ofTenant('b')} AND b.id = $2 ORDER BY l.input_index`,
).rows<{
  has_ended: boolean;
  state: JobStatus;
  result: Record<string, unknown> | null;
  error: { code: string; message: string } | null;
}>();

function endOf({ job_id: jobId, state, result, error }: (typeof ENDS_OF)['types']['row']): LineEnd {
  if (state === 'completed') return { jobId, state, result: result ?? {} };
  if (state === 'failed') return { jobId, state, error: { code: error!.code, message: error!.message } };
  return { jobId, state: 'cancelled' };
}
