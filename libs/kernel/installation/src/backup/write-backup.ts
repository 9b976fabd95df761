import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress } from 'node:zlib';
import { to as copyTo } from 'pg-copy-streams';
import { systemCtx } from '@quarry/app';
import type { Database, RawClient } from '@quarry/postgres';
import { noteFrame, rowsFrame } from './backup-frames.js';
import { isKept, KEPT_SCHEMAS, keptTables } from './kept-tables.js';

export const BACKUP_FORMAT = 1;

export interface BackupSummary {
  /** Number of rows by table. */
  tables: Record<string, number>;
  bytes: number;
}

/**
 * Writes all data that the product stores in PostgreSQL into one file, as of one moment, while the product may keep
 * running. The file appears under its name when it is complete, and only its owner may read it.
 * @param options.directories false excludes imported directories. Default true
 * @throws Error if another backup writes to the same path
 */
export async function writeBackup(
  database: Database,
  path: string,
  { directories = true }: { directories?: boolean } = {},
): Promise<BackupSummary> {
  const half = `${path}.half`;
  const tables: Record<string, number> = {};
  await database.withOwnConnection(systemCtx('backup'), async (client) => {
    // One snapshot for all tables. Imports drop tables of directories, so these are locked before it is taken.
    await client.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    await client.query('SET LOCAL statement_timeout = 0');
    if (directories)
      await client.query('LOCK TABLE directory.companies, directory.people IN ACCESS SHARE MODE');
    await lockPath(client, path);
    // Not written into a file or link of somebody else, who could read it there.
    await rm(half, { force: true });
    try {
      await pipeline(
        encodeFrames(client, tables, directories),
        createZstdCompress(),
        createWriteStream(half, { flags: 'wx', mode: 0o600, flush: true }),
      );
      await rename(half, path);
    } catch (error) {
      await rm(half, { force: true });
      throw error;
    }
  });
  return { tables, bytes: (await stat(path)).size };
}

/** Locks a path until the end of the transaction: two backups would replace each other's file before it is complete. */
async function lockPath(client: RawClient, path: string): Promise<void> {
  const { rows } = await client.query<{ is_free: boolean }>(
    'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS is_free',
    [`backup ${resolve(path)}`],
  );
  if (!rows[0]!.is_free) throw new Error(`Another backup writes to ${path}. Wait for its end.`);
}

async function* encodeFrames(
  client: RawClient,
  counts: Record<string, number>,
  hasDirectories: boolean,
): AsyncGenerator<Buffer> {
  const { rows: applied } = await client.query<{ name: string }>(
    'SELECT name FROM quarry_migrations ORDER BY id',
  );
  const migrations = applied.map(({ name }) => name);
  yield noteFrame({ kind: 'head', format: BACKUP_FORMAT, at: new Date().toISOString(), migrations });
  for (const { name, columns } of await keptTables(client, hasDirectories)) {
    yield noteFrame({ kind: 'table', table: name, columns });
    const hash = createHash('sha256');
    const copy = client.query(copyTo(`COPY ${name} (${columns.join(', ')}) TO STDOUT (FORMAT binary)`));
    for await (const bytes of copy as AsyncIterable<Buffer>) {
      hash.update(bytes);
      yield rowsFrame(bytes);
    }
    counts[name] = copy.rowCount;
    yield noteFrame({ kind: 'table-end', table: name, rows: copy.rowCount, sha256: hash.digest('hex') });
  }
  const { rows: sequences } = await client.query<{ name: string; value: string | null }>(
    `SELECT format('%I.%I', schemaname, sequencename) AS name, last_value::text AS value FROM pg_sequences WHERE ${isKept('schemaname', 'sequencename')}`,
    [KEPT_SCHEMAS, hasDirectories],
  );
  const used = sequences.flatMap(({ name, value }) => (value === null ? [] : [[name, value] as const]));
  yield noteFrame({ kind: 'sequences', values: Object.fromEntries(used) });
  yield noteFrame({ kind: 'end' });
}
