import { Injectable } from '@nestjs/common';
import type { ColumnJson, CreateViewRequest, JsonText, Row, TableView, TableWindow } from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import { isId, newId, notFound, type Ctx } from '@quarry/app';
import { Database, isoTime, ofTenant, TENANT, TENANT_ORG, tenantOf } from '@quarry/postgres';
import { isRow } from '../sql/chosen-rows.sql.js';
import { isStorableText, requireStorableText } from '../sql/storable-text.js';
import { statement } from '../statements.types.js';
import { ROW_TEXT } from './row-page.js';
import { viewSql, type ViewSql } from './view-sql.js';

/** Reads a live table from any position, in its own order or in that of a view. */
@Injectable()
export class TableViewsStore {
  constructor(private readonly database: Database) {}

  /**
   * Creates a view: the positions of its rows, in its order, as the table is now.
   * @throws AppError table_not_found, invalid_request
   */
  async createView(
    ctx: Ctx,
    tableId: string,
    view: CreateViewRequest,
  ): Promise<{ id: string; json: JsonText<typeof TableView> }> {
    requireStorableText('body', JSON.stringify(view));
    const id = newId('view');
    await this.database.query(ctx, FORGET_OLD, [tenantOf(ctx), VIEWS_MAX]);
    for (;;) {
      const head = isId('tbl', tableId)
        ? await this.database.queryOne(ctx, READ_HEAD, [tenantOf(ctx), tableId], 'read')
        : null;
      if (!head) throw notFound('tbl');
      const { params, ...sql } = viewSql(head.columns, view, 5);
      const insert = INSERT.composed(insertSql(sql));
      const parameters = [tenantOf(ctx), tableId, id, head.row_set, ...params];
      const made = await this.database.queryOne(ctx, insert, parameters, 'list');
      if (made) return { id, json: made.json };
      // The rows have moved to another row set since the head was read.
    }
  }

  /**
   * Reads rows by position. The rows of a range are found by their key, so that the last window costs as much as the first. The
   * revision is that of the table now: a view of an older one shows current rows in their old order.
   * @throws AppError table_not_found; not_found for a view that does not exist any more
   */
  async readWindow(
    ctx: Ctx,
    { tableId, from, count, viewId }: { tableId: string; from: number; count: number; viewId: string | null },
  ): Promise<JsonText<typeof TableWindow>> {
    if (!isId('tbl', tableId)) throw notFound('tbl');
    const tenant = tenantOf(ctx);
    if (viewId === null) {
      const found = await this.database.queryOne(ctx, WINDOW, [tenant, tableId, from, count], 'list');
      if (!found) throw notFound('tbl');
      return found.json;
    }
    const found = await this.database.queryOne(
      ctx,
      VIEW_WINDOW,
      [tenant, tableId, from, count, viewId],
      'list',
    );
    if (!found) throw notFound('tbl');
    if (found.json === null) throw new AppError('not_found', 'View not found, or it has expired.');
    if (found.is_use_due) await this.database.query(ctx, KEEP_LONGER, [tenant, viewId]);
    return found.json;
  }

  /** @returns a Row @throws AppError table_not_found; not_found for a row that the table does not have */
  async readRow(ctx: Ctx, tableId: string, rowId: string): Promise<JsonText<typeof Row>> {
    if (!isId('tbl', tableId)) throw notFound('tbl');
    const found = await this.database.queryOne(ctx, ROW, [tenantOf(ctx), tableId, rowId], 'read');
    if (!found) throw notFound('tbl');
    if (found.json === null) throw notFound('row');
    return found.json;
  }

  /**
   * @returns value and cell as JSON text, null when only the value is known, and the job that the value is from
   * @throws AppError table_not_found; not_found for a row or a column that the table does not have
   */
  async readCell(
    ctx: Ctx,
    cell: { tableId: string; rowId: string; key: string },
  ): Promise<{ value: string; cell: string; jobId: string | null }> {
    if (!isId('tbl', cell.tableId)) throw notFound('tbl');
    // A key that cannot be stored belongs to no column.
    const key = isStorableText(cell.key) ? cell.key : null;
    const found = await this.database.queryOne(
      ctx,
      CELL,
      [tenantOf(ctx), cell.tableId, cell.rowId, key],
      'read',
    );
    if (!found) throw notFound('tbl');
    if (found.value === null) throw new AppError('not_found', 'Cell not found in this table.');
    return { value: found.value, cell: found.cell ?? 'null', jobId: found.job_id };
  }
}

/** Views of a tenant; beyond it the oldest are deleted. 400 KB each at most. */
const VIEWS_MAX = 200;
const LIFE = `interval '1 hour'`;

const OPEN_HEAD = `tables.tables t JOIN tables.workspaces w
  ON w.org_id = t.org_id AND w.id = t.workspace_id AND w.archived_at IS NULL`;
const HEAD = `SELECT t.row_set, t.row_count, t.revision, t.columns FROM ${OPEN_HEAD} WHERE ${ofTenant('t')} AND t.id = $2`;

const READ_HEAD = statement(
  'table-views.readHead',
  `SELECT head.columns, head.row_set FROM (${HEAD}) AS head`,
).rows<{ columns: ColumnJson[] }>();

const FORGET_OLD = statement(
  'table-views.forgetOld',
  `
  DELETE FROM tables.views v WHERE ${ofTenant('v')} AND (v.expires_at < clock_timestamp() OR v.id IN (
    SELECT id FROM tables.views WHERE ${ofTenant()} ORDER BY created_at DESC, id DESC OFFSET $2::int - 1))`,
);

// Sorts only positions and keys: whole rows would be sorted on disk. The row set is passed as a value, so that the planner knows
// its size; if it has changed since, no view is made.
function insertSql({ where, keys, orderBy }: Omit<ViewSql, 'params'>): string {
  return `
  WITH head AS MATERIALIZED (${HEAD}), shown AS (
    SELECT coalesce(array_agg(row.position ORDER BY ${orderBy}), '{}') AS positions FROM (
      SELECT r.position::int AS position${keys}
      FROM tables.rows r WHERE r.org_id = ${TENANT_ORG} AND r.row_set = $4::bigint AND ${where} OFFSET 0) AS row
  ), made AS (
    INSERT INTO tables.views AS v (org_id, mode, id, table_id, positions, row_count, revision, expires_at)
    SELECT ${TENANT}, $3, $2, shown.positions, cardinality(shown.positions), head.revision, clock_timestamp() + ${LIFE}
    FROM head, shown WHERE head.row_set = $4::bigint
    RETURNING v.id, v.table_id, v.row_count, v.revision, ${isoTime('v.expires_at')} AS expires_at,
      json_build_object('window', '/v1/tables/' || v.table_id || '/window?view=' || v.id) AS links
  )
  SELECT row_to_json(made)::text AS json FROM made`;
}

const INSERT = statement(
  'table-views.insert',
  insertSql({ where: 'TRUE', keys: '', orderBy: 'position' }),
).rows<{ json: JsonText<typeof TableView> }>();

/** Returns SQL of `{"items":[…],"from","row_count","revision"}`. */
const windowText = (items: string, rowCount: string): string =>
  `'{"items":[' || coalesce((${items}), '') || '],"from":' || $3::int || ',"row_count":' || ${rowCount}
    || ',"revision":' || head.revision || '}'`;

const WINDOW = statement(
  'table-views.window',
  `
  WITH head AS MATERIALIZED (${HEAD})
  SELECT ${windowText(
    `SELECT string_agg(${ROW_TEXT}, ',' ORDER BY r.position) FROM tables.rows r
     WHERE r.org_id = ${TENANT_ORG} AND r.row_set = head.row_set
       AND r.position >= $3::bigint AND r.position < $3::bigint + $4::bigint`,
    'head.row_count',
  )} AS json FROM head`,
)
  .rows<{ json: JsonText<typeof TableWindow> }>()
  .prepared();

// Rows of a slice are joined by their key: it has at most 500, whatever the planner assumes.
const VIEW_WINDOW = statement(
  'table-views.viewWindow',
  `
  WITH head AS MATERIALIZED (${HEAD}), view AS MATERIALIZED (
    SELECT v.row_count, v.expires_at, v.positions[$3::int + 1 : $3::int + $4::int] AS positions
    FROM tables.views v
    WHERE ${ofTenant('v')} AND v.id = $5 AND v.table_id = $2 AND v.expires_at > clock_timestamp()
  )
  SELECT CASE WHEN view.row_count IS NOT NULL THEN ${windowText(
    `SELECT string_agg(one.item, ',' ORDER BY place.n)
     FROM unnest(view.positions) WITH ORDINALITY AS place (position, n)
     CROSS JOIN LATERAL (
       SELECT ${ROW_TEXT} AS item FROM tables.rows r
       WHERE r.org_id = ${TENANT_ORG} AND r.row_set = head.row_set AND r.position = place.position OFFSET 0) AS one`,
    'view.row_count',
  )} END AS json, coalesce(view.expires_at < clock_timestamp() + interval '55 minutes', FALSE) AS is_use_due
  FROM head LEFT JOIN view ON TRUE`,
)
  .rows<{ json: JsonText<typeof TableWindow> | null; is_use_due: boolean }>()
  .prepared();

const KEEP_LONGER = statement(
  'table-views.keepLonger',
  `UPDATE tables.views SET expires_at = clock_timestamp() + ${LIFE} WHERE ${ofTenant()} AND id = $2`,
);

const ROW = statement(
  'table-views.row',
  `
  WITH head AS MATERIALIZED (${HEAD})
  SELECT (SELECT ${ROW_TEXT} FROM tables.rows r WHERE ${isRow('r', '$3', TENANT_ORG, 'head.row_set')}) AS json
  FROM head`,
).rows<{ json: JsonText<typeof Row> | null }>();

const CELL = statement(
  'table-views.cell',
  `
  WITH head AS MATERIALIZED (${HEAD})
  SELECT (r.cell_values -> $4)::text AS value, (r.cells -> $4)::text AS cell,
    r.cells -> $4 -> 'source' ->> 'job_id' AS job_id
  FROM head LEFT JOIN tables.rows r ON ${isRow('r', '$3', TENANT_ORG, 'head.row_set')}`,
);
