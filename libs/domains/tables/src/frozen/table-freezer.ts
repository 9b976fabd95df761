import { Injectable } from '@nestjs/common';
import type { ColumnJson, FitCounts } from '@quarry/dto';
import { Database, type TxCtx, ofTenant, tenantOf } from '@quarry/postgres';
import { lockHead } from '../writer/table-head.js';
import { FROZEN_COLUMNS, type FrozenHead } from './frozen-head.js';
import { statement } from '../statements.types.js';

/** Entry of a frozen table in a published output. */
export interface FrozenTable {
  key: string;
  name: string;
  columns: ColumnJson[];
  rowCount: number;
  fitCounts: FitCounts;
  /** Path of its rows. */
  rowsPath: string;
}

/** Freezes tables in the transaction of the run that publishes them. */
@Injectable()
export class TableFreezer {
  constructor(private readonly database: Database) {}

  /**
   * Copies a live table with its order, columns, fits and counters. A key that the run has frozen already is left unchanged, so a
   * replay has no effect.
   * @param copy.name name of the copy; that of the live table when absent
   * @throws AppError table_not_found
   */
  async freezeTable(
    tx: TxCtx,
    copy: { runId: string; tableId: string; key: string; name?: string },
  ): Promise<FrozenTable> {
    const live = await lockHead(this.database, tx, copy.tableId);
    const made = await this.database.queryOne(tx, FREEZE_HEAD, [
      tenantOf(tx),
      copy.tableId,
      copy.runId,
      copy.key,
      copy.name ?? null,
    ]);
    if (!made) return this.readFrozen(tx, copy.runId, copy.key);
    await this.database.query(tx, FREEZE_ROWS, [tx.orgId, live.rowSet, made.rowSet]);
    return publicView(copy.runId, made);
  }

  private async readFrozen(tx: TxCtx, runId: string, key: string): Promise<FrozenTable> {
    const row = await this.database.queryOne(tx, FIND, [tenantOf(tx), runId, key]);
    return publicView(runId, row!);
  }
}

function publicView(runId: string, row: FrozenHead): FrozenTable {
  const { key, name, columns, rowCount, qualified, disqualified } = row;
  return {
    key,
    name,
    columns,
    rowCount,
    fitCounts: { qualified, disqualified, unknown: rowCount - qualified - disqualified },
    rowsPath: `/v1/runs/${runId}/output/tables/${encodeURIComponent(key)}/rows`,
  };
}

const FREEZE_HEAD = statement(
  'table-freezer.freezeHead',
  `
  INSERT INTO tables.frozen_tables AS f
    (org_id, mode, run_id, key, workspace_id, table_id, name, columns, row_count, qualified, disqualified)
  SELECT t.org_id, t.mode, $3, $4, t.workspace_id, t.id, coalesce($5, t.name), t.columns, t.row_count, t.qualified, t.disqualified
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
