import { Inject, Injectable } from '@nestjs/common';
import { RUN_ERROR_CODES, type RunErrorCode } from '@quarry/error-codes';
import { UnknownPlanVersionError } from '@quarry/plan';
import { Database, isDatabaseUnavailable, LOGGER, type Logger } from '@quarry/platform';
import { continuing } from '@quarry/tracing';
import { KeyAccessPort } from '../ports/key-access.port.js';
import { WorkspacePort } from '../ports/workspace.port.js';
import { RunCharges } from '../run-charges.js';
import { SourcingAccount } from '../sourcing/sourcing-account.js';
import { RunFailure } from './run-failure.error.js';
import { RunAccessRevokedError, RunCancelledError, RunGuard, RunHandedBackError } from './run-guard.js';
import { LOSSES_MAX, RunLeaseStore, type LeasedRun, type RunEnd, type RunQueue } from './run-lease.store.js';
import { costText, RunHandedOverError, RunScript } from './run-script.js';
import { RunCleanup } from './run-cleanup.js';
import { LeaseLostError, StepJournals } from './step-journal.js';

/** How long a run is left to an agent that can read its plan: longer than a rollout takes, and not for ever where one is undone. */
export const NEWER_AGENT_WAIT_MS = 900_000;

/** Token of what tells whoever consumes a queue of a run that waits. Losing a call is harmless: the reaper repeats it. */
export const DELIVER_RUN = Symbol('quarry:runs:deliver');
export type DeliverRun = (queue: RunQueue, runId: string) => Promise<void>;

/** Works on runs: takes the lease, performs the script step by step, writes the end. */
@Injectable()
export class RunAgent {
  private readonly inFlight = new Set<Promise<void>>();
  /** When this process first met a plan that it cannot read, by the id of the run. It is replaced soon, so that they stay few. */
  private readonly unreadable = new Map<string, number>();

  constructor(
    private readonly database: Database,
    private readonly leases: RunLeaseStore,
    private readonly journals: StepJournals,
    private readonly script: RunScript,
    private readonly workspaces: WorkspacePort,
    private readonly keys: KeyAccessPort,
    private readonly account: SourcingAccount,
    private readonly charges: RunCharges,
    private readonly cleanup: RunCleanup,
    @Inject(DELIVER_RUN) private readonly deliver: DeliverRun,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Works on a run until it has ended or turned out to be another agent's. Never throws. */
  work(runId: string, stopping: AbortSignal, queue: RunQueue = 'agent-runs'): Promise<void> {
    const work = this.perform(runId, stopping, queue).catch((error: unknown) => {
      // The lease runs out, and the run recovers: nothing is lost by stopping here.
      this.logger.error({ err: error, runId }, 'a run could not be worked on');
    });
    this.inFlight.add(work);
    return work.finally(() => this.inFlight.delete(work));
  }

  /** Resolves when no run is in hand. */
  async drained(): Promise<void> {
    await Promise.all(this.inFlight);
  }

  private async perform(runId: string, stopping: AbortSignal, queue: RunQueue): Promise<void> {
    const run = await this.leases.claim(runId, queue);
    if (!run) return;
    // The reaper has ended those that have begun no table. One with a table is ended here, with what its end includes.
    if (run.losses >= LOSSES_MAX) return this.end(run, failed('run_lease_lost'));
    const facts = { 'quarry.run_id': run.id };
    const span = { kind: 'consumer', name: 'run', facts } as const;
    await continuing(run.traceparent, span, () => this.performLeased(run, stopping));
  }

  private async performLeased(run: LeasedRun, stopping: AbortSignal): Promise<void> {
    const guard = new RunGuard(this.leases, run, { workspaces: this.workspaces, keys: this.keys }, stopping);
    try {
      await guard.checkpoint();
      await this.script.perform(run, this.journals.of(run), guard);
    } catch (error) {
      await this.endBy(run, error);
    } finally {
      guard.close();
    }
  }

  private async endBy(run: LeasedRun, error: unknown): Promise<void> {
    if (error instanceof LeaseLostError) return;
    if (error instanceof RunHandedBackError) return this.leases.release(run);
    if (error instanceof RunHandedOverError) return this.handOver(run);
    if (error instanceof UnknownPlanVersionError && this.isLeftToNewer(run)) return this.leases.putBack(run);
    // A database that went away says nothing about the run: its lease runs out and it recovers.
    if (isDatabaseUnavailable(error)) throw error;
    await this.end(run, this.endOf(run, error));
  }

  /** An agent of a newer version has planned it, as happens while this version is being replaced; that one goes on with it. */
  private isLeftToNewer({ id }: LeasedRun): boolean {
    const since = this.unreadable.get(id) ?? performance.now();
    this.unreadable.set(id, since);
    return performance.now() - since < NEWER_AGENT_WAIT_MS;
  }

  private endOf(run: LeasedRun, error: unknown): RunEnd {
    if (error instanceof RunCancelledError)
      return { status: 'cancelled', message: 'The run was cancelled. Tables built so far stay.' };
    if (error instanceof RunAccessRevokedError) return failed('run_access_revoked');
    if (error instanceof RunFailure) return failed(error.code, error.message);
    this.logger.error({ err: error, runId: run.id }, 'a run ended with an unexpected error');
    return failed('agent_execution_failed');
  }

  /** Runs that look on the web are worked on elsewhere, so that no other waits behind them. */
  private async handOver(run: LeasedRun): Promise<void> {
    // A delivery that fails here is repeated by the reaper of that queue.
    if (await this.leases.handOver(run, 'sourcing-runs'))
      await this.deliver('sourcing-runs', run.id).catch(() => undefined);
  }

  private async end(run: LeasedRun, end: RunEnd): Promise<void> {
    // Before the run ends: an agent that is killed in between is followed by one that does it again.
    await this.cleanup.cancelLists(run);
    await this.database
      .transaction(run.ctx, async (tx) => {
        const cost = await (end.status === 'failed'
          ? this.charges.charged(tx, run)
          : this.charges.sum(run, tx));
        const said = cost === 0 ? end : { ...end, message: `${end.message} ${costText(cost)}` };
        if (!(await this.leases.end(tx, run, said)))
          throw new LeaseLostError('The run belongs to another agent.');
        await this.cleanup.skipPending(tx, run, end);
        await this.account.settle(tx, run, { isCharged: end.status !== 'failed' });
      })
      .catch((error: unknown) => {
        if (!(error instanceof LeaseLostError)) throw error;
      });
  }
}

function failed(code: RunErrorCode, message: string = RUN_ERROR_CODES[code].title): RunEnd {
  return { status: 'failed', message, error: { code, message } };
}
