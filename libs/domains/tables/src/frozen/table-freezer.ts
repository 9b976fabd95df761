import { Injectable } from '@nestjs/common';
import type { ColumnJson, FitCounts } from '@quarry/dto';
import { Database, type TxCtx, ofTenant, tenantOf } from '@quarry/postgres';
import { lockHead } from '../writer/table-head.js';
import { FROZEN_COLUMNS } from './frozen-head.js';
import { statement } from '../statements.types.js';

/** Freezes tables in the transaction of the run that publishes them. */
@Injectable()
export class TableFreezer {
  constructor(private readonly database: Database) {}

  /**
   * Copies a live table with its order, columns, fits and counters. A key that the run has frozen already is left unchanged, so a
   * replay has no effect.
   * @throws AppError table_not_found
   */
  async freezeTable(
    tx: TxCtx,
    { runId, tableId, key }: { runId: string; tableId: string; key: string },
  ): Promise<{ rowCount: number; fitCounts: FitCounts }> {
    const live = await lockHead(this.database, tx, tableId);
    const made = await this.database.queryOne(tx, FREEZE_HEAD, [tenantOf(tx), tableId, runId, key]);
    if (made) await this.database.query(tx, FREEZE_ROWS, [tx.orgId, live.rowSet, made.rowSet]);
    const frozen = made ?? (await this.database.queryOne(tx, FIND, [tenantOf(tx), runId, key]))!;
    const { rowCount, qualified, disqualified } = frozen;
    return { rowCount, fitCounts: { qualified, disqualified, unknown: rowCount - qualified - disqualified } };
  }
}

const FREEZE_HEAD = statement(
  'table-freezer.freezeHead',
  `
  INSERT INTO tables.frozen_tables AS f
    (org_id, mode, run_id, key, workspace_id, table_id, name, columns, row_count, qualified, disqualified)
  SELECT t.org_id, t.mode, $3, $4, t.workspace_id, t.id, t.name, t.columns, t.row_count, t.qualified, t.disqualified
  FROM tables.tables t WHERE ${ofTenant('t')} AND t.id = $2
  ON CONFLICT (org_id, run_id, key) DO NOTHING RETURNING ${FROZEN_COLUMNS}`,
).rows<{ columns: ColumnJson[] }>();

const FREEZE_ROWS = statement(
  'table-freezer.freezeRows',
  `
  INSERT INTO tables.rows (org_id, row_set, position, id, cell_values, cells, fit)
  SELECT r.org_id, $3::bigint, r.position, r.id, r.cell_values, r.cells, r.fit
  FROM tables.rows r WHERE r.org_id = $1 AND r.row_set = $2::bigint ORDER BY r.position`,
);

const FIND = statement(
  'table-freezer.find',
  `SELECT ${FROZEN_COLUMNS} FROM tables.frozen_tables f WHERE ${ofTenant('f')} AND f.run_id = $2 AND f.key = $3`,
).rows<{ columns: ColumnJson[] }>();
