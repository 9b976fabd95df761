import { capReached, outlookOf, type Spendable } from '@quarry/credit-ledger';
import type { JobStatus } from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import type { Ctx } from '@quarry/app';
import { tenantOf, type Database, type TxCtx } from '@quarry/postgres';
import type { AnySlowService } from '@quarry/service-catalog';
import { traceparent } from '@quarry/tracing';
import type { PlannedLine } from './batch-plan.js';
import { statement } from './statements.types.js';

/** A job that may answer a line: it runs, or it has completed within the reuse window. */
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

// Each round loses only to a job that ended in the moment between looking and inserting.
const MATCH_ROUNDS = 5;

/** A list that is to be made. */
export interface BatchRequest {
  batchId: string;
  service: AnySlowService;
  lines: PlannedLine[];
  /** Forces a search of its own for every line. */
  fresh: boolean;
  runId: string | null;
  idempotencyKey: string | null;
  bodyHash: string;
  /** Credits of which a hold could be made when the list came. */
  spendable: Promise<Spendable>;
}

/** Finds for each line of a list the job that answers it: finished, running, or made now. */
export class LineMatcher {
  constructor(private readonly database: Database) {}

  /**
   * Makes a list, and the job of each line that no other answers. Jobs that are shared stay locked, so none can end
   * before it is joined.
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
    throw new Error('A line could neither share a job nor make one.');
  }

  /**
   * Finds what could answer the lines; finished jobs stand before those that run.
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
   * Inserts jobs, and, when none of them is missing, the list with its lines.
   * @returns ids of the jobs that were made; one is missing when an equal search began in the meantime.
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
 * The 402 gate: balance and spend caps must cover at least the cheapest line that needs a new search.
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

/** A running job answers the same search; a finished one the same subject, and a plain miss no deep question. */
export function canAnswer(job: ExistingJob, line: PlannedLine): boolean {
  if (job.state !== 'completed') return line.shareKey !== null && job.share_key === line.shareKey;
  return (
    line.reuseKey !== null && job.reuse_key === line.reuseKey && (job.found || job.deep || !line.wantsDeep)
  );
}

/** @returns the first line of each search; equal lines of one list share it. */
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

// Jobs in the order of the keys: two lists with the same lines in another order must not wait for each other.
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
