import { randomUUID } from 'node:crypto';
import type { JobErrorCode } from '@quarry/error-codes';
import { newId, systemCtx, type Database } from '@quarry/platform';
import { leaseTiming, type LeaseTiming } from './lease-timing.js';
import { StatementGroup } from './statement-group.js';

/** Source: contract decisions, section 5. */
const ATTEMPTS_MAX = 2;
const CLAIMS_MAX = 5;
const GROUP = { waitMs: 3, size: 50 };

/** A job that this process may work on, until its lease ends. */
export interface ClaimedJob {
  id: string;
  token: string;
  orgId: string;
  mode: 'live' | 'test';
  service: string;
  input: Record<string, unknown>;
  attempt: number;
  /** Thousandths of a credit held for it. */
  price: number;
}

export type JobEnd =
  | { state: 'completed'; result: Record<string, unknown>; provider: string; charge: number }
  | {
      state: 'failed';
      error: { code: JobErrorCode; message: string };
      provider: string | null;
      charge: number;
    };

const ctx = systemCtx('job-lease');

/**
 * Claims, starts, renews, settles and hands back jobs. Every write names the lease's random token, and a write
 * that meets no row says that the job now belongs to somebody else: stop, and drop the work.
 */
export class JobLeaseStore {
  private readonly claims: StatementGroup<string, ClaimedJob | null>;
  private readonly starts: StatementGroup<ClaimedJob, boolean>;
  private readonly ends: StatementGroup<{ job: ClaimedJob; end: JobEnd }, boolean>;

  constructor(
    private readonly database: Database,
    readonly timing: LeaseTiming = leaseTiming(),
  ) {
    this.claims = new StatementGroup((ids) => this.writeClaims(ids), GROUP);
    this.starts = new StatementGroup((jobs) => this.writeStarts(jobs), GROUP);
    this.ends = new StatementGroup((ends) => this.writeEnds(ends), GROUP);
  }

  /** Takes the lease and the hold. @returns null when the job is leased to another, has ended, or ended by this claim */
  claim(jobId: string): Promise<ClaimedJob | null> {
    return this.claims.add(jobId);
  }

  /** Records, before the provider is called, that a call starts. @returns false when the lease is lost */
  start(job: ClaimedJob): Promise<boolean> {
    return this.starts.add(job);
  }

  /** Writes the end with its posting. @returns false when the lease is lost: nothing was written */
  settle(job: ClaimedJob, end: JobEnd): Promise<boolean> {
    return this.ends.add({ job, end });
  }

  /** Renews leases. @returns ids of the jobs whose lease still stands */
  async renew(jobs: readonly ClaimedJob[]): Promise<Set<string>> {
    const rows = await this.database.query<{ id: string }>(
      ctx,
      `UPDATE jobs.jobs j SET lease_until = clock_timestamp() + make_interval(secs => $2 / 1000.0)
       FROM jsonb_to_recordset($1::jsonb) AS c (id text, token text)
       WHERE j.id = c.id AND j.lease_token = c.token AND j.state IN ('queued', 'running') RETURNING j.id`,
      [wire(jobs), this.timing.leaseMs],
    );
    return new Set(rows.map((row) => row.id));
  }

  /**
   * Gives leases back, so that another worker may claim at once: they count as never delivered, which the
   * reconciler of any worker sees in its next round. A job that had started stays running.
   */
  async release(jobs: readonly ClaimedJob[]): Promise<void> {
    await this.database.query(
      ctx,
      `UPDATE jobs.jobs j SET lease_token = NULL, lease_until = NULL, delivered_at = '-infinity'
       FROM jsonb_to_recordset($1::jsonb) AS c (id text, token text)
       WHERE j.id = c.id AND j.lease_token = c.token AND j.state IN ('queued', 'running')`,
      [wire(jobs)],
    );
  }

  /**
   * Ends every lease, for a process that knows that no other lives: after a kill, work goes on at once instead of
   * when the dead process's leases run out. The tokens stay, so a process that lives after all is not locked out.
   */
  async expireAll(): Promise<void> {
    await this.database.query(
      ctx,
      "UPDATE jobs.jobs SET lease_until = clock_timestamp(), delivered_at = '-infinity' WHERE lease_until IS NOT NULL",
    );
  }

  private async writeClaims(ids: string[]): Promise<Array<ClaimedJob | null>> {
    const claims = [...new Set(ids)].map((id) => ({ id, token: randomUUID(), hold: newId('hold') }));
    const rows = await this.database.query<
      Omit<ClaimedJob, 'orgId' | 'price'> & { org_id: string; price: string }
    >(ctx, 'SELECT * FROM jobs.claim_jobs($1::jsonb, $2, $3, $4)', [
      JSON.stringify(claims),
      this.timing.leaseMs,
      ATTEMPTS_MAX,
      CLAIMS_MAX,
    ]);
    const claimed = new Map(
      rows.map(({ org_id: orgId, price, ...row }) => [row.id, { ...row, orgId, price: Number(price) }]),
    );
    // The same id twice in one group is one claim: the first asker gets it.
    return ids.map((id) => {
      const job = claimed.get(id) ?? null;
      claimed.delete(id);
      return job;
    });
  }

  private async writeStarts(jobs: ClaimedJob[]): Promise<boolean[]> {
    const rows = await this.database.query<{ id: string }>(
      ctx,
      `UPDATE jobs.jobs j SET state = 'running', attempt = j.attempt + 1, started_at = coalesce(j.started_at, clock_timestamp())
       FROM jsonb_to_recordset($1::jsonb) AS c (id text, token text)
       WHERE j.id = c.id AND j.lease_token = c.token AND j.state IN ('queued', 'running')
         AND j.lease_until > clock_timestamp() RETURNING j.id`,
      [wire(jobs)],
    );
    const started = new Set(rows.map((row) => row.id));
    return jobs.map((job) => started.has(job.id));
  }

  private async writeEnds(ends: Array<{ job: ClaimedJob; end: JobEnd }>): Promise<boolean[]> {
    const packed = ends.map(({ job, end }) => ({ id: job.id, token: job.token, ...end }));
    const rows = await this.database.query<{ settle_jobs: string }>(
      ctx,
      'SELECT jobs.settle_jobs($1::jsonb)',
      [JSON.stringify(packed)],
    );
    const ended = new Set(rows.map((row) => row.settle_jobs));
    return ends.map(({ job }) => ended.has(job.id));
  }
}

/** In the order of their ids, as everybody locks them; the planner mostly keeps it. */
function wire(jobs: readonly ClaimedJob[]): string {
  return JSON.stringify(jobs.map(({ id, token }) => ({ id, token })).sort((a, b) => (a.id < b.id ? -1 : 1)));
}
