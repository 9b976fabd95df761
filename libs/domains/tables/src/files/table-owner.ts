import { isId, notFound, type Ctx } from '@quarry/app';
import type { Database } from '@quarry/postgres';
import { statement } from '../statements.types.js';

/**
 * For operators, who name a workspace or a table but no organisation. Never for a request: its organisation comes from the key,
 * and a foreign id must not be found.
 * @returns the organisation that owns the workspace
 * @throws AppError workspace_not_found
 */
export async function orgOfWorkspace(database: Database, ctx: Ctx, workspaceId: string): Promise<string> {
  if (!isId('ws', workspaceId)) throw notFound('ws');
  const row = await database.queryOne(ctx, OF_WORKSPACE, [workspaceId]);
  if (!row) throw notFound('ws');
  return row.org_id;
}

/** Like {@link orgOfWorkspace}, for a table. @throws AppError table_not_found */
export async function orgOfTable(database: Database, ctx: Ctx, tableId: string): Promise<string> {
  if (!isId('tbl', tableId)) throw notFound('tbl');
  const row = await database.queryOne(ctx, OF_TABLE, [tableId]);
  if (!row) throw notFound('tbl');
  return row.org_id;
}

const OF_WORKSPACE = statement(
  'table-owner.ofWorkspace',
  'SELECT org_id FROM tables.workspaces WHERE id = $1 AND archived_at IS NULL',
);

const OF_TABLE = statement('table-owner.ofTable', 'SELECT org_id FROM tables.tables WHERE id = $1');
