import { RUN_ERROR_CODES, type RunErrorCode } from '@quarry/error-codes';
import { isDatabaseUnavailable, type Database, type Logger } from '@quarry/platform';
import type { KeyAccessPort } from '../ports/key-access.port.js';
import type { WorkspacePort } from '../ports/workspace.port.js';
import { RunFailure } from './run-failure.error.js';
import { RunAccessRevokedError, RunCancelledError, RunGuard, RunHandedBackError } from './run-guard.js';
import type { LeasedRun, RunEnd, RunLeaseStore } from './run-lease.store.js';
import type { RunScript } from './run-script.js';
import { LeaseLostError, StepJournal } from './step-journal.js';

export interface RunAgentDependencies {
  database: Database;
  leases: RunLeaseStore;
  script: RunScript;
  workspaces: WorkspacePort;
  keys: KeyAccessPort;
  logger: Logger;
}

/** Works on runs: takes the lease, performs the script step by step, writes the end. */
export class RunAgent {
  private readonly inFlight = new Set<Promise<void>>();

  constructor(private readonly deps: RunAgentDependencies) {}

  /** Works on a run until it has ended or turned out to be another agent's. Never throws. */
  work(runId: string, stopping: AbortSignal): Promise<void> {
    const work = this.perform(runId, stopping).catch((error: unknown) => {
      // The lease runs out, and the run recovers: nothing is lost by stopping here.
      this.deps.logger.error({ err: error, runId }, 'a run could not be worked on');
    });
    this.inFlight.add(work);
    return work.finally(() => this.inFlight.delete(work));
  }

  /** Resolves when no run is in hand. */
  async drained(): Promise<void> {
    await Promise.all(this.inFlight);
  }

  private async perform(runId: string, stopping: AbortSignal): Promise<void> {
    const { leases, workspaces, keys, database, script } = this.deps;
    const run = await leases.claim(runId);
    if (!run) return;
    const guard = new RunGuard(leases, run, { workspaces, keys }, stopping);
    try {
      await guard.checkpoint();
      await script.perform(run, new StepJournal(database, run.ctx, run), guard);
    } catch (error) {
      await this.endBy(run, error);
    } finally {
      guard.close();
    }
  }

  private async endBy(run: LeasedRun, error: unknown): Promise<void> {
    if (error instanceof LeaseLostError) return;
    if (error instanceof RunHandedBackError) return this.deps.leases.release(run);
    // A database that went away says nothing about the run: its lease runs out and it recovers.
    if (isDatabaseUnavailable(error)) throw error;
    await this.end(run, this.endOf(run, error));
  }

  private endOf(run: LeasedRun, error: unknown): RunEnd {
    if (error instanceof RunCancelledError)
      return { status: 'cancelled', message: 'The run was cancelled. Tables built so far stay.' };
    if (error instanceof RunAccessRevokedError) return failed('run_access_revoked');
    if (error instanceof RunFailure) return failed(error.code, error.message);
    this.deps.logger.error({ err: error, runId: run.id }, 'a run ended with a surprise');
    return failed('agent_execution_failed');
  }

  private async end(run: LeasedRun, end: RunEnd): Promise<void> {
    await this.deps.database.transaction(run.ctx, (tx) => this.deps.leases.end(tx, run, end));
  }
}

function failed(code: RunErrorCode, message: string = RUN_ERROR_CODES[code].title): RunEnd {
  return { status: 'failed', message, error: { code, message } };
}
