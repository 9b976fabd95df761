import { capReached, outlookOf, type Spendable } from '@quarry/credit-ledger';
import type { JobStatus } from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import type { Ctx } from '@quarry/app';
import { tenantOf, type Database, type TxCtx } from '@quarry/postgres';
import type { AnySlowService } from '@quarry/service-catalog';
import { traceparent } from '@quarry/tracing';
import type { PlannedLine } from './batch-plan.js';
import { statement } from './statements.types.js';

/** A job that may answer a line: it is running, or has completed within the reuse window. */
export type ExistingJob = {
  id: string;
  state: JobStatus;
  share_key: string | null;
  reuse_key: string | null;
  found: boolean;
  deep: boolean;
};

/** A line with the job that answers it. */
export interface MatchedLine {
  line: PlannedLine;
  jobId: string;
  reused: boolean;
  isOpen: boolean;
}

// A round fails only when a job ended between the lookup and the insert.
const MATCH_ROUNDS = 5;

/** A batch to create. */
export interface BatchRequest {
  batchId: string;
  service: AnySlowService;
  lines: PlannedLine[];
  /** Forces a separate search for every line. */
  fresh: boolean;
  runId: string | null;
  idempotencyKey: string | null;
  bodyHash: string;
  /** Credits that holds could use at the time of the request. */
  spendable: Promise<Spendable>;
}

/** Finds the job that answers each line of a batch: finished, running, or created now. */
export class LineMatcher {
  constructor(private readonly database: Database) {}

  /**
   * Creates a batch, and a job for each line that no existing job answers. Shared jobs stay locked, so that none can end before
   * the line has joined it.
   * @returns one match for each line, in the order of the lines
   * @throws AppError insufficient_credits, usage_limit
   */
  async insertBatch(tx: TxCtx, request: BatchRequest): Promise<MatchedLine[]> {
    const { service, lines, fresh } = request;
    const matched = new Map<number, MatchedLine>();
    for (let round = 0; round < MATCH_ROUNDS; round += 1) {
      const rest = lines.filter((line) => !matched.has(line.inputIndex));
      const existing = fresh ? [] : await this.findExisting(tx, service, rest, 'join');
      for (const line of rest) {
        const job = existing.find((each) => canAnswer(each, line));
        if (job)
          matched.set(line.inputIndex, {
            line,
            jobId: job.id,
            reused: true,
            isOpen: job.state !== 'completed',
          });
      }
      const unmatched = rest.filter((line) => !matched.has(line.inputIndex));
      const own = firstOfEach(unmatched);
      if (round === 0) checkBalance(await request.spendable, [...own.values()]);
      const proposed = unmatched.map((line): MatchedLine => {
        const maker = own.get(ownKey(line))!;
        return { line, jobId: maker.jobId, reused: maker !== line, isOpen: line.thin === null };
      });
      const all = [...matched.values(), ...proposed].sort((a, b) => a.line.inputIndex - b.line.inputIndex);
      const made = await this.insertAll(tx, request, [...own.values()], all);
      if (made.size === own.size) return all;
      for (const each of proposed) if (made.has(each.jobId)) matched.set(each.line.inputIndex, each);
    }
    throw new Error('A line could neither share a job nor create one.');
  }

  /**
   * Finds jobs that could answer the lines; finished ones come first.
   * @param purpose `join` keeps running jobs from ending until the transaction does (settle takes FOR UPDATE)
   */
  async findExisting(
    ctx: Ctx | TxCtx,
    service: AnySlowService,
    lines: PlannedLine[],
    purpose: 'join' | 'look',
  ): Promise<ExistingJob[]> {
    const jobs = await this.database.query(ctx, FIND_ANSWERS, [
      tenantOf(ctx),
      service.name,
      lines.flatMap((line) => line.shareKey ?? []),
      service.reuseSeconds > 0 ? lines.flatMap((line) => line.reuseKey ?? []) : [],
      service.reuseSeconds,
      purpose === 'join',
    ]);
    const hasEnded = ({ state }: ExistingJob): boolean => state === 'completed';
    return [...jobs.filter(hasEnded), ...jobs.filter((job) => !hasEnded(job))];
  }

  /**
   * Inserts the jobs and, if all of them could be inserted, the batch with its lines.
   * @returns ids of the created jobs; one is missing when an equal search began in the meantime
   */
  private async insertAll(
    tx: TxCtx,
    request: BatchRequest,
    own: PlannedLine[],
    matched: MatchedLine[],
  ): Promise<Set<string>> {
    const { batchId, service, runId, idempotencyKey, bodyHash } = request;
    const jobs = own.map((line) => ({
      id: line.jobId,
      i: line.inputIndex,
      input: line.input,
      share: line.shareKey,
      reuse: line.reuseKey,
      price: line.price,
      error: line.thin === null ? null : { code: 'provider_rejected', message: line.thin },
    }));
    const lines = matched.map(({ line, jobId, reused }) => ({ i: line.inputIndex, job: jobId, reused }));
    const rows = await this.database.query(tx, INSERT, [
      tx.orgId,
      tx.mode,
      service.name,
      batchId,
      runId,
      JSON.stringify(jobs),
      tx.keyId,
      traceparent(),
      lines.length,
      matched.filter((each) => each.isOpen).length,
      idempotencyKey,
      bodyHash,
      JSON.stringify(lines),
    ]);
    return new Set(rows.map((row) => row.id));
  }
}

/**
 * Enforces the 402 rule: balance and spend caps must cover at least the cheapest line that needs a new search.
 * @throws AppError insufficient_credits, usage_limit
 */
function checkBalance(spendable: Spendable, own: PlannedLine[]): void {
  const prices = own.filter((line) => line.thin === null).map((line) => line.price);
  if (prices.length === 0) return;
  const { kind } = outlookOf(spendable, Math.min(...prices));
  if (kind === 'capped') throw capReached();
  if (kind === 'insufficient') {
    throw new AppError(
      'insufficient_credits',
      'The balance does not cover even the cheapest line of this list.',
    );
  }
}

/**
 * A running job answers a line with the same search. A completed job answers a line with the same subject, unless it found
 * nothing without a deep search and the line requests one.
 */
export function canAnswer(job: ExistingJob, line: PlannedLine): boolean {
  if (job.state !== 'completed') return line.shareKey !== null && job.share_key === line.shareKey;
  return (
    line.reuseKey !== null && job.reuse_key === line.reuseKey && (job.found || job.deep || !line.wantsDeep)
  );
}

/** @returns the first line of each search; equal lines of a batch share it */
export function firstOfEach(lines: PlannedLine[]): Map<string, PlannedLine> {
  const first = new Map<string, PlannedLine>();
  for (const line of lines) if (!first.has(ownKey(line))) first.set(ownKey(line), line);
  return first;
}

function ownKey(line: PlannedLine): string {
  return line.shareKey ?? `#${line.inputIndex}`;
}

const FIND_ANSWERS = statement(
  'line-matcher.findAnswers',
  'SELECT * FROM jobs.find_answers($1, $2, $3, $4, $5, $6)',
)
  .rows<ExistingJob>()
  .prepared();

// Jobs are inserted in the order of their keys, so that two batches with the same lines in a different order cannot deadlock.
const INSERT = statement(
  'line-matcher.insertBatch',
  `
  WITH made AS (
    INSERT INTO jobs.jobs (id, org_id, mode, service, batch_id, input_index, run_id, input, share_key, reuse_key, state, price, error, completed_at, key_id, traceparent)
    SELECT n.id, $1, $2, $3, $4, n.i, $5, n.input, n.share, n.reuse, CASE WHEN n.error IS NULL THEN 'queued' ELSE 'failed' END, n.price, n.error,
      CASE WHEN n.error IS NOT NULL THEN clock_timestamp() END, $7, $8
    FROM jsonb_to_recordset($6::jsonb) AS n (id text, i integer, input jsonb, share text, reuse text, price bigint, error jsonb)
    ORDER BY n.share, n.i
    ON CONFLICT (org_id, mode, service, share_key) WHERE share_key IS NOT NULL AND completed_at IS NULL DO NOTHING
    RETURNING id
  ), batch AS (
    INSERT INTO jobs.batches (id, org_id, mode, service, size, open_lines, run_id, idempotency_key, body_hash, completed_at, key_id)
    SELECT $4, $1, $2, $3, $9, $10::integer, $5, $11, $12, CASE WHEN $10::integer = 0 THEN clock_timestamp() END, $7
    WHERE (SELECT count(*) FROM made) = jsonb_array_length($6::jsonb)
    RETURNING id
  ), linked AS (
    INSERT INTO jobs.lines (batch_id, input_index, org_id, job_id, reused)
    SELECT batch.id, l.i, $1, l.job, l.reused FROM batch, jsonb_to_recordset($13::jsonb) AS l (i integer, job text, reused boolean)
  )
  SELECT id FROM made`,
).prepared();
