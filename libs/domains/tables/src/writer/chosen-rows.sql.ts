/*
 * Rows are found by scalar subqueries and laterals instead of joins: a new table has no statistics, and the planner, who then expects
 * few rows of it, went through all of them for each list that is named (tools/statement-plans.db.spec.ts).
 */

/**
 * @param ids a set of one column, such as `unnest($4::text[])`
 * @param orgId an expression, like `rowSet`
 * @returns SQL of the array of the rows' positions, for `position = ANY (…)`
 */
export const positionsOf = (ids: string, orgId: string, rowSet: string): string => `ARRAY(
  SELECT (SELECT o.position FROM tables.rows o WHERE o.org_id = ${orgId} AND o.row_set = ${rowSet} AND o.id = named.id)
  FROM ${ids} AS named (id))`;

/** @returns SQL of a table `r` with the rows of a set that meet a condition, which may refer to earlier items of the FROM list */
export const rowsWhere = (condition: string, orgId: string, rowSet: string): string => `CROSS JOIN LATERAL (
  SELECT o.* FROM tables.rows o WHERE o.org_id = ${orgId} AND o.row_set = ${rowSet} AND ${condition} OFFSET 0) AS r`;
