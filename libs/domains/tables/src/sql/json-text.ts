/** SQL for response bodies that PostgreSQL writes, so that no process between it and the client parses them. */

interface OffsetPageSql {
  /** Columns that identify one row. */
  key: string;
  /** Table and its alias, such as `tables.workspaces w`. */
  from: string;
  alias: string;
  where: string;
  orderBy: string;
  /** Select list of one item; its names become the members of the JSON object. */
  item: string;
  /** Placeholders of the page, such as `$2`. */
  limit: string;
  offset: string;
}

/**
 * @returns a SELECT with one text value: `{"items":[…],"next_offset":…}`. It reads one more row than the page, to know whether
 * there is a next page, and does not show it. The page is found by its keys before its rows are read, so that an offset costs
 * only index steps.
 */
export function offsetPage(sql: OffsetPageSql): string {
  const end = `(${sql.offset}::bigint + ${sql.limit}::bigint)`;
  return `
    SELECT '{"items":['
        || coalesce(string_agg(row_to_json(page.item)::text, ',' ORDER BY page.n) FILTER (WHERE page.n <= ${sql.limit}::bigint), '')
        || '],"next_offset":' || CASE WHEN count(*) > ${sql.limit}::bigint THEN ${end}::text ELSE 'null' END || '}'
    FROM (
      SELECT (SELECT item FROM (SELECT ${sql.item}) AS item) AS item, row_number() OVER (ORDER BY ${sql.orderBy}) AS n
      FROM (
        SELECT ${sql.key} FROM ${sql.from} ${sql.alias} WHERE ${sql.where}
        ORDER BY ${sql.orderBy} LIMIT ${sql.limit}::bigint + 1 OFFSET ${sql.offset}::bigint
      ) AS found JOIN ${sql.from} ${sql.alias} USING (${sql.key})
    ) AS page`;
}
