import { AppError } from '@quarry/error-codes';
import type { JsonBody, RowPage } from '@quarry/dto';
import type { CursorSigner, Ctx } from '@quarry/app';
import { TENANT_ORG, tenantOf, type Database, type Statement } from '@quarry/postgres';

/** Fit of a row that was never evaluated: no evidence means unknown. Source: docs/contract.md#4-tables. */
const UNKNOWN_FIT = '{"status":"unknown","score":null,"reason":null,"criteria":[]}';

/** Contract resource Row, from `tables.rows r`. */
export const ROW_ITEM = `r.id, r.cell_values AS "values", r.cells, coalesce(r.fit, '${UNKNOWN_FIT}'::jsonb) AS fit`;

/** The same as JSON text, concatenated by hand because row_to_json parses what jsonb has printed. Ids need no escaping. */
export const ROW_TEXT = `'{"id":"' || r.id || '","values":' || r.cell_values::text || ',"cells":' || r.cells::text
  || ',"fit":' || coalesce(r.fit::text, '${UNKNOWN_FIT}') || '}'`;

/** Names under which cursors are signed. Clients store cursors, so these stay when calls and routes are renamed. */
export const ROW_LISTS = { live: 'tables.rows.list', frozen: 'tables.frozen-rows.list' } as const;

// Positions count from 0.
const BEFORE_FIRST = '-1';
/** 2^62: beyond every row, but a limit can still be added. Forged cursors start here and find nothing. */
const BEYOND_LAST = '4611686018427387904';

interface RowPageQuery {
  /** Statement of the page: see {@link rowPage}. */
  sql: RowPageStatement;
  /** Parameters that identify the head, in order. */
  headParams: readonly string[];
  binding: Parameters<CursorSigner['signCursor']>[0];
  limit: number;
  cursor: string | null;
}

/**
 * A row of a page as {@link rowPage} returns it: JSON columns are text, and everything but the count is null when the page has no
 * row.
 */
export type PageRow = {
  rowCount: number;
  id: string | null;
  values: string | null;
  cells: string | null;
  fit: string | null;
};

/** A statement of {@link rowPage}. The parameters of the head are between tenant and limit. */
export type RowPageStatement = Statement<readonly unknown[], PageRow>;

/**
 * PostgreSQL prints each document once, straight into its answer, and the page is assembled here. Aggregated by the server, a
 * page was copied several times, into new memory each time, which took as long as everything else together.
 * @param headSql a SELECT of `row_set` and `row_count` from the table's head; `$1` is the tenant, followed by the parameters that
 * identify the head
 * @param last number of the head's last parameter, before limit and position
 * @returns the text of a statement that reads the head, and the rows after the position by index
 */
export function rowPage(headSql: string, last: number): string {
  const [limit, position] = [last + 1, last + 2];
  // OFFSET 0 keeps the planner from merging the subquery, so that rows are found by the index and in its order.
  return `
  WITH head AS MATERIALIZED (${headSql})
  SELECT head.row_count AS "rowCount", page.id, page.cell_values AS "values", page.cells, page.fit
  FROM head LEFT JOIN LATERAL (
    SELECT r.id, r.cell_values, r.cells, coalesce(r.fit, '${UNKNOWN_FIT}'::jsonb) AS fit
    FROM tables.rows r
    WHERE r.org_id = ${TENANT_ORG} AND r.row_set = head.row_set
      AND r.position > $${position}::bigint AND r.position <= $${position}::bigint + $${limit}::bigint
    ORDER BY r.position OFFSET 0
  ) AS page ON TRUE`;
}

/**
 * Reads one page of rows in one statement: the head, and the rows after the cursor by index. Positions have no gaps, so both ends
 * of the page are known, and no plan, however badly estimated, reads more than the page: the last page costs as much as the
 * first.
 * @returns `{"items":[…],"next_cursor":…}`, or null when there is no such table
 * @throws AppError invalid_cursor, but only for a table that exists: a table is looked up before its cursor is checked
 */
export async function readRowPage(
  database: Database,
  cursors: CursorSigner,
  ctx: Ctx,
  query: RowPageQuery,
): Promise<JsonBody<typeof RowPage> | null> {
  const after = query.cursor === null ? BEFORE_FIRST : cursors.openCursor(query.binding, query.cursor);
  const rows = await database.query(
    ctx,
    query.sql,
    [tenantOf(ctx), ...query.headParams, query.limit, after ?? BEYOND_LAST],
    'list',
  );
  const [first] = rows;
  if (!first) return null;
  if (after === null) throw new AppError('invalid_cursor', 'The cursor does not belong to this list.');
  const last = Number(after) + query.limit;
  const next =
    first.rowCount > last + 1 ? JSON.stringify(cursors.signCursor(query.binding, String(last))) : 'null';
  return pageBytes(first.id === null ? [] : rows.map(itemText), next);
}

/** Writes each row directly into the buffer: one text of all rows would be copied, counted and encoded, for twice the time. */
function pageBytes(items: readonly string[], next: string): Buffer {
  const [head, tail] = ['{"items":[', `],"next_cursor":${next}}`];
  const length = items.reduce((sum, item) => sum + Buffer.byteLength(item) + 1, head.length + tail.length);
  const bytes = Buffer.allocUnsafe(length);
  let end = bytes.write(head);
  items.forEach((item, i) => {
    end += bytes.write(i === 0 ? item : `,${item}`, end);
  });
  end += bytes.write(tail, end);
  return bytes.subarray(0, end);
}

/** Contract resource Row. Ids need no escaping. */
function itemText({ id, values, cells, fit }: PageRow): string {
  return `{"id":"${id}","values":${values},"cells":${cells},"fit":${fit}}`;
}
