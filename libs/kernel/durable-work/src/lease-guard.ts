import type { LeaseTiming } from './lease-timing.js';
import { LeaseLostError, WorkCancelledError, WorkHandedBackError } from './work-errors.js';

/** Cancelled work must end within 5 s, even while it waits for a model or a page. Source: docs/contract.md#3-runs. */
const CANCEL_CHECK_MS = 2_000;

/** Signals to check before the next step. */
export interface WorkSignals {
  isCancelled: boolean;
}

/** The reads and renewals of one lease that a guard needs. */
export interface GuardedLease<Signals extends WorkSignals = WorkSignals> {
  /** Renews the lease. Returns false when it was lost. */
  renew(): Promise<boolean>;
  /** Returns null when the lease is lost. Absent for work that cannot be cancelled. */
  readSignals?(): Promise<Signals | null>;
  /** Throws AccessRevokedError when the work is no longer permitted. */
  checkAccess?(signals: Signals): Promise<void>;
}

/** Tells whether the work may go on. */
export type WorkGuard = Pick<LeaseGuard, 'checkpoint' | 'signal'>;

/** Keeps a lease alive, and tells its work, between and within steps, whether it may go on. */
export class LeaseGuard<Signals extends WorkSignals = WorkSignals> {
  private readonly ended = new AbortController();
  /** Aborted when the current step must end, with the error that {@link checkpoint} would throw. */
  readonly signal: AbortSignal = this.ended.signal;
  private leaseValidUntil: number;
  private readonly timers: NodeJS.Timeout[];

  /** @param stopping aborted when this process stops */
  constructor(
    private readonly lease: GuardedLease<Signals>,
    private readonly timing: LeaseTiming,
    private readonly stopping: AbortSignal,
  ) {
    this.leaseValidUntil = performance.now() + timing.validMs;
    // The process may have started to stop while the lease was taken; then no event follows.
    if (stopping.aborted) this.handBack();
    else stopping.addEventListener('abort', this.handBack, { once: true });
    this.timers = [setInterval(() => void this.renewLease(), timing.heartbeatMs).unref()];
    if (lease.readSignals)
      this.timers.push(setInterval(() => void this.watchCancellation(), CANCEL_CHECK_MS).unref());
  }

  /** @throws WorkHandedBackError, LeaseLostError, WorkCancelledError or AccessRevokedError, each of which ends the work */
  async checkpoint(): Promise<void> {
    this.throwIfTaken();
    if (!this.lease.readSignals) return;
    const signals = await this.lease.readSignals();
    if (!signals) throw new LeaseLostError('The work belongs to another process.');
    if (signals.isCancelled) throw new WorkCancelledError('The work was cancelled.');
    await this.lease.checkAccess?.(signals);
  }

  /** @returns the reason why the work must stop, such as a workspace archived a moment ago; the error of its step if there is none */
  findCause(error: unknown): Promise<unknown> {
    return this.checkpoint().then(
      () => error,
      (why: unknown) => why,
    );
  }

  /** @throws WorkHandedBackError, LeaseLostError */
  throwIfTaken(): void {
    if (this.stopping.aborted) throw new WorkHandedBackError('The process is stopping.');
    if (this.signal.reason instanceof LeaseLostError) throw this.signal.reason;
    if (performance.now() > this.leaseValidUntil) throw unconfirmedLease();
  }

  /** Ends the work because one of its own writes has found the lease lost. */
  markLost(): void {
    this.ended.abort(new LeaseLostError('The work belongs to another process.'));
  }

  /** Stops renewing the lease. */
  close(): void {
    for (const timer of this.timers) clearInterval(timer);
    this.stopping.removeEventListener('abort', this.handBack);
  }

  private readonly handBack = (): void =>
    this.ended.abort(new WorkHandedBackError('The process is stopping.'));

  /** Polls the signals of the work. A read that fails is repeated in the next round. */
  private async watchCancellation(): Promise<void> {
    const signals = await this.lease.readSignals!().catch(() => null);
    if (signals?.isCancelled) this.ended.abort(new WorkCancelledError('The work was cancelled.'));
  }

  /** Renews the lease. Its validity counts from when the renewal was sent: the response may be late. */
  private async renewLease(): Promise<void> {
    const askedAt = performance.now();
    const stands = await this.lease.renew().catch(() => null);
    if (stands) this.leaseValidUntil = askedAt + this.timing.validMs;
    if (stands === false || performance.now() > this.leaseValidUntil) this.ended.abort(unconfirmedLease());
  }
}

function unconfirmedLease(): LeaseLostError {
  return new LeaseLostError('The lease was not confirmed in time.');
}
