/*
 * Rows are found by scalar subqueries and laterals instead of joins: a new table has no statistics, and the planner, who then expects
 * few rows of it, went through all of them for each list that is named (tools/statement-plans.db.spec.ts).
 */

/**
 * Returns SQL of the condition that a row is that of an id. `+ 0` keeps the index of positions out: statistics do not know
 * a new set, and the planner, who then expects one row in it, went through all of its rows for each id.
 * @param row alias of `tables.rows`
 * @param id an expression, like `orgId` and `rowSet`
 */
export const isRow = (row: string, id: string, orgId: string, rowSet: string): string =>
  `${row}.org_id = ${orgId} AND ${row}.id = ${id} AND ${row}.row_set + 0 = ${rowSet}`;

/**
 * @param ids a set of one column, such as `unnest($4::text[])`
 * @param orgId an expression, like `rowSet`
 * @returns SQL of the array of the rows' positions, for `position = ANY (…)`
 */
export const positionsOf = (ids: string, orgId: string, rowSet: string): string => `ARRAY(
  SELECT (SELECT o.position FROM tables.rows o WHERE ${isRow('o', 'named.id', orgId, rowSet)})
  FROM ${ids} AS named (id))`;

/** @returns SQL of a table `r` with the row of an id in a set; `id` may refer to earlier items of the FROM list */
export const rowWithId = (id: string, orgId: string, rowSet: string): string => `CROSS JOIN LATERAL (
  SELECT o.* FROM tables.rows o WHERE ${isRow('o', id, orgId, rowSet)} OFFSET 0) AS r`;

/** @returns SQL of a table `r` with the row of a position in a set; `position` may refer to earlier items of the FROM list */
export const rowAt = (position: string, orgId: string, rowSet: string): string => `CROSS JOIN LATERAL (
  SELECT o.* FROM tables.rows o WHERE o.org_id = ${orgId} AND o.row_set = ${rowSet} AND o.position = ${position} OFFSET 0) AS r`;
