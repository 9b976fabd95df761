import { Injectable } from '@nestjs/common';
import type { StepJournal } from '@quarry/durable-work';
import { cellOf, type CellJson, type ColumnJson, type FitJson, type RunArtifact } from '@quarry/dto';
import type { WebPlan } from '@quarry/language-models';
import type { RowsBefore, RunPlan } from '@quarry/plan';
import {
  evaluateFit,
  neededKeys,
  refinedRows,
  criterionValues,
  rowValues,
  serviceCalls,
  type LiveRow,
  type RowValues,
  type Unconfirmed,
} from '@quarry/plan-compiler';
import { derivedId, newId } from '@quarry/app';
import { MonitorItemsPort, type FoundItems, type MonitorMemory } from '../ports/monitor-items.port.js';
import { TableReaderPort, TableWriterPort, type NewRow } from '../ports/table-writer.port.js';
import { WebRowSource } from '../rows/web-row-source.js';
import { ColumnEnricher } from '../columns/column-enricher.js';
import { EarlierTables } from '../rows/earlier-tables.js';
import type { EnrichRequest, RowToEnrich } from '../columns/enrich-request.js';
import { KnownRows } from '../rows/known-rows.js';
import { RowSource, type SourcedPage } from '../rows/row-source.js';
import { readAhead } from '../rows/read-ahead.js';
import {
  baselineText,
  countedText,
  noFits,
  summaryOf,
  waitingText,
  type FitCounts,
  type SourcedRows,
} from './table-summary.js';
import type { RunGuard } from '../execution/run-guard.js';
import { RunLeaseStore, type LeasedRun } from '../execution/run-lease.store.js';

export interface BuildRequest {
  plan: RunPlan;
  /** Position among the run's tables, from 0; part of its step names. */
  index: number;
  /** The words that must be confirmed before paid columns are filled; null when nothing waits. */
  unconfirmed: Unconfirmed | null;
  /** Domains of the companies whose people the table shows; null where its plan says whose. */
  companies: readonly string[] | null;
}

/** The table that a run is building. */
interface TableWork {
  readonly run: LeasedRun;
  readonly journal: StepJournal;
  readonly guard: RunGuard;
  readonly plan: RunPlan;
  readonly index: number;
  readonly companies: readonly string[] | null;
}

/** A table that a run has finished. */
export interface BuiltTable {
  plan: RunPlan;
  key: string;
  name: string;
  tableId: string;
  columns: ColumnJson[];
  /** Sentence about the number of matches in the table; empty when the summary contains it. */
  counted: string;
  /** Further results of the plan, in sentences. */
  summary: string;
  /** Domains of the companies that are its rows; none where rows are people or from the web. */
  domains: readonly string[];
  /** Items to report to the run's monitor, and the number of rows that it knew already. */
  found?: FoundItems;
}

// The first page is small, so that users see the table grow early. Later ones are large: a statement costs little more with many
// rows.
const FIRST_ROWS = 100;
const ROWS_PER_WRITE = 500;

/** Builds one table: creates it, sources its rows, enriches paid columns, evaluates the fit of each row. */
@Injectable()
export class TableBuilder {
  constructor(
    private readonly leases: RunLeaseStore,
    private readonly tables: TableReaderPort,
    private readonly writer: TableWriterPort,
    private readonly rowSource: RowSource,
    private readonly enricher: ColumnEnricher,
    private readonly webRows: WebRowSource,
    private readonly earlier: EarlierTables,
    private readonly monitorItems: MonitorItemsPort,
  ) {}

  async buildTable(
    run: LeasedRun,
    journal: StepJournal,
    guard: RunGuard,
    { plan, index, unconfirmed, companies }: BuildRequest,
  ): Promise<BuiltTable> {
    await this.rowSource.requireSource(run.ctx, plan);
    const memory = await this.monitorItems.openMemory(run);
    // A monitor reports new people of the companies that it knows, too: they are no longer among the rows.
    const work: TableWork = { run, journal, guard, plan, index, companies: memory ? null : companies };
    const table = await this.openTable(work, memory !== null);
    await guard.checkpoint();
    const { tableId } = table;
    const built = { plan, key: plan.table.key, name: plan.table.name, tableId, columns: columnsOf(plan) };
    const fillColumns = (rows: RowToEnrich[]): Promise<string[]> => {
      const request = { name: `table-${index}`, tableId, columns: plan.columns, rows };
      if (memory?.isSilent) return this.fillColumns(work, request, baselineText(request));
      return this.fillColumns(work, request, unconfirmed && waitingText(request, unconfirmed));
    };
    if (isOfWeb(plan)) {
      const web = await this.webRows.sourceRows(run, journal, guard, { plan, tableId, index });
      const summary = [web.summary, ...(await fillColumns(web.rows))].join(' ');
      return { ...built, counted: '', summary, domains: [] };
    }
    const sourced = await this.findRows(work, table, memory);
    const columns = await fillColumns(sourced.rows);
    const fits = await journal.runStep(
      `table-${index}.fit`,
      () => ({}),
      async () => sourced.fits ?? this.evaluateRows(run, plan, tableId, sourced.rows),
    );
    return {
      ...built,
      counted: countedText(plan, sourced),
      summary: summaryOf(plan, sourced, columns, fits),
      domains: domainsOf(sourced),
      ...(memory ? { found: foundBy(tableId, sourced) } : {}),
    };
  }

  /** Creates the table of a plan, or finds the one of an earlier run, and shows it among the artifacts of the run. */
  private openTable({ run, journal, plan, index }: TableWork, isMonitored: boolean): Promise<TableOfRun> {
    const { name } = plan.table;
    return journal.runStep(
      `table-${index}.create`,
      async (): Promise<TableOfRun> => {
        if (plan.within) {
          const madeBy = await this.earlier.findOrigin(run, index, plan.within);
          return { tableId: plan.within.table_id, originRunId: madeBy };
        }
        // Each date of a monitor gets a table of its own.
        const earlier = isMonitored ? null : await this.earlier.findOfSamePlan(run, index, plan);
        return earlier
          ? { tableId: earlier.tableId, originRunId: earlier.originRunId }
          : { tableId: newId('tbl') };
      },
      async (table) => {
        const { workspaceId } = run;
        if (table.originRunId === undefined)
          await this.writer.createTable(run.ctx, {
            id: table.tableId,
            workspaceId,
            name,
            columns: columnsOf(plan),
          });
        await this.leases.addArtifact(run.ctx, run, artifactOf(table, name));
        return table;
      },
    );
  }

  /** Finds the rows of a plan in the directory, in a table, or in the table of the previous run, and writes them. */
  private findRows(work: TableWork, table: TableOfRun, memory: MonitorMemory | null): Promise<SourcedRows> {
    const { journal, guard, plan, index } = work;
    return journal.runStep(
      `table-${index}.rows`,
      () => ({ limit: plan.limit }),
      ({ limit }) =>
        (plan.within
          ? this.refineRows(work, plan.within, table.tableId)
          : this.sourceRows(work, table, memory, limit)
        ).catch(async (error: unknown) => {
          // When the process is stopping, the search was only interrupted: another agent repeats it.
          await guard.checkpoint();
          throw error;
        }),
    );
  }

  /** @param waits why paid columns stay unfilled; null where they may be filled */
  private async fillColumns(
    { run, journal, guard }: TableWork,
    request: EnrichRequest,
    waits: string | null,
  ): Promise<string[]> {
    const summaries = waits
      ? await this.leaveUnfilled(run, journal, request, waits)
      : await this.enricher.enrichColumns(run, journal, guard, {
          ...request,
          budget: this.enricher.budgetOf(run),
        });
    await guard.checkpoint();
    return summaries;
  }

  private async sourceRows(
    { run, guard, plan, companies }: TableWork,
    { tableId, originRunId = run.id }: TableOfRun,
    memory: MonitorMemory | null,
    limit: number,
  ): Promise<SourcedRows> {
    const found: SourcedRows['rows'] = [];
    let counts: Omit<SourcedPage, 'rows'> = { total: 0, excluded: 0, known: 0, lacking: 0 };
    const known = memory && new KnownRows(memory, plan);
    const isEarlier = originRunId !== run.id;
    if (isEarlier && plan.source.kind === 'directory') await this.removeExcluded(run, plan, tableId);
    const settled = isEarlier ? await this.settledCells(run, tableId) : null;
    const needed = neededKeys(plan);
    const paidKeys = plan.columns.flatMap(({ key, source }) => (source.from === 'service' ? key : []));
    // Rows of a new table without paid columns are evaluated before they are written.
    const fits = !settled && serviceCalls(plan.columns).length === 0 ? noFits() : null;
    const pages = this.rowSource.readPages(
      run.ctx,
      plan,
      { limit, companies, firstPageSize: FIRST_ROWS, pageSize: ROWS_PER_WRITE, findKnown: known?.findPlaces },
      guard.signal,
    );
    for await (const { rows, ...soFar } of readAhead(pages)) {
      await guard.checkpoint();
      counts = soFar;
      const added = rows.map((row): NewRow => {
        const { key, values, attributes, subject } = row;
        const isUpdated = known?.isUpdated(row) ?? false;
        const evidence = Object.fromEntries(
          needed.map((name) => [name, attributes[name] ?? values[name] ?? null]),
        );
        const knownOfRow = { ...evidence, ...values };
        const fit = fits ? fitOf(plan, knownOfRow) : UNKNOWN_FIT;
        if (fits) fits[fit.status] += 1;
        // The id derives from the subject of the row, so a replay makes the same row and the table skips it.
        const id = derivedId('row', `${originRunId}|${tableId}|${key}`);
        found.push({
          id,
          subject,
          evidence,
          ...(settled ? { settled: settled.get(id) ?? [] } : {}),
          ...memory?.seenOf(plan, row),
          // A changed row costs nothing.
          ...(isUpdated ? { isUpdated, settled: paidKeys } : {}),
        });
        const shown = { ...values, ...criterionValues(plan, knownOfRow) };
        return { id, values: shown, cells: firstCells(plan, isUpdated), fit };
      });
      await this.writer.appendRows(run.ctx, tableId, added);
    }
    const others = (settled?.size ?? 0) - found.filter(({ id }) => settled?.has(id)).length;
    return { ...counts, rows: found, others, ...(fits ? { fits } : {}) };
  }

  /** Continues the table of the previous run: filters and sorts its rows, and adds new columns. */
  private async refineRows(
    { run, plan, index }: TableWork,
    within: RowsBefore,
    tableId: string,
  ): Promise<SourcedRows> {
    const { rows: found, isFromSandbox } = await this.earlier.findRows(run, within.run_id, index);
    const live = new Map<string, LiveRow>();
    for await (const rows of this.tables.readRows(run.ctx, tableId))
      for (const row of rows) live.set(row.id, row);
    const { kept: fitting, before } = refinedRows(plan, within, found, live);
    // The organisation may have excluded a row since.
    const known = fitting.map(({ id, evidence }) => ({ ...evidence, ...live.get(id)?.values }));
    const excluded =
      plan.source.kind === 'table'
        ? new Set<number>()
        : await this.rowSource.findExcluded(run.ctx, plan.entity, known);
    const kept = fitting.filter((_, i) => !excluded.has(i));
    const table = await this.tables.getTable(run.ctx, tableId);
    const isNew = ({ key }: { key: string }): boolean => !table.columns.some((column) => column.key === key);
    await this.writer.addColumns(run.ctx, tableId, columnsOf(plan).filter(isNew));
    await this.writer.arrangeRows(
      run.ctx,
      tableId,
      kept.map(({ id }) => id),
    );
    const cells = firstCells(plan);
    const rows = kept.map(({ id, subject, evidence }) => {
      const own = live.get(id)?.cells ?? {};
      const open = Object.entries(cells).filter(([key]) => own[key] === undefined);
      return {
        update: {
          id,
          values: freeValues(plan, evidence, live.get(id)?.values),
          cells: Object.fromEntries(open),
        },
        // A value that the table has is not looked up again, unless the cell waits for a confirmation.
        row: {
          id,
          subject,
          evidence: { ...evidence, ...live.get(id)?.values },
          settled: Object.keys(own).filter((key) => !isOpen(own[key])),
        },
      };
    });
    for (let i = 0; i < rows.length; i += ROWS_PER_WRITE) {
      const updates = rows.slice(i, i + ROWS_PER_WRITE).map(({ update }) => update);
      if (updates.some(({ values, cells: own }) => Object.keys({ ...values, ...own }).length > 0))
        await this.writer.updateRows(run.ctx, tableId, updates);
    }
    return {
      rows: rows.map(({ row }) => row),
      total: rows.length,
      excluded: excluded.size,
      before,
      ...(isFromSandbox ? { isFromSandbox } : {}),
    };
  }

  /** Removes rows of an earlier run that the organisation has excluded since. */
  private async removeExcluded({ ctx }: LeasedRun, { entity }: RunPlan, tableId: string): Promise<void> {
    const rows: Array<{ id: string; values: Readonly<Record<string, unknown>> }> = [];
    for await (const batch of this.tables.readRows(ctx, tableId)) rows.push(...batch);
    const known = rows.map(({ values }) => values);
    const excluded = await this.rowSource.findExcluded(ctx, entity, known);
    if (excluded.size === 0) return;
    const kept = rows.filter((_, i) => !excluded.has(i)).map(({ id }) => id);
    await this.writer.arrangeRows(ctx, tableId, kept);
  }

  /** Returns, by row id, the keys of columns that an earlier run filled, or searched without a result. */
  private async settledCells(run: LeasedRun, tableId: string): Promise<Map<string, string[]>> {
    const settled = new Map<string, string[]>();
    for await (const rows of this.tables.readRows(run.ctx, tableId))
      for (const { id, cells = {} } of rows) {
        const keys = Object.entries(cells).flatMap(([key, { status }]) =>
          status === 'filled' || status === 'empty' ? key : [],
        );
        settled.set(id, keys);
      }
    return settled;
  }

  /** Leaves paid columns unfilled until a confirmation: nothing is looked up, and nothing is charged. */
  private async leaveUnfilled(
    run: LeasedRun,
    journal: StepJournal,
    { name, tableId }: Pick<EnrichRequest, 'name' | 'tableId'>,
    message: string,
  ): Promise<string[]> {
    await journal.runStep(
      `${name}.unconfirmed`,
      () => ({}),
      () => this.writer.skipPending(run.ctx, tableId, { code: 'not_confirmed', message }),
    );
    return [message];
  }

  private async evaluateRows(
    run: LeasedRun,
    plan: RunPlan,
    tableId: string,
    evidence: RowToEnrich[],
  ): Promise<FitCounts> {
    const known = new Map(evidence.map((row) => [row.id, row.evidence]));
    const counts = noFits();
    for await (const all of this.tables.readRows(run.ctx, tableId)) {
      const rows = all.filter(({ id }) => known.has(id));
      const fits = rows.map((row) => ({
        id: row.id,
        fit: lacksRequired(plan, row.cells) ?? fitOf(plan, { ...known.get(row.id), ...row.values }),
      }));
      for (const { fit } of fits) counts[fit.status] += 1;
      await this.writer.setFit(run.ctx, tableId, fits);
    }
    return counts;
  }
}

function isOfWeb(plan: RunPlan): plan is WebPlan {
  return plan.source.kind === 'web';
}

/** The table of a run; `originRunId` when an earlier run created it. */
interface TableOfRun {
  tableId: string;
  originRunId?: string;
}

function domainsOf({ rows }: SourcedRows): string[] {
  return rows.flatMap(({ evidence: { domain } }) => (typeof domain === 'string' ? domain : []));
}

function foundBy(tableId: string, { rows, known = 0 }: SourcedRows): FoundItems {
  const items = rows.flatMap(({ id: rowId, identity, watched = null, isUpdated = false }) =>
    identity ? { tableId, rowId, identity, watched, isUpdated } : [],
  );
  return { items, known };
}

/** Returns how well a row fits the plan by its known values, by attribute and column key. */
function fitOf(plan: RunPlan, known: Readonly<Record<string, unknown>>): FitJson {
  return evaluateFit(known, plan.criteria, { filters: plan.predicates, notUnderstood: plan.notUnderstood });
}

/** @returns the fit of a row for which a required value was looked up and not found; null for other rows */
function lacksRequired({ columns }: RunPlan, cells: LiveRow['cells'] = {}): FitJson | null {
  const column = columns.find(({ key, required }) => required && cells[key]?.status === 'empty');
  return column
    ? {
        status: 'disqualified',
        score: null,
        reason: `Has no value, but it is required: ${column.name}`,
        criteria: [],
      }
    : null;
}

function isOpen(cell: CellJson | undefined): boolean {
  return cell?.status === 'pending' || cell?.error?.code === 'not_confirmed';
}

const NOT_AGAIN = 'Not looked up, because the monitor already knows the row: a change of it costs nothing.';

const UNKNOWN_FIT: FitJson = { status: 'unknown', score: null, reason: null, criteria: [] };

/** Returns directory values for columns in which the row has none. A follow-up adds such columns, and may be replayed. */
function freeValues(
  plan: RunPlan,
  evidence: RowToEnrich['evidence'],
  values: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const known = Object.entries(rowValues(plan.columns, evidence as RowValues));
  return Object.fromEntries(known.filter(([key, value]) => value !== null && (values[key] ?? null) === null));
}

function firstCells(plan: RunPlan, isUpdated = false): Record<string, CellJson> {
  const entries = plan.columns.flatMap(({ key, source }): Array<[string, CellJson]> => {
    if (source.from === 'service')
      return [[key, isUpdated ? cellOf('skipped', { reasoning: NOT_AGAIN }) : cellOf('pending')]];
    if (source.from === 'nothing')
      return [[key, cellOf('skipped', { reasoning: 'No data source fills this column.' })]];
    return [];
  });
  return Object.fromEntries(entries);
}

function columnsOf(plan: RunPlan): ColumnJson[] {
  return plan.columns.map(({ key, name, kind, qualification }) => ({ key, name, kind, qualification }));
}

function artifactOf({ tableId: id, originRunId }: TableOfRun, name: string): RunArtifact {
  return {
    type: 'table',
    id,
    name,
    effect: originRunId === undefined ? 'created' : 'updated',
    links: { self: `/v1/tables/${id}`, rows: `/v1/tables/${id}/rows` },
  };
}
