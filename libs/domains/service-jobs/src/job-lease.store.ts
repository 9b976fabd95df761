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
// Two at a time: one is written while the other travels. Source of 50: docs/performance.md, Bookkeeping.
const GROUP = { size: 50, writers: 2 };
/** A write beside the groups waits for a lock no longer than this: it keeps the rows that it has already. */
const ALONE_LOCK_MS = 100;
/** A row that somebody has in hand is renewed a moment later. Together well below a heartbeat. */
const RENEWALS = { rounds: 5, pauseMs: 200 };

/** A job that this process may work on, until its lease ends. */
export interface ClaimedJob {
  id: string;
  token: string;
  orgId: string;
  mode: Mode;
  service: string;
  input: Record<string, unknown>;
  attempt: number;
  /** Thousandths of a credit held for it. */
  price: number;
  /** Trace context of the request that made it; null where nothing was traced. */
  traceparent: string | null;
}

export type JobEnd = {
  charge: number;
  /** Providers that were called, in order; left out where there was none. */
  trail?: readonly TrailStep[];
} & (
  | { state: 'completed'; result: Record<string, unknown>; provider: string }
  | { state: 'failed'; error: { code: JobErrorCode; message: string }; provider: string | null }
);

/** Result of a renewal of leases; those in neither set stand, and were not renewed. */
export interface Renewal {
  renewed: Set<string>;
  lost: Set<string>;
}

/** A job that goes back to the others, and whether its provider was called under the lease that ends. */
export interface HandedBackJob {
  job: ClaimedJob;
  hasCalled: boolean;
}

/** An end, and the lease in whose name it is written. */
interface HeldEnd {
  job: ClaimedJob;
  end: JobEnd;
}

const ctx = systemCtx('job-lease');

/** Of a line in a statement for many: the time is that of the line, its wait for the others included. */
const IN_GROUP = { 'db.system.name': 'postgresql', 'quarry.is_grouped': true };

/**
 * The jobs of $1 that still belong to who names them, locked in the order of their ids, as everybody locks them: an
 * UPDATE alone locks in the order in which its plan meets the rows. For what is written seldom: it costs a tenth of
 * all that PostgreSQL does for a line, so a start goes without, and is written row by row after a deadlock.
 */
const OWN_ROWS = `SELECT j.id, c.token
  FROM jobs.jobs j JOIN jsonb_to_recordset($1::jsonb) AS c (id text, token text) ON c.id = j.id
  WHERE j.lease_token = c.token AND j.state IN ('queued', 'running') ORDER BY j.id FOR NO KEY UPDATE OF j`;

/**
 * Claims, starts, renews, settles and hands back jobs. Every write names the lease's random token, and a write
 * that meets no row says that the job now belongs to somebody else: stop, and drop the work.
 */
export class JobLeaseStore {
  private readonly claims: WriteBatcher<string, ClaimedJob | null>;
  private readonly starts: WriteBatcher<ClaimedJob, boolean>;
  private readonly ends: WriteBatcher<HeldEnd, boolean>;

  constructor(
    private readonly database: Database,
    readonly timing: LeaseTiming = leaseTiming(),
    private readonly metrics?: WorkMetrics,
    /** Receives the ids of the batches that ended with what was settled. */
    private readonly onBatchesEnded: (batchIds: string[]) => void = () => undefined,
  ) {
    this.claims = new WriteBatcher((ids) => this.writeClaims(ids), {
      ...GROUP,
      ownersOf: (ids) => this.ownersOf(ids),
      writeAlone: (id) => this.writeBriefly((tx) => this.writeClaims([id], tx)),
      // The reconciler delivers it again: nobody waits for an account, which may take long.
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

  /** Takes the lease and the hold. @returns null when the job is leased to another, has ended, or ended by this claim */
  claimJobs(jobId: string): Promise<ClaimedJob | null> {
    return this.claims.add(jobId);
  }

  /** Records, before the provider is called, that a call starts. @returns false when the lease is lost */
  startJobs(job: ClaimedJob): Promise<boolean> {
    return inSpan('client', START.name, IN_GROUP, () => this.starts.add(job));
  }

  /** Writes the end with its posting. @returns false when the lease is lost: nothing was written */
  settleJobs(job: ClaimedJob, end: JobEnd): Promise<boolean> {
    return inSpan('client', SETTLE.name, IN_GROUP, () => this.ends.add({ job, end }));
  }

  /** @returns where the search of a job keeps what a vendor works on for it: with the job, for as long as the lease is held */
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

  /** Renews leases. A row that somebody else has in hand is passed over and tried again. */
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
   * Gives leases back in an orderly stop, so that another worker may claim at once: they count as never delivered,
   * which the reconciler of any worker sees in its next round. A job that had started stays running. The claim is taken
   * back, and of a started attempt what is fair: one whose provider was called stays in `attempt` and counts towards no
   * limit, one whose call had not begun is what the next start goes on with. By token, as one process may hand back a
   * lease that it lost together with the one that it has taken on the same job since.
   */
  async releaseJobs(jobs: readonly HandedBackJob[]): Promise<void> {
    this.metrics?.countLease('line', 'handed_back', jobs.length);
    await this.database.query(ctx, RELEASE, [
      JSON.stringify(jobs.map(({ job, hasCalled }) => ({ id: job.id, token: job.token, called: hasCalled }))),
    ]);
  }

  /**
   * Ends every lease, for a process that knows that no other lives: after a kill, work goes on at once instead of
   * when the dead process's leases run out. The tokens stay, so a process that lives after all is not locked out.
   */
  async expireAll(): Promise<void> {
    await this.database.query(ctx, EXPIRE_ALL);
  }

  private async writeRenewals(jobs: readonly ClaimedJob[]): Promise<string[]> {
    const rows = await this.database.query(ctx, RENEW, [leasesJson(jobs), this.timing.leaseMs], 'heartbeat');
    return rows.map((row) => row.token);
  }

  /** @returns the tokens that stand, whoever has their rows in hand */
  private async findStanding(jobs: readonly ClaimedJob[]): Promise<Set<string>> {
    const rows = await this.database.query(ctx, STANDING, [leasesJson(jobs)], 'heartbeat');
    return new Set(rows.map((row) => row.token));
  }

  private async ownersOf(ids: string[]): Promise<string[]> {
    const rows = await this.database.query(ctx, OWNERS_OF, [ids], 'read');
    const owners = new Map(rows.map((row) => [row.id, row.org_id]));
    return ids.map((id) => owners.get(id) ?? '');
  }

  /** Writes one item on a connection of its own, which waits for a lock only for a moment. */
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
    // The same id twice in one group is one claim: the first caller gets it.
    return ids.map((id) => {
      const job = claimed.get(id) ?? null;
      claimed.delete(id);
      return job;
    });
  }

  private async writeStarts(jobs: ClaimedJob[], on: Ctx | TxCtx = ctx): Promise<boolean[]> {
    const rows = await this.database.query(on, START, [leasesJson(jobs)], 'work');
    // By token: a group may hold the owner of a job and one who lost it.
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
      // What is left are batches. Within a transaction nobody can see their end yet.
      if (on === ctx) this.onBatchesEnded([...ended]);
      rest = rest.filter((each) => !group.includes(each));
    }
    this.metrics?.countLease('line', 'ended', settled.size);
    this.metrics?.countLease('line', 'lost', ends.length - settled.size);
    return ends.map((each) => settled.has(each));
  }
}

/**
 * One end of each job: the function ends jobs by id, so what a lost lease found must not stand in one statement with
 * what the owner of the job found.
 */
function onePerJob(ends: HeldEnd[]): HeldEnd[] {
  const byJob = new Map<string, HeldEnd>();
  for (const each of ends) if (!byJob.has(each.job.id)) byJob.set(each.job.id, each);
  return [...byJob.values()];
}

/** In the order of their ids, as everybody locks them; the plan of a start mostly keeps it. */
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
  WHERE j.id = c.id AND j.lease_token = c.token AND j.state IN ('queued', 'running')
    AND j.lease_until > clock_timestamp() RETURNING c.token`,
)
  .rows<{ token: string }>()
  .prepared();

const SETTLE = statement('job-lease.settle', 'SELECT jobs.settle_jobs($1::jsonb) AS id')
  .rows<{ id: string }>()
  .prepared();
