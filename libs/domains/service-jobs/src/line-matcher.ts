import { capReached, type CreditLedger } from '@quarry/credit-ledger';
import type { JobStatus } from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import type { Ctx } from '@quarry/app';
import { ofTenant, tenantOf, type Database, type TxCtx } from '@quarry/postgres';
import type { AnySlowService } from '@quarry/service-catalog';
import { traceparent } from '@quarry/tracing';
import type { PlannedLine } from './batch-plan.js';
import { statement } from './statements.types.js';

/** A job that may answer a line: it runs, or it has completed within the reuse window. */
export interface ExistingJob {
  id: string;
  state: JobStatus;
  share_key: string | null;
  reuse_key: string | null;
  found: boolean;
  deep: boolean;
}

/** A line with the job that answers it. */
export interface MatchedLine {
  line: PlannedLine;
  jobId: string;
  reused: boolean;
  isOpen: boolean;
}

// Each round loses only to a job that ended in the moment between looking and inserting.
const MATCH_ROUNDS = 5;

/** The list whose lines are matched. */
export interface MatchRequest {
  batchId: string;
  service: AnySlowService;
  lines: PlannedLine[];
  /** Forces a search of its own for every line. */
  fresh: boolean;
  runId: string | null;
}

/** Finds for each line of a list the job that answers it: finished, running, or made now. */
export class LineMatcher {
  constructor(
    private readonly database: Database,
    private readonly ledger: CreditLedger,
  ) {}

  /**
   * Finds or makes the job of every line. Jobs that are shared stay locked, so none can end before it is joined.
   * @returns one match for each line, in the order of the lines
   * @throws AppError insufficient_credits, usage_limit
   */
  async matchLines(tx: TxCtx, request: MatchRequest): Promise<MatchedLine[]> {
    const { batchId, service, lines, fresh, runId } = request;
    const matched = new Map<number, MatchedLine>();
    for (let round = 0; round < MATCH_ROUNDS; round += 1) {
      const rest = lines.filter((line) => !matched.has(line.inputIndex));
      if (rest.length === 0) break;
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
      const own = firstOfEach(rest.filter((line) => !matched.has(line.inputIndex)));
      if (round === 0) await this.checkBalance(tx, [...own.values()]);
      const made = await this.insertJobs(tx, batchId, service, [...own.values()], runId);
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

  /**
   * Finds what could answer the lines.
   * @param purpose `join` keeps running jobs from ending until the transaction does (settle takes FOR UPDATE)
   */
  async findExisting(
    ctx: Ctx | TxCtx,
    service: AnySlowService,
    lines: PlannedLine[],
    purpose: 'join' | 'look',
  ): Promise<ExistingJob[]> {
    const shareKeys = lines.flatMap((line) => line.shareKey ?? []);
    const reuseKeys = service.reuseSeconds > 0 ? lines.flatMap((line) => line.reuseKey ?? []) : [];
    const running = await this.database.query(ctx, FIND_RUNNING[purpose], [
      tenantOf(ctx),
      service.name,
      shareKeys,
    ]);
    if (reuseKeys.length === 0) return running;
    // A statement of its own, after the locks: a search that ended while they were waited for is an answer by now.
    const answered = await this.database.query(ctx, FIND_ANSWERED, [
      tenantOf(ctx),
      service.name,
      reuseKeys,
      service.reuseSeconds,
    ]);
    return [...answered, ...running];
  }

  /** The 402 gate: balance and spend caps must cover at least the cheapest line that needs a new search. */
  private async checkBalance(tx: TxCtx, own: PlannedLine[]): Promise<void> {
    const prices = own.filter((line) => line.thin === null).map((line) => line.price);
    if (prices.length === 0) return;
    const { kind } = await this.ledger.readOutlook(tx, Math.min(...prices));
    if (kind === 'capped') throw capReached();
    if (kind === 'insufficient') {
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
    const rows = await this.database.query(tx, INSERT_JOBS, [
      tx.orgId,
      tx.mode,
      service.name,
      batchId,
      runId,
      JSON.stringify(packed),
      tx.keyId,
      traceparent(),
    ]);
    return new Set(rows.map((row) => row.id));
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

const FIND_ANSWERED = statement(
  'line-matcher.findAnswered',
  `
  SELECT id, state, share_key, reuse_key, (result ->> 'found')::boolean AS found, coalesce((input ->> 'deep')::boolean, false) AS deep
  FROM jobs.jobs
  WHERE ${ofTenant()} AND service = $2 AND reuse_key = ANY ($3) AND completed_at IS NOT NULL AND state = 'completed' AND emptied_at IS NULL
    AND completed_at > clock_timestamp() - make_interval(secs => $4)
  ORDER BY completed_at DESC`,
).rows<Found>();

// In the order of the keys: two lists with the same lines in another order must not wait for each other.
const INSERT_JOBS = statement(
  'line-matcher.insertJobs',
  `
  INSERT INTO jobs.jobs (id, org_id, mode, service, batch_id, input_index, run_id, input, share_key, reuse_key, state, price, error, completed_at, key_id, traceparent)
  SELECT n.id, $1, $2, $3, $4, n.i, $5, n.input, n.share, n.reuse, CASE WHEN n.error IS NULL THEN 'queued' ELSE 'failed' END, n.price, n.error,
    CASE WHEN n.error IS NOT NULL THEN clock_timestamp() END, $7, $8
  FROM jsonb_to_recordset($6::jsonb) AS n (id text, i integer, input jsonb, share text, reuse text, price bigint, error jsonb)
  ORDER BY n.share, n.i
  ON CONFLICT (org_id, mode, service, share_key) WHERE share_key IS NOT NULL AND completed_at IS NULL DO NOTHING
  RETURNING id`,
).prepared();

type Found = Pick<ExistingJob, 'found' | 'deep'>;

const RUNNING = `
  SELECT id, state, share_key, reuse_key, false AS found, false AS deep FROM jobs.jobs
  WHERE ${ofTenant()} AND service = $2 AND share_key = ANY ($3) AND completed_at IS NULL
  ORDER BY id`;

const FIND_RUNNING = {
  look: statement('line-matcher.lookForRunning', RUNNING).rows<Found>(),
  join: statement('line-matcher.joinRunning', `${RUNNING} FOR SHARE`).rows<Found>(),
};
