import type { RawClient } from '@quarry/postgres';
import { DIRECTORY_INDEXES } from './directory-indexes.js';
import { tableOf } from './directory-table.js';
import type { DirectoryKind } from './target-fields.catalogue.js';

/**
 * Memory for building an index. With it, sorting a column of five million rows takes one pass over files of a few hundred
 * megabytes.
 */
const INDEX_MEMORY = '256MB';

/**
 * Removes the time limits of a transaction: one statement copies a whole file, and the time for an index grows with the
 * rows.
 */
export async function allowLongWork(client: RawClient): Promise<void> {
  await client.query(
    `SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL maintenance_work_mem = '${INDEX_MEMORY}'`,
  );
}

/** Builds the indexes of a directory's table. @param onProgress called with the part that is built, 0 to 1 */
export async function buildIndexes(
  client: RawClient,
  kind: DirectoryKind,
  number: number,
  onProgress: (part: number) => void = () => undefined,
): Promise<void> {
  const indexes = Object.entries(DIRECTORY_INDEXES[kind]);
  for (const [i, [name, definition]] of indexes.entries()) {
    await client.query(`CREATE INDEX ${kind}_${number}_${name} ON ${tableOf(kind, number)} ${definition}`);
    onProgress((i + 1) / (indexes.length + 1));
  }
  await client.query(`ANALYZE ${tableOf(kind, number)}`);
  onProgress(1);
}
