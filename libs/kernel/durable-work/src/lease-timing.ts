/** Length of a lease and the times that follow from it (docs/reliability.md, Leases). */
export interface LeaseTiming {
  leaseMs: number;
  heartbeatMs: number;
  /** Milliseconds without a confirmed renewal after which the owner stops by itself. */
  validMs: number;
}

/** The owner renews twice within the time it trusts its lease, and stops while a third of the lease is left. */
export function leaseTiming(leaseMs = 30_000): LeaseTiming {
  return { leaseMs, heartbeatMs: leaseMs / 3, validMs: (leaseMs * 2) / 3 };
}
