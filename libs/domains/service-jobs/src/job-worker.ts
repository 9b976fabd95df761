import type { JobErrorCode } from '@quarry/error-codes';
import { failpoints, type Logger } from '@quarry/app';
import { isDatabaseUnavailable } from '@quarry/postgres';
import { ProviderFailure, SearchLostError, type ProviderAnswer, type LookupProvider } from '@quarry/engine';
import { chargeOf, findSlowService, type AnySlowService } from '@quarry/service-catalog';
import { continuing, noteSpan } from '@quarry/tracing';
import type { Failpoint, Failpoints } from './failpoints.js';
import type { ClaimedJob, JobEnd, JobLeaseStore } from './job-lease.store.js';
import { SearchDeadline } from '@quarry/resilience';

/** The provider, or waterfall of providers, that searches for a job. */
export type Searcher = Pick<LookupProvider, 'answerCall'>;

/** Chooses the searcher of a job: test keys always get the sandbox, and an organisation may have vendor keys of its own. */
export type SearcherFor = (tenant: Pick<ClaimedJob, 'orgId' | 'mode'>) => Searcher;

/** Milliseconds that a message waits for one write of a line. After that it lets others work while the line continues. */
const WRITE_TIMEOUT_MS = 1_000;
/** Milliseconds until an outcome is written again after the connection was lost. */
const SETTLE_AGAIN_MS = 500;

interface InFlight {
  job: ClaimedJob;
  abort: AbortController;
  /** Monotonic time until which the lease is valid without a new confirmation. */
  leaseValidUntil: number;
  /** Aborts the search at that time. */
  leaseTimer: NodeJS.Timeout | undefined;
  /** Its outcome is being written; that write checks the lease by itself. */
  isSettling: boolean;
  /** Resolves when its message should no longer wait for it. */
  detached: Promise<void>;
  detach: () => void;
  /** True once a provider was called. */
  hasCalled: boolean;
}

/** Milliseconds that a stop waits for claims that PostgreSQL has not answered. */
const CLAIM_TIMEOUT_MS = 5000;

export interface JobWorkerOptions {
  /** Upper bound for the deadline of every service. */
  deadlineMaxMs?: number | undefined;
  failpoints?: Failpoints;
}

/** Works on lines: claim, start, search, settle. Renews the leases of everything in progress. */
export class JobWorker {
  /** Not keyed by job: a job whose lease expired may be claimed here again while its first call is still running. */
  private readonly inFlight = new Set<InFlight>();
  private readonly heartbeat: NodeJS.Timeout;
  private readonly deadlineMaxMs: number;
  private readonly failpoints: Failpoints;
  /** Number of claims that PostgreSQL has not answered yet: each may become a job in progress. */
  private claiming = 0;
  private isStopping = false;
  private isHandingBack = false;

  constructor(
    private readonly leases: JobLeaseStore,
    private readonly searcherFor: SearcherFor,
    private readonly logger: Logger,
    options: JobWorkerOptions = {},
  ) {
    this.deadlineMaxMs = options.deadlineMaxMs ?? Infinity;
    this.failpoints = options.failpoints ?? failpoints();
    this.heartbeat = setInterval(() => void this.renewLeases(), leases.timing.heartbeatMs);
    this.heartbeat.unref();
  }

  /** Works on the given jobs concurrently. Resolves when each has ended here or belongs to another worker. */
  async workQueue(jobIds: readonly string[]): Promise<void> {
    await Promise.all(jobIds.map((id) => this.workOne(id)));
  }

  get linesInFlight(): number {
    return this.inFlight.size;
  }

  /**
   * Stops claiming, waits up to `graceMs` for work in progress, then hands the rest back.
   * @param force ends the wait when it is aborted
   */
  async stop(graceMs: number, force?: AbortSignal): Promise<void> {
    this.isStopping = true;
    await this.waitUntil(() => this.inFlight.size + this.claiming === 0, graceMs, force);
    // From here on a claim that is answered late is handed back at once: its lease must not outlive this process.
    this.isHandingBack = true;
    clearInterval(this.heartbeat);
    const left = [...this.inFlight];
    for (const { abort } of left) abort.abort(new Error('The worker is stopping.'));
    if (left.length > 0) await this.leases.releaseJobs(left);
    await this.waitUntil(() => this.claiming === 0, CLAIM_TIMEOUT_MS);
  }

  private async waitUntil(isSo: () => boolean, withinMs: number, force?: AbortSignal): Promise<void> {
    const deadline = performance.now() + withinMs;
    while (!isSo() && performance.now() < deadline && !force?.aborted)
      await new Promise((resolve) => setTimeout(resolve, 20));
  }

  private async workOne(jobId: string): Promise<void> {
    if (this.isStopping) return;
    const startedAt = Date.now();
    const flight = await this.claimJob(jobId);
    if (!flight) return;
    const completion = this.followFlight(flight, startedAt);
    const isDetached = await Promise.race([completion.then(() => false), flight.detached.then(() => true)]);
    if (isDetached)
      completion.catch((error: unknown) =>
        this.logger.warn({ err: error, jobId }, 'a line could not be written'),
      );
  }

  /** Runs in the trace of the request, which is known only after the claim. */
  private followFlight(flight: InFlight, startedAt: number): Promise<void> {
    const { id, service, traceparent } = flight.job;
    const claimedAt = Date.now();
    const facts = { 'quarry.job_id': id, 'quarry.service': service };
    return continuing(traceparent, { kind: 'consumer', name: `line ${service}`, facts, startedAt }, () => {
      noteSpan('client', 'job-lease.claim', { 'db.system.name': 'postgresql' }, startedAt, claimedAt);
      return this.executeJob(flight);
    });
  }

  private async executeJob(flight: InFlight): Promise<void> {
    const { job } = flight;
    try {
      await this.reachFailpoint('claimed', job);
      if (!(await this.detachWhenSlow(flight, this.leases.startJobs(job)))) return;
      await this.reachFailpoint('attempt_committed', job);
      const end = await this.searchProviders(flight);
      // The lease expired or was handed back: the result is dropped, and the next owner searches again. The clock is checked too,
      // because a suspended process may reach this line before its timers fire.
      if (flight.abort.signal.aborted || performance.now() > flight.leaseValidUntil)
        return this.giveUp(flight);
      await this.reachFailpoint('before_settle_commit', job);
      const settled = await this.detachWhenSlow(flight, this.settleJob(flight, end));
      if (settled) await this.reachFailpoint('after_settle_commit', job);
      else
        this.logger.warn(
          { jobId: job.id },
          'the lease was lost before the line could be settled; its answer is dropped',
        );
    } finally {
      clearTimeout(flight.leaseTimer);
      this.inFlight.delete(flight);
    }
  }

  /** Writes the outcome, and tries again after a lost connection while the lease is valid: the token makes it count once. */
  private async settleJob(flight: InFlight, end: JobEnd): Promise<boolean> {
    flight.isSettling = true;
    for (;;) {
      try {
        return await this.leases.settleJobs(flight.job, end);
      } catch (error) {
        if (!isDatabaseUnavailable(error) || performance.now() > flight.leaseValidUntil) throw error;
        await new Promise((resolve) => setTimeout(resolve, SETTLE_AGAIN_MS));
      }
    }
  }

  /** Detaches a line whose write takes long, so that its message need not wait for a row lock. */
  private async detachWhenSlow<T>(flight: InFlight, write: Promise<T>): Promise<T> {
    const timer = setTimeout(flight.detach, WRITE_TIMEOUT_MS);
    try {
      return await write;
    } finally {
      clearTimeout(timer);
    }
  }

  /** @returns null when there is nothing to do: the job belongs to another worker, or was just handed back */
  private async claimJob(jobId: string): Promise<InFlight | null> {
    this.claiming += 1;
    try {
      const askedAt = performance.now();
      const job = await this.leases.claimJobs(jobId);
      if (!job) return null;
      if (!this.isHandingBack) return this.registerFlight(job, askedAt);
      await this.leases.releaseJobs([{ job, hasCalled: false }]);
      return null;
    } finally {
      this.claiming -= 1;
    }
  }

  private registerFlight(job: ClaimedJob, askedAt: number): InFlight {
    let detach: () => void = () => undefined;
    const detached = new Promise<void>((resolve) => (detach = resolve));
    const abort = new AbortController();
    const flight: InFlight = {
      job,
      abort,
      leaseValidUntil: 0,
      leaseTimer: undefined,
      isSettling: false,
      detached,
      detach,
      hasCalled: false,
    };
    this.extendLease(flight, askedAt);
    this.inFlight.add(flight);
    return flight;
  }

  private async searchProviders(flight: InFlight): Promise<JobEnd> {
    const { job, abort } = flight;
    const service = findSlowService(job.service);
    if (!service) return failedEnd('service_error', 'This service is no longer offered.', null);
    const deadline = new SearchDeadline(Math.min(service.deadlineMs, this.deadlineMaxMs));
    try {
      const answering = this.searcherFor(job).answerCall({
        service: job.service,
        input: job.input,
        searchId: job.id,
        signal: AbortSignal.any([abort.signal, deadline.signal]),
        holdDeadline: () => deadline.hold(),
        onCall: () => (flight.hasCalled = true),
        vendorJob: this.leases.vendorJobOf(job),
      });
      const [answer] = await Promise.all([answering, this.reachFailpoint('provider_sent', job)]);
      await this.reachFailpoint('provider_answered', job);
      return completedEnd(service, job, answer);
    } catch (error) {
      // This process has given up the search, and ignores the outcome returned here.
      if (abort.signal.aborted || error instanceof SearchLostError)
        return failedEnd('interrupted', 'The search was stopped.', null);
      // A provider that knows why it did not answer in time says so: it was never called, or had failed before.
      if (deadline.signal.aborted && !(error instanceof ProviderFailure))
        return failedEnd('timeout', 'The search did not end in time.', null);
      return failedBy(service, job, error, this.logger);
    } finally {
      deadline.clear();
    }
  }

  private async renewLeases(): Promise<void> {
    // A search that was given up may take a moment to end; its lease must not be renewed.
    const flights = [...this.inFlight].filter(({ abort }) => !abort.signal.aborted);
    if (flights.length === 0) return;
    const askedAt = performance.now();
    // A renewal without an answer counts as failed; meanwhile the timer of each job keeps running.
    const renewal = await this.leases.renewLeases(flights.map(({ job }) => job)).catch((error: unknown) => {
      this.logger.warn({ err: error }, 'leases could not be renewed');
      return null;
    });
    if (!renewal) return;
    for (const flight of flights) {
      if (!this.inFlight.has(flight)) continue;
      if (renewal.renewed.has(flight.job.token)) this.extendLease(flight, askedAt);
      else if (renewal.lost.has(flight.job.token) && !flight.isSettling) this.giveUp(flight);
    }
  }

  /** Validity counts from when the renewal was sent: the database may have answered long ago. */
  private extendLease(flight: InFlight, askedAt: number): void {
    clearTimeout(flight.leaseTimer);
    flight.leaseValidUntil = askedAt + this.leases.timing.validMs;
    flight.leaseTimer = setTimeout(
      () => this.giveUp(flight),
      flight.leaseValidUntil - performance.now(),
    ).unref();
  }

  private giveUp({ job, abort, leaseTimer }: InFlight): void {
    clearTimeout(leaseTimer);
    if (abort.signal.aborted) return;
    this.logger.warn(
      { jobId: job.id },
      'the lease is lost or was not confirmed in time; the search is given up',
    );
    abort.abort(new Error('The lease was lost.'));
  }

  private reachFailpoint(point: Failpoint, job: ClaimedJob): Promise<void> | void {
    return this.failpoints.reach(point, job.input);
  }
}

function completedEnd(service: AnySlowService, job: ClaimedJob, answer: ProviderAnswer): JobEnd {
  const { trail = [] } = answer;
  if (!service.output.safeParse(answer.output).success) {
    const message = 'The provider returned an invalid answer.';
    return { ...failedEnd('invalid_output', message, answer.provider), trail };
  }
  return {
    state: 'completed',
    result: answer.output,
    provider: answer.provider,
    charge: chargeOf(service.charge(job.input, answer), answer.paidBy),
    trail,
  };
}

function failedBy(service: AnySlowService, job: ClaimedJob, error: unknown, logger: Logger): JobEnd {
  if (!(error instanceof ProviderFailure)) {
    logger.error({ err: error, jobId: job.id }, 'a search ended with an unexpected error');
    return failedEnd('service_execution_failed', 'The search ended with an unexpected error.', null);
  }
  const { provider, deepFinished } = error.options;
  const charge = deepFinished ? service.charge(job.input, { found: false, deep: true }) : 0;
  const { code, message, trail } = error;
  return { state: 'failed', error: { code, message }, provider, charge, trail };
}

function failedEnd(code: JobErrorCode, message: string, provider: string | null): JobEnd {
  return { state: 'failed', error: { code, message }, provider, charge: 0 };
}
