/** The budget of one kind of route, per key. */
export interface RateClass {
  readonly name: string;
  /** Requests per minute and key; all keys of a user together have twice as many. */
  readonly budget: number;
  /** Concurrent requests per key; null for no limit. */
  readonly concurrency: number | null;
}

/** The kinds of routes and their budgets. Source: public contract, Rate limits. */
export const RATE_CLASSES = {
  heavy: { name: 'heavy', budget: 30, concurrency: 3 },
  services: { name: 'services', budget: 120, concurrency: 10 },
  reads: { name: 'reads', budget: 600, concurrency: null },
} as const satisfies Record<string, RateClass>;

export type RateClassName = keyof typeof RATE_CLASSES;

/** Milliseconds of the sliding window of every class. Source: public contract, Rate limits. */
export const RATE_WINDOW_MS = 60_000;
/** Budget of all keys of one user together, as a multiple of one key's. Same source. */
export const USER_CEILING_FACTOR = 2;
/**
 * Requests of one address before authentication, by class. Same source. Unsubscribe links have a budget of their own, because a
 * mail provider clicks for all of its users from few addresses (docs/outreach.md).
 */
export const ADDRESS_BUDGETS = { ordinary: 100, unsubscribe: 600 } as const;
export type AddressClass = keyof typeof ADDRESS_BUDGETS;
export const ADDRESS_WINDOW_MS = 10_000;

/** Failed sign-ins per quarter of an hour. Source: docs/contract.md#10-the-web-application. */
export const SIGN_IN_BUDGETS = { account: 5, address: 20 } as const;

/** @returns the classes with every budget multiplied (RATE_LIMIT_SCALE), but at least 1 */
export function scaledRateClasses(scale: number): Record<RateClassName, RateClass> {
  const scaled = (rateClass: RateClass): RateClass => ({
    name: rateClass.name,
    budget: scaledBudget(rateClass.budget, scale),
    concurrency: rateClass.concurrency && scaledBudget(rateClass.concurrency, scale),
  });
  return {
    heavy: scaled(RATE_CLASSES.heavy),
    services: scaled(RATE_CLASSES.services),
    reads: scaled(RATE_CLASSES.reads),
  };
}

/** @returns a budget multiplied, but at least 1 */
export function scaledBudget(budget: number, scale: number): number {
  return Math.max(1, Math.round(budget * scale));
}
