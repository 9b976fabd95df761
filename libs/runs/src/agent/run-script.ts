import { Injectable } from '@nestjs/common';
import { describeTables, PlanningTimeoutError, readOutputContract, readStoredPlans } from '@quarry/plan';
import type { OutputContract, StoredPlan } from '@quarry/plan';
import { Database, type TxCtx } from '@quarry/platform';
import { publishedOutput, type PublishedTable } from '../output/published-output.js';
import { TableWriterPort } from '../ports/table-writer.port.js';
import { SourcingAccount } from '../sourcing/sourcing-account.js';
import { RunFailure } from './run-failure.error.js';
import type { RunGuard } from './run-guard.js';
import { PromptPlans } from './prompt-plans.js';
import { RunLeaseStore, type LeasedRun } from './run-lease.store.js';
import { LeaseLostError, PLAN_STEP, type StepJournal } from './step-journal.js';
import { TableBuilder, type BuiltTable } from './table-builder.js';

/** How long a planner may read a prompt. */
const PLANNING_MS = 30_000;

/** The run is one of another queue: its plan is made, and somebody else performs it. */
export class RunHandedOverError extends Error {
  override readonly name = 'RunHandedOverError';
}

/** What a run does from its prompt to its published end. Every step is journaled, so a replay goes on where it was. */
@Injectable()
export class RunScript {
  constructor(
    private readonly database: Database,
    private readonly leases: RunLeaseStore,
    private readonly plans: PromptPlans,
    private readonly tables: TableWriterPort,
    private readonly builder: TableBuilder,
    private readonly account: SourcingAccount,
  ) {}

  /** @throws RunHandedOverError for a run of another queue, RunFailure, and whatever the guard throws between steps */
  async perform(run: LeasedRun, journal: StepJournal, guard: RunGuard): Promise<void> {
    const contract = run.outputContract ? readOutputContract(run.outputContract) : null;
    const stored = await journal.step(
      PLAN_STEP,
      () => ({ prompt: run.prompt }),
      () => this.plan(run, contract, guard),
    );
    const plans = readStoredPlans(stored);
    if (run.queue === 'agent-runs' && plans.some(({ plan }) => plan.source.kind === 'web'))
      throw new RunHandedOverError('The run looks on the web.');
    const built: BuiltTable[] = [];
    for (const [index, { plan }] of plans.entries()) {
      if (plan.isEmpty) continue;
      await guard.checkpoint();
      built.push(await this.builder.build(run, journal, guard, { plan, index }));
    }
    await guard.checkpoint();
    const unsearched = plans.flatMap(({ plan }) => (plan.isEmpty ? { plan, summary: '' } : []));
    await this.publish(run, contract, built, describeTables([...unsearched, ...built]));
  }

  /** One plan for each table of the output contract, one where it names none: the planner is asked once for all of them. */
  private async plan(
    run: LeasedRun,
    contract: OutputContract | null,
    guard: RunGuard,
  ): Promise<StoredPlan[]> {
    try {
      const limits = { signal: guard.stopping, deadlineMs: Date.now() + PLANNING_MS };
      return (await this.plans.of(run, contract, limits)).plans;
    } catch (error) {
      // A planner that was stopped has no fault of its own.
      await guard.checkpoint();
      throw error instanceof PlanningTimeoutError ? new RunFailure('agent_timeout', error.message) : error;
    }
  }

  /** Freezes every table, judges the output and ends the run, all in one transaction. */
  private async publish(
    run: LeasedRun,
    contract: OutputContract | null,
    built: BuiltTable[],
    message: string,
  ): Promise<void> {
    await this.database.transaction(run.ctx, async (tx) => {
      const frozen: PublishedTable[] = [];
      for (const { key, name, tableId, columns } of built) {
        const { rowCount, fitCounts } = await this.tables.freeze(tx, { runId: run.id, tableId, key });
        frozen.push({ key, name, tableId, columns, rowCount, fitCounts });
      }
      const output = contract ? await this.output(tx, run, contract, frozen, message) : null;
      const ended = await this.leases.end(tx, run, { status: 'completed', message, output });
      if (!ended) throw new LeaseLostError('The run belongs to another agent.');
      await this.account.settle(tx, run, { isCharged: true });
    });
  }

  private async output(
    tx: TxCtx,
    run: LeasedRun,
    contract: OutputContract,
    frozen: PublishedTable[],
    message: string,
  ): Promise<unknown> {
    const rowsOf = async (tableId: string) => {
      const rows: Array<Record<string, unknown>> = [];
      for await (const batch of this.tables.readRows(tx, tableId))
        rows.push(...batch.map((row) => row.values));
      return rows;
    };
    const outcome = await publishedOutput(run.id, contract, frozen, { message, rowsOf });
    if (outcome.kind === 'invalid') throw new RunFailure('agent_invalid_output', outcome.reason);
    return outcome.value;
  }
}
