import type { GoKeyAccessPort } from './ports/key-access.port.js';
import {
  GoLeaseLostError,
  HEARTBEAT_MS,
  LEASE_TRUST_MS,
  type GoLeaseStore,
  type LeasedGoRun,
} from './go-lease.store.js';

/** The customer asked for the end of the run. */
export class GoCancelledError extends Error {
  override readonly name = 'GoCancelledError';
}

/** The key that started the run was revoked. */
export class GoAccessRevokedError extends Error {
  override readonly name = 'GoAccessRevokedError';
}

/** This process is stopping: the run goes back to the others. */
export class GoHandedBackError extends Error {
  override readonly name = 'GoHandedBackError';
}

/** A cancelled run ends within 5 s, also while it waits for a model or a page. Source: contract decisions, section 8. */
const CANCEL_CHECK_MS = 2_000;

/** Keeps a run's lease alive, and says between steps and within them whether its work may go on. */
export class GoGuard {
  /** Aborted when the step in hand must end: the process stops, the lease is lost, or the run was cancelled. */
  readonly signal: AbortSignal;
  private trustedUntil = performance.now() + LEASE_TRUST_MS;
  private readonly lost = new AbortController();
  private readonly cancelled = new AbortController();
  private readonly timers: NodeJS.Timeout[];

  constructor(
    private readonly leases: GoLeaseStore,
    private readonly run: LeasedGoRun,
    private readonly keys: GoKeyAccessPort,
    /** Aborted when this process stops. */
    private readonly stopping: AbortSignal,
  ) {
    this.signal = AbortSignal.any([stopping, this.lost.signal, this.cancelled.signal]);
    this.timers = [
      setInterval(() => void this.renew(), HEARTBEAT_MS).unref(),
      setInterval(() => void this.watchCancellation(), CANCEL_CHECK_MS).unref(),
    ];
  }

  /** @throws GoHandedBackError, GoLeaseLostError, GoCancelledError, GoAccessRevokedError: each ends the work */
  async checkpoint(): Promise<void> {
    this.throwIfTaken();
    const isCancelled = await this.leases.isCancelled(this.run);
    if (isCancelled === null) throw new GoLeaseLostError('The run belongs to another process.');
    if (isCancelled) throw cancelled();
    const { ctx } = this.run;
    if (ctx.keyId !== null && (await this.keys.isRevoked(ctx, ctx.keyId)))
      throw new GoAccessRevokedError('The key that started the run was revoked.');
  }

  /** @throws GoHandedBackError, GoLeaseLostError */
  throwIfTaken(): void {
    if (this.stopping.aborted) throw new GoHandedBackError('The process is stopping.');
    if (this.lost.signal.aborted || performance.now() > this.trustedUntil)
      throw new GoLeaseLostError('The lease was not confirmed in time.');
  }

  close(): void {
    for (const timer of this.timers) clearInterval(timer);
  }

  /** A question that fails is put again by the next round. */
  private async watchCancellation(): Promise<void> {
    if (await this.leases.isCancelled(this.run).catch(() => false)) this.cancelled.abort(cancelled());
  }

  private async renew(): Promise<void> {
    const askedAt = performance.now();
    const stands = await this.leases.renew(this.run).catch(() => null);
    if (stands) this.trustedUntil = askedAt + LEASE_TRUST_MS;
    if (stands === false || performance.now() > this.trustedUntil) this.lost.abort();
  }
}

function cancelled(): GoCancelledError {
  return new GoCancelledError('The run was cancelled.');
}
