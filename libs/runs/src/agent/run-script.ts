import { Injectable } from '@nestjs/common';
import { excerpt } from '@quarry/error-codes';
import {
  compilePlan,
  describeTables,
  intentFaults,
  Planner,
  PlanningTimeoutError,
  readOutputContract,
  readStoredPlans,
  UnknownPlanVersionError,
} from '@quarry/plan';
import type {
  ContractTable,
  OutputContract,
  PlanIntent,
  PlannerLimits,
  PreviousPlan,
  StoredPlan,
  TableProfile,
} from '@quarry/plan';
import { Database, type TxCtx } from '@quarry/platform';
import { publishedOutput, type PublishedTable } from '../output/published-output.js';
import { TableWriterPort } from '../ports/table-writer.port.js';
import { RunFailure } from './run-failure.error.js';
import type { RunGuard } from './run-guard.js';
import { RunLeaseStore, type LeasedRun } from './run-lease.store.js';
import { LeaseLostError, resultOfRunBefore, type StepJournal } from './step-journal.js';
import { TableBuilder, type BuiltTable } from './table-builder.js';

/** How long a planner may read a prompt. */
const PLANNING_MS = 30_000;

/** What a run does from its prompt to its published end. Every step is journaled, so a replay goes on where it was. */
@Injectable()
export class RunScript {
  constructor(
    private readonly database: Database,
    private readonly leases: RunLeaseStore,
    private readonly planner: Planner,
    private readonly tables: TableWriterPort,
    private readonly builder: TableBuilder,
  ) {}

  /** @throws RunFailure and whatever the guard throws between steps */
  async perform(run: LeasedRun, journal: StepJournal, guard: RunGuard): Promise<void> {
    const contract = run.outputContract ? readOutputContract(run.outputContract) : null;
    const stored = await journal.step(
      'plan',
      () => ({ prompt: run.prompt }),
      () => this.plan(run, contract, guard),
    );
    const plans = readStoredPlans(stored);
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
    const output = contract?.tables ?? [];
    const previous = await this.previous(run);
    const profiles = new Map<string, Promise<TableProfile>>();
    const profileOf = (tableId: string): Promise<TableProfile> => {
      const known = profiles.get(tableId) ?? this.tables.profile(run.ctx, tableId);
      profiles.set(tableId, known);
      return known;
    };
    const ask = {
      prompt: run.prompt,
      output,
      previous,
      tables: await this.tables.listNames(run.ctx, run.workspaceId),
      tableProfile: profileOf,
      referenceYear: new Date().getUTCFullYear(),
    };
    const limits = { signal: guard.stopping, deadlineMs: Date.now() + PLANNING_MS };
    const intents = await held(limits, this.planner.plan(ask, run.ctx, limits)).catch(
      async (error: unknown) => {
        // A planner that was stopped has no fault of its own.
        await guard.checkpoint();
        throw error instanceof PlanningTimeoutError ? new RunFailure('agent_timeout', error.message) : error;
      },
    );
    if (intents.length !== Math.max(1, output.length)) throw new RunFailure('agent_invalid_output');
    return Promise.all(
      intents.map((intent, i) =>
        compiled(intent, { prompt: run.prompt, output: output[i] ?? null, previous, profileOf }),
      ),
    );
  }

  /**
   * What a conversation carries on: nothing where the plan has no intent, as that of an older version, or comes from a newer
   * one, which may have planned the run before while this version is being replaced.
   */
  private async previous(run: LeasedRun): Promise<(PreviousPlan & Pick<StoredPlan, 'shape'>) | null> {
    const stored = await resultOfRunBefore(this.database, run, 'plan');
    const [first] = stored === null ? [] : plansKnown(stored);
    return first?.intent ? { ...first, intent: first.intent } : null;
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

/**
 * Holds a planner to its limits: one that heeds them by itself ends first, and one that does not keeps no run for ever.
 * @throws the signal's reason once it is aborted, PlanningTimeoutError after the deadline
 */
async function held<T>({ signal, deadlineMs }: PlannerLimits, work: Promise<T>): Promise<T> {
  const { promise: limit, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal.reason);
  const late = (): void => reject(new PlanningTimeoutError('The prompt could not be read in time.'));
  const timer = setTimeout(late, deadlineMs - Date.now());
  signal.addEventListener('abort', stop);
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

function plansKnown(stored: unknown): StoredPlan[] {
  try {
    return readStoredPlans(stored);
  } catch (error) {
    if (error instanceof UnknownPlanVersionError) return [];
    throw error;
  }
}

async function compiled(
  intent: PlanIntent,
  beside: {
    readonly prompt: string;
    readonly output: ContractTable | null;
    readonly previous: Pick<StoredPlan, 'shape'> | null;
    readonly profileOf: (tableId: string) => Promise<TableProfile>;
  },
): Promise<StoredPlan> {
  const { prompt, output, previous, profileOf } = beside;
  const table = intent.source.kind === 'table' ? await profileOf(intent.source.table_id) : null;
  const earlier = intent.continues ? (previous?.shape ?? null) : null;
  const [fault] = intentFaults(intent, { prompt, output, earlier, table });
  if (fault) throw new RunFailure('agent_invalid_output', `The prompt was not read well. ${excerpt(fault)}`);
  return { intent, plan: compilePlan(intent, { output, earlier, table }), shape: output ?? earlier };
}
