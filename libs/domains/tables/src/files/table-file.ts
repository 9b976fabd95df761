import { open, rename, rm } from 'node:fs/promises';
import type { ExportFormat } from '@quarry/dto';
import type { Ctx } from '@quarry/app';
import type { Database, TxCtx } from '@quarry/postgres';
import { rowEncoder } from '../exports/export-formats.js';
import { copyTableOut } from '../exports/table-copy-out.js';
import { readHead } from '../writer/table-head.js';
import { allowLongStatements } from './long-statements.js';
import { statement } from '../statements.types.js';

/** Writes live tables to files in the formats of exports. */
export class TableFileWriter {
  constructor(private readonly database: Database) {}

  /**
   * Writes a snapshot of a table, a piece at a time. The file appears when it is complete.
   * @returns the number of rows and bytes
   * @throws AppError table_not_found; the system's error when the file cannot be written
   */
  async write(
    ctx: Ctx,
    target: { tableId: string; path: string; format: ExportFormat },
    onProgress: (part: number) => void = () => undefined,
  ): Promise<{ rowCount: number; byteLength: number }> {
    const partial = `${target.path}.part`;
    try {
      const written = await this.database.transaction(ctx, async (tx) => {
        // One snapshot for head and rows: concurrent writes do not appear in the file.
        await this.database.query(tx, READ_ONE_SNAPSHOT);
        await allowLongStatements(this.database, tx);
        return this.writeRows(tx, { ...target, path: partial }, onProgress);
      });
      await rename(partial, target.path);
      return written;
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    }
  }

  private async writeRows(
    tx: TxCtx,
    target: { tableId: string; path: string; format: ExportFormat },
    onProgress: (part: number) => void,
  ): Promise<{ rowCount: number; byteLength: number }> {
    const table = await readHead(this.database, tx, target.tableId);
    const encoder = rowEncoder(target.format, table);
    const rows = { orgId: tx.orgId, rowSet: table.rowSet };
    const file = await open(target.path, 'w');
    try {
      let byteLength = 0;
      for await (const bytes of copyTableOut(this.database.rawClient(tx), rows, encoder)) {
        await file.appendFile(bytes);
        byteLength += bytes.length;
        onProgress(encoder.rows / table.rowCount);
      }
      return { rowCount: encoder.rows, byteLength };
    } finally {
      await file.close();
    }
  }
}

const READ_ONE_SNAPSHOT = statement(
  'table-file.readOneSnapshot',
  'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY',
);
