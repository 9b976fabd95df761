/** Length of a lease and the times that follow from it (docs/reliability.md, Leases). */
export interface LeaseTiming {
  leaseMs: number;
  heartbeatMs: number;
  /** Milliseconds without a confirmed renewal after which the owner stops by itself. */
  validMs: number;
}

/** Returns timing in which the owner renews twice while its lease is valid, and stops while a third of the lease is left. */
export function leaseTiming(leaseMs = 30_000): LeaseTiming {
  return { leaseMs, heartbeatMs: leaseMs / 3, validMs: (leaseMs * 2) / 3 };
}
