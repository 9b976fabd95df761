import { ofTenant } from '@quarry/postgres';

/**
 * Returns the SQL condition that a row's workspace is not archived: what is in an archived one answers 404. It reads the view that
 * the tables service keeps for others.
 * @param alias of a table with the columns `org_id`, `mode` and `workspace_id`
 */
export function isInOpenWorkspace(alias: string): string {
  return `EXISTS (SELECT 1 FROM tables.open_workspaces w WHERE w.org_id = ${alias}.org_id AND w.mode = ${alias}.mode AND w.id = ${alias}.workspace_id)`;
}

/**
 * Returns the same condition for lists that pass over many rows: the open workspaces of `$1` are read once, and the rows keep their
 * order. A join with them becomes a sort of all rows, or a look-up for each.
 */
export function isInOpenWorkspaceOfTenant(alias: string): string {
  return `(${alias}.workspace_id IN (SELECT w.id FROM tables.open_workspaces w WHERE ${ofTenant('w')})) IS TRUE`;
}

/**
 * Returns the SQL condition that a row's workspace does not exist any more, by the view that the tables service keeps for others. A
 * workspace is made in the transaction of its first run.
 * @param alias of a table with the columns `org_id`, `mode` and `workspace_id`
 */
export function isWorkspaceGone(alias: string): string {
  return `NOT EXISTS (SELECT 1 FROM tables.known_workspaces w WHERE w.org_id = ${alias}.org_id AND w.mode = ${alias}.mode AND w.id = ${alias}.workspace_id)`;
}
