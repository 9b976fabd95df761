import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../database/spec-kit.js';
import { waitFor } from '@quarry/test-servers';
import pg from 'pg';
import { createLogger } from '@quarry/app';
import { ROLES, type RoleName } from '../database/roles.js';
import { migrate, schemaStateOf } from './migrate.js';
import { openReadyDatabase } from './ready-database.js';

const logger = createLogger('spec', 'silent');

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return work(client).finally(() => client.end());
}

const outcomeOf = (url: string, sql: string): Promise<string> =>
  withClient(url, (client) =>
    client.query(sql).then(
      () => 'done',
      (error: { code?: string }) => error.code ?? 'failed',
    ),
  );

const DENIED = '42501';

describe('a database role of the product', () => {
  let test: TestDatabase;
  beforeAll(async () => void (test = await createTestDatabase()));
  afterAll(() => test.drop());

  const DDL = [
    'CREATE SCHEMA mine',
    'CREATE TABLE public.mine (a int)',
    'CREATE TABLE jobs.mine (a int)',
    'CREATE TABLE quarry_queue.mine (a int)',
    'ALTER TABLE jobs.jobs ADD COLUMN mine int',
    'DROP TABLE jobs.lines',
    'TRUNCATE jobs.lines',
    'ALTER TABLE tables.rows DISABLE TRIGGER ALL',
    'CREATE INDEX ON jobs.jobs (org_id)',
    "INSERT INTO quarry_migrations (timestamp, name) VALUES (1, 'Mine1')",
    'CREATE ROLE mine',
  ];

  it.each(['url', 'servingUrl', 'metricsUrl'] as const)('cannot change the schema (%s)', async (which) => {
    for (const sql of DDL) expect([sql, await outcomeOf(test[which], sql)]).toEqual([sql, DENIED]);
  });

  it('for serving writes no credits, lines or organisations', async () => {
    for (const sql of [
      'UPDATE credits.accounts SET available = available + 1',
      'DELETE FROM credits.transfers',
      'INSERT INTO credits.caps SELECT * FROM credits.caps',
      'DELETE FROM jobs.jobs',
      "INSERT INTO identity.organisations (id, name) VALUES ('mine', 'Mine')",
      'UPDATE identity.api_keys SET revoked_at = NULL',
      'SET ROLE quarry_working',
    ])
      expect([sql, await outcomeOf(test.servingUrl, sql)]).toEqual([sql, DENIED]);
  });

  it('for working adds transfers, and changes none', async () => {
    expect(await outcomeOf(test.url, 'UPDATE credits.transfers SET amount = 0')).toBe(DENIED);
    expect(await outcomeOf(test.url, 'DELETE FROM credits.transfers')).toBe(DENIED);
  });

  it('for metrics reads the metrics and no table', async () => {
    expect(await outcomeOf(test.metricsUrl, 'SELECT * FROM metrics.open_lines')).toBe('done');
    for (const table of ['jobs.jobs', 'identity.api_keys', 'credits.accounts', 'tables.rows', 'runs.runs'])
      expect(await outcomeOf(test.metricsUrl, `SELECT 1 FROM ${table}`)).toBe(DENIED);
  });
});

describe('a SQL function of the product', () => {
  let test: TestDatabase;
  beforeAll(async () => void (test = await createTestDatabase()));
  afterAll(() => test.drop());

  const functions = (where: string): Promise<string[]> =>
    withClient(test.ownerUrl, async (client) =>
      (
        await client.query<{ name: string }>(
          `SELECT oid::regprocedure::text AS name FROM pg_proc
           WHERE pronamespace::regnamespace::text !~ '^(pg_|information_schema|public$|quarry_queue)' AND ${where} ORDER BY 1`,
        )
      ).rows.map(({ name }) => name),
    );
  const IS_PINNED = "EXISTS (SELECT FROM unnest(proconfig) s WHERE s = 'search_path=pg_catalog, pg_temp')";

  it('means the same with any search path', async () => {
    expect(await functions(IS_PINNED)).toEqual(expect.arrayContaining(['credits.judge_holds(jsonb)']));
    // The names in SQL bodies were bound at creation.
    expect(await functions(`NOT ${IS_PINNED} AND prosqlbody IS NULL`)).toEqual([]);
  });

  it('is not tricked by functions that shadow its own', async () => {
    await withClient(test.ownerUrl, async (client) => {
      await client.query(`
        CREATE SCHEMA evil;
        CREATE FUNCTION evil.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS $$ SELECT 'epoch'::timestamptz $$;
        SET search_path = evil, pg_catalog;
        SELECT set_config('app.org_id', '*', false)`);
      await client.query(
        "SELECT identity.record_audit_event('org_a', 'operator', NULL, 'live', 'spec', 'x', NULL, 'req', '{}')",
      );
      const { rows } = await client.query<{ is_now: boolean }>(
        "SELECT at > '2020-01-01' AS is_now FROM identity.audit_events",
      );
      expect(rows).toEqual([{ is_now: true }]);
    });
  });
});

describe('a migration', () => {
  let test: TestDatabase;
  beforeAll(async () => void (test = await createTestDatabase({ isEmpty: true })));
  afterAll(() => test.drop());

  it('is awaited by a process that must not migrate, which says what to do if it does not come', async () => {
    const missing = ['the schema of the queues', null];
    const waiting = {
      url: test.servingUrl,
      applicationName: 'spec',
      missingElsewhere: () => Promise.resolve(missing.shift() ?? null),
      logger,
    };
    await expect(openReadyDatabase({ ...waiting, timeoutMs: 0 })).rejects.toThrow(/run "npm run migrate"/);
    const opened = openReadyDatabase(waiting);
    // Two at once: one migrates, the other waits for it and finds nothing to do.
    const applied = await Promise.all([migrate(test.ownerUrl), migrate(test.ownerUrl)]);
    expect(applied.map(({ length }) => length > 0).sort()).toEqual([false, true]);
    await (await opened).close();
    expect(missing).toEqual([]);
  });

  it('leaves a process that logs in with too few rights unstarted', async () => {
    const open = (url: string, needs: RoleName): Promise<void> =>
      openReadyDatabase({ url, applicationName: 'spec', needs, logger, timeoutMs: 0 }).then((each) =>
        each.close(),
      );
    await expect(open(test.servingUrl, ROLES.working)).rejects.toThrow(
      /has not the rights of quarry_working/,
    );
    const heir = `spec_heir_${process.pid}`;
    const heirUrl = Object.assign(new URL(test.servingUrl), { username: heir });
    await test.asAdmin(`CREATE ROLE ${heir} LOGIN PASSWORD '${heirUrl.password}';
      GRANT ${ROLES.serving} TO ${heir} WITH INHERIT FALSE`);
    await expect(open(heirUrl.href, ROLES.serving)).rejects.toThrow(/has not the rights of quarry_serving/);
    await test.asAdmin(`GRANT ${ROLES.serving} TO ${heir} WITH INHERIT TRUE`);
    await open(heirUrl.href, ROLES.serving);
    await test.asAdmin(`DROP ROLE ${heir}`);
    await open(test.servingUrl, ROLES.serving);
    await open(test.url, ROLES.serving);
    await open(test.ownerUrl, ROLES.working);
  });

  it('yields if a table is locked, and tries again', async () => {
    await withClient(test.ownerUrl, async (owner) => {
      await owner.query(
        "DELETE FROM quarry_migrations WHERE name ~ '^Add(MetricsViews|QueueLoad)'; DROP SCHEMA metrics CASCADE",
      );
      await owner.query('BEGIN; LOCK TABLE jobs.jobs');
      const migrating = migrate(test.ownerUrl);
      const isWaiting = async (): Promise<boolean> =>
        (
          await owner.query(
            'SELECT 1 FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())',
          )
        ).rowCount === 1;
      await waitFor('the migration to wait', isWaiting);
      await waitFor('the migration to give way', async () => !(await isWaiting()));
      await owner.query('COMMIT');
      expect(await migrating).toEqual(['AddMetricsViews1763700000030', 'AddQueueLoad1763700000080']);
    });
  });

  it('waits for another one in short transactions, which do not block an index build', async () => {
    await withClient(test.ownerUrl, async (other) => {
      await other.query('SELECT pg_advisory_lock(1364541778)');
      const migrating = migrate(test.ownerUrl);
      const pauses = new Set<string>();
      await waitFor('a second pause between transactions of the one that waits', async () => {
        const { rows } = await other.query<{ at: string }>(
          `SELECT state_change::text AS at FROM pg_stat_activity
           WHERE datname = current_database() AND state = 'idle' AND query = 'ROLLBACK' AND pid <> pg_backend_pid()`,
        );
        for (const { at } of rows) pauses.add(at);
        return pauses.size > 1;
      });
      await other.query('SELECT pg_advisory_unlock(1364541778)');
      expect(await migrating).toEqual([]);
    });
  });

  it('recreates a function whose text has changed, and no others', async () => {
    await withClient(test.ownerUrl, async (owner) => {
      const made = async () =>
        (
          await owner.query<{ name: string; at: string }>(
            'SELECT name, applied_at::text AS at FROM quarry_functions ORDER BY name',
          )
        ).rows;
      const before = await made();
      await owner.query(`
        CREATE OR REPLACE FUNCTION credits.used_in(p_account text, p_key text, p_period text, p_at timestamptz)
          RETURNS bigint LANGUAGE sql STABLE RETURN 7;
        CREATE OR REPLACE FUNCTION jobs.settle_jobs(p_ends jsonb) RETURNS SETOF text LANGUAGE sql AS 'SELECT 1::text';
        UPDATE quarry_functions SET checksum = 'of before' WHERE name IN ('credits.used_in', 'jobs.settle_jobs')`);
      expect(await migrate(test.ownerUrl)).toEqual([]);
      const after = await made();
      const changed = after.filter(({ at }, i) => at !== before[i]!.at).map(({ name }) => name);
      expect(changed).toEqual(['credits.used_in', 'jobs.settle_jobs']);
      const { rows } = await owner.query<{ used: string; config: string[] }>(
        `SELECT credits.used_in('nobody', '', 'day', now()) AS used, proconfig AS config
         FROM pg_proc WHERE oid = 'jobs.settle_jobs'::regproc`,
      );
      expect(rows[0]!.used).toBe('0');
      expect(rows[0]!.config).toContain('search_path=pg_catalog, pg_temp');
    });
  });

  it('recreates a function whose result type has changed, with the rights of its role', async () => {
    await withClient(test.ownerUrl, async (owner) => {
      await owner.query(`
        DROP FUNCTION jobs.claim_jobs(jsonb, integer, integer, integer);
        CREATE FUNCTION jobs.claim_jobs(jsonb, integer, integer, integer) RETURNS TABLE (id text) LANGUAGE sql RETURN NULL;
        UPDATE quarry_functions SET checksum = 'of before' WHERE name = 'jobs.claim_jobs'`);
      await migrate(test.ownerUrl);
      const { rows } = await owner.query<{ gives: string; may: boolean }>(
        `SELECT pg_get_function_result(oid) AS gives, has_function_privilege('quarry_working', oid, 'EXECUTE') AS may
         FROM pg_proc WHERE oid = 'jobs.claim_jobs'::regproc`,
      );
      expect(rows).toEqual([{ gives: expect.stringContaining('traceparent text'), may: true }]);
    });
  });

  it('is not complete before each function of this version exists', async () => {
    await withClient(test.ownerUrl, async (owner) => {
      await owner.query("DELETE FROM quarry_functions WHERE name = 'jobs.claim_jobs'");
      expect(await schemaStateOf(owner)).toMatchObject({ pending: ['jobs.claim_jobs'] });
      await migrate(test.ownerUrl);
      expect(await schemaStateOf(owner)).toMatchObject({ pending: [] });
    });
  });

  it('builds an index while a slow writer is active, and delays no other writer', async () => {
    const isWaiting = (): Promise<boolean> =>
      withClient(test.ownerUrl, async (client) => {
        const waits = `SELECT FROM pg_stat_activity
          WHERE datname = current_database() AND application_name = 'migrate' AND wait_event_type = 'Lock'`;
        return (await client.query(waits)).rowCount === 1;
      });
    await withClient(test.ownerUrl, async (writer) => {
      await writer.query("DELETE FROM quarry_migrations WHERE name LIKE 'AddRetentionIndexes%'");
      await writer.query('BEGIN; LOCK TABLE jobs.batches IN ROW EXCLUSIVE MODE');
      const migrating = migrate(test.ownerUrl);
      await waitFor('the index to wait', isWaiting);
      expect(await outcomeOf(test.ownerUrl, 'DELETE FROM jobs.batches WHERE false')).toBe('done');
      expect(await isWaiting()).toBe(true);
      await writer.query('COMMIT');
      expect(await migrating).toEqual(['AddRetentionIndexes1763700000041']);
    });
  });
});
