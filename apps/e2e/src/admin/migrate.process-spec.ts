import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PostgresServer } from '@quarry/local-postgres';
import { MIGRATION_NAMES } from '@quarry/postgres';
import { createTestDatabase, runAdmin, type AdminRun, type TestDatabase } from '@quarry/testing';
import pg from 'pg';

let test: TestDatabase;
let dir: string;
beforeAll(async () => {
  test = await createTestDatabase({ isEmpty: true });
  dir = mkdtempSync(join(tmpdir(), 'quarry-migrate-'));
});
afterAll(async () => {
  rmSync(dir, { recursive: true, force: true });
  await test.drop();
});

const migrate = (url: string, ...args: string[]): Promise<AdminRun> =>
  runAdmin({ DATABASE_URL: url, DATA_DIR: dir }, ['migrate', ...args]);

describe('npm run migrate', () => {
  it('updates an empty database and prints the applied migrations as JSON', async () => {
    const { code, stdout, stderr } = await migrate(test.ownerUrl);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({ applied: MIGRATION_NAMES });
  });

  it('changes nothing in a current database, and says so', async () => {
    expect(await migrate(test.ownerUrl)).toEqual({ code: 0, stdout: '{"applied":[]}\n', stderr: '' });
  });

  it('refuses a user without the right to change the schema', async () => {
    const { code, stdout, stderr } = await migrate(test.servingUrl);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^The user of the database .* is not allowed to create schemas .*\n$/);
  });

  it('gives up with one message if a table stays locked, and completes when it is run again', async () => {
    await test.asOwner(
      "DELETE FROM quarry_migrations WHERE name LIKE 'AddMetricsViews%'; DROP SCHEMA metrics CASCADE",
    );
    const holder = new pg.Client({ connectionString: test.ownerUrl });
    await holder.connect();
    await holder.query('BEGIN; LOCK TABLE jobs.jobs');
    const { code, stdout, stderr } = await migrate(test.ownerUrl, '--wait-seconds', '0');
    await holder.end();
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^The migration stopped because .* keeps a table locked[^\n]*\n$/);
    const again = await migrate(test.ownerUrl);
    expect(JSON.parse(again.stdout)).toEqual({ applied: ['AddMetricsViews1763700000030'] });
  });

  it.each(['', 'CREATEROLE'])(
    'tells an owner without the right to create roles which statements to run: %s',
    async (right) => {
      const folder = join(dir, `roles-${right}`);
      const server = await PostgresServer.start({ dir: folder });
      const url = server.url('postgres');
      const admin = new pg.Client({ connectionString: url });
      await admin.connect();
      try {
        await admin.query(`CREATE ROLE keeper LOGIN ${right} PASSWORD 'kept'`);
        await admin.query('CREATE DATABASE kept OWNER keeper');
        const own = Object.assign(new URL(url), {
          username: 'keeper',
          password: 'kept',
          pathname: 'kept',
        }).href;
        const refused = await migrate(own);
        expect([refused.code, refused.stdout]).toEqual([1, '']);
        const [message, ...statements] = refused.stderr.trim().split('\n');
        expect(message).toContain('may not make the roles');
        await admin.query(statements.join('\n'));
        expect(JSON.parse((await migrate(own)).stdout)).toEqual({ applied: MIGRATION_NAMES });
      } finally {
        await admin.end();
        await server.stop();
      }
    },
  );

  it('prints its usage', async () => {
    const { code, stderr } = await migrate(test.ownerUrl, '--wait-seconds', 'long');
    expect(code).toBe(1);
    expect(stderr).toContain('--wait-seconds');
  });
});
