import { ofTenant } from '@quarry/postgres';

// An `alias` names a table with the columns `org_id`, `mode` and `workspace_id`. The conditions read views of the tables service.

/** Returns the SQL condition that a row's workspace is not archived: contents of archived ones answer 404. */
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

/** Returns the SQL condition that a table was deleted or its workspace archived. */
export function isTableGone(alias: string, id: string): string {
  return `NOT EXISTS (SELECT 1 FROM tables.tables t
    WHERE t.org_id = ${alias}.org_id AND t.mode = ${alias}.mode AND t.id = ${id} AND ${isInOpenWorkspace('t')})`;
}

/** Returns the SQL condition that a row's workspace has been deleted; it exists from the transaction of its first run on. */
export function isWorkspaceGone(alias: string): string {
  return `NOT EXISTS (SELECT 1 FROM tables.known_workspaces w WHERE w.org_id = ${alias}.org_id AND w.mode = ${alias}.mode AND w.id = ${alias}.workspace_id)`;
}
