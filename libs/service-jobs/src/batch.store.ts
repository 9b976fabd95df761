import { createHash } from 'node:crypto';
import { accountId } from '@quarry/credit-ledger';
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
import { findService, inputFaults, type AnyService } from '@quarry/service-catalog';
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
    service: AnyService,
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
    service: AnyService,
    lines: PlannedLine[],
    request: NewBatch,
  ): Promise<MatchedLine[]> {
    const matched = new Map<number, MatchedLine>();
    for (let round = 0; round < MATCH_ROUNDS; round += 1) {
      const rest = lines.filter((line) => !matched.has(line.inputIndex));
      if (rest.length === 0) break;
      const existing = await this.existing(tx, service, rest, request.fresh ?? false);
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

  private async existing(
    tx: TxCtx,
    service: AnyService,
    lines: PlannedLine[],
    fresh: boolean,
  ): Promise<ExistingJob[]> {
    if (fresh) return [];
    const shareKeys = lines.flatMap((line) => line.shareKey ?? []);
    const reuseKeys = service.reuseSeconds > 0 ? lines.flatMap((line) => line.reuseKey ?? []) : [];
    // FOR SHARE keeps a running job from ending until this list has joined it (settle takes FOR UPDATE).
    const running = await this.database.query<ExistingJob & Record<string, unknown>>(
      tx,
      `SELECT id, state, share_key, reuse_key, false AS found, false AS deep FROM jobs.jobs
       WHERE org_id = $1 AND mode = $2 AND service = $3 AND share_key = ANY ($4) AND state IN ('queued', 'running')
       ORDER BY id FOR SHARE`,
      [tx.orgId, tx.mode, service.name, shareKeys],
    );
    if (reuseKeys.length === 0) return running;
    const answered = await this.database.query<ExistingJob & Record<string, unknown>>(
      tx,
      `SELECT id, state, share_key, reuse_key, (result ->> 'found')::boolean AS found, coalesce((input ->> 'deep')::boolean, false) AS deep
       FROM jobs.jobs
       WHERE org_id = $1 AND mode = $2 AND service = $3 AND reuse_key = ANY ($4) AND state = 'completed' AND emptied_at IS NULL
         AND completed_at > clock_timestamp() - make_interval(secs => $5)
       ORDER BY completed_at DESC`,
      [tx.orgId, tx.mode, service.name, reuseKeys, service.reuseSeconds],
    );
    return [...answered, ...running];
  }

  /** The 402 gate: the balance must cover at least the cheapest line that needs a new search. */
  private async gate(tx: TxCtx, own: PlannedLine[]): Promise<void> {
    const prices = own.filter((line) => line.thin === null).map((line) => line.price);
    if (prices.length === 0) return;
    const row = await this.database.queryOne<{ available: string }>(
      tx,
      'SELECT available FROM credits.accounts WHERE id = $1',
      [accountId(tx.orgId, tx.mode)],
    );
    if (Number(row?.available ?? 0) < Math.min(...prices)) {
      throw new AppError(
        'insufficient_credits',
        'The balance does not cover even the cheapest line of this list.',
      );
    }
  }

  /** @returns ids of the jobs that were made; one is missing when an equal search began in the meantime. */
  private async insertJobs(
    tx: TxCtx,
    batchId: string,
    service: AnyService,
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

function slowService(name: string): AnyService {
  const service = findService(name);
  if (!service) throw new AppError('not_found', 'There is no service with this name.');
  return service;
}

function refuseFaultyInputs(service: AnyService, inputs: Array<Record<string, unknown>>): void {
  const details = inputs.flatMap((input, index) =>
    inputFaults(service, input).map((fault) => ({
      path: ['inputs', `[${index}]`, ...fault.path.map((step) => `.${step}`)].join(''),
      message: fault.message,
    })),
  );
  if (details.length === 0) return;
  const named = details.slice(0, 10).map((detail) => `${detail.path}: ${detail.message}`);
  throw new AppError('invalid_request', `The list has faulty inputs. ${named.join('; ')}`, {
    details: details.slice(0, 100),
  });
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
