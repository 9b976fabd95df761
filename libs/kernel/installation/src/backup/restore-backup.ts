import { createHash, type Hash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { finished } from 'node:stream/promises';
import { createZstdDecompress } from 'node:zlib';
import { from as copyFrom, type CopyStreamQuery } from 'pg-copy-streams';
import pg from 'pg';
import { MIGRATION_NAMES, ROLES, migrate, migrateUpTo, type RawClient } from '@quarry/postgres';
import { BackupFileError, framesOf, notABackup, type BackupNote } from './backup-frames.js';
import { DIRECTORY_TABLE, keptTables, type KeptTable } from './kept-tables.js';
import { BACKUP_FORMAT } from './write-backup.js';

/** The backup cannot be restored into this database; the message says why. */
export class RestoreRefusedError extends Error {
  override readonly name = 'RestoreRefusedError';
}

/**
 * Restores a backup into an empty database, all or nothing: creates the schema in the version of the backup, loads every
 * table with all constraints, compares counts and hashes, and migrates to this version. Tables of imported directories
 * have no indexes yet.
 * @param url address of the database for its owner
 * @returns number of rows by table
 * @throws RestoreRefusedError; BackupFileError if the file is not a complete backup
 */
export async function restoreBackup(url: string, path: string): Promise<Record<string, number>> {
  // The reader of the frames reports errors of the file.
  const bytes = pipeline(createReadStream(path), createZstdDecompress(), () => undefined);
  const frames = framesOf(bytes as AsyncIterable<Buffer>);
  try {
    const migrations = await readHead(frames);
    await asOwner(url, (client) => requireEmpty(client, migrations));
    await migrateUpTo(url, migrations.length);
    const counts = await asOwner(url, async (client) => {
      const tables = await keptTables(client);
      // COPY cannot write into a table with row-level security; no other session sees the tables without it.
      const walled = await walledAmong(client, tables);
      for (const name of walled) await client.query(`ALTER TABLE ${name} DISABLE ROW LEVEL SECURITY`);
      await switchEvents(client, 'DISABLE');
      const loaded = await new Loader(client, tables).load(frames);
      // Checks deferred constraints here and not at the commit, because a table with pending checks cannot be altered.
      await client.query('SET CONSTRAINTS ALL IMMEDIATE');
      await haltMail(client);
      await switchEvents(client, 'ENABLE');
      for (const name of walled) await client.query(`ALTER TABLE ${name} ENABLE ROW LEVEL SECURITY`);
      return loaded;
    });
    await migrate(url);
    return counts;
  } catch (error) {
    // Codes of the decompressor for invalid data.
    const code = String((error as NodeJS.ErrnoException).code ?? '');
    if (/^(ZSTD|Z)_/.test(code) || error instanceof SyntaxError) throw notABackup();
    throw error;
  }
}

/** Runs work in one transaction of the owner, for all organisations. */
async function asOwner<T>(url: string, work: (client: RawClient) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query("BEGIN; SET LOCAL app.org_id = '*'");
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } finally {
    await client.end();
  }
}

async function walledAmong(client: RawClient, tables: readonly KeptTable[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT name FROM unnest($1::text[]) name JOIN pg_class c ON c.oid = name::regclass WHERE c.relrowsecurity',
    [tables.map(({ name }) => name)],
  );
  return rows.map(({ name }) => name);
}

/** Disables or enables the event triggers: restored rows are old and must not create events. */
async function switchEvents(client: RawClient, to: 'ENABLE' | 'DISABLE'): Promise<void> {
  const { rows } = await client.query<{ sql: string }>(
    `SELECT format('ALTER TABLE %s ${to} TRIGGER %I', t.tgrelid::regclass, t.tgname) AS sql
     FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid WHERE p.pronamespace = to_regnamespace('events')`,
  );
  for (const { sql } of rows) await client.query(sql);
}

/**
 * Halts sequences and voids approvals. Messages that were sent after the backup are missing in it and would be sent
 * again, so nothing continues until somebody approves it again.
 */
async function haltMail(client: RawClient): Promise<void> {
  const { rows } = await client.query("SELECT 1 WHERE to_regclass('outreach.sequences') IS NOT NULL");
  if (rows.length === 0) return;
  await client.query(
    `UPDATE outreach.sequences SET status = 'paused', approval_id = NULL WHERE status IN ('approved', 'active');
     UPDATE outreach.approvals SET status = 'void' WHERE status IN ('pending', 'approved')`,
  );
}

/** @returns the migrations that had been applied to the database of the backup */
async function readHead(frames: AsyncGenerator<BackupNote | Buffer, void>): Promise<string[]> {
  const { value: head } = await frames.next();
  if (!head || Buffer.isBuffer(head) || head.kind !== 'head') throw notABackup();
  const isKnown =
    head.format === BACKUP_FORMAT && head.migrations.every((name, i) => name === MIGRATION_NAMES[i]);
  if (!isKnown)
    throw new RestoreRefusedError(
      'The backup was written by a newer version of Quarry. Restore it with that version.',
    );
  return head.migrations;
}

async function requireEmpty(client: RawClient, migrations: readonly string[]): Promise<void> {
  const { rows: known } = await client.query(
    "SELECT 1 FROM pg_class WHERE oid = to_regclass('quarry_migrations')",
  );
  if (known.length === 0) return;
  for (const { name } of await keptTables(client)) {
    const { rows } = await client.query(`SELECT 1 FROM ${name} LIMIT 1`);
    if (rows.length > 0)
      throw new RestoreRefusedError(
        'The database is not empty. Restore into a new one: nothing was changed.',
      );
  }
  const { rows: applied } = await client.query('SELECT 1 FROM quarry_migrations');
  if (applied.length > migrations.length)
    throw new RestoreRefusedError(
      'The database is newer than the backup. Restore into a new one: nothing was changed.',
    );
}

/** Loads the frames of a backup in their order. */
class Loader {
  private readonly counts: Record<string, number> = {};
  private current: { name: string; copy: CopyStreamQuery; hash: Hash } | null = null;

  constructor(
    private readonly client: RawClient,
    private readonly tables: readonly KeptTable[],
  ) {}

  async load(frames: AsyncIterable<BackupNote | Buffer>): Promise<Record<string, number>> {
    let isWhole = false;
    for await (const frame of frames) {
      if (Buffer.isBuffer(frame)) await this.writeBytes(frame);
      else if (frame.kind === 'table') await this.beginTable(frame.table, frame.columns);
      else if (frame.kind === 'table-end') await this.endTable(frame);
      else if (frame.kind === 'sequences') await this.setSequences(frame.values);
      else isWhole = frame.kind === 'end';
    }
    if (!isWhole || this.current !== null) throw notABackup();
    return this.counts;
  }

  private async beginTable(name: string, columns: string[]): Promise<void> {
    const parent = DIRECTORY_TABLE.exec(name)?.[1];
    const table = this.tables.find((each) => each.name === (parent ?? name));
    // Names from a file are used in a statement only if they exist in the schema.
    if (this.current || !table || columns.some((column) => !table.columns.includes(column)))
      throw notABackup();
    if (parent !== undefined) await this.makeDirectory(name, parent);
    const sql = `COPY ${name} (${columns.join(', ')}) FROM STDIN (FORMAT binary)`;
    this.current = { name, copy: this.client.query(copyFrom(sql)), hash: createHash('sha256') };
    // Errors are handled by the code that waits for the end.
    this.current.copy.on('error', () => undefined);
  }

  /** Creates the table of a directory like an import, without the indexes, which belong to the library of directories. */
  private async makeDirectory(name: string, parent: string): Promise<void> {
    await this.client.query(
      `CREATE TABLE ${name} (LIKE ${parent} INCLUDING ALL EXCLUDING INDEXES);
       ALTER TABLE ${name} OWNER TO ${ROLES.working};
       GRANT SELECT ON ${name} TO ${ROLES.serving};
       ALTER TABLE ${name} INHERIT ${parent}`,
    );
  }

  private async writeBytes(bytes: Buffer): Promise<void> {
    if (!this.current) throw notABackup();
    this.current.hash.update(bytes);
    if (!this.current.copy.write(bytes)) await once(this.current.copy, 'drain');
  }

  private async endTable({ table, rows, sha256 }: BackupNote & { kind: 'table-end' }): Promise<void> {
    if (this.current?.name !== table) throw notABackup();
    const { copy, hash } = this.current;
    copy.end();
    await finished(copy);
    this.current = null;
    if (hash.digest('hex') !== sha256 || copy.rowCount !== rows)
      throw new BackupFileError(`The rows of ${table} are not those that were backed up.`);
    this.counts[table] = rows;
  }

  private async setSequences(values: Record<string, string>): Promise<void> {
    for (const [name, value] of Object.entries(values))
      await this.client.query('SELECT setval($1::regclass, $2::bigint)', [name, value]);
  }
}
