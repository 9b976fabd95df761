import { Injectable } from '@nestjs/common';
import type { RowsBefore, RunPlan } from '@quarry/plan';
import { canonicalJson } from '@quarry/app';
import { Database, ofTenant, tenantOf } from '@quarry/postgres';
import { statement } from '../statements.types.js';
import { TableReaderPort } from '../ports/table-writer.port.js';
import type { RowToEnrich } from '../columns/enrich-request.js';
import type { LeasedRun } from '../execution/run-lease.store.js';
import { PLAN_STEP, plansOfStep } from '../execution/step-journal.js';

/** A table of an earlier run of the conversation. */
export interface EarlierTable {
  readonly tableId: string;
  /** The run that created the table. The ids of its rows derive from that run. */
  readonly originRunId: string;
  readonly plan: RunPlan;
}

/** The rows of a table as an earlier run has journaled them. */
export interface EarlierRows {
  readonly rows: readonly RowToEnrich[];
  readonly isFromSandbox?: true;
}

/** Finds tables that a run continues instead of creating its own. */
@Injectable()
export class EarlierTables {
  constructor(
    private readonly database: Database,
    private readonly tables: TableReaderPort,
  ) {}

  /**
   * Returns the table of the latest run of the conversation whose plan differs at most in its number of rows; null when there is
   * none, or when it has more rows or companies than are requested now, or lacks a column.
   */
  async findOfSamePlan(run: LeasedRun, index: number, plan: RunPlan): Promise<EarlierTable | null> {
    if (plan.source.kind === 'web') return null;
    const tables = await this.listTables(run, index);
    const same = tables.find((earlier) => rowsOf(earlier.plan) === rowsOf(plan));
    if ((same?.plan.companies_max ?? 0) > (plan.companies_max ?? 0)) return null;
    return same && (await this.canTake(run, same.tableId, plan)) ? same : null;
  }

  /** Returns the run that created a table. The run that a follow-up refers to may have continued an even earlier table. */
  async findOrigin(run: LeasedRun, index: number, within: RowsBefore): Promise<string> {
    const tables = await this.listTables(run, index);
    return tables.find(({ tableId }) => tableId === within.table_id)?.originRunId ?? within.run_id;
  }

  /** Returns the rows of a table as an earlier run of the conversation has journaled them. */
  async findRows(run: LeasedRun, runId: string, index: number): Promise<EarlierRows> {
    const step = await this.database.queryOne(run.ctx, ROWS, [
      tenantOf(run.ctx),
      run.conversationId,
      runId,
      `table-${index}.rows`,
    ]);
    return step?.rows ?? { rows: [] };
  }

  private async listTables(run: LeasedRun, index: number): Promise<EarlierTable[]> {
    const made = await this.database.query(run.ctx, EARLIER, [
      tenantOf(run.ctx),
      run.conversationId,
      run.id,
      PLAN_STEP,
      `table-${index}.create`,
    ]);
    return made.flatMap(({ run_id: runId, plans, made: table }) => {
      const plan = plansOfStep(plans)[index]?.plan;
      if (!plan || !table) return [];
      return [{ tableId: table.tableId, originRunId: table.originRunId ?? runId, plan }];
    });
  }

  /** The table may have been deleted since, have lost a column, or have more rows than are wanted. */
  private async canTake(run: LeasedRun, tableId: string, plan: RunPlan): Promise<boolean> {
    return this.tables.getTable(run.ctx, tableId).then(
      ({ rowCount, columns }) =>
        rowCount <= plan.limit && plan.columns.every(({ key }) => columns.some((known) => known.key === key)),
      () => false,
    );
  }
}

/** Returns the part of a plan that determines the rows of its table and the columns they show. */
function rowsOf(plan: RunPlan): string {
  const { source, entity, companies, people, predicates, criteria, table } = plan;
  const whose =
    plan.companies_table ?? (plan.companies_max === undefined ? null : 'of a number of companies');
  const found = [source, entity, companies, people, predicates, plan.per_company, whose];
  const columns = plan.columns.map(({ key, source: from }) => ({ key, from }));
  return canonicalJson([found, plan.sort, plan.table_sort, criteria, columns, table.key]);
}

const ROWS = statement(
  'earlier-tables.rows',
  `
  SELECT s.result AS rows FROM runs.runs r JOIN runs.steps s ON s.run_id = r.id AND s.name = $4
  WHERE ${ofTenant('r')} AND r.conversation_id = $2 AND r.id = $3 AND s.finished_at IS NOT NULL`,
).rows<{ rows: EarlierRows }>();

// Only the last few: a corrected plan is usually run again soon.
const EARLIER = statement(
  'earlier-tables.list',
  `
  SELECT r.id AS run_id, p.result AS plans, c.result AS made FROM runs.runs r
  JOIN runs.steps p ON p.run_id = r.id AND p.name = $4
  JOIN runs.steps c ON c.run_id = r.id AND c.name = $5
  WHERE ${ofTenant('r')} AND r.conversation_id = $2 AND c.finished_at IS NOT NULL
    AND (r.created_at, r.id) < (SELECT created_at, id FROM runs.runs WHERE ${ofTenant()} AND id = $3)
  ORDER BY r.created_at DESC, r.id DESC LIMIT 10`,
).rows<{ made: { tableId: string; originRunId?: string } | null }>();
