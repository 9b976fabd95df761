import { AccessRevokedError, LeaseGuard, leaseTiming } from '@quarry/durable-work';
import type { Ctx } from '@quarry/app';
import type { KeyAccessPort } from '../ports/key-access.port.js';
import type { WorkspacePort } from '../ports/workspace.port.js';
import { RunFailure } from './run-failure.error.js';
import { RUN_LEASE_MS, type RunSignals } from './run-lease.store.js';

interface Lease {
  id: string;
  token: string;
  ctx: Ctx;
}

/** Guard of the lease of a run or an enrichment. */
export type RunGuard = LeaseGuard<RunSignals>;

/** @returns a guard that also stops the work when the key that started it is revoked, its workspace archived or its table deleted */
export function guardRun(
  leases: {
    renewLease(lease: Lease): Promise<boolean>;
    readSignals(lease: Lease): Promise<RunSignals | null>;
  },
  lease: Lease,
  ports: { workspaces: WorkspacePort; keys: KeyAccessPort },
  stopping: AbortSignal,
): RunGuard {
  const { ctx } = lease;
  const guarded = {
    renew: () => leases.renewLease(lease),
    readSignals: () => leases.readSignals(lease),
    checkAccess: async ({ workspaceId, keyId, isTableGone }: RunSignals): Promise<void> => {
      const [isOpen, isRevoked] = await Promise.all([
        ports.workspaces.workspaceExists(ctx, workspaceId),
        keyId !== null && ports.keys.isKeyRevoked(ctx, keyId),
      ]);
      if (!isOpen || isRevoked) throw new AccessRevokedError('Access was revoked.');
      if (isTableGone) throw new RunFailure('agent_execution_failed', 'A table of this run was deleted.');
    },
  };
  return new LeaseGuard(guarded, leaseTiming(RUN_LEASE_MS), stopping);
}
