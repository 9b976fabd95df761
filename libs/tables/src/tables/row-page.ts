import { AppError } from '@quarry/error-codes';
import type { JsonText } from '@quarry/dto';
import type { CursorBinding, CursorSigner, Database, Ctx } from '@quarry/platform';

/** Fit of a row that nothing has judged: no evidence means unknown. Source: contract decisions, section 4. */
export const UNKNOWN_FIT = '{"status":"unknown","score":null,"reason":null,"criteria":[]}';

/** Contract resource Row, from `tables.rows r`. */
export const ROW_ITEM = `r.id, r.cell_values AS "values", r.cells, coalesce(r.fit, '${UNKNOWN_FIT}'::jsonb) AS fit`;

/** A place in the order of a row set. -1 lies before the first row. */
type Position = string;
const BEFORE_FIRST: Position = '-1';
/** 2^62: no row lies here, and a limit can still be added. A forged cursor reads from here: nothing. */
const BEYOND_LAST: Position = '4611686018427387904';

interface RowPageQuery {
  /** A SELECT for the head: one `row_set bigint` under `$1` (organisation) and the parameters that follow. */
  headSql: string;
  headParams: unknown[];
  binding: CursorBinding;
  limit: number;
  cursor: string | null;
}

interface PageRow {
  row_set: string | null;
  items: string | null;
  last: string | null;
  more: boolean;
  [column: string]: unknown;
}

/**
 * Reads one page of rows in one statement: the head, and the rows after the cursor by index. Positions have no gaps,
 * so both ends of the page are known, and no plan, however badly estimated, can read more than the page: the last
 * page costs what the first one costs.
 * @returns `{"items":[…],"next_cursor":…}`, or null when there is no such table
 * @throws AppError invalid_cursor, but only for a table that exists: a table is found before its cursor is judged
 */
export async function readRowPage(
  database: Database,
  cursors: CursorSigner,
  ctx: Ctx,
  query: RowPageQuery,
): Promise<JsonText | null> {
  const after = query.cursor === null ? BEFORE_FIRST : cursors.open(query.binding, query.cursor);
  const [limit, position] = [query.headParams.length + 2, query.headParams.length + 3];
  const page = await database.queryOne<PageRow>(
    ctx,
    `WITH head AS MATERIALIZED (${query.headSql})
     SELECT (SELECT row_set FROM head) AS row_set,
            string_agg(row_to_json(page.item)::text, ',' ORDER BY page.position) FILTER (WHERE page.n <= $${limit}) AS items,
            max(page.position) FILTER (WHERE page.n <= $${limit}) AS last,
            count(*) > $${limit} AS more
     FROM (
       SELECT (SELECT item FROM (SELECT ${ROW_ITEM}) AS item) AS item, r.position,
              row_number() OVER (ORDER BY r.position) AS n
       FROM tables.rows r
       WHERE r.org_id = $1 AND r.row_set = (SELECT row_set FROM head) AND r.position > $${position}::bigint
         AND r.position <= $${position}::bigint + $${limit}::bigint + 1
       ORDER BY r.position
       LIMIT $${limit}::bigint + 1
     ) AS page`,
    [ctx.orgId, ...query.headParams, query.limit, after ?? BEYOND_LAST],
  );
  if (!page || page.row_set === null) return null;
  if (after === null) throw new AppError('invalid_cursor', 'The cursor does not belong to this list.');
  const next =
    page.more && page.last !== null ? JSON.stringify(cursors.sign(query.binding, page.last)) : 'null';
  return `{"items":[${page.items ?? ''}],"next_cursor":${next}}`;
}
