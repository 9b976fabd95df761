import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { from as copyFrom } from 'pg-copy-streams';
import type { ColumnJson } from '@quarry/dto';
import { newId } from '@quarry/app';
import { type Database, type TxCtx, TENANT, tenantOf } from '@quarry/postgres';
import { statement } from '../statements.types.js';

// Large enough that a hundred thousand rows are a few hundred writes, small enough for memory.
const COPY_CHUNK_CHARACTERS = 256 * 1024;

interface FullTable {
  id: string;
  workspaceId: string;
  name: string;
  columns: readonly ColumnJson[];
  rowCount: number;
}

/** Inserts the head of a table whose rows follow in the same transaction. @returns the id of its row set, for {@link copyRows} */
export async function insertTable(database: Database, tx: TxCtx, table: FullTable): Promise<string> {
  const head = await database.queryOne(tx, INSERT_TABLE, [
    tenantOf(tx),
    table.id,
    table.workspaceId,
    table.name,
    JSON.stringify(table.columns),
    table.rowCount,
  ]);
  return head!.row_set;
}

/**
 * Copies rows into a table by COPY, in the given order, no faster than PostgreSQL takes them, so that only a batch and a chunk
 * are in memory.
 * @param batches rows as the JSON text of their values, with every column
 */
export async function copyRows(
  database: Database,
  tx: TxCtx,
  rowSet: string,
  batches: AsyncIterable<readonly string[]> | Iterable<readonly string[]>,
): Promise<void> {
  const client = database.rawClient(tx);
  const copy = client.query(
    copyFrom('COPY tables.rows (org_id, row_set, position, id, cell_values) FROM STDIN'),
  );
  await pipeline(Readable.from(copyChunks(`${tx.orgId}\t${rowSet}`, batches)), copy);
}

/** Yields rows in COPY's text format, in chunks. */
async function* copyChunks(
  prefix: string,
  batches: AsyncIterable<readonly string[]> | Iterable<readonly string[]>,
): AsyncGenerator<Buffer> {
  let chunk = '';
  let position = 0;
  for await (const batch of batches) {
    for (const json of batch) {
      chunk += `${prefix}\t${position}\t${newId('row')}\t${copyField(json)}\n`;
      position += 1;
      if (chunk.length < COPY_CHUNK_CHARACTERS) continue;
      yield Buffer.from(chunk);
      chunk = '';
      // The socket accepts many chunks before it asks to wait, and nothing else would run until then.
      await nextTurn();
    }
  }
  if (chunk !== '') yield Buffer.from(chunk);
}

/**
 * Returns JSON as a field of COPY's text format. Tabs and line breaks occur only between its tokens, where a space is equivalent.
 */
function copyField(json: string): string {
  return json.replaceAll('\\', '\\\\').replace(/[\t\n\r]/g, ' ');
}

const INSERT_TABLE = statement(
  'table-copy.insertTable',
  `
  INSERT INTO tables.tables (org_id, mode, id, workspace_id, name, columns, row_count)
  VALUES (${TENANT}, $2, $3, $4, $5, $6) RETURNING row_set`,
);
