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

/** Says whether the work in hand may go on. */
export type WorkGuard = Pick<RunGuard, 'checkpoint' | 'signal'>;

/** A cancelled run ends within 5 s, also while it waits for a model or a page. Source: contract decisions, section 8. */
const CANCEL_CHECK_MS = 2_000;

/** Keeps a run's lease alive, and tells its agent between steps and within them whether it may go on. */
export class RunGuard {
  private readonly ended = new AbortController();
  /** Aborted when the step in hand must end, with what {@link checkpoint} would throw: the process stops, or the run was cancelled. */
  readonly signal: AbortSignal = this.ended.signal;
  private trustedUntil = performance.now() + RUN_LEASE_TRUST_MS;
  private isLost = false;
  private readonly timers: NodeJS.Timeout[];

  constructor(
    private readonly leases: Pick<RunLeaseStore, 'renew' | 'signals'>,
    private readonly run: Pick<LeasedRun, 'id' | 'token' | 'ctx'>,
    private readonly ports: { workspaces: WorkspacePort; keys: KeyAccessPort },
    /** Aborted when this process stops. */
    private readonly stopping: AbortSignal,
  ) {
    stopping.addEventListener('abort', this.handBack, { once: true });
    this.timers = [
      setInterval(() => void this.renew(), RUN_HEARTBEAT_MS).unref(),
      setInterval(() => void this.watchCancellation(), CANCEL_CHECK_MS).unref(),
    ];
  }

  /**
   * @throws RunHandedBackError, LeaseLostError, RunCancelledError, RunAccessRevokedError: each ends the agent's work
   */
  async checkpoint(): Promise<void> {
    if (this.stopping.aborted) throw handedBack();
    if (this.isLost || performance.now() > this.trustedUntil)
      throw new LeaseLostError('The lease was not confirmed in time.');
    const signals = await this.leases.signals(this.run);
    if (!signals) throw new LeaseLostError('The run belongs to another agent.');
    if (signals.cancellationRequested) throw cancelled();
    const { ctx } = this.run;
    const isOpen = await this.ports.workspaces.workspaceExists(ctx, signals.workspaceId);
    const isRevoked = signals.keyId !== null && (await this.ports.keys.isRevoked(ctx, signals.keyId));
    if (!isOpen || isRevoked) throw new RunAccessRevokedError('Access was revoked.');
  }

  close(): void {
    for (const timer of this.timers) clearInterval(timer);
    this.stopping.removeEventListener('abort', this.handBack);
  }

  private readonly handBack = (): void => this.ended.abort(handedBack());

  /** A question that fails is put again by the next round. */
  private async watchCancellation(): Promise<void> {
    const signals = await this.leases.signals(this.run).catch(() => null);
    if (signals?.cancellationRequested) this.ended.abort(cancelled());
  }

  private async renew(): Promise<void> {
    const askedAt = performance.now();
    const stands = await this.leases.renew(this.run).catch(() => null);
    if (stands) this.trustedUntil = askedAt + RUN_LEASE_TRUST_MS;
    if (stands === false) this.isLost = true;
  }
}

function handedBack(): RunHandedBackError {
  return new RunHandedBackError('The process is stopping.');
}

function cancelled(): RunCancelledError {
  return new RunCancelledError('The run was cancelled.');
}
