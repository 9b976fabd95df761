import { createHash } from 'node:crypto';
import { accountId, toCredits } from '@quarry/credit-ledger';
import type { BatchAccepted, JobStatus, QueueName } from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import {
  afterCommit,
  canonicalJson,
  newId,
  violatedConstraint,
  type Ctx,
  type Database,
  type TxCtx,
} from '@quarry/platform';
import { findService, inputFaults, type AnySlowService } from '@quarry/service-catalog';
import { BATCH_JSON_SQL, JOB_LIST_SQL, RETRYABLE_CODES } from './batch-json.sql.js';
import { planLines, type PlannedLine } from './batch-plan.js';

export interface NewBatch {
  service: string;
  inputs: Array<Record<string, unknown>>;
  fresh?: boolean;
  idempotencyKey?: string | null;
  /** Caller-made id: the same id again answers the same batch and makes nothing. */
  batchId?: string;
  runId?: string;
}

/** Tells workers of jobs that wait. Losing a call is harmless: the reconciler repeats it. */
export type Deliver = (queue: QueueName, jobIds: string[]) => Promise<void>;

interface ExistingJob {
  id: string;
  state: JobStatus;
  share_key: string | null;
  reuse_key: string | null;
  found: boolean;
  deep: boolean;
}

interface MatchedLine {
  line: PlannedLine;
  jobId: string;
  reused: boolean;
  isOpen: boolean;
}

// Each round loses only to a job that ended in the moment between looking and inserting.
const MATCH_ROUNDS = 5;

/** Lists of inputs: accepted whole or not at all, read as the contract shows them. */
export class BatchStore {
  constructor(
    private readonly database: Database,
    private readonly deliver: Deliver,
  ) {}

  /**
   * Accepts a list: matches each line with a finished or running answer, makes jobs for the others, all in one
   * transaction, and tells the workers after the commit.
   * @throws AppError not_found, service_not_async, invalid_request (naming field and index), insufficient_credits,
   * idempotency_conflict
   */
  async create(ctx: Ctx | TxCtx, request: NewBatch): Promise<BatchAccepted> {
    const service = slowService(request.service);
    refuseFaultyInputs(service, request.inputs);
    const bodyHash = hashOf(request);
    const id = request.batchId ?? newId('svcbatch');
    const known = await this.known(ctx, id, request.idempotencyKey ?? null, bodyHash);
    if (known) return known;
    try {
      await this.database.transaction(ctx, (tx) => this.insert(tx, id, service, request, bodyHash));
    } catch (error) {
      // Lost a race against the same key or id: the winner's batch is the answer.
      if (!['batch_by_idempotency_key', 'batches_pkey'].includes(violatedConstraint(error))) throw error;
      const winner = await this.known(ctx, id, request.idempotencyKey ?? null, bodyHash);
      if (!winner) throw error;
      return winner;
    }
    return this.read(ctx, id);
  }

  /** @throws AppError not_found */
  async read(ctx: Ctx | TxCtx, batchId: string): Promise<BatchAccepted> {
    const row = await this.database.queryOne<{ done: boolean; json: string }>(ctx, BATCH_JSON_SQL, [
      ctx.orgId,
      batchId,
      RETRYABLE_CODES,
    ]);
    if (!row) throw new AppError('not_found', 'There is no batch with this id.');
    return { batchId, ...row };
  }

  /**
   * Ends the lines of a batch that have not started; a search that another list waits for goes on without this one.
   * @throws AppError not_found
   */
  async cancel(ctx: Ctx, batchId: string): Promise<string> {
    await this.read(ctx, batchId);
    await this.database.query(ctx, 'SELECT jobs.cancel_batch($1, $2)', [ctx.orgId, batchId]);
    return (await this.read(ctx, batchId)).json;
  }

  /**
   * Says what a list would cost, without making or charging anything.
   * @returns the body of POST /credits/estimate. Source: contract decisions, section 5
   * @throws AppError validation_error naming each faulty input, not_found, service_not_async
   */
  async estimate(
    ctx: Ctx,
    request: { service: string; inputs: Array<Record<string, unknown>> },
  ): Promise<string> {
    const service = slowService(request.service);
    refuseFaultyInputs(service, request.inputs, 'validation_error');
    const lines = planLines(service, request.inputs, false);
    const existing = await this.existing(ctx, service, lines, 'look');
    const wanted = lines.filter((line) => line.thin === null);
    const own = firstOfEach(wanted.filter((line) => !existing.some((job) => answers(job, line))));
    const least = (line: PlannedLine): number =>
      Math.min(...OUTCOMES.map((outcome) => service.charge(line.input, outcome)));
    const max = sum([...own.values()].map((line) => line.price));
    return JSON.stringify({
      min: toCredits(sum([...own.values()].map(least))),
      max: toCredits(max),
      new_lines: own.size,
      reused_lines: wanted.length - own.size,
      rejected_lines: lines.length - wanted.length,
      affordable: (await this.available(ctx)) >= max,
    });
  }

  /** One page of the organisation's jobs, newest first, as the public body. */
  async listJobs(
    ctx: Ctx,
    query: {
      limit: number;
      offset: number;
      status: JobStatus | null;
      service: string | null;
      batchId: string | null;
    },
  ): Promise<string> {
    const { limit, offset, status, service, batchId } = query;
    const rows = await this.database.query<{ json: string }>(ctx, JOB_LIST_SQL, [
      ctx.orgId,
      status,
      service,
      batchId,
      limit + 1,
      offset,
    ]);
    const items = rows.slice(0, limit).map((row) => row.json);
    return `{"items":[${items.join(',')}],"next_offset":${rows.length > limit ? offset + limit : null}}`;
  }

  /** @returns which of the given batches have ended. */
  async endedAmong(ctx: Ctx, batchIds: string[]): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      ctx,
      'SELECT id FROM jobs.batches WHERE id = ANY ($1) AND completed_at IS NOT NULL',
      [batchIds],
    );
    return rows.map((row) => row.id);
  }

  private async known(
    ctx: Ctx | TxCtx,
    id: string,
    key: string | null,
    bodyHash: string,
  ): Promise<BatchAccepted | null> {
    const row = await this.database.queryOne<{ id: string; body_hash: string }>(
      ctx,
      'SELECT id, body_hash FROM jobs.batches WHERE org_id = $1 AND (id = $2 OR idempotency_key = $3)',
      [ctx.orgId, id, key],
    );
    if (!row) return null;
    if (row.body_hash !== bodyHash)
      throw new AppError('idempotency_conflict', 'This Idempotency-Key was used with another body.');
    return this.read(ctx, row.id);
  }

  private async insert(
    tx: TxCtx,
    id: string,
    service: AnySlowService,
    request: NewBatch,
    bodyHash: string,
  ): Promise<void> {
    const lines = planLines(service, request.inputs, request.fresh ?? false);
    const matched = await this.match(tx, id, service, lines, request);
    const open = matched.filter((each) => each.isOpen).length;
    await this.database.query(
      tx,
      `WITH batch AS (
         INSERT INTO jobs.batches (id, org_id, mode, service, size, open_lines, run_id, idempotency_key, body_hash, completed_at)
         VALUES ($1, $2, $3, $4, $5, $6::integer, $7, $8, $9, CASE WHEN $6::integer = 0 THEN clock_timestamp() END) RETURNING id
       )
       INSERT INTO jobs.lines (batch_id, input_index, org_id, job_id, reused)
       SELECT batch.id, l.i, $2, l.job, l.reused FROM batch, jsonb_to_recordset($10::jsonb) AS l (i integer, job text, reused boolean)`,
      [
        ...[
          id,
          tx.orgId,
          tx.mode,
          service.name,
          lines.length,
          open,
          request.runId ?? null,
          request.idempotencyKey ?? null,
          bodyHash,
        ],
        JSON.stringify(
          matched.map(({ line, jobId, reused }) => ({ i: line.inputIndex, job: jobId, reused })),
        ),
      ],
    );
    const fresh = matched.filter((each) => each.isOpen && !each.reused).map((each) => each.jobId);
    await afterCommit(tx, () => this.deliver(service.queue, fresh).catch(() => undefined));
  }

  /** Finds or makes the job of every line. Jobs that are shared stay locked, so none can end before it is joined. */
  private async match(
    tx: TxCtx,
    batchId: string,
    service: AnySlowService,
    lines: PlannedLine[],
    request: NewBatch,
  ): Promise<MatchedLine[]> {
    const matched = new Map<number, MatchedLine>();
    for (let round = 0; round < MATCH_ROUNDS; round += 1) {
      const rest = lines.filter((line) => !matched.has(line.inputIndex));
      if (rest.length === 0) break;
      const existing = request.fresh ? [] : await this.existing(tx, service, rest, 'join');
      for (const line of rest) {
        const job = existing.find((each) => answers(each, line));
        if (job)
          matched.set(line.inputIndex, {
            line,
            jobId: job.id,
            reused: true,
            isOpen: job.state !== 'completed',
          });
      }
      const own = firstOfEach(rest.filter((line) => !matched.has(line.inputIndex)));
      if (round === 0) await this.gate(tx, [...own.values()]);
      const made = await this.insertJobs(tx, batchId, service, [...own.values()], request.runId ?? null);
      for (const line of rest.filter((each) => !matched.has(each.inputIndex))) {
        const maker = own.get(ownKey(line))!;
        if (made.has(maker.jobId)) {
          matched.set(line.inputIndex, {
            line,
            jobId: maker.jobId,
            reused: maker !== line,
            isOpen: line.thin === null,
          });
        }
      }
    }
    return lines.map((line) => {
      const match = matched.get(line.inputIndex);
      if (!match) throw new Error('A line found neither a job to share nor room for its own.');
      return match;
    });
  }

  /** @param purpose `join` keeps running jobs from ending until the transaction does (settle takes FOR UPDATE) */
  private async existing(
    ctx: Ctx | TxCtx,
    service: AnySlowService,
    lines: PlannedLine[],
    purpose: 'join' | 'look',
  ): Promise<ExistingJob[]> {
    const shareKeys = lines.flatMap((line) => line.shareKey ?? []);
    const reuseKeys = service.reuseSeconds > 0 ? lines.flatMap((line) => line.reuseKey ?? []) : [];
    const running = await this.database.query<ExistingJob & Record<string, unknown>>(
      ctx,
      `SELECT id, state, share_key, reuse_key, false AS found, false AS deep FROM jobs.jobs
       WHERE org_id = $1 AND mode = $2 AND service = $3 AND share_key = ANY ($4) AND state IN ('queued', 'running')
       ORDER BY id ${purpose === 'join' ? 'FOR SHARE' : ''}`,
      [ctx.orgId, ctx.mode, service.name, shareKeys],
    );
    if (reuseKeys.length === 0) return running;
    const answered = await this.database.query<ExistingJob & Record<string, unknown>>(
      ctx,
      `SELECT id, state, share_key, reuse_key, (result ->> 'found')::boolean AS found, coalesce((input ->> 'deep')::boolean, false) AS deep
       FROM jobs.jobs
       WHERE org_id = $1 AND mode = $2 AND service = $3 AND reuse_key = ANY ($4) AND state = 'completed' AND emptied_at IS NULL
         AND completed_at > clock_timestamp() - make_interval(secs => $5)
       ORDER BY completed_at DESC`,
      [ctx.orgId, ctx.mode, service.name, reuseKeys, service.reuseSeconds],
    );
    return [...answered, ...running];
  }

  /** The 402 gate: the balance must cover at least the cheapest line that needs a new search. */
  private async gate(tx: TxCtx, own: PlannedLine[]): Promise<void> {
    const prices = own.filter((line) => line.thin === null).map((line) => line.price);
    if (prices.length === 0) return;
    if ((await this.available(tx)) < Math.min(...prices)) {
      throw new AppError(
        'insufficient_credits',
        'The balance does not cover even the cheapest line of this list.',
      );
    }
  }

  private async available(ctx: Ctx | TxCtx): Promise<number> {
    const sql = 'SELECT available FROM credits.accounts WHERE id = $1';
    const row = await this.database.queryOne<{ available: string }>(ctx, sql, [
      accountId(ctx.orgId, ctx.mode),
    ]);
    return Number(row?.available ?? 0);
  }

  /** @returns ids of the jobs that were made; one is missing when an equal search began in the meantime. */
  private async insertJobs(
    tx: TxCtx,
    batchId: string,
    service: AnySlowService,
    lines: PlannedLine[],
    runId: string | null,
  ): Promise<Set<string>> {
    if (lines.length === 0) return new Set();
    const packed = lines.map((line) => ({
      id: line.jobId,
      i: line.inputIndex,
      input: line.input,
      share: line.shareKey,
      reuse: line.reuseKey,
      price: line.price,
      error: line.thin === null ? null : { code: 'provider_rejected', message: line.thin },
    }));
    const rows = await this.database.query<{ id: string }>(
      tx,
      // In the order of the keys: two lists with the same lines in another order must not wait for each other.
      `INSERT INTO jobs.jobs (id, org_id, mode, service, batch_id, input_index, run_id, input, share_key, reuse_key, state, price, error, completed_at)
       SELECT n.id, $1, $2, $3, $4, n.i, $5, n.input, n.share, n.reuse, CASE WHEN n.error IS NULL THEN 'queued' ELSE 'failed' END, n.price, n.error,
         CASE WHEN n.error IS NOT NULL THEN clock_timestamp() END
       FROM jsonb_to_recordset($6::jsonb) AS n (id text, i integer, input jsonb, share text, reuse text, price bigint, error jsonb)
       ORDER BY n.share, n.i
       ON CONFLICT (org_id, mode, service, share_key) WHERE share_key IS NOT NULL AND state IN ('queued', 'running') DO NOTHING
       RETURNING id`,
      [tx.orgId, tx.mode, service.name, batchId, runId, JSON.stringify(packed)],
    );
    return new Set(rows.map((row) => row.id));
  }
}

function slowService(name: string): AnySlowService {
  const service = findService(name);
  if (!service) throw new AppError('not_found', 'There is no service with this name.');
  if (service.mode === 'slow') return service;
  throw new AppError(
    'service_not_async',
    `${name} is a fast service: call it directly on POST /services/${name}.`,
  );
}

function refuseFaultyInputs(
  service: AnySlowService,
  inputs: Array<Record<string, unknown>>,
  code: 'invalid_request' | 'validation_error' = 'invalid_request',
): void {
  const details = inputs.flatMap((input, index) =>
    inputFaults(service, input).map((fault) => ({
      path: ['inputs', `[${index}]`, ...fault.path.map((step) => `.${step}`)].join(''),
      message: fault.message,
    })),
  );
  if (details.length === 0) return;
  const named = details.slice(0, 10).map((detail) => `${detail.path}: ${detail.message}`);
  throw new AppError(code, `The list has faulty inputs. ${named.join('; ')}`, {
    details: details.slice(0, 100),
  });
}

/** How a search may end, for the least that it can cost. */
const OUTCOMES = [true, false].flatMap((found) => [true, false].map((deep) => ({ found, deep })));

function sum(amounts: number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}

/** A running job answers the same search; a finished one the same subject, and a plain miss no deep question. */
function answers(job: ExistingJob, line: PlannedLine): boolean {
  if (job.state !== 'completed') return line.shareKey !== null && job.share_key === line.shareKey;
  return (
    line.reuseKey !== null && job.reuse_key === line.reuseKey && (job.found || job.deep || !line.wantsDeep)
  );
}

/** @returns the first line of each search; equal lines of one list share it. */
function firstOfEach(lines: PlannedLine[]): Map<string, PlannedLine> {
  const first = new Map<string, PlannedLine>();
  for (const line of lines) if (!first.has(ownKey(line))) first.set(ownKey(line), line);
  return first;
}

function ownKey(line: PlannedLine): string {
  return line.shareKey ?? `#${line.inputIndex}`;
}

function hashOf(request: NewBatch): string {
  const { service, inputs, fresh = false } = request;
  return createHash('sha256').update(canonicalJson({ service, inputs, fresh })).digest('base64url');
}
