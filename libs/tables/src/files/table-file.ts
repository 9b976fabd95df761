import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import type { ExportFormat } from '@quarry/dto';
import type { Ctx, Database, TxCtx } from '@quarry/platform';
import { FORMAT_WRITERS } from '../exports/export-formats.js';
import { rowBatches } from '../exports/row-batches.js';
import { readHead } from '../writer/table-head.js';

/** Writes live tables into files, as an export of a frozen one would. */
export class TableFileWriter {
  constructor(private readonly database: Database) {}

  /**
   * Writes a table as it is at one moment, a batch of rows at a time. The file appears when it is whole.
   * @returns how many rows and bytes it has
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
        // One snapshot for all batches: a table that is being written to is exported as it was at the start.
        await this.database.query(tx, 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
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
    const format = FORMAT_WRITERS[target.format];
    const file = await open(target.path, 'w');
    try {
      let [rows, byteLength] = [0, await append(file, format.before(table.columns))];
      for await (const batch of rowBatches(this.database, tx, table.rowSet)) {
        const texts = batch.map((json, at) => format.row(table.columns, json, rows + at === 0));
        byteLength += await append(file, texts.join(''));
        rows += batch.length;
        onProgress(rows / table.rowCount);
      }
      byteLength += await append(file, format.after);
      return { rowCount: rows, byteLength };
    } finally {
      await file.close();
    }
  }
}

async function append(file: FileHandle, text: string): Promise<number> {
  const bytes = Buffer.from(text);
  await file.appendFile(bytes);
  return bytes.length;
}
