import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '@quarry/testing';
import { systemCtx } from '@quarry/app';
import { MIGRATION_NAMES, migrateUpTo } from '@quarry/postgres';
import { framesOf, noteFrame, type BackupNote } from './backup-frames.js';
import { keptTables } from './kept-tables.js';
import { restoreBackup } from './restore-backup.js';
import { writeBackup } from './write-backup.js';

const ctx = systemCtx('spec');

type Head = BackupNote & { kind: 'head' };

/** Rows in tables that reference each other, with values that a text format would corrupt. */
const FILL = `
  INSERT INTO identity.organisations (id, name) VALUES ('org_1', E'Tab\t, "quote", \\N and ünï');
  INSERT INTO identity.users (id, org_id, email, password_hash) VALUES ('usr_1', 'org_1', 'a@b.example', 'x');
  INSERT INTO identity.api_keys (id, public_id, secret_sha256, last_four, org_id, user_id, mode)
    VALUES ('key_1', 'p', sha256('x'), 'abcd', 'org_1', 'usr_1', 'live');
  INSERT INTO credits.accounts (id, org_id, mode, granted, available) VALUES ('org_1:live', 'org_1', 'live', 5000, 5000);
  INSERT INTO credits.transfers (id, account_id, kind, amount, reason) VALUES ('led_1', 'org_1:live', 'grant', 5000, 'Opening');
  INSERT INTO credits.ledger_checks (took_ms, faults, fault_count) VALUES (1, ARRAY['a', NULL, 'b,c'], 1);
  INSERT INTO tables.workspaces (org_id, id, name) VALUES ('org_1', 'ws_1', 'W');
  INSERT INTO tables.tables (org_id, id, workspace_id, name, columns, row_count) VALUES ('org_1', 'tbl_1', 'ws_1', 'T', '[{"key":"b"},{"key":"a"}]', 1);
  INSERT INTO tables.rows (org_id, row_set, position, id, cell_values) SELECT 'org_1', row_set, 0, 'row_1', '{"a": 1.50, "b": null}' FROM tables.tables;
  BEGIN;
  INSERT INTO jobs.batches (id, org_id, mode, service, size, open_lines) VALUES ('svcbatch_1', 'org_1', 'live', 'getEmail', 1, 1);
  INSERT INTO jobs.batches (id, org_id, mode, service, size, open_lines, completed_at)
    VALUES ('svcbatch_2', 'org_1', 'live', 'getEmail', 1, 0, now());
  INSERT INTO jobs.jobs (id, org_id, mode, service, batch_id, input_index, input, state, price) VALUES ('svcjob_1', 'org_1', 'live', 'getEmail', 'svcbatch_1', 0, '{}', 'queued', 1000);
  INSERT INTO jobs.lines (batch_id, input_index, org_id, job_id, reused) VALUES ('svcbatch_1', 0, 'org_1', 'svcjob_1', false);
  COMMIT;`;

describe('a backup', () => {
  const dir = mkdtempSync(join(tmpdir(), 'quarry-backup-'));
  const file = join(dir, 'one.backup');
  const open: TestDatabase[] = [];
  let source: TestDatabase;

  beforeAll(async () => {
    source = await opened();
    await fill(source);
    // As somebody else could have left it.
    writeFileSync(`${file}.half`, '', { mode: 0o644 });
    await writeBackup(source.database, file);
  });
  afterAll(async () => {
    rmSync(dir, { recursive: true, force: true });
    for (const test of open) await test.drop();
  });

  async function opened(isMigrated = true): Promise<TestDatabase> {
    const test = await createTestDatabase({ isEmpty: !isMigrated });
    open.push(test);
    return test;
  }

  const fill = (test: TestDatabase) => test.asAdmin(FILL);

  /** Returns a digest of every table. */
  async function contentOf({ database }: TestDatabase): Promise<Record<string, string>> {
    return database.withOwnConnection(ctx, async (client) => {
      const digests: Record<string, string> = {};
      for (const { name } of await keptTables(client)) {
        const { rows } = await client.query<{ digest: string }>(
          `SELECT count(*) || ' ' || md5(coalesce(string_agg(t::text, ',' ORDER BY t::text), '')) AS digest FROM ${name} t`,
        );
        digests[name] = rows[0]!.digest;
      }
      return digests;
    });
  }

  it('contains every table except the event log, sent events and pushes', async () => {
    const kept = await source.database.withOwnConnection(ctx, keptTables);
    const all = await source.database.query<{ name: string }>(
      ctx,
      `SELECT schemaname || '.' || tablename AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema', 'public', 'quarry_queue', 'events') AND NOT (schemaname = 'webhooks' AND tablename <> 'endpoints') AND NOT (schemaname = 'destinations' AND tablename NOT IN ('destinations', 'sent_rows'))`,
    );
    expect(kept.map(({ name }) => name.replaceAll('"', '')).sort()).toEqual(
      all.map(({ name }) => name).sort(),
    );
  });

  it('is restored completely into an empty database, and sequences continue', async () => {
    const target = await opened(false);
    const counts = await restoreBackup(target.ownerUrl, file);
    expect(counts).toMatchObject({ 'identity.organisations': 1, 'credits.transfers': 1, 'jobs.lines': 1 });
    expect(await contentOf(target)).toEqual(await contentOf(source));
    const next = "SELECT nextval('tables.row_set_number') AS n";
    expect(await target.database.queryOne(ctx, next)).toEqual(await source.database.queryOne(ctx, next));
  });

  it('creates no events for restored data, even in a migrated database', async () => {
    const target = await opened(true);
    await restoreBackup(target.ownerUrl, file);
    expect(await target.database.query(ctx, 'SELECT id FROM events.events')).toEqual([]);
  });

  it('of an older version is restored and migrated', async () => {
    // At the version that wrote it, no rights had been granted yet.
    const older = await createTestDatabase({ isEmpty: true, as: 'owner' });
    open.push(older);
    await migrateUpTo(older.ownerUrl, MIGRATION_NAMES.length - 1);
    await fill(older);
    const path = join(dir, 'older.backup');
    await writeBackup(older.database, path);
    const target = await opened(false);
    await restoreBackup(target.ownerUrl, path);
    const applied = await target.database.queryOne<{ count: number }>(
      ctx,
      'SELECT count(*)::int AS count FROM quarry_migrations',
    );
    expect(applied).toEqual({ count: MIGRATION_NAMES.length });
    const further = await opened();
    await expect(restoreBackup(further.ownerUrl, path)).rejects.toThrow('database is newer than the backup');
  });

  it.each([
    ['has a migration unknown to this version', (head: Head) => head.migrations.push('FromTheFuture9')],
    ['has different migrations from this version', (head: Head) => (head.migrations[3] = 'FromElsewhere4')],
    ['has a later format', (head: Head) => (head.format += 1)],
  ])('of a newer version, which %s, is refused before anything is created', async (_what, change) => {
    const path = join(dir, 'newer.backup');
    const bytes = zstdDecompressSync(readFileSync(file));
    const { value: first } = await framesOf(Readable.from([bytes])).next();
    const head = first as Head;
    const rest = bytes.subarray(noteFrame(head).length);
    change(head);
    writeFileSync(path, zstdCompressSync(Buffer.concat([noteFrame(head), rest])));
    const target = await opened(false);
    await expect(restoreBackup(target.ownerUrl, path)).rejects.toThrow(
      'written by a newer version of Quarry. Restore it with that version.',
    );
    const made =
      "SELECT relname FROM pg_class WHERE relnamespace::regnamespace::text !~ '^(pg_|information_schema)'";
    expect(await target.database.query(ctx, made)).toEqual([]);
  });

  it('is not restored into a database that has data', async () => {
    const before = await contentOf(source);
    await expect(restoreBackup(source.ownerUrl, file)).rejects.toThrow('The database is not empty');
    expect(await contentOf(source)).toEqual(before);
  });

  it('is restored completely or not at all', async () => {
    const bytes = readFileSync(file);
    const target = await opened();
    const empty = await contentOf(target);
    const spoilt = Buffer.from(bytes);
    spoilt[Math.floor(bytes.length / 2)]! ^= 0xff;
    for (const [name, content] of [
      ['cut', bytes.subarray(0, bytes.length - 40)],
      ['spoilt', spoilt],
      ['other', Buffer.from('something else')],
    ] as const) {
      const path = join(dir, name);
      writeFileSync(path, content);
      await expect(restoreBackup(target.ownerUrl, path)).rejects.toThrow();
      expect(await contentOf(target)).toEqual(empty);
    }
    await restoreBackup(target.ownerUrl, file);
    expect(await contentOf(target)).toEqual(await contentOf(source));
  });

  it('that is missing or a folder causes a normal error', async () => {
    const target = await opened(false);
    await expect(restoreBackup(target.ownerUrl, join(dir, 'nowhere'))).rejects.toThrow('ENOENT');
    await expect(restoreBackup(target.ownerUrl, dir)).rejects.toThrow('EISDIR');
  });

  it('is refused while another one writes to the same file, which stays complete', async () => {
    const path = join(dir, 'twice.backup');
    const begun = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const { database } = source;
    // Holds the first backup after its last row, when its file has its name but is not yet committed.
    const held = {
      withOwnConnection: (...[of, work]: Parameters<typeof database.withOwnConnection>) =>
        database.withOwnConnection(of, async (client) => {
          const result = await work(client);
          begun.resolve();
          await released.promise;
          return result;
        }),
    } as unknown as typeof database;
    const first = writeBackup(held, path);
    await begun.promise;
    await expect(writeBackup(database, path)).rejects.toThrow('Another backup writes to');
    released.resolve();
    await first;
    const target = await opened(false);
    await restoreBackup(target.ownerUrl, path);
    await expect(writeBackup(database, path)).resolves.toMatchObject({ bytes: statSync(path).size });
  });

  it('is readable only by its owner, and leaves no partial file', async () => {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const nowhere = join(dir, 'no-such-folder', 'x.backup');
    await expect(writeBackup(source.database, nowhere)).rejects.toThrow('ENOENT');
    expect(existsSync(`${file}.half`)).toBe(false);
  });
});
