import { RollingCount } from './rolling-count.js';

export interface RetryBudgetPolicy {
  /** Maximum retries per first call. */
  share: number;
  /** Number of retries that are always allowed, so that a short outage of a rarely used provider goes unnoticed. */
  spare: number;
  windowMs: number;
}

/** Limits retries to a share of all calls, so that a failing provider does not get more calls than a healthy one. */
export class RetryBudget {
  private readonly count: RollingCount<'call' | 'retry'>;

  constructor(
    private readonly policy: RetryBudgetPolicy,
    now: () => number,
  ) {
    this.count = new RollingCount(policy.windowMs, now);
  }

  /** Counts the first call of a search. */
  earn(): void {
    this.count.add('call');
  }

  /** @returns whether a call may be retried; if so, the retry is counted */
  spend(): boolean {
    const allowed = Math.max(this.policy.spare, this.policy.share * this.count.of('call'));
    if (this.count.of('retry') + 1 > allowed) return false;
    this.count.add('retry');
    return true;
  }
}
