import { ofTenant } from '@quarry/postgres';

/**
 * Returns the SQL condition that a row's workspace is not archived (contents of archived ones answer 404). It reads a view of the
 * tables service.
 * @param alias of a table with the columns `org_id`, `mode` and `workspace_id`
 */
export function isInOpenWorkspace(alias: string): string {
  return `EXISTS (SELECT 1 FROM tables.open_workspaces w WHERE w.org_id = ${alias}.org_id AND w.mode = ${alias}.mode AND w.id = ${alias}.workspace_id)`;
}

/**
 * Returns the same condition for lists with a large offset: it reads the open workspaces of `$1` once and keeps the order of the
 * rows. A join would sort all rows, or look each one up.
 */
export function isInOpenWorkspaceOfTenant(alias: string): string {
  return `(${alias}.workspace_id IN (SELECT w.id FROM tables.open_workspaces w WHERE ${ofTenant('w')})) IS TRUE`;
}

/**
 * Returns the SQL condition that a table was deleted, or its workspace archived.
 * @param alias of a table with the columns `org_id` and `mode`
 * @param id SQL of the table's id
 */
export function isTableGone(alias: string, id: string): string {
  return `NOT EXISTS (SELECT 1 FROM tables.tables t
    JOIN tables.open_workspaces w ON w.org_id = t.org_id AND w.mode = t.mode AND w.id = t.workspace_id
    WHERE t.org_id = ${alias}.org_id AND t.mode = ${alias}.mode AND t.id = ${id})`;
}

/**
 * Returns the SQL condition that a row's workspace has been deleted, from a view of the tables service. A workspace is created in
 * the transaction of its first run, so it always exists until then.
 * @param alias of a table with the columns `org_id`, `mode` and `workspace_id`
 */
export function isWorkspaceGone(alias: string): string {
  return `NOT EXISTS (SELECT 1 FROM tables.known_workspaces w WHERE w.org_id = ${alias}.org_id AND w.mode = ${alias}.mode AND w.id = ${alias}.workspace_id)`;
}
