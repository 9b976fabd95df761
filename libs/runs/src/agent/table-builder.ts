import { Injectable } from '@nestjs/common';
import type { CellJson, ColumnJson, FitJson, RunArtifact } from '@quarry/dto';
import { judgeFit, keysOfInputs, type RunPlan } from '@quarry/plan';
import { derivedId, newId } from '@quarry/platform';
import { TableWriterPort, type NewRow } from '../ports/table-writer.port.js';
import { RowSourcer } from '../sourcing/row-sourcer.js';
import type { WebPlan } from '../sourcing/sourced-row.js';
import { ColumnEnricher, type EnrichmentOutcome, type RowToEnrich } from './column-enricher.js';
import { RowSource, type SourcedRow } from './row-source.js';
import type { RunGuard } from './run-guard.js';
import { RunLeaseStore, type LeasedRun } from './run-lease.store.js';
import type { StepJournal } from './step-journal.js';

export interface BuildRequest {
  plan: RunPlan;
  /** Position among the run's tables: part of the names of its steps. */
  index: number;
}

/** A table that a run has finished. */
export interface BuiltTable {
  plan: RunPlan;
  key: string;
  name: string;
  tableId: string;
  columns: ColumnJson[];
  /** What came of the plan, in sentences. */
  summary: string;
}

// Small enough that a table is seen to grow, large enough that a thousand rows are a few statements.
const ROWS_PER_WRITE = 100;

/** Builds one table: create it, source its rows, enrich paid columns, judge the fit of each row. */
@Injectable()
export class TableBuilder {
  constructor(
    private readonly leases: RunLeaseStore,
    private readonly tables: TableWriterPort,
    private readonly rowSource: RowSource,
    private readonly enricher: ColumnEnricher,
    private readonly sourcer: RowSourcer,
  ) {}

  async build(
    run: LeasedRun,
    journal: StepJournal,
    guard: RunGuard,
    request: BuildRequest,
  ): Promise<BuiltTable> {
    const { plan, index } = request;
    const { key, name } = plan.table;
    const columns = columnsOf(plan);
    const { tableId } = await journal.step(
      `table-${index}.create`,
      () => ({ tableId: newId('tbl') }),
      async ({ tableId: id }) => {
        await this.tables.createTable(run.ctx, { id, workspaceId: run.workspaceId, name, columns });
        await this.leases.addArtifact(run.ctx, run, artifactOf(id, name));
        return { tableId: id };
      },
    );
    await guard.checkpoint();
    const web = isOfWeb(plan)
      ? await this.sourcer.source(run, journal, guard, { plan, tableId, index })
      : null;
    const sourced =
      web ??
      (await journal.step(
        `table-${index}.rows`,
        () => ({ limit: plan.limit }),
        (input) =>
          this.source(run, guard, plan, tableId, input.limit).catch(async (error: unknown) => {
            // A search that was cut off because the process stops is begun again elsewhere.
            await guard.checkpoint();
            throw error;
          }),
      ));
    const outcomes = await this.enricher.enrich(run, journal, guard, {
      name: `table-${index}`,
      tableId,
      columns: plan.columns,
      rows: sourced.rows,
    });
    await guard.checkpoint();
    if (web) {
      const summary = [web.summary, ...outcomes.map((outcome) => outcome.summary)].join(' ');
      return { plan, key, name, tableId, columns, summary };
    }
    const fits = await journal.step(
      `table-${index}.fit`,
      () => ({}),
      () => this.judge(run, plan, tableId, sourced.rows),
    );
    return {
      plan,
      key,
      name,
      tableId,
      columns,
      summary: summaryOf(plan, sourced as SourcedRows, outcomes, fits),
    };
  }

  private async source(
    run: LeasedRun,
    guard: RunGuard,
    plan: RunPlan,
    tableId: string,
    limit: number,
  ): Promise<SourcedRows> {
    const result: SourcedRows = { rows: [], total: 0, excluded: 0 };
    const needed = neededKeys(plan);
    const pages = this.rowSource.rows(run.ctx, plan, limit, ROWS_PER_WRITE, guard.stopping);
    for await (const page of pages) {
      await guard.checkpoint();
      const rows = page.rows.map((row) => newRow(run, tableId, plan, row));
      await this.tables.appendRows(run.ctx, tableId, rows);
      page.rows.forEach((row, i) => {
        result.rows.push({
          id: rows[i]!.id,
          subject: row.subject,
          evidence: Object.fromEntries(
            needed.map((each) => [each, row.attributes[each] ?? row.values[each] ?? null]),
          ),
        });
      });
      result.total = page.total;
      if (page.isEstimated) result.isEstimated = true;
      else delete result.isEstimated;
      result.excluded = page.excluded;
    }
    return result;
  }

  private async judge(
    run: LeasedRun,
    plan: RunPlan,
    tableId: string,
    evidence: RowToEnrich[],
  ): Promise<Record<FitJson['status'], number>> {
    const known = new Map(evidence.map((row) => [row.id, row.evidence]));
    const counts = { qualified: 0, disqualified: 0, unknown: 0 };
    for await (const rows of this.tables.readRows(run.ctx, tableId)) {
      const fits = rows.map((row) => ({
        id: row.id,
        fit: judgeFit({ ...known.get(row.id), ...row.values }, plan.criteria, {
          filters: plan.predicates,
          notUnderstood: plan.notUnderstood,
        }),
      }));
      for (const { fit } of fits) counts[fit.status] += 1;
      await this.tables.setFit(run.ctx, tableId, fits);
    }
    return counts;
  }
}

function isOfWeb(plan: RunPlan): plan is WebPlan {
  return plan.source.kind === 'web';
}

interface SourcedRows {
  rows: RowToEnrich[];
  total: number;
  isEstimated?: true;
  excluded: number;
}

const UNKNOWN_FIT: FitJson = { status: 'unknown', score: null, reason: null, criteria: [] };

function newRow(run: LeasedRun, tableId: string, plan: RunPlan, row: SourcedRow): NewRow {
  // Derived from what the row is about: a replay makes the same row, and the table refuses it as known.
  return {
    id: derivedId('row', `${run.id}|${tableId}|${row.key}`),
    values: row.values,
    cells: firstCells(plan),
    fit: UNKNOWN_FIT,
  };
}

function firstCells(plan: RunPlan): Record<string, CellJson> {
  const cell = (status: CellJson['status'], reasoning: string | null): CellJson => ({
    status,
    confidence: null,
    reasoning,
    citations: [],
    source: null,
    error: null,
    updated_at: new Date().toISOString(),
  });
  const entries = plan.columns.flatMap(({ key, source }): Array<[string, CellJson]> => {
    if (source.from === 'service') return [[key, cell('pending', null)]];
    if (source.from === 'nothing') return [[key, cell('skipped', 'No source for this column is known.')]];
    return [];
  });
  return Object.fromEntries(entries);
}

/** Attributes that filters, criteria and lookups read, whether or not they are columns. */
function neededKeys(plan: RunPlan): string[] {
  const tests = [...plan.predicates, ...plan.criteria.flatMap(({ test }) => test ?? [])];
  const keysOf = (predicate: RunPlan['predicates'][number]): string[] =>
    'parts' in predicate.test ? predicate.test.parts.flatMap(keysOf) : [...predicate.column_keys];
  const inputs = plan.columns.flatMap(({ source }) =>
    source.from === 'service' ? keysOfInputs(source.inputs) : [],
  );
  return [...new Set([...tests.flatMap(keysOf), ...inputs])];
}

function columnsOf(plan: RunPlan): ColumnJson[] {
  return plan.columns.map(({ key, name, kind, qualification }) => ({ key, name, kind, qualification }));
}

function artifactOf(id: string, name: string): RunArtifact {
  return {
    type: 'table',
    id,
    name,
    effect: 'created',
    links: { self: `/v1/tables/${id}`, rows: `/v1/tables/${id}/rows` },
  };
}

function summaryOf(
  plan: RunPlan,
  sourced: SourcedRows,
  outcomes: EnrichmentOutcome[],
  fits: Record<FitJson['status'], number>,
): string {
  const noun = plan.source.kind === 'table' ? 'rows' : plan.entity === 'company' ? 'companies' : 'people';
  const sentences = [
    sourced.total === 0
      ? `There are no matching ${noun}: the table “${plan.table.name}” is empty.`
      : `${sourced.rows.length} of ${sourced.isEstimated ? 'about ' : ''}${sourced.total} matching ${noun} are in the table “${plan.table.name}”.`,
  ];
  if (plan.count !== null && sourced.total > 0 && sourced.total < plan.count)
    sentences.push(`You asked for ${plan.count}; there are no more.`);
  if (sourced.excluded > 0)
    sentences.push(`${sourced.excluded} were left out because your exclusion lists name them.`);
  if (sourced.rows.length > 0) sentences.push(...outcomes.map(({ summary }) => summary));
  if (plan.criteria.length > 0)
    sentences.push(
      `Fit: ${fits.qualified} qualified, ${fits.disqualified} disqualified, ${fits.unknown} unknown.`,
    );
  return sentences.join(' ');
}
