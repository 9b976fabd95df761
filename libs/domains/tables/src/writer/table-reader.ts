import { Injectable } from '@nestjs/common';
import type { ColumnJson } from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import { isId, type Ctx } from '@quarry/app';
import { ofTenant, tenantOf, Database, type TxCtx } from '@quarry/postgres';
import { ROW_ITEM } from '../tables/row-page.js';
import { rowAt, rowWithId } from '../sql/chosen-rows.sql.js';
import { readHead, type TableHead } from './table-head.js';
import type { StoredRow, TableProfile, TableSummary } from './table-writer.types.js';
import { statement } from '../statements.types.js';

// A profile only describes: the first ten thousand rows suffice, in a fraction of a second at any table size.
const PROFILE_ROWS = 10_000;
// Enough values to recognise the columns of a table by their content.
const PROFILE_VALUES = 1000;
// Longer texts are prose, which no planner compares.
const PROFILE_TEXT_CHARACTERS = 200;

/** Reads live tables for the agent, as values instead of response bodies. */
@Injectable()
export class TableReader {
  constructor(private readonly database: Database) {}

  /**
   * @returns the tables of the organisation's open workspaces by their names, one for each name, ignoring case: a table of the
   * given workspace first, then the newest
   */
  listNames(ctx: Ctx | TxCtx, workspaceId: string | null): Promise<Array<{ id: string; name: string }>> {
    return this.database.query(ctx, LIST_NAMES, [tenantOf(ctx), workspaceId]);
  }

  /** @throws AppError table_not_found */
  async getTable(ctx: Ctx | TxCtx, tableId: string): Promise<TableSummary> {
    return summaryOf(await readHead(this.database, ctx, tableId));
  }

  /**
   * @returns columns, and the most frequent values of each column within the first 10,000 rows
   * @throws AppError table_not_found
   */
  async profileTable(ctx: Ctx | TxCtx, tableId: string): Promise<TableProfile> {
    const { id, name, columns, rowSet, rowCount } = await readHead(this.database, ctx, tableId);
    const found = await this.database.query(ctx, PROFILE, [ctx.orgId, rowSet]);
    const foundOf = Map.groupBy(found, ({ key }) => key);
    const values = columns.map(({ key }) => {
      const values = (foundOf.get(key) ?? []).map(({ value }) => String(value));
      const isComplete = values.length < PROFILE_VALUES && rowCount <= PROFILE_ROWS;
      return [key, { values, isComplete }] as const;
    });
    return { id, name, columns, rowCount, values: Object.fromEntries(values) };
  }

  /**
   * Reads all rows in table order, one batch at a time. Rows that are added meanwhile are read too.
   * @throws AppError table_not_found
   */
  async *readRows(
    ctx: Ctx | TxCtx,
    tableId: string,
    options: { batchSize?: number } = {},
  ): AsyncIterable<StoredRow[]> {
    const { rowSet } = await readHead(this.database, ctx, tableId);
    const batchSize = options.batchSize ?? 500;
    for (let after = '-1'; ;) {
      const rows = await this.database.query(ctx, READ_ROWS, [ctx.orgId, rowSet, after, batchSize]);
      if (rows.length > 0) yield rows.map(({ id, values, cells, fit }) => ({ id, values, cells, fit }));
      if (rows.length < batchSize) return;
      after = rows.at(-1)!.position;
    }
  }

  /**
   * @returns the columns, the number of rows, and the rows of the ids in their order, without those that were removed
   * @throws AppError table_not_found
   */
  async readChosen(
    ctx: Ctx | TxCtx,
    tableId: string,
    rowIds: readonly string[],
  ): Promise<{ columns: ColumnJson[]; rowCount: number; rows: StoredRow[] }> {
    const { columns, rowSet, rowCount } = await readHead(this.database, ctx, tableId);
    const rows = await this.database.query(ctx, READ_CHOSEN, [ctx.orgId, rowSet, rowIds]);
    return { columns, rowCount, rows };
  }

  /**
   * Reads rows of a table or a view by position.
   * @returns the columns, the number of rows, and the rows from a position on
   * @throws AppError table_not_found, not_found for an unknown view
   */
  async readPage(
    ctx: Ctx | TxCtx,
    { tableId, viewId }: { tableId: string; viewId: string | null },
    { from, limit }: { from: number; limit: number },
  ): Promise<{ columns: ColumnJson[]; rowCount: number; rows: Array<StoredRow & { at: number }> }> {
    const { columns, rowSet, rowCount } = await readHead(this.database, ctx, tableId);
    if (viewId === null) {
      const params = [ctx.orgId, rowSet, from - 1, limit] as const;
      const rows = await this.database.query(ctx, READ_ROWS, params);
      return {
        columns,
        rowCount,
        rows: rows.map(({ position, ...row }) => ({ ...row, at: Number(position) })),
      };
    }
    const params = [tenantOf(ctx), tableId, viewId, from, limit] as const;
    const view = isId('view', viewId) ? await this.database.queryOne(ctx, VIEW_PLACES, params) : null;
    if (!view) throw new AppError('not_found', 'View not found, or it has expired.');
    const places = view.positions ?? [];
    const rows = await this.database.query(ctx, READ_PLACES, [ctx.orgId, rowSet, places, from]);
    return { columns, rowCount: view.count ?? 0, rows };
  }
}

const VIEW_PLACES = statement(
  'table-reader.viewPlaces',
  `SELECT cardinality(v.positions) AS count, v.positions[$4::int + 1 : $4::int + $5::int] AS positions FROM tables.views v
   WHERE ${ofTenant('v')} AND v.table_id = $2 AND v.id = $3 AND v.expires_at > clock_timestamp()`,
).rows<{ positions: number[] | null; count: number | null }>();

const READ_PLACES = statement(
  'table-reader.readPlaces',
  `SELECT ${ROW_ITEM}, ($4::int + place.n - 1)::int AS at FROM unnest($3::int[]) WITH ORDINALITY AS place (position, n)
   ${rowAt('place.position', '$1', '$2::bigint')} ORDER BY place.n`,
).rows<Pick<StoredRow, 'values' | 'cells' | 'fit'> & { at: number }>();

const READ_CHOSEN = statement(
  'table-reader.readChosen',
  `SELECT ${ROW_ITEM} FROM unnest($3::text[]) WITH ORDINALITY AS chosen (id, n)
   ${rowWithId('chosen.id', '$1', '$2::bigint')} ORDER BY chosen.n`,
).rows<Pick<StoredRow, 'values' | 'cells' | 'fit'>>();

const PROFILE = statement(
  'table-reader.profile',
  `
  WITH sample AS (
    SELECT cell_values FROM tables.rows
    WHERE org_id = $1 AND row_set = $2::bigint ORDER BY position LIMIT ${PROFILE_ROWS}
  ), counted AS (
    SELECT cell.key, cell.value,
           row_number() OVER (PARTITION BY cell.key ORDER BY count(*) DESC, cell.value) AS place
    FROM sample, jsonb_each(sample.cell_values) AS cell
    WHERE jsonb_typeof(cell.value) IN ('string', 'number', 'boolean')
      AND length(cell.value::text) <= ${PROFILE_TEXT_CHARACTERS}
    GROUP BY cell.key, cell.value
  )
  SELECT key, value FROM counted WHERE place <= ${PROFILE_VALUES} ORDER BY key, place`,
).rows<{ key: string; value: string | number | boolean }>();

function summaryOf(head: TableHead): TableSummary {
  const { id, workspaceId, name, columns, rowCount, qualified, disqualified } = head;
  const unknown = rowCount - qualified - disqualified;
  return { id, workspaceId, name, columns, rowCount, fitCounts: { qualified, disqualified, unknown } };
}

const LIST_NAMES = statement(
  'table-reader.listNames',
  `
  SELECT id, name FROM (
    SELECT DISTINCT ON (lower(t.name)) t.id, t.name, t.workspace_id = $2 AS is_own, t.created_at
    FROM tables.tables t
    JOIN tables.workspaces w ON w.org_id = t.org_id AND w.id = t.workspace_id AND w.archived_at IS NULL
    WHERE ${ofTenant('t')}
    ORDER BY lower(t.name), is_own DESC, t.created_at DESC, t.id DESC
  ) named ORDER BY is_own DESC, created_at DESC, id DESC`,
);

const READ_ROWS = statement(
  'table-reader.readRows',
  `
  SELECT ${ROW_ITEM}, r.position FROM tables.rows r
  WHERE r.org_id = $1 AND r.row_set = $2::bigint AND r.position > $3::bigint
    AND r.position <= $3::bigint + $4::bigint
  ORDER BY r.position`,
).rows<Pick<StoredRow, 'values' | 'cells' | 'fit'>>();
