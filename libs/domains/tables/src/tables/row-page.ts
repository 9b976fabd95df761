import { AppError } from '@quarry/error-codes';
import type { JsonBody, RowPage } from '@quarry/dto';
import type { CursorBinding, CursorSigner, Ctx } from '@quarry/app';
import { TENANT_ORG, tenantOf, type Database, type Statement } from '@quarry/postgres';

/** Fit of a row that nothing has evaluated: no evidence means unknown. Source: docs/contract.md#4-tables. */
const UNKNOWN_FIT = '{"status":"unknown","score":null,"reason":null,"criteria":[]}';

/** Contract resource Row, from `tables.rows r`. */
export const ROW_ITEM = `r.id, r.cell_values AS "values", r.cells, coalesce(r.fit, '${UNKNOWN_FIT}'::jsonb) AS fit`;

/** The same as JSON text. Put together by hand: row_to_json reads again what jsonb has printed. Ids have nothing to escape. */
export const ROW_TEXT = `'{"id":"' || r.id || '","values":' || r.cell_values::text || ',"cells":' || r.cells::text
  || ',"fit":' || coalesce(r.fit::text, '${UNKNOWN_FIT}') || '}'`;

/** Names that cursors are signed for. Clients keep cursors, so that these stay whatever calls and routes are called. */
export const ROW_LISTS = { live: 'tables.rows.list', frozen: 'tables.frozen-rows.list' } as const;

// Positions count from 0.
const BEFORE_FIRST = '-1';
/** 2^62: no row lies here, and a limit can still be added. A forged cursor reads from here: nothing. */
const BEYOND_LAST = '4611686018427387904';

interface RowPageQuery {
  /** Gives the page: see {@link rowPage}. */
  sql: RowPageStatement;
  /** Parameters that name the head, in its order. */
  headParams: readonly string[];
  binding: CursorBinding;
  limit: number;
  cursor: string | null;
}

/** A row of a page as {@link rowPage} gives it: columns of JSON are text, and all but the count are null where the page has no row. */
export type PageRow = {
  rowCount: number;
  id: string | null;
  values: string | null;
  cells: string | null;
  fit: string | null;
};

/** A statement of {@link rowPage}, with what names the head as its parameters between tenant, limit and position. */
export type RowPageStatement = Statement<readonly unknown[], PageRow>;

/**
 * PostgreSQL prints each document once, straight into its answer, and the rows are put together here. Joined by the
 * server, a page was copied several times, into new memory each time, which took as long as all the rest of it.
 * @param headSql a SELECT of `row_set` and `row_count` from the table's head; `$1` is the tenant, and what names the
 *   head follows
 * @param last number of the head's last parameter; the limit and the position come next
 * @returns the text of a statement that reads the head, and the rows after the position by index
 */
export function rowPage(headSql: string, last: number): string {
  const [limit, position] = [last + 1, last + 2];
  // OFFSET 0 keeps the rows below the head, so that they are found by the index and come in its order.
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
 * Reads one page of rows in one statement: the head, and the rows after the cursor by index. Positions have no gaps,
 * so both ends of the page are known, and no plan, however badly estimated, can read more than the page: the last
 * page costs what the first one costs.
 * @returns `{"items":[…],"next_cursor":…}`, or null when there is no such table
 * @throws AppError invalid_cursor, but only for a table that exists: a table is found before its cursor is checked
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

/** Writes each row where it belongs: one text of all of them would be copied, counted and encoded, for twice the time. */
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

/** Contract resource Row. Ids have nothing to escape. */
function itemText({ id, values, cells, fit }: PageRow): string {
  return `{"id":"${id}","values":${values},"cells":${cells},"fit":${fit}}`;
}
