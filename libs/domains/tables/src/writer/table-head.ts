import type { ColumnJson } from '@quarry/dto';
import { isId, notFound, type Ctx } from '@quarry/app';
import { type Database, type TxCtx, ofTenant, tenantOf } from '@quarry/postgres';
import { statement } from '../statements.types.js';

/** The row of `tables.tables` as writers need it. Counters are numbers, 64-bit numbers are text. */
export interface TableHead {
  id: string;
  workspaceId: string;
  name: string;
  columns: ColumnJson[];
  rowSet: string;
  rowCount: number;
  qualified: number;
  disqualified: number;
}

const HEAD = `t.id, t.workspace_id AS "workspaceId", t.name, t.columns, t.row_set AS "rowSet",
    t.row_count AS "rowCount", t.qualified, t.disqualified`;

const IS_OWN_AND_OPEN = `WHERE ${ofTenant('t')} AND t.id = $2
    AND w.org_id = t.org_id AND w.id = t.workspace_id AND w.archived_at IS NULL`;

const READ_HEAD = statement(
  'table-head.read',
  `SELECT ${HEAD} FROM tables.tables t, tables.workspaces w ${IS_OWN_AND_OPEN}`,
).rows<{ columns: ColumnJson[] }>();

// A writer that locks a table changes it, so the revision is raised here, where no writer can forget it.
const LOCK_HEAD = statement(
  'table-head.lock',
  `
  UPDATE tables.tables t SET revision = t.revision + 1, changed_at = clock_timestamp() FROM tables.workspaces w
  ${IS_OWN_AND_OPEN} RETURNING ${HEAD}`,
).rows<{ columns: ColumnJson[] }>();

/** @throws AppError table_not_found */
export async function readHead(database: Database, ctx: Ctx | TxCtx, tableId: string): Promise<TableHead> {
  return headOrThrow(database, ctx, tableId, READ_HEAD);
}

/**
 * Locks the table for writing until the transaction ends. All writers of one table queue here, which keeps its counters and
 * positions exact without row locks.
 * @throws AppError table_not_found
 */
export async function lockHead(database: Database, tx: TxCtx, tableId: string): Promise<TableHead> {
  return headOrThrow(database, tx, tableId, LOCK_HEAD);
}

/** Like {@link lockHead}. @returns null when the table was deleted, or its workspace is archived */
export async function lockHeadIfThere(
  database: Database,
  tx: TxCtx,
  tableId: string,
): Promise<TableHead | null> {
  return isId('tbl', tableId) ? database.queryOne(tx, LOCK_HEAD, [tenantOf(tx), tableId]) : null;
}

async function headOrThrow(
  database: Database,
  ctx: Ctx | TxCtx,
  tableId: string,
  sql: typeof READ_HEAD,
): Promise<TableHead> {
  if (!isId('tbl', tableId)) throw notFound('tbl');
  const head = await database.queryOne(ctx, sql, [tenantOf(ctx), tableId]);
  if (!head) throw notFound('tbl');
  return head;
}
