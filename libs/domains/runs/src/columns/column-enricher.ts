import { Injectable } from '@nestjs/common';
import { CancellationPoll, WorkCancelledError, type StepJournal, type WorkGuard } from '@quarry/durable-work';
import { priceOf, serviceCalls, type ServiceCall, rowInput } from '@quarry/plan-compiler';
import { newId } from '@quarry/app';
import pLimit from 'p-limit';
import { DirectCallsPort } from '../ports/direct-calls.port.js';
import { PaidLinesPort } from '../ports/paid-lines.port.js';
import { TableReaderPort, TableWriterPort, type RowUpdate } from '../ports/table-writer.port.js';
import { RunAccount } from '../run-account.js';
import type { LeasedRun } from '../execution/run-lease.store.js';
import { BudgetGate } from './budget-gate.js';
import { throwUnlessCancelled } from './call-end.js';
import { DirectCaller } from './direct-caller.js';
import type { Enriching, EnrichRequest, RowToEnrich } from './enrich-request.js';
import { columnEnds, type ColumnEnd } from './enriched-cell.js';
import { countByStatus, outcomeOf, type StepResult } from './enrichment-outcome.js';
import { FastRowCaller } from './fast-row-caller.js';
import { FilledValues, inPieces } from './filled-values.js';
import { RunBudget } from './run-budget.js';
import { SlowRowCaller } from './slow-row-caller.js';
import { ROUNDS, SHORTFALLS, type Shortfall } from './credit-shortfall.js';
import { coveredInputs, openRows, type OpenRow } from './row-part.js';

/** Journaled input of a step. */
interface StepInput {
  /** Id of the batch that the step creates for a slow service. */
  batchId: string;
  /** Its name; absent in steps from before, whose direct calls are in no step's cost. */
  service?: string;
  /** True when the credits were used up before this step. A step that began with credits may be charged: a replay keeps it. */
  isSpent: boolean;
  /** Number of leading rows that the run's own limit covers; absent when the run has no limit. */
  covered?: number;
}

/** State shared by all parts of an enrichment. */
interface Enrichment {
  readonly run: Enriching;
  readonly journal: Pick<StepJournal, 'runStep'>;
  readonly watch: CancellationPoll;
  readonly fast: FastRowCaller;
  readonly slow: SlowRowCaller;
  readonly request: EnrichRequest;
  /** Null where the run has no limit of its own. */
  readonly budget: RunBudget | null;
  readonly filled: FilledValues;
  /** Keys of calls whose credits are used up. */
  readonly spent: Set<string>;
  /** Steps in progress. */
  readonly steps: Set<Promise<unknown>>;
}

/** The most inputs that the batch endpoint accepts. */
export const ROWS_PER_STEP = 100;
/** Five hundred rows are in progress at a time: enough lines to occupy every worker of a usual fleet, and few to cancel. */
const STEPS_AT_ONCE = 5;

/**
 * Fills the columns of a table that services provide. Rows go through the calls in parts of a hundred, level by level; calls of
 * one level, and several parts, run concurrently. Slow services become paid lines. Fast services become direct calls whose key
 * derives from the run and the input, so a replay, another column or another row with the same input gets the same answer and is
 * charged once. When the credits are used up, the rest stays unfilled.
 */
@Injectable()
export class ColumnEnricher {
  constructor(
    private readonly lines: PaidLinesPort,
    private readonly calls: DirectCallsPort,
    private readonly tables: TableReaderPort,
    private readonly writer: TableWriterPort,
    private readonly account: RunAccount,
  ) {}

  /** @returns the rest of the run's limit; null when it has none */
  budgetOf(run: LeasedRun): RunBudget | null {
    return run.creditsMax === null ? null : new RunBudget(run.creditsMax, () => this.account.sumCharges(run));
  }

  /** @returns the result of each column, in sentences @throws what the guard throws */
  async enrichColumns(
    run: Enriching,
    journal: Pick<StepJournal, 'runStep'>,
    guard: WorkGuard,
    request: EnrichRequest,
  ): Promise<string[]> {
    const levels = serviceCalls(request.columns);
    if (levels.length === 0) return [];
    const watch = new CancellationPoll(guard);
    const filled = new FilledValues(levels.flat());
    if (filled.areNeeded || request.rows.some(({ settled }) => settled))
      await this.readFilledValues(filled, run, request);
    const { budget = null, callScope, isFresh = false } = request;
    const spent = new Set<string>();
    const gate = new BudgetGate(watch);
    const fast = new FastRowCaller(new DirectCaller(this.calls, run, watch, callScope), gate, spent);
    const slow = new SlowRowCaller(this.lines, run, watch, gate, isFresh);
    const steps = new Set<Promise<unknown>>();
    const work = { run, journal, watch, request, budget, fast, slow, filled, spent, steps };
    const results = await this.fillAllRows(work, levels);
    return levels.flat().flatMap((call) => call.columns.map((column) => outcomeOf(call, column, results)));
  }

  private async fillAllRows(work: Enrichment, levels: ServiceCall[][]): Promise<Array<[string, StepResult]>> {
    const { rows } = work.request;
    const results: Array<[string, StepResult]> = [];
    const limit = pLimit(STEPS_AT_ONCE);
    const parts = Array.from({ length: Math.ceil(rows.length / ROWS_PER_STEP) }, (_, n) =>
      limit(async () => {
        const part = rows.slice(n * ROWS_PER_STEP, (n + 1) * ROWS_PER_STEP);
        for (const level of levels)
          await Promise.all(
            level.map(async (call) => {
              const open = openRows(call, part, n * ROWS_PER_STEP);
              for (const result of await this.fillInRounds(work, call, open, n))
                results.push([call.key, result]);
            }),
          );
        work.filled.dropRows(part);
      }),
    );
    try {
      await Promise.all(parts);
      // When the work was cancelled, the last steps end with the calls that had finished.
      await work.watch.check();
    } catch (error) {
      work.watch.stop(error);
      limit.clearQueue();
      // After a cancel, paid results are still written. Otherwise a replay repeats the calls with the same keys and writes them.
      if (error instanceof WorkCancelledError) await Promise.allSettled(work.steps);
      work.fast.clearQueue();
      // A batch that is being submitted must exist before the run's batches are cancelled.
      await work.slow.settleSubmits();
      throw error;
    }
    return results;
  }

  /** Fills rows in rounds: credits that calls did not use cover further rows in the next round. */
  private async fillInRounds(
    work: Enrichment,
    call: ServiceCall,
    rows: readonly OpenRow[],
    n: number,
  ): Promise<StepResult[]> {
    const results: StepResult[] = [];
    let rest = rows;
    for (let round = 0; rest.length > 0; round += 1) {
      const name = round === 0 ? `${n}` : `${n}.${round}`;
      const result = await this.fillRound(work, call, rest, { name, isLast: round === ROUNDS - 1 });
      results.push(result);
      rest = rest.slice(result.done ?? rest.length);
    }
    return results;
  }

  /** Fills rows in a step of the journal, with credits of the run's limit reserved while it lasts. */
  private async fillRound(
    work: Enrichment,
    call: ServiceCall,
    rows: readonly OpenRow[],
    { name, isLast }: { name: string; isLast: boolean },
  ): Promise<StepResult> {
    await work.watch.check();
    const { budget, spent, steps } = work;
    const price = priceOf(call);
    let isNew = false;
    const begin = async (): Promise<StepInput> => {
      isNew = true;
      const covered = await budget?.reserveCredits(rows.length, price);
      return {
        batchId: newId('svcbatch'),
        service: call.service.name,
        isSpent: spent.has(call.key),
        covered,
      };
    };
    const fill = async (input: StepInput): Promise<StepResult> => {
      const { covered = 0 } = input;
      if (!isNew) budget?.restoreReservation(covered, price);
      return this.fillRows(work, call, rows, { ...input, isNew, isLast }).finally(() =>
        budget?.releaseCredits(covered, price),
      );
    };
    const step = work.journal.runStep(`${work.request.name}.fill.${call.key}.${name}`, begin, fill);
    steps.add(step);
    const result = await step.finally(() => steps.delete(step));
    if (result.isSpent) spent.add(call.key);
    return result;
  }

  /** Calls a service for the rows that the step covers, and writes their cells. */
  private async fillRows(
    work: Enrichment,
    call: ServiceCall,
    part: readonly OpenRow[],
    step: StepInput & { isNew: boolean; isLast: boolean },
  ): Promise<StepResult> {
    const wanted = part.map((row) => rowInput(call, (key) => valueOf(work, call, row, key), row.subject));
    const inputs = coveredInputs(wanted, step);
    const rows = part.slice(0, inputs.length);
    const { ends, isSpent } =
      call.service.mode === 'slow'
        ? await work.slow.callRows(call, inputs, step)
        : await work.fast.callRows(call, inputs, { ...step, places: rows.map(({ place }) => place) });
    const { isFresh = false } = work.request;
    const cells = rows.map((row, i) => columnEnds(call, row, ends[i] ?? null, isFresh));
    await this.writeCells(work, rows, cells);
    const columns = call.columns.map(({ key }, c) => {
      const ended = cells.flatMap((each) => each[c] ?? []);
      return [key, countByStatus(ended.filter(({ isKept }) => isFresh || !isKept))] as const;
    });
    const isLeftOut = (reason: Shortfall) =>
      inputs.some(({ missing }) => missing === SHORTFALLS[reason].error) || undefined;
    return {
      columns: Object.fromEntries(columns),
      isSpent,
      isLimited: isLeftOut('isLimited'),
      isCutOff: isLeftOut('isCutOff'),
      done: rows.length < part.length ? rows.length : undefined,
    };
  }

  private async writeCells(
    work: Enrichment,
    rows: readonly OpenRow[],
    cells: readonly ColumnEnd[][],
  ): Promise<void> {
    await work.watch.check().catch(throwUnlessCancelled);
    const updates = rows.flatMap(({ id }, i) => changesOf(id, cells[i]!));
    for (const piece of inPieces(updates))
      await this.writer.updateRows(work.run.ctx, work.request.tableId, piece);
    for (const { id, values } of updates) work.filled.keepValues(id, values);
  }

  /** Reads values that steps of an earlier agent have filled, because later steps need them. */
  private async readFilledValues(
    filled: FilledValues,
    run: Enriching,
    { tableId }: EnrichRequest,
  ): Promise<void> {
    for await (const rows of this.tables.readRows(run.ctx, tableId))
      for (const { id, values } of rows) filled.keepValues(id, values);
  }
}

/** @returns the change of a row; none when it keeps every value that it has */
function changesOf(id: string, ends: readonly ColumnEnd[]): RowUpdate[] {
  const changed = ends.filter(({ isKept }) => !isKept);
  if (changed.length === 0) return [];
  const values = Object.fromEntries(changed.map(({ key, value }) => [key, value]));
  return [{ id, values, cells: Object.fromEntries(changed.map(({ key, cell }) => [key, cell])) }];
}

function valueOf({ filled }: Enrichment, call: ServiceCall, row: RowToEnrich, key: string): unknown {
  return (call.needs.includes(key) ? filled.valueOf(row.id, key) : row.evidence[key]) ?? null;
}
