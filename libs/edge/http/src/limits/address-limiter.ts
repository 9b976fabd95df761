import {
  ADDRESS_BUDGETS,
  ADDRESS_WINDOW_MS,
  scaledBudget,
  type AddressClass,
} from './rate-class.catalogue.js';
import { SlidingWindowStore } from './sliding-window.store.js';

/**
 * Limits requests per address before authentication. The counters are in this process: they protect the process itself, and a
 * refusal must cost less than the request it saves.
 */
export class AddressLimiter {
  private readonly windows = new SlidingWindowStore(ADDRESS_WINDOW_MS);

  constructor(
    private readonly scale: number,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** Counts a request. @returns 0 when it is admitted, otherwise whole seconds until one will be */
  takeRequest(address: string, addressClass: AddressClass = 'ordinary'): number {
    const nowMs = this.nowMs();
    const budget = scaledBudget(ADDRESS_BUDGETS[addressClass], this.scale);
    const window = this.windows.window(
      addressClass === 'ordinary' ? address : `${addressClass} ${address}`,
      budget,
      nowMs,
    );
    if (window.remaining(nowMs) <= 0) return Math.max(1, Math.ceil(window.untilNextMs(nowMs) / 1000));
    window.add(nowMs);
    return 0;
  }
}
