import { randomUUID } from 'node:crypto';
import { leaseTiming, type LeaseTiming } from '@quarry/durable-work';
import type { JobErrorCode } from '@quarry/error-codes';
import { newId, systemCtx, type Ctx, type Mode, type WorkMetrics } from '@quarry/app';
import { WriteBatcher, type Database, type TxCtx } from '@quarry/postgres';
import { SearchLostError, type TrailStep, type VendorJob } from '@quarry/engine';
import { inSpan } from '@quarry/tracing';
import { statement } from './statements.types.js';

/** Source: docs/contract.md#5-services-jobs-credits. */
const ATTEMPTS_MAX = 2;
const CLAIMS_MAX = 5;
// Two writers: one group is written while the other one travels. For the size of 50 see docs/performance.md, Bookkeeping.
const GROUP = { size: 50, writers: 2 };
/** Milliseconds that a write outside the groups waits for a lock: meanwhile it keeps its own row locks. */
const ALONE_LOCK_MS = 100;
/** Retries for rows that are locked by others. Together they take much less than a heartbeat. */
const RENEWALS = { rounds: 5, pauseMs: 200 };

/** A job that this process may work on until its lease ends. */
export interface ClaimedJob {
  id: string;
  token: string;
  orgId: string;
  mode: Mode;
  service: string;
  input: Record<string, unknown>;
  attempt: number;
  /** Amount held for it, in thousandths of a credit. */
  price: number;
  /** Trace context of the request that created it; null when it was not traced. */
  traceparent: string | null;
}

export type JobEnd = {
  charge: number;
  /** Providers that were called, in order; absent when there was none. */
  trail?: readonly TrailStep[];
} & (
  | { state: 'completed'; result: Record<string, unknown>; provider: string }
  | { state: 'failed'; error: { code: JobErrorCode; message: string }; provider: string | null }
);

/** Result of renewing leases. A lease in neither set is still valid, but was not renewed. */
export interface Renewal {
  renewed: Set<string>;
  lost: Set<string>;
}

/** A job to hand back, and whether its provider was called under the current lease. */
export interface HandedBackJob {
  job: ClaimedJob;
  hasCalled: boolean;
}

/** An outcome, and the lease under which it is written. */
interface HeldEnd {
  job: ClaimedJob;
  end: JobEnd;
}

const ctx = systemCtx('job-lease');

/** Span attributes of a line in a grouped statement: the measured time includes the wait for the group. */
const IN_GROUP = { 'db.system.name': 'postgresql', 'quarry.is_grouped': true };

/**
 * The jobs of $1 whose token still matches, locked in the order of their ids, as everywhere; a plain UPDATE would lock in the
 * order of its plan. Used for rare writes only: it costs a tenth of all that PostgreSQL does for a line. A start goes without it,
 * and is written row by row after a deadlock.
 */
const OWN_ROWS = `SELECT j.id, c.token
  FROM jobs.jobs j JOIN jsonb_to_recordset($1::jsonb) AS c (id text, token text) ON c.id = j.id
  WHERE j.lease_token = c.token AND j.state IN ('queued', 'running') ORDER BY j.id FOR NO KEY UPDATE OF j`;

/**
 * Claims, starts, renews, settles and hands back jobs. Every write checks the random token of the lease. If it matches no row,
 * the job belongs to another worker: stop, and drop the result.
 */
export class JobLeaseStore {
  private readonly claims: WriteBatcher<string, ClaimedJob | null>;
  private readonly starts: WriteBatcher<ClaimedJob, boolean>;
  private readonly ends: WriteBatcher<HeldEnd, boolean>;

  constructor(
    private readonly database: Database,
    readonly timing: LeaseTiming = leaseTiming(),
    private readonly metrics?: WorkMetrics,
    /** Receives the ids of batches that a settlement has ended. */
    private readonly onBatchesEnded: (batchIds: string[]) => void = () => undefined,
  ) {
    this.claims = new WriteBatcher((ids) => this.writeClaims(ids), {
      ...GROUP,
      ownersOf: (ids) => this.ownersOf(ids),
      writeAlone: (id) => this.writeBriefly((tx) => this.writeClaims([id], tx)),
      // A locked account is not waited for, as that may take long: the reconciler delivers the job again.
      whenLocked: null,
    });
    this.starts = new WriteBatcher((jobs) => this.writeStarts(jobs), {
      ...GROUP,
      ownersOf: (jobs) => jobs.map(({ orgId }) => orgId),
      writeAlone: (job) => this.writeBriefly((tx) => this.writeStarts([job], tx)),
    });
    this.ends = new WriteBatcher((ends) => this.writeEnds(ends), {
      ...GROUP,
      ownersOf: (ends) => ends.map(({ job }) => job.orgId),
      writeAlone: (end) => this.writeBriefly((tx) => this.writeEnds([end], tx)),
    });
  }

  /** Takes lease and hold. @returns null when the job is leased to another worker, has ended, or was ended by this claim */
  claimJobs(jobId: string): Promise<ClaimedJob | null> {
    return this.claims.add(jobId);
  }

  /** Records the start of a provider call, before the call is made. @returns false when the lease is lost */
  startJobs(job: ClaimedJob): Promise<boolean> {
    return inSpan('client', START.name, IN_GROUP, () => this.starts.add(job));
  }

  /** Writes the outcome with its posting. @returns false when the lease is lost: nothing was written */
  settleJobs(job: ClaimedJob, end: JobEnd): Promise<boolean> {
    return inSpan('client', SETTLE.name, IN_GROUP, () => this.ends.add({ job, end }));
  }

  /** @returns the store for the state of a vendor's asynchronous job. It is kept with our job while the lease is valid */
  vendorJobOf({ id, token }: ClaimedJob): VendorJob {
    return {
      read: async () => {
        const row = await this.database.queryOne(ctx, READ_VENDOR_JOB, [id], 'read');
        return row?.vendor_job ?? null;
      },
      save: async (vendorJob) => {
        const rows = await this.database.query(ctx, SAVE_VENDOR_JOB, [id, token, vendorJob], 'work');
        if (rows.length === 0) throw new SearchLostError('The lease was lost.');
      },
    };
  }

  /** Renews leases. Rows that are locked by others are skipped and tried again. */
  async renewLeases(jobs: readonly ClaimedJob[]): Promise<Renewal> {
    const renewed = new Set<string>();
    const lost = new Set<string>();
    let open = jobs;
    for (let round = 0; round < RENEWALS.rounds && open.length > 0; round += 1) {
      if (round > 0) await new Promise((resolve) => setTimeout(resolve, RENEWALS.pauseMs));
      for (const token of await this.writeRenewals(open)) renewed.add(token);
      open = open.filter(({ token }) => !renewed.has(token));
      if (open.length === 0) break;
      const standing = await this.findStanding(open);
      for (const { token } of open) if (!standing.has(token)) lost.add(token);
      this.metrics?.countLease('line', 'lost', open.filter(({ token }) => !standing.has(token)).length);
      open = open.filter(({ token }) => standing.has(token));
    }
    return { renewed, lost };
  }

  /**
   * Hands leases back in an orderly stop, so that other workers may claim at once: the jobs count as never delivered, which the
   * reconciler notices in its next round. A started job stays running. The claim is undone. A started attempt is kept if its
   * provider was called, without counting towards the limit; if not, the next start reuses it. Matches by token, because one
   * process may hand back both a lost lease and a newer lease of the same job.
   */
  async releaseJobs(jobs: readonly HandedBackJob[]): Promise<void> {
    this.metrics?.countLease('line', 'handed_back', jobs.length);
    await this.database.query(ctx, RELEASE, [
      JSON.stringify(jobs.map(({ job, hasCalled }) => ({ id: job.id, token: job.token, called: hasCalled }))),
    ]);
  }

  /**
   * Expires every lease. For a process that knows that no other is running: after a kill, work continues at once instead of when
   * the leases expire. Tokens stay, so a process that is still alive is not locked out.
   */
  async expireAll(): Promise<void> {
    await this.database.query(ctx, EXPIRE_ALL);
  }

  private async writeRenewals(jobs: readonly ClaimedJob[]): Promise<string[]> {
    const rows = await this.database.query(ctx, RENEW, [leasesJson(jobs), this.timing.leaseMs], 'heartbeat');
    return rows.map((row) => row.token);
  }

  /** @returns the tokens that are still valid, even if their rows are locked */
  private async findStanding(jobs: readonly ClaimedJob[]): Promise<Set<string>> {
    const rows = await this.database.query(ctx, STANDING, [leasesJson(jobs)], 'heartbeat');
    return new Set(rows.map((row) => row.token));
  }

  private async ownersOf(ids: string[]): Promise<string[]> {
    const rows = await this.database.query(ctx, OWNERS_OF, [ids], 'read');
    const owners = new Map(rows.map((row) => [row.id, row.org_id]));
    return ids.map((id) => owners.get(id) ?? '');
  }

  /** Writes one item on a separate connection, with a short lock timeout. */
  private async writeBriefly<Answer>(write: (tx: TxCtx) => Promise<Answer[]>): Promise<Answer> {
    const answers = await this.database.transaction(ctx, async (tx) => {
      await this.database.query(tx, WAIT_BRIEFLY);
      return write(tx);
    });
    return answers[0]!;
  }

  private async writeClaims(ids: string[], on: Ctx | TxCtx = ctx): Promise<Array<ClaimedJob | null>> {
    const claims = [...new Set(ids)].map((id) => ({ id, token: randomUUID(), hold: newId('hold') }));
    const rows = await this.database.query(
      on,
      CLAIM,
      [JSON.stringify(claims), this.timing.leaseMs, ATTEMPTS_MAX, CLAIMS_MAX],
      'work',
    );
    this.metrics?.countLease('line', 'claimed', rows.length);
    const claimed = new Map(
      rows.map(({ org_id: orgId, price, ...row }) => [row.id, { ...row, orgId, price: Number(price) }]),
    );
    // If a group has the same id twice, the first caller gets the claim.
    return ids.map((id) => {
      const job = claimed.get(id) ?? null;
      claimed.delete(id);
      return job;
    });
  }

  private async writeStarts(jobs: ClaimedJob[], on: Ctx | TxCtx = ctx): Promise<boolean[]> {
    const rows = await this.database.query(on, START, [leasesJson(jobs)], 'work');
    // By token: a group may contain both the owner of a job and a worker that has lost it.
    const started = new Set(rows.map((row) => row.token));
    this.metrics?.countLease('line', 'lost', jobs.length - started.size);
    return jobs.map((job) => started.has(job.token));
  }

  private async writeEnds(ends: HeldEnd[], on: Ctx | TxCtx = ctx): Promise<boolean[]> {
    const settled = new Set<HeldEnd>();
    for (let rest = ends; rest.length > 0;) {
      const group = onePerJob(rest);
      const rows = await this.database.query(
        on,
        SETTLE,
        [JSON.stringify(group.map(({ job, end }) => ({ id: job.id, token: job.token, ...end })))],
        'work',
      );
      const ended = new Set(rows.map((row) => row.id));
      for (const each of group) if (ended.delete(each.job.id)) settled.add(each);
      // The remaining ids are batches. Within a transaction no other process can see their end yet.
      if (on === ctx) this.onBatchesEnded([...ended]);
      rest = rest.filter((each) => !group.includes(each));
    }
    this.metrics?.countLease('line', 'ended', settled.size);
    this.metrics?.countLease('line', 'lost', ends.length - settled.size);
    return ends.map((each) => settled.has(each));
  }
}

/**
 * Keeps one outcome per job: the function ends jobs by id, so a statement must not contain the outcomes of both a lost lease and
 * the current owner.
 */
function onePerJob(ends: HeldEnd[]): HeldEnd[] {
  const byJob = new Map<string, HeldEnd>();
  for (const each of ends) if (!byJob.has(each.job.id)) byJob.set(each.job.id, each);
  return [...byJob.values()];
}

/** Sorts by id, the order in which everything locks; the plan of a start mostly follows it. */
function leasesJson(jobs: readonly ClaimedJob[]): string {
  return JSON.stringify(jobs.map(({ id, token }) => ({ id, token })).sort((a, b) => (a.id < b.id ? -1 : 1)));
}

const READ_VENDOR_JOB = statement(
  'job-lease.readVendorJob',
  'SELECT vendor_job FROM jobs.jobs WHERE id = $1',
);

const SAVE_VENDOR_JOB = statement(
  'job-lease.saveVendorJob',
  `UPDATE jobs.jobs SET vendor_job = $3
   WHERE id = $1 AND lease_token = $2 AND state IN ('queued', 'running') RETURNING 1`,
);

const RELEASE = statement(
  'job-lease.release',
  `
  WITH own AS (${OWN_ROWS}), called AS (
    SELECT c.token, c.called FROM jsonb_to_recordset($1::jsonb) AS c (token text, called boolean))
  UPDATE jobs.jobs j SET lease_token = NULL, lease_until = NULL, delivered_at = '-infinity', claims = j.claims - 1,
    handed_back = j.handed_back + (j.is_begun AND called.called)::integer, is_begun = j.is_begun AND NOT called.called
  FROM own JOIN called ON called.token = own.token WHERE j.id = own.id`,
);

const EXPIRE_ALL = statement(
  'job-lease.expireAll',
  "UPDATE jobs.jobs SET lease_until = clock_timestamp(), delivered_at = '-infinity' WHERE lease_until IS NOT NULL",
);

const RENEW = statement(
  'job-lease.renew',
  `
  WITH own AS (${OWN_ROWS} SKIP LOCKED)
  UPDATE jobs.jobs j SET lease_until = clock_timestamp() + make_interval(secs => $2 / 1000.0)
  FROM own WHERE j.id = own.id RETURNING own.token`,
).rows<{ token: string }>();

const STANDING = statement(
  'job-lease.standing',
  `
  SELECT c.token FROM jobs.jobs j JOIN jsonb_to_recordset($1::jsonb) AS c (id text, token text) ON c.id = j.id
  WHERE j.lease_token = c.token AND j.state IN ('queued', 'running')`,
).rows<{ token: string }>();

const OWNERS_OF = statement('job-lease.ownersOf', 'SELECT id, org_id FROM jobs.jobs WHERE id = ANY ($1)');

const WAIT_BRIEFLY = statement('job-lease.waitBriefly', `SET LOCAL lock_timeout = ${ALONE_LOCK_MS}`);

const CLAIM = statement('job-lease.claim', 'SELECT * FROM jobs.claim_jobs($1::jsonb, $2, $3, $4)').rows<
  Omit<ClaimedJob, 'orgId' | 'price'> & { org_id: string; price: string }
>();

const START = statement(
  'job-lease.start',
  `
  UPDATE jobs.jobs j SET state = 'running', attempt = j.attempt + (NOT j.is_begun)::integer, is_begun = true,
    started_at = coalesce(j.started_at, clock_timestamp())
  FROM jsonb_to_recordset($1::jsonb) AS c (id text, token text)
  WHERE j.id = c.id AND j.id = ANY (ARRAY(SELECT e ->> 'id' FROM jsonb_array_elements($1::jsonb) AS e))
    AND j.lease_token = c.token AND j.state IN ('queued', 'running') AND j.lease_until > clock_timestamp()
  RETURNING c.token`,
)
  .rows<{ token: string }>()
  .prepared();

const SETTLE = statement('job-lease.settle', 'SELECT jobs.settle_jobs($1::jsonb) AS id')
  .rows<{ id: string }>()
  .prepared();
