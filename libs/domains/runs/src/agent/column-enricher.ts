import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { CancellationPoll, WorkCancelledError, type StepJournal, type WorkGuard } from '@quarry/durable-work';
import type { CellJson } from '@quarry/dto';
import type { PlanColumn } from '@quarry/plan';
import {
  priceOf,
  serviceCalls,
  type FilledColumn,
  type ServiceCall,
  type Subject,
} from '@quarry/plan-compiler';
import { newId, type Ctx } from '@quarry/app';
import pLimit, { type LimitFunction } from 'p-limit';
import { DirectCallsPort } from '../ports/direct-calls.port.js';
import { PaidLinesPort, type PaidLine } from '../ports/paid-lines.port.js';
import { TableWriterPort } from '../ports/table-writer.port.js';
import { RunCharges } from '../run-charges.js';
import { DirectCaller } from './direct-caller.js';
import { enrichedCell, type CallEnd, type EnrichedCell } from './enriched-cell.js';
import { FilledValues, inPieces } from './filled-values.js';
import { rowInput, type RowInput } from './row-input.js';
import type { LeasedRun } from '../execution/run-lease.store.js';
import { RunBudget } from './run-budget.js';
import { BudgetGate } from './budget-gate.js';

/** A row and the evidence about it, which may go beyond its columns. */
export interface RowToEnrich {
  id: string;
  subject: Subject | null;
  /** By the key of an attribute or column. */
  evidence: Readonly<Record<string, unknown>>;
  /** Keys of columns that an earlier run filled, or searched without a result: they are not looked up again. */
  settled?: readonly string[];
  /** Existing values by column key. They are kept unless the request is fresh. */
  held?: Readonly<Record<string, unknown>>;
}

export interface EnrichRequest {
  /** Prefix of the names of its steps. */
  name: string;
  tableId: string;
  columns: readonly PlanColumn[];
  rows: readonly RowToEnrich[];
  /** Direct calls with equal scope and input are one call. Defaults to the scope of the run. */
  callScope?: string;
  /** Looks every row up again and replaces existing values when the call gives an answer. */
  isFresh?: boolean;
  /** The rest of the run's limit; no limit when left out. */
  budget?: RunBudget | null;
}

/** The run or enrichment on whose behalf columns are filled. */
export type Enriching = Pick<LeasedRun, 'id' | 'ctx'>;

export interface EnrichmentOutcome {
  summary: string;
}

/** Result of one call for some rows, by column key. */
interface StepResult {
  columns: Record<string, Partial<Record<CellJson['status'], number>>>;
  /** The balance or a spend cap did not cover every row. */
  isSpent: boolean;
  /** The run's own limit did not cover every row. */
  isLimited?: boolean;
  /** Rows were left over after the last round, although some of the run's own limit may remain. */
  isCutOff?: boolean;
  /** Number of leading rows that this result covers; absent when it covers all of them. */
  done?: number;
}

/** Outcome of a call for one column of one row. */
interface ColumnEnd extends EnrichedCell {
  key: string;
  /** The row already has a value there, and keeps it. */
  isKept: boolean;
}

/** Outcomes of the calls of a step; null for a row whose call was still open when the work was cancelled. */
interface RowEnds {
  ends: Array<CallEnd | null>;
  isSpent: boolean;
}

/** Journaled input of a step. */
interface StepInput {
  /** Id of the batch that the step creates for a slow service. */
  batchId: string;
  /** True when the credits were used up before this step. A step that began with credits may be charged: a replay keeps it. */
  isSpent: boolean;
  /** Number of leading rows that the run's own limit covers; absent when the run has no limit. */
  covered?: number;
}

/** Consecutive rows of an enrichment that are worked on together. */
interface Part {
  readonly rows: readonly RowToEnrich[];
  /** Position of each row in the table, from 0. */
  readonly places: readonly number[];
}

/** State shared by all parts of an enrichment. */
interface Enrichment {
  readonly run: Enriching;
  readonly journal: Pick<StepJournal, 'runStep'>;
  readonly watch: CancellationPoll;
  readonly caller: DirectCaller;
  readonly limitCalls: LimitFunction;
  readonly request: EnrichRequest;
  /** Null where the run has no limit of its own. */
  readonly budget: RunBudget | null;
  readonly filled: FilledValues;
  /** Keys of calls whose credits are used up. */
  readonly spent: Set<string>;
  readonly budgetGate: BudgetGate;
  /** Batches that are being submitted. */
  readonly submits: Set<Promise<unknown>>;
  /** Steps in progress. */
  readonly steps: Set<Promise<unknown>>;
}

/** The most inputs that the batch endpoint accepts. */
export const ROWS_PER_STEP = 100;
/** Five hundred rows are in progress at a time: enough lines to occupy every worker of a usual fleet, and few to cancel. */
const STEPS_AT_ONCE = 5;
/** Concurrent calls of fast services per run: 240 answers a second from a provider that takes 100 ms. */
const CALLS_AT_ONCE = 24;
/** Rounds for a part when the run has a limit. If every second call costs its full price, a thousandth is left after ten. */
const ROUNDS = 20;
const WAIT_MS = 1000;
/** Milliseconds that cancelled work waits for calls that have started: these are charged anyway. */
const CANCELLED_WAIT_MS = 4000;

const SPENT = {
  code: 'insufficient_credits',
  message: 'The balance or a spend cap was used up before this row.',
} as const;

const LIMITED = {
  code: 'usage_limit',
  message: 'The credit limit of the run was used up before this row.',
} as const;

/** For rows left after the last round: some calls cost less than their price, but no further round uses the rest. */
const CUT_OFF = {
  code: 'usage_limit',
  message: `The run stopped before this row, after ${ROUNDS} rounds of lookups within its limit. Another run looks it up.`,
} as const;

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
    private readonly tables: TableWriterPort,
    private readonly charges: RunCharges,
  ) {}

  /** @returns the rest of the run's limit; null when it has none */
  budgetOf(run: LeasedRun): RunBudget | null {
    return run.creditsMax === null ? null : new RunBudget(run.creditsMax, () => this.charges.sumCharges(run));
  }

  /** @returns the result of each column, in sentences @throws what the guard throws */
  async enrichColumns(
    run: Enriching,
    journal: Pick<StepJournal, 'runStep'>,
    guard: WorkGuard,
    request: EnrichRequest,
  ): Promise<EnrichmentOutcome[]> {
    const levels = serviceCalls(request.columns);
    if (levels.length === 0) return [];
    const watch = new CancellationPoll(guard);
    const filled = new FilledValues(levels.flat());
    if (filled.areNeeded || request.rows.some(({ settled }) => settled))
      await this.readFilledValues(filled, run, request);
    const work: Enrichment = {
      run,
      journal,
      watch,
      request,
      budget: request.budget ?? null,
      caller: new DirectCaller(this.calls, run, watch, request.callScope),
      limitCalls: pLimit(CALLS_AT_ONCE),
      filled,
      spent: new Set(),
      budgetGate: new BudgetGate(watch),
      submits: new Set(),
      steps: new Set(),
    };
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
      work.limitCalls.clearQueue();
      // A batch that is being submitted must exist before the run's batches are cancelled.
      await Promise.allSettled(work.submits);
      throw error;
    }
    return results;
  }

  /** Fills rows in rounds: credits that calls did not use cover further rows in the next round. */
  private async fillInRounds(
    work: Enrichment,
    call: ServiceCall,
    part: Part,
    n: number,
  ): Promise<StepResult[]> {
    const results: StepResult[] = [];
    let rest = part;
    for (let round = 0; rest.rows.length > 0; round += 1) {
      const name = round === 0 ? `${n}` : `${n}.${round}`;
      const result = await this.fillRound(work, call, rest, { name, isLast: round === ROUNDS - 1 });
      results.push(result);
      const { done = rest.rows.length } = result;
      rest = { rows: rest.rows.slice(done), places: rest.places.slice(done) };
    }
    return results;
  }

  private async fillRound(
    work: Enrichment,
    call: ServiceCall,
    part: Part,
    { name, isLast }: { name: string; isLast: boolean },
  ): Promise<StepResult> {
    await work.watch.check();
    const { budget } = work;
    const price = priceOf(call);
    let isNew = false;
    const filling = work.journal.runStep(
      // Names of steps from before rounds lack ".fill.". A run that was in progress then makes new batches, whose lines reuse the
      // earlier answers free of charge.
      `${work.request.name}.fill.${call.key}.${name}`,
      async (): Promise<StepInput> => {
        isNew = true;
        const begun = { batchId: newId('svcbatch'), isSpent: work.spent.has(call.key) };
        return budget ? { ...begun, covered: await budget.reserveCredits(part.rows.length, price) } : begun;
      },
      async (input) => {
        const { covered = 0 } = input;
        if (!isNew) budget?.restoreReservation(covered, price);
        return this.fillRows(work, call, part, { ...input, isNew, isLast }).finally(() =>
          budget?.releaseCredits(covered, price),
        );
      },
    );
    work.steps.add(filling);
    const result = await filling.finally(() => work.steps.delete(filling));
    if (result.isSpent) work.spent.add(call.key);
    return result;
  }

  private async fillRows(
    work: Enrichment,
    call: ServiceCall,
    part: Part,
    step: StepInput & { isNew: boolean; isLast: boolean },
  ): Promise<StepResult> {
    const wanted = part.rows.map((row) =>
      rowInput(call, (key) => valueOf(work, call, row, key), row.subject),
    );
    const { covered = Infinity } = step;
    const why = step.isLast && covered > 0 ? CUT_OFF : LIMITED;
    const limited = withinLimit(wanted, covered, why);
    const beyond = limited.findIndex(({ missing }) => missing === why);
    // The other rows get a round of their own, unless the limit covered none of this one.
    const done = beyond > 0 && !step.isLast ? beyond : limited.length;
    const inputs = limited.slice(0, done);
    const rows = part.rows.slice(0, done);
    const places = part.places.slice(0, done);
    const { ends, isSpent } =
      call.service.mode === 'slow'
        ? await this.fillFromLines(work, call, inputs, step)
        : await this.fillFromCalls(work, call, inputs, { ...step, places });
    const { isFresh = false } = work.request;
    const cells = rows.map((row, i) => columnEnds(call, row, ends[i] ?? null, isFresh));
    await work.watch.check().catch(throwUnlessCancelled);
    const updates = rows.flatMap(({ id }, i) => {
      const changed = (cells[i] ?? []).filter(({ isKept }) => !isKept);
      return changed.length > 0 ? { id, ...byColumn(changed) } : [];
    });
    for (const piece of inPieces(updates))
      await this.tables.updateRows(work.run.ctx, work.request.tableId, piece);
    for (const { id, values } of updates) work.filled.keepValues(id, values);
    const columns = call.columns.map(({ key }, c) => {
      const ended = cells.flatMap((each) => each[c] ?? []);
      return [key, countByStatus(ended.filter(({ isKept }) => isFresh || !isKept))] as const;
    });
    const isLeftOut = (reason: RowInput['missing']) => inputs.some(({ missing }) => missing === reason);
    return {
      columns: Object.fromEntries(columns),
      isSpent,
      ...(isLeftOut(LIMITED) ? { isLimited: true } : {}),
      ...(isLeftOut(CUT_OFF) ? { isCutOff: true } : {}),
      ...(done < limited.length ? { done } : {}),
    };
  }

  /** Submits one batch of paid lines, each with its own hold. */
  private async fillFromLines(
    work: Enrichment,
    call: ServiceCall,
    inputs: readonly RowInput[],
    { batchId, isSpent: wasSpent }: StepInput,
  ): Promise<RowEnds> {
    const { run } = work;
    const known = inputs.flatMap(({ input }) => (input === null ? [] : [input]));
    if (known.length === 0) return { ends: inputs.map((each) => endOf(each)), isSpent: false };
    const batch = {
      batchId,
      service: call.service.name,
      inputs: known,
      runId: run.id,
      fresh: work.request.isFresh ?? false,
    };
    const lines = wasSpent
      ? null
      : await work.budgetGate.readCovered(
          () => this.linesOf(work, batch),
          (ended) => ended === null,
        );
    if (!lines) return { ends: inputs.map((each) => endOf(each, SKIPPED)), isSpent: true };
    const queue = lines.map((line) => line && endOfLine(line));
    const isSpent = lines.some((line) => line !== null && isUnpaid(line));
    return { ends: inputs.map((each) => (each.input ? queue.shift()! : endOf(each))), isSpent };
  }

  /** @returns the outcomes, null for a line that a cancel left without one; null for the batch when the balance covers no line */
  private async linesOf(
    { run, watch, submits }: Enrichment,
    batch: Parameters<PaidLinesPort['submitLines']>[1],
  ): Promise<Array<PaidLine | null> | null> {
    await watch.check();
    const submit = this.lines.submitLines(run.ctx, batch);
    submits.add(submit);
    const { kind } = await submit.finally(() => submits.delete(submit));
    if (kind === 'insufficient') return null;
    try {
      for (;;) {
        const lines = await this.lines.findEnded(run.ctx, batch.batchId, WAIT_MS);
        if (lines) return lines;
        await watch.check();
      }
    } catch (error) {
      throwUnlessCancelled(error);
      return this.cancelLines(run.ctx, batch.batchId);
    }
  }

  /** @returns the outcomes of lines that had started and end in time; null for every other line */
  private async cancelLines(ctx: Ctx, batchId: string): Promise<Array<PaidLine | null>> {
    await this.lines.cancelLines(ctx, batchId);
    const lines =
      (await this.lines.findEnded(ctx, batchId, CANCELLED_WAIT_MS)) ??
      (await this.lines.readEnds(ctx, batchId));
    return lines.map((line) => (line?.state === 'cancelled' ? null : line));
  }

  private async fillFromCalls(
    { caller, limitCalls, spent, budgetGate }: Enrichment,
    call: ServiceCall,
    inputs: readonly RowInput[],
    { places, isSpent: wasSpent, isNew }: StepInput & Pick<Part, 'places'> & { isNew: boolean },
  ): Promise<RowEnds> {
    let isSpent = wasSpent;
    const ended = inputs.map((): CallEnd | null => null);
    const ends = inputs.map(async (each, i): Promise<CallEnd> => {
      const { input } = each;
      if (!input) return endOf(each);
      return limitCalls(async () => {
        // Which rows an earlier agent has sent is unknown: all are sent again under the same keys.
        if (wasSpent || (isNew && spent.has(call.key))) return endOf(each, SKIPPED);
        const outcome = await budgetGate.readCovered(
          () => caller.callService(call.service.name, input, places[i]!),
          ({ kind }) => kind === 'spent',
        );
        if (outcome.kind === 'answered') return { state: 'answered', output: outcome.output, jobId: null };
        if (outcome.kind !== 'spent') return { state: 'failed', error: outcome.error, jobId: null };
        spent.add(call.key);
        isSpent = true;
        return { state: 'skipped', error: outcome.error };
      });
    });
    const noted = ends.map(async (end, i) => (ended[i] = await end));
    await Promise.all(noted).catch(async (error: unknown) => {
      throwUnlessCancelled(error);
      await Promise.race([Promise.allSettled(noted), delay(CANCELLED_WAIT_MS, undefined, { ref: false })]);
    });
    return { ends: [...ended], isSpent: isSpent || spent.has(call.key) };
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

/** @returns the rows of a part for which the call is still needed */
function openRows({ columns }: ServiceCall, rows: readonly RowToEnrich[], first: number): Part {
  const isSettled = ({ settled = [] }: RowToEnrich): boolean =>
    columns.every(({ key }) => settled.includes(key));
  const open = rows.flatMap((row, i) => (isSettled(row) ? [] : [{ row, place: first + i }]));
  return { rows: open.map(({ row }) => row), places: open.map(({ place }) => place) };
}

/** @returns the inputs; those that the run's own limit does not cover are replaced by the reason */
function withinLimit(
  inputs: readonly RowInput[],
  covered: number,
  why: NonNullable<RowInput['missing']>,
): RowInput[] {
  let left = covered;
  return inputs.map((each) => {
    if (each.input === null) return each;
    left -= 1;
    return left >= 0 ? each : { input: null, missing: why };
  });
}

/** @throws every error but a cancellation, after which paid results are still written */
function throwUnlessCancelled(error: unknown): void {
  if (!(error instanceof WorkCancelledError)) throw error;
}

const SKIPPED: CallEnd = { state: 'skipped', error: SPENT };

/** @param end outcome of the call, for a row that has an input */
function endOf({ missing }: RowInput, end: CallEnd = SKIPPED): CallEnd {
  return missing ? { state: 'skipped', error: missing } : end;
}

/** @returns whether the line was refused because the balance or a spend cap did not cover it */
function isUnpaid(line: PaidLine): boolean {
  return line.state === 'failed' && line.error.code === 'usage_limit';
}

function endOfLine(line: PaidLine): CallEnd {
  const { jobId } = line;
  if (line.state === 'completed') return { state: 'answered', output: line.result, jobId };
  const error =
    line.state === 'failed' ? line.error : { code: 'cancelled', message: 'The lookup was cancelled.' };
  return isUnpaid(line) ? { state: 'skipped', error } : { state: 'failed', error, jobId };
}

function valueOf({ filled }: Enrichment, call: ServiceCall, row: RowToEnrich, key: string): unknown {
  return (call.needs.includes(key) ? filled.valueOf(row.id, key) : row.evidence[key]) ?? null;
}

/** @returns the cell of each column of a call; none for a call that was still open when the work was cancelled */
function columnEnds(call: ServiceCall, row: RowToEnrich, end: CallEnd | null, isFresh: boolean): ColumnEnd[] {
  if (end === null) return [];
  return call.columns.map((column) => {
    const cell = enrichedCell(call.service.name, column, end);
    const isKept = isHeld(row, column.key, cell.value) && !(isFresh && end.state === 'answered');
    return { ...cell, key: column.key, isKept };
  });
}

/** @returns whether the row already has a different value in the column */
function isHeld({ held }: RowToEnrich, key: string, found: unknown): boolean {
  const value = held?.[key] ?? null;
  // An equal value was written by this same work before its agent was killed, so it counts as found.
  return value !== null && value !== '' && !isDeepStrictEqual(value, found);
}

function byColumn(ends: readonly ColumnEnd[]): {
  values: Record<string, unknown>;
  cells: Record<string, CellJson>;
} {
  return {
    values: Object.fromEntries(ends.map(({ key, value }) => [key, value])),
    cells: Object.fromEntries(ends.map(({ key, cell }) => [key, cell])),
  };
}

function countByStatus(cells: readonly EnrichedCell[]): Partial<Record<CellJson['status'], number>> {
  const counts: Partial<Record<CellJson['status'], number>> = {};
  for (const { cell } of cells) counts[cell.status] = (counts[cell.status] ?? 0) + 1;
  return counts;
}

function outcomeOf(
  call: ServiceCall,
  { key, name }: FilledColumn,
  results: ReadonlyArray<readonly [string, StepResult]>,
): EnrichmentOutcome {
  const own = results.flatMap(([of, result]) => (of === call.key ? result : []));
  const sum = (status: CellJson['status']): number =>
    own.reduce((total, { columns }) => total + (columns[key]?.[status] ?? 0), 0);
  const [filled, empty, failed, skipped] = [sum('filled'), sum('empty'), sum('failed'), sum('skipped')];
  const isSpent = own.some((result) => result.isSpent);
  const isLimited = own.some((result) => result.isLimited);
  const isCutOff = own.some((result) => result.isCutOff);
  const attempted = filled + empty + failed + (isSpent || isLimited || isCutOff ? skipped : 0);
  const parts = [
    `${filled} of ${attempted} found`,
    ...(empty > 0 ? [`${empty} not found`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ];
  const spent = isSpent ? ' The balance or a spend cap is used up, so the rest of the column is empty.' : '';
  const limited = isLimited
    ? ' The credit limit of the run is used up, so the rest of the column is empty.'
    : '';
  const cutOff = isCutOff
    ? ` The run stopped after ${ROUNDS} rounds of lookups within its limit; another run fills the rest.`
    : '';
  return { summary: `${name}: ${parts.join(', ')}.${spent}${limited}${cutOff}` };
}
