import type { Database, TxCtx } from '@quarry/platform';
import { readOutputContract, type OutputContract, type WantedTable } from '../output/output-contract.js';
import { publishedOutput, type PublishedTable } from '../output/published-output.js';
import { describePlan, RUN_PLAN_VERSION, type Planner, type RunPlan } from '../planner/index.js';
import type { TableWriterPort } from '../ports/table-writer.port.js';
import { RunFailure } from './run-failure.error.js';
import type { RunGuard } from './run-guard.js';
import type { LeasedRun, RunLeaseStore } from './run-lease.store.js';
import { LeaseLostError, resultOfRunBefore, type StepJournal } from './step-journal.js';
import type { TableBuilder, BuiltTable } from './table-builder.js';

export interface RunScriptDependencies {
  database: Database;
  leases: RunLeaseStore;
  planner: Planner;
  tables: TableWriterPort;
  builder: TableBuilder;
  /** Year that "the last five years" counts back from. */
  referenceYear: () => number;
}

/** What a run does from its prompt to its published end. Every step is journaled, so a replay goes on where it was. */
export class RunScript {
  constructor(private readonly deps: RunScriptDependencies) {}

  /** @throws RunFailure and whatever the guard throws between steps */
  async perform(run: LeasedRun, journal: StepJournal, guard: RunGuard): Promise<void> {
    const contract = run.outputContract ? readOutputContract(run.outputContract) : null;
    const plans = await journal.step(
      'plan',
      () => ({ prompt: run.prompt }),
      () => this.plan(run, contract),
    );
    const built: BuiltTable[] = [];
    for (const [index, { plan, wanted }] of plans.entries()) {
      if (plan.isEmpty) continue;
      await guard.checkpoint();
      built.push(await this.deps.builder.build(run, journal, guard, { plan, wanted, index }));
    }
    await guard.checkpoint();
    const unsearched = plans.flatMap(({ plan }) => (plan.isEmpty ? [describePlan(plan)] : []));
    const told = built.map((table) => `${describePlan(table.plan)} ${table.summary}`);
    await this.publish(run, contract, built, [...unsearched, ...told].join('\n\n'));
  }

  /** One plan for each table of the output contract; one when the contract names none. */
  private async plan(
    run: LeasedRun,
    contract: OutputContract | null,
  ): Promise<Array<{ plan: RunPlan; wanted: WantedTable | null }>> {
    const tables = await this.deps.tables.listNames(run.ctx, run.workspaceId);
    const previousPlan = await this.previousPlan(run);
    const wantedTables: Array<WantedTable | null> =
      contract && contract.tables.length > 0 ? contract.tables : [null];
    const plans: Array<{ plan: RunPlan; wanted: WantedTable | null }> = [];
    for (const wanted of wantedTables) {
      const plan = await this.deps.planner.plan(run.prompt, {
        tables,
        tableProfile: (tableId) => this.deps.tables.profile(run.ctx, tableId),
        previousPlan,
        output: wanted?.contract ?? null,
        referenceYear: this.deps.referenceYear(),
      });
      plans.push({ plan, wanted });
    }
    return plans;
  }

  private async previousPlan(run: LeasedRun): Promise<RunPlan | null> {
    const planned = await resultOfRunBefore<Array<{ plan: RunPlan }>>(this.deps.database, run, 'plan');
    const plan = planned?.[0]?.plan ?? null;
    return plan?.version === RUN_PLAN_VERSION ? plan : null;
  }

  /** Freezes every table, judges the output and ends the run, all in one transaction. */
  private async publish(
    run: LeasedRun,
    contract: OutputContract | null,
    built: BuiltTable[],
    message: string,
  ): Promise<void> {
    await this.deps.database.transaction(run.ctx, async (tx) => {
      const frozen: PublishedTable[] = [];
      for (const { key, name, tableId, columns } of built) {
        const { rowCount, fitCounts } = await this.deps.tables.freeze(tx, { runId: run.id, tableId, key });
        frozen.push({ key, name, tableId, columns, rowCount, fitCounts });
      }
      const output = contract ? await this.output(tx, run, contract, frozen, message) : null;
      const ended = await this.deps.leases.end(tx, run, { status: 'completed', message, output });
      if (!ended) throw new LeaseLostError('The run belongs to another agent.');
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
      for await (const batch of this.deps.tables.readRows(tx, tableId))
        rows.push(...batch.map((row) => row.values));
      return rows;
    };
    const outcome = await publishedOutput(run.id, contract, frozen, { message, rowsOf });
    if (outcome.kind === 'invalid') throw new RunFailure('agent_invalid_output', outcome.reason);
    return outcome.value;
  }
}
