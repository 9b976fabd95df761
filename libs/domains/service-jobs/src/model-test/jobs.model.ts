import {
  ModelJob,
  ModelLease,
  ModelOrg,
  OUTCOMES,
  type Outcome,
  type Search,
  type ServiceName,
} from './model-job.js';

export interface ModelLine {
  job: ModelJob;
  reused: boolean;
  isCancelled: boolean;
}

export interface ModelBatch {
  id: string;
  org: ModelOrg;
  lines: ModelLine[];
}

/** In-memory model of batches, jobs and balances, as the contract defines them. */
export class JobsModel {
  readonly orgs: ModelOrg[];
  readonly batches: ModelBatch[] = [];
  readonly jobs: ModelJob[] = [];
  readonly leases: ModelLease[] = [];
  private statements = 0;

  constructor(granted: number) {
    this.orgs = [new ModelOrg(granted), new ModelOrg(granted)];
  }

  /** @returns the batch; null when the balance does not cover it */
  accept(id: string, org: ModelOrg, service: ServiceName, searches: Search[], isFresh: boolean) {
    const made: ModelJob[] = [];
    const lines = searches.map((search): ModelLine => {
      const own = new ModelJob(org, service, search, isFresh);
      const other = isFresh ? null : (this.answered(own) ?? this.running(own, [...this.jobs, ...made]));
      if (!other) made.push(own);
      return { job: other ?? own, reused: other !== null, isCancelled: false };
    });
    const wanted = made.filter((job) => !job.search.isThin);
    if (wanted.length > 0 && org.available < Math.min(...wanted.map((job) => job.price))) return null;
    for (const job of made.filter((each) => each.search.isThin)) job.end('failed', 0, 'provider_rejected');
    this.jobs.push(...made);
    const batch = { id, org, lines };
    this.batches.push(batch);
    return batch;
  }

  /** Claims jobs in one statement: credits released by a line that ends in it do not cover its other lines. */
  claim(jobs: ModelJob[]): Array<ModelLease | null> {
    const free = new Set(jobs.filter((job) => job.isOpen && (!job.lease || job.lease.isOld)));
    const spentUp = (job: ModelJob) => job.leaseLosses >= 2 || job.claims >= 5;
    const ends: Array<() => void> = [];
    for (const job of this.jobs.filter((each) => free.has(each))) {
      const isCovered = job.isHeld || job.org.available >= job.price;
      if (spentUp(job)) ends.push(() => job.end('failed', 0, 'worker_lost'));
      else if (!isCovered) ends.push(() => job.end('failed', 0, 'usage_limit'));
      else this.lease(job);
    }
    for (const end of ends) end();
    return jobs.map((job) => (free.delete(job) && job.isOpen ? job.lease : null));
  }

  start(lease: ModelLease): boolean {
    if (!lease.stands || lease.isOld) return false;
    lease.hasStarted = true;
    const { job } = lease;
    Object.assign(job, { state: 'running', attempt: job.attempt + (job.isSpare ? 0 : 1), isSpare: false });
    return true;
  }

  /** Settles a lease. An expired lease can still settle while no other worker has claimed the job. */
  settle(lease: ModelLease, outcome: Outcome): boolean {
    if (!lease.stands) return false;
    const { state, found } = OUTCOMES[outcome];
    lease.job.end(state, lease.job.costOf(outcome), state === 'failed' ? 'provider_error' : null);
    if (state === 'completed')
      Object.assign(lease.job, { isFound: found, completedAt: (this.statements += 1) });
    return true;
  }

  renew(lease: ModelLease): boolean {
    if (lease.stands) lease.isOld = false;
    return lease.stands;
  }

  /** Releases a lease. An attempt with a call no longer counts; the next start continues one without a call. */
  release(lease: ModelLease, hasCalled: boolean): void {
    const { job } = lease;
    if (!lease.stands) return;
    Object.assign(job, { lease: null, claims: job.claims - 1 });
    if (!lease.hasStarted) return;
    if (hasCalled) job.handedBack += 1;
    else job.isSpare = true;
  }

  /** Cancels a batch. It only leaves a job for which another batch waits; that batch takes over a job that this one started. */
  cancel(batch: ModelBatch): void {
    const queued = batch.lines.filter(({ job, isCancelled }) => !isCancelled && job.state === 'queued');
    const others = this.batches.filter((other) => other !== batch).flatMap(({ lines }) => lines);
    for (const line of queued) {
      const heir = others.find(({ job, isCancelled }) => job === line.job && !isCancelled);
      if (heir) line.isCancelled = true;
      else if (line.job.isOpen) line.job.end('cancelled', 0);
      if (heir && !line.reused && !line.job.isHeld) heir.reused = false;
    }
  }

  private lease(job: ModelJob): void {
    if (job.lease) job.isSpare = false;
    if (!job.isHeld) {
      job.org.available -= job.price;
      job.org.reserved += job.price;
    }
    Object.assign(job, { isHeld: true, claims: job.claims + 1, lease: new ModelLease(job) });
    this.leases.push(job.lease!);
  }

  private answered(own: ModelJob): ModelJob | null {
    const fits = this.jobs.filter(
      (job) =>
        job.completedAt !== null &&
        job.service === 'getEmail' &&
        job.isAbout(own) &&
        (job.isFound || job.deep || !own.deep),
    );
    return fits.sort((a, b) => b.completedAt! - a.completedAt!)[0] ?? null;
  }

  private running(own: ModelJob, jobs: ModelJob[]): ModelJob | null {
    return (
      jobs.find((job) => job.isOpen && !job.isFresh && job.isAbout(own) && job.deep === own.deep) ?? null
    );
  }
}
