/**
 * Returns the SQL condition that a row's workspace is not archived: what is in an archived one answers 404. It reads the view that
 * the tables service keeps for others.
 * @param alias of a table with the columns `org_id`, `mode` and `workspace_id`
 */
export function isInOpenWorkspace(alias: string): string {
  return `EXISTS (SELECT 1 FROM tables.open_workspaces w WHERE w.org_id = ${alias}.org_id AND w.mode = ${alias}.mode AND w.id = ${alias}.workspace_id)`;
}
