import { RollingCount } from './rolling-count.js';

export interface BreakerPolicy {
  windowMs: number;
  /** Minimum number of calls in the window for a decision. */
  callsMin: number;
  /** Share of failed calls in the window that opens the breaker. */
  failureShare: number;
  /** Time without calls before a probe, in milliseconds. */
  openMs: number;
}

/** An admitted call. Its outcome is reported to one of the methods of {@link CircuitBreaker}. */
export interface Passage {
  isProbe: boolean;
}

/**
 * Stops calling a provider that fails.
 *
 * closed ── too many of the last calls failed ──> open ── `openMs` later, one probe ──> half open
 * half open ── the probe succeeds ──> closed, with empty counters; ── it fails ──> open again
 * any ── `trip` ──> open, for the given time
 *
 * Calls that were admitted before it opened may still end afterwards; then only the end of the probe changes its state.
 */
export class CircuitBreaker {
  private readonly count: RollingCount<'success' | 'failure'>;
  private openedAt: number | null = null;
  private isProbing = false;
  /** Duration of the current open state, in milliseconds. */
  private openMs = 0;

  constructor(
    private readonly policy: BreakerPolicy,
    private readonly now: () => number,
  ) {
    this.count = new RollingCount(policy.windowMs, now);
  }

  /** True if a call would be refused now. */
  get isRefusing(): boolean {
    if (this.openedAt === null) return false;
    return this.isProbing || this.now() - this.openedAt < this.openMs;
  }

  /** Admits a call. @returns null if the call is refused */
  pass(): Passage | null {
    if (this.isRefusing) return null;
    this.isProbing = this.openedAt !== null;
    return { isProbe: this.isProbing };
  }

  succeeded({ isProbe }: Passage): void {
    if (isProbe) this.close();
    else if (this.openedAt === null) this.count.add('success');
  }

  failed({ isProbe }: Passage): void {
    if (isProbe) this.trip();
    else if (this.openedAt === null) {
      this.count.add('failure');
      if (this.isTooMuch()) this.trip();
    }
  }

  /** Opens the breaker, regardless of the counters, for example because calls are known to be useless for this long. */
  trip(openMs = this.policy.openMs): void {
    this.openedAt = this.now();
    this.openMs = openMs;
    this.isProbing = false;
  }

  /** Ends a call that was abandoned for a reason of ours, which says nothing about the provider. */
  abandoned({ isProbe }: Passage): void {
    if (isProbe) this.isProbing = false;
  }

  private isTooMuch(): boolean {
    const failures = this.count.of('failure');
    const calls = failures + this.count.of('success');
    return calls >= this.policy.callsMin && failures >= calls * this.policy.failureShare;
  }

  private close(): void {
    this.openedAt = null;
    this.isProbing = false;
    this.count.clear();
  }
}
