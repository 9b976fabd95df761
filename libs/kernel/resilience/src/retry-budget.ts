import { RollingCount } from './rolling-count.js';

export interface RetryBudgetPolicy {
  /** Repeated calls per first call. */
  share: number;
  /** Repeats that are allowed anyway, so that a hiccup of a quiet provider passes unseen. */
  spare: number;
  windowMs: number;
}

/** Keeps repeated calls to a share of all: what is down must not be called more often than what is up. */
export class RetryBudget {
  private readonly count: RollingCount<'call' | 'retry'>;

  constructor(
    private readonly policy: RetryBudgetPolicy,
    now: () => number,
  ) {
    this.count = new RollingCount(policy.windowMs, now);
  }

  /** A search makes its first call. */
  earn(): void {
    this.count.add('call');
  }

  /** @returns whether a call may be repeated, which is then spent */
  spend(): boolean {
    const allowed = Math.max(this.policy.spare, this.policy.share * this.count.of('call'));
    if (this.count.of('retry') + 1 > allowed) return false;
    this.count.add('retry');
    return true;
  }
}
