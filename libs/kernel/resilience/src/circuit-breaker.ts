import { RollingCount } from './rolling-count.js';

export interface BreakerPolicy {
  windowMs: number;
  /** Fewer calls than this in the window say nothing. */
  callsMin: number;
  /** Share of failed calls in the window that opens it. */
  failureShare: number;
  /** Milliseconds without calls before one call tries again. */
  openMs: number;
}

/** A call that was let through. Its end is told to the breaker by one of {@link CircuitBreaker}'s verbs. */
export interface Passage {
  isProbe: boolean;
}

/**
 * Stops calling a provider that fails.
 *
 * closed ── too many of the last calls failed ──> open ── `openMs` later, one probe ──> half open
 * half open ── the probe succeeds ──> closed, with nothing remembered; ── it fails ──> open again
 * any ── `trip` ──> open, for as long as it says
 *
 * Calls that were let through before it opened still end afterwards; only the probe's end moves it then.
 */
export class CircuitBreaker {
  private readonly count: RollingCount<'success' | 'failure'>;
  private openedAt: number | null = null;
  private isProbing = false;
  /** Milliseconds that it stays open this time. */
  private openMs = 0;

  constructor(
    private readonly policy: BreakerPolicy,
    private readonly now: () => number,
  ) {
    this.count = new RollingCount(policy.windowMs, now);
  }

  /** Returns whether a call would be refused now. */
  get isRefusing(): boolean {
    if (this.openedAt === null) return false;
    return this.isProbing || this.now() - this.openedAt < this.openMs;
  }

  /** @returns null when the call is refused */
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
    if (isProbe) this.open();
    else if (this.openedAt === null) {
      this.count.add('failure');
      if (this.isTooMuch()) this.open();
    }
  }

  /** Calls are known to be useless for this long, whatever else was counted. */
  trip(openMs: number): void {
    this.open(openMs);
  }

  /** The call ended for a reason of ours, which says nothing about the provider. */
  abandoned({ isProbe }: Passage): void {
    if (isProbe) this.isProbing = false;
  }

  private isTooMuch(): boolean {
    const failures = this.count.of('failure');
    const calls = failures + this.count.of('success');
    return calls >= this.policy.callsMin && failures >= calls * this.policy.failureShare;
  }

  private open(openMs = this.policy.openMs): void {
    this.openedAt = this.now();
    this.openMs = openMs;
    this.isProbing = false;
  }

  private close(): void {
    this.openedAt = null;
    this.isProbing = false;
    this.count.clear();
  }
}
