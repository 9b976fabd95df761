import type { JobErrorCode } from '@quarry/error-codes';
import { isJobErrorCode } from '@quarry/error-codes';
import type { Logger } from '@quarry/platform';
import { cleanText } from '@quarry/providers';
import { findSlowService, type AnySlowService } from '@quarry/service-catalog';
import {
  HEARTBEAT_MS,
  LEASE_TRUST_MS,
  type ClaimedJob,
  type JobEnd,
  type JobLeaseStore,
} from './job-lease.store.js';
import { SearchDeadline } from './search-deadline.js';

/** The part of a provider that a line needs; the waterfall of the provider room has this shape. */
export interface Searcher {
  run(call: {
    service: string;
    input: Readonly<Record<string, unknown>>;
    lineId: string;
    signal: AbortSignal;
    holdDeadline?: () => () => void;
  }): Promise<{ found: boolean; deep: boolean; provider: string; output: Record<string, unknown> }>;
}

/** Chooses who searches for a line: test keys always meet the sandbox. */
export type SearcherFor = (mode: 'live' | 'test') => Searcher;

interface InFlight {
  job: ClaimedJob;
  abort: AbortController;
  /** Monotonic time up to which the lease is believed without a new confirmation. */
  trustedUntil: number;
}

/** Works on lines: claim, start, search, settle. Keeps the leases of everything in flight alive. */
export class LineWorker {
  /** Not by job: a job whose lease ran out here may have been claimed here again, while its first call still runs. */
  private readonly inFlight = new Set<InFlight>();
  private readonly heartbeat: NodeJS.Timeout;
  private isStopping = false;

  constructor(
    private readonly leases: JobLeaseStore,
    private readonly searcherFor: SearcherFor,
    private readonly logger: Logger,
    /** Shortens the deadline of every service that has a longer one. */
    private readonly deadlineMaxMs = Infinity,
  ) {
    this.heartbeat = setInterval(() => void this.renew(), HEARTBEAT_MS);
    this.heartbeat.unref();
  }

  /** Works on the named jobs at once. Resolves when each has ended here or turned out to be another's. */
  async work(jobIds: readonly string[]): Promise<void> {
    await Promise.all(jobIds.map((id) => this.workOne(id)));
  }

  get linesInFlight(): number {
    return this.inFlight.size;
  }

  /** Takes nothing new, waits for what is in flight up to `graceMs`, then hands the rest back. */
  async stop(graceMs: number): Promise<void> {
    this.isStopping = true;
    const deadline = performance.now() + graceMs;
    while (this.inFlight.size > 0 && performance.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 20));
    clearInterval(this.heartbeat);
    const left = [...this.inFlight];
    for (const { abort } of left) abort.abort(new Error('The worker is stopping.'));
    if (left.length > 0) await this.leases.release(left.map(({ job }) => job));
  }

  private async workOne(jobId: string): Promise<void> {
    if (this.isStopping) return;
    const job = await this.leases.claim(jobId);
    if (!job) return;
    const flight: InFlight = {
      job,
      abort: new AbortController(),
      trustedUntil: performance.now() + LEASE_TRUST_MS,
    };
    this.inFlight.add(flight);
    try {
      if (!(await this.leases.start(job))) return;
      const end = await this.search(job, flight.abort.signal);
      // Aborted means: lease not confirmed, or handed back. The work is dropped; whoever claims next does it again.
      if (flight.abort.signal.aborted) return;
      const settled = await this.leases.settle(job, end);
      if (!settled)
        this.logger.warn(
          { jobId: job.id },
          'the lease was lost before the line could be settled; its answer is dropped',
        );
    } finally {
      this.inFlight.delete(flight);
    }
  }

  private async search(job: ClaimedJob, lost: AbortSignal): Promise<JobEnd> {
    const service = findSlowService(job.service);
    if (!service) return failed('service_error', 'This service is no longer offered.', null);
    const deadline = new SearchDeadline(Math.min(service.deadlineMs, this.deadlineMaxMs));
    try {
      const answer = await this.searcherFor(job.mode).run({
        service: job.service,
        input: job.input,
        lineId: job.id,
        signal: AbortSignal.any([lost, deadline.signal]),
        holdDeadline: () => deadline.hold(),
      });
      return completed(service, job, answer);
    } catch (error) {
      // A provider that knows why it gave no answer in time says so: it was never asked, or had failed before.
      if (deadline.signal.aborted && !isFailureLike(error))
        return failed('timeout', 'The search did not end in time.', null);
      return failedBy(service, job, error, this.logger);
    } finally {
      deadline.clear();
    }
  }

  private async renew(): Promise<void> {
    const flights = [...this.inFlight];
    if (flights.length === 0) return;
    const askedAt = performance.now();
    const standing = await this.leases.renew(flights.map(({ job }) => job)).catch((error: unknown) => {
      this.logger.warn({ err: error }, 'leases could not be renewed');
      return null;
    });
    for (const flight of flights) {
      // Trust counts from when the question was sent: the database may have answered long ago.
      if (standing?.has(flight.job.token)) flight.trustedUntil = askedAt + LEASE_TRUST_MS;
      else if (standing || performance.now() > flight.trustedUntil)
        flight.abort.abort(new Error('The lease was lost.'));
    }
  }
}

function completed(
  service: AnySlowService,
  job: ClaimedJob,
  answer: { found: boolean; deep: boolean; provider: string; output: Record<string, unknown> },
): JobEnd {
  const output = cleanText(answer.output);
  if (!service.output.safeParse(output).success) {
    return failed('invalid_output', 'The provider answered outside its own contract.', answer.provider);
  }
  return {
    state: 'completed',
    result: output,
    provider: answer.provider,
    charge: service.charge(job.input, answer),
  };
}

/** A failure of a provider, as far as this room may know it: the provider room's class has these fields. */
interface FailureLike {
  code: JobErrorCode;
  message: string;
  options: { provider: string | null; deepFinished?: boolean };
}

function failedBy(service: AnySlowService, job: ClaimedJob, error: unknown, logger: Logger): JobEnd {
  if (!isFailureLike(error)) {
    logger.error({ err: error, jobId: job.id }, 'a search ended with a surprise');
    return failed('service_execution_failed', 'The search ended with an unexpected error.', null);
  }
  const { provider, deepFinished } = error.options;
  const charge = deepFinished ? service.charge(job.input, { found: false, deep: true }) : 0;
  return { state: 'failed', error: { code: error.code, message: error.message }, provider, charge };
}

function isFailureLike(error: unknown): error is FailureLike {
  const like = error as Partial<FailureLike> | null;
  return typeof like?.code === 'string' && isJobErrorCode(like.code) && typeof like.options === 'object';
}

function failed(code: JobErrorCode, message: string, provider: string | null): JobEnd {
  return { state: 'failed', error: { code, message }, provider, charge: 0 };
}
