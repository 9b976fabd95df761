import { systemCtx, type RetentionRule } from '@quarry/app';
import type { Database } from '@quarry/postgres';
import { deleteExpiredExports } from './exports/expired-exports.js';
import { statement } from './statements.types.js';

// Small, so that few rows are locked at a time: some tenths of a second for rows of usual width.
const ROWS_PER_STATEMENT = 10_000;
// The bytes are deleted too, up to some hundred megabytes for each export.
const EXPORTS_PER_STATEMENT = 20;

const ctx = systemCtx('retention');

/** Default number of days that an archived workspace is kept. */
export const ARCHIVED_DAYS = 30;

/**
 * Returns the retention of tables: deletes expired exports, and archived workspaces with everything in them.
 * @param archivedDays days that a workspace is kept after it was archived
 */
export function tableRetention(
  database: Database,
  { archivedDays }: { archivedDays: number },
): RetentionRule[] {
  return [
    { what: 'exports', removeSome: () => deleteExpiredExports(database, ctx) },
    { what: 'archived workspaces', removeSome: () => deleteFromArchived(database, archivedDays) },
  ];
}

interface ArchivedWorkspace {
  orgId: string;
  id: string;
}

/**
 * Deletes one piece of the workspace that was archived first: rows, then their tables, exports, and finally the workspace.
 * @returns the number of pieces
 */
async function deleteFromArchived(database: Database, archivedDays: number): Promise<number> {
  const due = await database.queryOne(ctx, FIND_ARCHIVED, [archivedDays]);
  if (!due) return 0;
  const workspace = { orgId: due.org_id, id: due.id };
  // No writer can interfere: writers lock the workspace as open.
  const isEmpty =
    !(await deleteFromTable(database, workspace)) && !(await deleteExports(database, workspace));
  if (isEmpty) await database.query(ctx, DELETE_WORKSPACE, [workspace.orgId, workspace.id]);
  return 1;
}

/** @returns whether there was a table, live or frozen */
async function deleteFromTable(database: Database, { orgId, id }: ArchivedWorkspace): Promise<boolean> {
  const table = await database.queryOne(ctx, FIND_TABLE, [orgId, id]);
  if (!table) return false;
  const rows = await database.query(ctx, DELETE_ROWS, [table.row_set, orgId]);
  if (rows.length === ROWS_PER_STATEMENT) return true;
  for (const sql of [DELETE_LIVE, DELETE_FROZEN]) await database.query(ctx, sql, [orgId, table.row_set]);
  return true;
}

/** @returns whether there was an export */
async function deleteExports(database: Database, { orgId, id }: ArchivedWorkspace): Promise<boolean> {
  const gone = await database.query(ctx, DELETE_EXPORTS, [orgId, id]);
  return gone.length > 0;
}

const FIND_ARCHIVED = statement(
  'archived-workspaces.findArchived',
  `
  SELECT org_id, id FROM tables.workspaces
  WHERE archived_at IS NOT NULL AND archived_at < clock_timestamp() - make_interval(days => $1)
  ORDER BY archived_at LIMIT 1`,
);

const DELETE_WORKSPACE = statement(
  'archived-workspaces.deleteWorkspace',
  'DELETE FROM tables.workspaces WHERE org_id = $1 AND id = $2 AND archived_at IS NOT NULL',
);

const FIND_TABLE = statement(
  'archived-workspaces.findTable',
  `
  SELECT row_set FROM tables.tables WHERE org_id = $1 AND workspace_id = $2
  UNION ALL SELECT row_set FROM tables.frozen_tables WHERE org_id = $1 AND workspace_id = $2 LIMIT 1`,
);

const DELETE_ROWS = statement(
  'archived-workspaces.deleteRows',
  `
  DELETE FROM tables.rows WHERE row_set = $1 AND org_id = $2 AND position IN (
    SELECT position FROM tables.rows WHERE row_set = $1 ORDER BY position DESC LIMIT ${ROWS_PER_STATEMENT})
  RETURNING 1`,
);

const DELETE_EXPORTS = statement(
  'archived-workspaces.deleteExports',
  `
  DELETE FROM tables.exports WHERE org_id = $1 AND id IN (
    SELECT id FROM tables.exports WHERE org_id = $1 AND workspace_id = $2 LIMIT ${EXPORTS_PER_STATEMENT})
  RETURNING 1`,
);

const DELETE_LIVE = statement(
  'archived-workspaces.deleteLive',
  'DELETE FROM tables.tables WHERE org_id = $1 AND row_set = $2',
);

const DELETE_FROZEN = statement(
  'archived-workspaces.deleteFrozen',
  'DELETE FROM tables.frozen_tables WHERE org_id = $1 AND row_set = $2',
);
