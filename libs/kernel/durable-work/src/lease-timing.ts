/** A lease, and what its length decides (docs/reliability.md, Leases). */
export interface LeaseTiming {
  leaseMs: number;
  heartbeatMs: number;
  /** Without a confirmation for this long its owner gives the work up by itself. */
  validMs: number;
}

/** Renewed twice within what its owner believes; a third of it is left before anybody else can take the work. */
export function leaseTiming(leaseMs = 30_000): LeaseTiming {
  return { leaseMs, heartbeatMs: leaseMs / 3, validMs: (leaseMs * 2) / 3 };
}
