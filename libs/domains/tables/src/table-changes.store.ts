import { Injectable } from '@nestjs/common';
import type { JsonText, Table } from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import { newId, type Ctx } from '@quarry/app';
import { Database, ofTenant, recordAudit, tenantOf, type TxCtx } from '@quarry/postgres';
import { RunReader } from './frozen/frozen-tables.store.js';
import { requireStorableText } from './sql/storable-text.js';
import { lockHead, type TableHead } from './writer/table-head.js';
import { TablesStore } from './tables/tables.store.js';
import { statement } from './statements.types.js';

/** Renames and deletes live tables and their columns. Frozen tables belong to their run, and stay as they are. */
@Injectable()
export class TableChangesStore {
  constructor(
    private readonly database: Database,
    private readonly tables: TablesStore,
    private readonly runs: RunReader,
  ) {}

  /** @returns the renamed Table @throws AppError table_not_found, invalid_request */
  async renameTable(ctx: Ctx, tableId: string, name: string): Promise<JsonText<typeof Table>> {
    requireStorableText('name', name);
    return this.database.transaction(ctx, async (tx) => {
      await lockHead(this.database, tx, tableId);
      await this.database.query(tx, RENAME, [tenantOf(tx), tableId, name]);
      return this.tables.getTable(tx, tableId);
    });
  }

  /**
   * Moves the table and its exports into an archived workspace of their own: they answer 404 like those of any archived workspace,
   * and are deleted with it.
   * @throws AppError table_not_found
   */
  async deleteTable(ctx: Ctx, tableId: string): Promise<void> {
    await this.database.transaction(ctx, async (tx) => {
      await lockHead(this.database, tx, tableId);
      const params = [tenantOf(tx), tableId, newId('ws')] as const;
      // One statement each: the exports are searched after waiting for those that hold the table.
      for (const sql of [ADD_ARCHIVED, MOVE_TABLE, MOVE_EXPORTS]) await this.database.query(tx, sql, params);
      await recordAudit(this.database, tx, { action: 'table.deleted', object: tableId });
    });
  }

  /** @returns the Table @throws AppError table_not_found, not_found for a column, invalid_request */
  async renameColumn(
    ctx: Ctx,
    { tableId, key, name }: { tableId: string; key: string; name: string },
  ): Promise<JsonText<typeof Table>> {
    requireStorableText('name', name);
    return this.database.transaction(ctx, async (tx) => {
      const head = await this.lockColumn(tx, tableId, key);
      const columns = head.columns.map((column) => (column.key === key ? { ...column, name } : column));
      await this.database.query(tx, SET_COLUMNS, [tenantOf(tx), tableId, JSON.stringify(columns)]);
      return this.tables.getTable(tx, tableId);
    });
  }

  /**
   * Deletes a column with its values and their sources.
   * @returns the Table without it
   * @throws AppError table_not_found, not_found for a column, invalid_request for the last one, table_busy while it is filled or read
   */
  async deleteColumn(
    ctx: Ctx,
    { tableId, key }: { tableId: string; key: string },
  ): Promise<JsonText<typeof Table>> {
    return this.database.transaction(ctx, async (tx) => {
      const head = await this.lockColumn(tx, tableId, key);
      const columns = head.columns.filter((column) => column.key !== key);
      if (columns.length === 0)
        throw new AppError('invalid_request', 'The last column cannot be deleted. Delete the table instead.');
      if (await this.runs.isColumnInUse(tx, tableId, key))
        throw new AppError(
          'table_busy',
          'A run or an enrichment is filling or reading this column. Wait until it has ended, or cancel it.',
        );
      await this.database.query(tx, DROP_COLUMN, [tenantOf(tx), tableId, JSON.stringify(columns)]);
      await this.database.query(tx, DROP_VALUES, [tx.orgId, head.rowSet, key]);
      await recordAudit(this.database, tx, {
        action: 'table.column_deleted',
        object: tableId,
        facts: { column: key },
      });
      return this.tables.getTable(tx, tableId);
    });
  }

  private async lockColumn(tx: TxCtx, tableId: string, key: string): Promise<TableHead> {
    const head = await lockHead(this.database, tx, tableId);
    if (head.columns.some((column) => column.key === key)) return head;
    throw new AppError('not_found', 'Column not found in this table.');
  }
}

const RENAME = statement(
  'table-changes.rename',
  `UPDATE tables.tables SET name = $3 WHERE ${ofTenant()} AND id = $2`,
);

const ADD_ARCHIVED = statement(
  'table-changes.addArchived',
  `
  INSERT INTO tables.workspaces (org_id, mode, id, name, archived_at)
  SELECT t.org_id, t.mode, $3, 'Deleted table', clock_timestamp() FROM tables.tables t WHERE ${ofTenant('t')} AND t.id = $2`,
);

// An export that is being written notices the new number of erasures, and ends.
const MOVE_TABLE = statement(
  'table-changes.moveTable',
  `UPDATE tables.tables SET workspace_id = $3, erasures = erasures + 1 WHERE ${ofTenant()} AND id = $2`,
);

const MOVE_EXPORTS = statement(
  'table-changes.moveExports',
  `UPDATE tables.exports SET workspace_id = $3 WHERE ${ofTenant()} AND table_id = $2`,
);

const SET_COLUMNS = statement(
  'table-changes.setColumns',
  `UPDATE tables.tables SET columns = $3 WHERE ${ofTenant()} AND id = $2`,
);

// An export that is being written notices the new number of erasures, and is written again without the column.
const DROP_COLUMN = statement(
  'table-changes.dropColumn',
  `UPDATE tables.tables SET columns = $3, erasures = erasures + 1 WHERE ${ofTenant()} AND id = $2`,
);

const DROP_VALUES = statement(
  'table-changes.dropValues',
  'UPDATE tables.rows SET cell_values = cell_values - $3, cells = cells - $3 WHERE org_id = $1 AND row_set = $2',
);
