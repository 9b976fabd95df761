import { afterEach, describe, expect, it } from '@jest/globals';
import { systemCtx } from '@quarry/app';
import { PostgresServer } from '@quarry/local-postgres';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createTestDatabase } from '@quarry/testing';
import { openLocalDatabase, openMigratedDatabase } from './local-database.js';

const ctx = systemCtx('admin');
const NO_QUEUES = { queueNames: [] };
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function dataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'quarry-local-'));
  folders.push(folder);
  return folder;
}

describe('the local database', () => {
  it('is used by a role that can do nothing outside it', async () => {
    const local = await openLocalDatabase({ databaseUrl: null, dataDir: dataFolder() });
    const database = await openMigratedDatabase(local.url, 'admin', NO_QUEUES);
    try {
      const [role] = await database.query(
        ctx,
        'SELECT rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls FROM pg_roles WHERE rolname = current_user',
      );
      expect(new Set(Object.values(role!))).toEqual(new Set([false]));
      await expect(database.query(ctx, "SELECT pg_read_file('/etc/passwd')")).rejects.toThrow(/denied/);
      await expect(database.query(ctx, "COPY (SELECT 1) TO PROGRAM 'true'")).rejects.toThrow(
        /denied|privileges/,
      );
    } finally {
      await database.close();
      await local.close();
    }
  });

  it('refuses a schema newer than the program, and says what to do', async () => {
    const test = await createTestDatabase();
    await test.asOwner("INSERT INTO quarry_migrations (timestamp, name) VALUES (1, 'FromTheFuture1')");
    await expect(openMigratedDatabase(test.url, 'admin', NO_QUEUES)).rejects.toThrow(
      /newer version of Quarry.*FromTheFuture1/,
    );
    await test.drop();
  });

  it('of a version that worked as superuser is taken over', async () => {
    const dataDir = dataFolder();
    // As in that version, the database and all its objects belong to the superuser of the cluster.
    const old = await PostgresServer.start({ dir: join(dataDir, 'postgres') });
    const admin = new pg.Client({ connectionString: old.url('postgres') });
    await admin.connect();
    await admin.query('CREATE DATABASE quarry');
    await admin.end();
    await (await openMigratedDatabase(old.url('quarry'), 'admin', NO_QUEUES)).close();
    const before = new pg.Client({ connectionString: old.url('quarry') });
    await before.connect();
    await before.query(
      `INSERT INTO identity.organisations (id, name) VALUES ('org_1', 'Kept');
       CREATE TYPE public.mood AS ENUM ('good');
       CREATE TABLE public.serials (n bigserial, i bigint GENERATED ALWAYS AS IDENTITY, m public.mood)`,
    );
    await before.end();
    await old.stop();

    const local = await openLocalDatabase({ databaseUrl: null, dataDir });
    const database = await openMigratedDatabase(local.url, 'admin', NO_QUEUES);
    try {
      expect(await database.query(ctx, 'SELECT name FROM identity.organisations')).toEqual([
        { name: 'Kept' },
      ]);
      const owner = new pg.Client({ connectionString: local.url });
      await owner.connect();
      await owner.query('ALTER TABLE public.serials ADD COLUMN more int').finally(() => owner.end());
      const [left] = await database.query(
        ctx,
        `SELECT (SELECT count(*)::int FROM pg_class WHERE relowner <> 'quarry_owner'::regrole AND relnamespace::regnamespace::text !~ '^(pg_|information_schema)') AS relations,
           (SELECT count(*)::int FROM pg_proc WHERE proowner <> 'quarry_owner'::regrole AND pronamespace::regnamespace::text !~ '^(pg_|information_schema)') AS routines,
           (SELECT count(*)::int FROM pg_namespace WHERE nspowner <> 'quarry_owner'::regrole AND nspname !~ '^(pg_|information_schema|public)') AS schemas`,
      );
      expect(left).toEqual({ relations: 0, routines: 0, schemas: 0 });
    } finally {
      await database.close();
      await local.close();
    }
  });
});
