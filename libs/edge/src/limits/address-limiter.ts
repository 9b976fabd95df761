import { ADDRESS_BUDGET, scaledBudget } from './rate-class.catalogue.js';
import { SlidingWindowStore } from './sliding-window.store.js';

/**
 * Limits requests per address before authentication. Kept in this process: it guards the process itself, and a
 * refusal must cost less than what it spares.
 */
export class AddressLimiter {
  private readonly windows = new SlidingWindowStore(ADDRESS_BUDGET.windowMs);
  private readonly budget: number;

  constructor(
    scale: number,
    private readonly nowMs: () => number = () => performance.now(),
  ) {
    this.budget = scaledBudget(ADDRESS_BUDGET.budget, scale);
  }

  /** Counts a request. @returns 0 when it is admitted, else whole seconds until one will be. */
  take(address: string): number {
    const nowMs = this.nowMs();
    const window = this.windows.window(address, this.budget, nowMs);
    if (window.remaining(nowMs) <= 0) return Math.max(1, Math.ceil(window.untilNextMs(nowMs) / 1000));
    window.add(nowMs);
    return 0;
  }
}
