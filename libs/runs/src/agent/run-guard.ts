import type { KeyAccessPort } from '../ports/key-access.port.js';
import type { WorkspacePort } from '../ports/workspace.port.js';
import {
  RUN_HEARTBEAT_MS,
  RUN_LEASE_TRUST_MS,
  type LeasedRun,
  type RunLeaseStore,
} from './run-lease.store.js';
import { LeaseLostError } from './step-journal.js';

/** The customer asked for the end of the run. */
export class RunCancelledError extends Error {
  override readonly name = 'RunCancelledError';
}

/** The key that started the run was revoked, or its workspace archived. */
export class RunAccessRevokedError extends Error {
  override readonly name = 'RunAccessRevokedError';
}

/** This process is stopping: the run goes back to the others. */
export class RunHandedBackError extends Error {
  override readonly name = 'RunHandedBackError';
}

/** Keeps a run's lease alive, and tells its agent between steps whether it may go on. */
export class RunGuard {
  private trustedUntil = performance.now() + RUN_LEASE_TRUST_MS;
  private isLost = false;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly leases: RunLeaseStore,
    private readonly run: LeasedRun,
    private readonly ports: { workspaces: WorkspacePort; keys: KeyAccessPort },
    /** Aborted when this process stops. */
    readonly stopping: AbortSignal,
  ) {
    this.timer = setInterval(() => void this.renew(), RUN_HEARTBEAT_MS);
    this.timer.unref();
  }

  /**
   * @throws RunHandedBackError, LeaseLostError, RunCancelledError, RunAccessRevokedError: each ends the agent's work
   */
  async checkpoint(): Promise<void> {
    if (this.stopping.aborted) throw new RunHandedBackError('The process is stopping.');
    if (this.isLost || performance.now() > this.trustedUntil)
      throw new LeaseLostError('The lease was not confirmed in time.');
    const signals = await this.leases.signals(this.run);
    if (!signals) throw new LeaseLostError('The run belongs to another agent.');
    if (signals.cancellationRequested) throw new RunCancelledError('The run was cancelled.');
    const { ctx } = this.run;
    const isOpen = await this.ports.workspaces.workspaceExists(ctx, signals.workspaceId);
    const isRevoked = signals.keyId !== null && (await this.ports.keys.isRevoked(ctx, signals.keyId));
    if (!isOpen || isRevoked) throw new RunAccessRevokedError('Access was revoked.');
  }

  close(): void {
    clearInterval(this.timer);
  }

  private async renew(): Promise<void> {
    const askedAt = performance.now();
    const stands = await this.leases.renew(this.run).catch(() => null);
    if (stands) this.trustedUntil = askedAt + RUN_LEASE_TRUST_MS;
    if (stands === false) this.isLost = true;
  }
}
