import { Inject, Injectable, Optional } from '@nestjs/common';
import type { RunReady } from '@quarry/dto';
import {
  AccessRevokedError,
  LeaseLostError,
  WorkCancelledError,
  WorkHandedBackError,
  WorkHandler,
  type TurnEnd,
} from '@quarry/durable-work';
import { AppError, RUN_ERROR_CODES, type RunErrorCode } from '@quarry/error-codes';
import { UnknownPlanVersionError } from '@quarry/plan-compiler';
import { isId, LOGGER, type Logger } from '@quarry/app';
import { isDatabaseUnavailable } from '@quarry/postgres';
import { continuing } from '@quarry/tracing';
import { KeyAccessPort } from '../ports/key-access.port.js';
import { WorkspacePort } from '../ports/workspace.port.js';
import { RunFailure } from '../execution/run-failure.error.js';
import { guardRun } from '../execution/run-guard.js';
import {
  LEASE_LOSSES_MAX,
  RunLeaseStore,
  runWork,
  type LeasedRun,
  type RunEnd,
  type RunQueue,
} from '../execution/run-lease.store.js';
import { RunHandedOverError, RunScript } from './run-script.js';
import { RunEnding } from './run-ending.js';
import { RunWaiters } from '../run-waiters.js';
import { StepJournals } from '../execution/step-journal.js';

/** Milliseconds that a run is left to an agent of a newer version: longer than a rollout, but limited in case it is undone. */
export const NEWER_AGENT_WAIT_MS = 900_000;

/** Token of the function that tells consumers of a queue about a waiting run. A lost call is harmless: the reaper repeats it. */
export const DELIVER_RUN = Symbol('quarry:runs:deliver');
export type DeliverRun = (queue: RunQueue, runId: string) => Promise<void>;

/** Injection token of the queue whose runs a module works on. */
export const RUN_QUEUE = Symbol('quarry:runs:queue');

/** Works on runs: takes the lease, performs the script step by step, writes the end. */
@Injectable()
export class RunAgent extends WorkHandler<RunReady> {
  /** First claim of each run whose plan this process cannot read, by run id. Stays small: the process will soon be replaced. */
  private readonly unreadable = new Map<string, number>();

  constructor(
    private readonly leases: RunLeaseStore,
    private readonly journals: StepJournals,
    private readonly script: RunScript,
    private readonly workspaces: WorkspacePort,
    private readonly keys: KeyAccessPort,
    private readonly ends: RunEnding,
    @Inject(DELIVER_RUN) private readonly deliver: DeliverRun,
    @Inject(LOGGER) logger: Logger,
    @Inject(RUN_QUEUE) private readonly queue: RunQueue,
    /** Held reads of this process: they are answered at once instead of at their next poll. */
    @Optional() private readonly waiters?: RunWaiters,
  ) {
    super(runWork(queue), logger);
  }

  override acceptsWork({ runId }: RunReady): boolean {
    return isId('run', runId);
  }

  async takeDue(): Promise<RunReady[]> {
    const lost = await this.leases.reapLost();
    if (lost.length > 0) this.logger.warn({ runs: lost }, 'runs lost their agent');
    return (await this.leases.takeSilent(this.queue)).map((runId) => ({ runId }));
  }

  protected async performWork({ runId }: RunReady): Promise<TurnEnd> {
    const run = await this.leases.claimRun(runId, this.queue);
    if (!run) return 'idle';
    const facts = { 'quarry.run_id': run.id };
    const span = { kind: 'consumer', name: 'run', facts } as const;
    // The reaper has ended those without a table. A run with a table is ended here, together with its cells and batches.
    if (run.leaseLosses >= LEASE_LOSSES_MAX) await this.ends.endRun(run, failedRun('run_lease_lost'));
    else await continuing(run.traceparent, span, () => this.performLeased(run));
    void this.waiters?.checkEnds();
    return 'idle';
  }

  private async performLeased(run: LeasedRun): Promise<void> {
    const guard = guardRun(this.leases, run, { workspaces: this.workspaces, keys: this.keys }, this.stopping);
    try {
      await guard.checkpoint();
      await this.script.performRun(run, this.journals.openJournal(run), guard);
    } catch (error) {
      await this.endBy(run, error instanceof AppError ? await guard.findCause(error) : error);
    } finally {
      guard.close();
    }
  }

  private async endBy(run: LeasedRun, error: unknown): Promise<void> {
    if (error instanceof LeaseLostError) return;
    if (error instanceof WorkHandedBackError) return this.leases.releaseRun(run);
    if (error instanceof RunHandedOverError) return this.handOver(run);
    if (error instanceof UnknownPlanVersionError && this.isLeftToNewer(run)) return this.leases.putBack(run);
    // An unreachable database says nothing about the run: its lease expires and it recovers.
    if (isDatabaseUnavailable(error)) throw error;
    await this.ends.endRun(run, this.endOf(run, error));
  }

  /** A run planned by a newer version, as happens during a rollout, is left to an agent of that version. */
  private isLeftToNewer({ id }: LeasedRun): boolean {
    const since = this.unreadable.get(id) ?? performance.now();
    this.unreadable.set(id, since);
    return performance.now() - since < NEWER_AGENT_WAIT_MS;
  }

  private endOf(run: LeasedRun, error: unknown): RunEnd {
    if (error instanceof WorkCancelledError)
      return { status: 'cancelled', message: 'The run was cancelled. Tables built so far stay.' };
    if (error instanceof AccessRevokedError) return failedRun('run_access_revoked');
    if (error instanceof RunFailure) return failedRun(error.code, error.message);
    this.logger.error({ err: error, runId: run.id }, 'a run ended with an unexpected error');
    return failedRun('agent_execution_failed');
  }

  /** Runs that search the web have a queue of their own, so that others do not wait behind them. */
  private async handOver(run: LeasedRun): Promise<void> {
    // If this delivery fails, the reaper of that queue repeats it.
    if (await this.leases.handOver(run, 'sourcing-runs'))
      await this.deliver('sourcing-runs', run.id).catch(() => undefined);
  }
}

function failedRun(code: RunErrorCode, message: string = RUN_ERROR_CODES[code].title): RunEnd {
  return { status: 'failed', message, error: { code, message } };
}
