import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, testCtx, type TestDatabase } from '../database/spec-kit.js';
import pg from 'pg';
import { systemCtx, type Ctx } from '@quarry/app';
import { Database } from '../database/database.js';
import { Statement, type StatementKind } from '../database/statement.js';

const MINE = testCtx('org_mine');
const ALL = systemCtx('spec');
/** Tables without row-level security. Why: docs/adr/0016-roles-and-row-security.md. */
const WITHOUT_WALL = ['tables.rows'];
/** Tables that identify the organisation, and are read before it is known. Why: the same decision. */
const FOUND_FIRST = ['identity.api_keys', 'identity.sessions', 'identity.users'];
/** Values of columns whose constraints are stricter than their type. */
const VALUES: Readonly<Record<string, string>> = {
  'identity.api_keys.secret_sha256': "sha256('x')",
  'identity.api_keys.public_id': 'org',
  'identity.sessions.token_sha256': 'sha256(org::bytea)',
  'identity.login_links.token_sha256': 'sha256(org::bytea)',
  'identity.invitations.token_sha256': 'sha256(org::bytea)',
  role: "'owner'",
  'identity.audit_events.actor_kind': "'operator'",
  'identity.audit_events.hash': "sha256('x')",
  'erasure.receipts.subject_kind': "'email'",
  'erasure.receipts.state': "'working'",
  'runs.monitors.first_run': "'silent'",
  'runs.monitor_runs.trigger': "'manual'",
  'runs.monitor_runs.status': "'working'",
  'outreach.mailboxes.daily_limit': '1',
  'outreach.sequences.status': "'draft'",
  'outreach.approvals.kind': "'sequence'",
  'outreach.approvals.status': "'pending'",
  'outreach.enrollments.status': "'waiting'",
  'outreach.messages.direction': "'in'",
  'outreach.messages.state': "'received'",
  'outreach.suppressions.kind': "'address'",
  'outreach.suppressions.reason': "'manual'",
  mode: "'live'",
  state: "'queued'",
  status: "'queued'",
  kind: "'companies'",
  format: "'csv'",
  org_id: 'org',
};
const BY_TYPE: Readonly<Record<string, string>> = {
  text: "'x_' || org",
  integer: '1',
  smallint: '1',
  boolean: 'false',
  date: 'now()',
  'text[]': "'{}'",
  'integer[]': "'{}'",
  bigint: 'abs(hashtext(org))',
  json: "'{}'",
  jsonb: "'{}'",
  bytea: "'x'",
  uuid: 'gen_random_uuid()',
  'time without time zone': "'09:00'",
  'timestamp with time zone': 'now()',
};

let test: TestDatabase;
let serving: Database;
let tables: Array<{ name: string; columns: Array<{ column: string; type: string }>; is_closed: boolean }>;

beforeAll(async () => {
  test = await createTestDatabase();
  serving = await Database.open({ url: test.servingUrl, applicationName: 'spec-serving', connectMs: 60_000 });
  tables = await test.database.query(
    ALL,
    `SELECT c.oid::regclass::text AS name, c.relrowsecurity AND c.relforcerowsecurity AS is_closed,
       (SELECT json_agg(json_build_object('column', n.attname, 'type', format_type(n.atttypid, NULL))) FROM pg_attribute n
        WHERE n.attrelid = c.oid AND n.attnum > 0 AND NOT n.attisdropped AND (n.attnotnull OR n.attname = 'lease_until' AND c.relname = 'keys' OR n.attname = 'sequence_id' AND c.relname = 'approvals') AND NOT n.atthasdef AND n.attidentity = '') AS columns
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'org_id' AND NOT a.attisdropped
     WHERE c.relkind IN ('r', 'p') AND c.relnamespace::regnamespace::text !~ '^(pg_|information_schema)' ORDER BY 1`,
  );
  // Rows of two organisations in each table; their references do not matter here.
  await test.asAdmin(
    [
      'SET session_replication_role = replica',
      ...tables.map(({ name, columns }) => {
        const value = ({ column, type }: { column: string; type: string }): string =>
          VALUES[`${name}.${column}`] ??
          VALUES[column] ??
          BY_TYPE[type] ??
          `no value for ${name}.${column}: ${type}`;
        return `INSERT INTO ${name} (${columns.map(({ column }) => column).join(', ')})
                SELECT ${columns.map(value).join(', ')} FROM unnest(ARRAY['org_mine', 'org_other']) org`;
      }),
    ].join(';\n'),
  );
});
afterAll(async () => {
  await serving.close();
  await test.drop();
});

const countAt = async (url: string, table: string): Promise<number> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client
    .query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table}`)
    .then(({ rows }) => rows[0]!.n)
    .finally(() => client.end());
};
const closed = (): string[] => tables.map(({ name }) => name).filter((name) => !WITHOUT_WALL.includes(name));

describe('a table with the id of an organisation', () => {
  it('has row-level security that applies to its owner, too', () => {
    expect(tables.filter(({ is_closed }) => !is_closed).map(({ name }) => name)).toEqual(WITHOUT_WALL);
    expect(tables.length).toBeGreaterThan(12);
  });

  const ways: Array<[string, (db: Database, ctx: Ctx, sql: string) => Promise<unknown[]>]> = [
    ...(['read', 'work', 'heartbeat', 'list', undefined] as Array<StatementKind | undefined>).map(
      (kind): (typeof ways)[number] => [kind ?? 'no kind', (db, ctx, sql) => db.query(ctx, sql, [], kind)],
    ),
    ['a transaction', (db, ctx, sql) => db.transaction(ctx, (tx) => db.query(tx, sql))],
    [
      'a connection of its own',
      (db, ctx, sql) => db.withOwnConnection(ctx, async (c) => (await c.query(sql)).rows),
    ],
    [
      'a prepared statement',
      (db, ctx, sql) => db.query(ctx, new Statement(`spec ${sql}`, sql, true), [], 'read'),
    ],
  ];

  it.each(ways)(
    "shows a statement without a predicate only its organisation's rows: %s",
    async (_way, ask) => {
      for (const db of [serving, test.database])
        for (const name of closed()) {
          const seen = await ask(db, MINE, `SELECT DISTINCT org_id FROM ${name}`);
          expect({ name, seen }).toEqual({ name, seen: [{ org_id: 'org_mine' }] });
        }
    },
  );

  it('refuses writes for another organisation', async () => {
    for (const name of closed()) {
      const { columns } = tables.find((table) => table.name === name)!;
      const list = columns.map(({ column }) => column).join(', ');
      const moved = test.database.query(MINE, `UPDATE ${name} SET org_id = 'org_other'`);
      await expect(moved).rejects.toThrow(/row-level security|permission denied/);
      const made = test.database.query(
        MINE,
        `INSERT INTO ${name} (${list}) SELECT ${columns.map(({ column }) => (column === 'org_id' ? "'org_other'" : column)).join(', ')} FROM ${name}`,
      );
      await expect(made).rejects.toThrow(/row-level security/);
      // Append-only tables cannot be changed.
      if (name === 'identity.audit_events') continue;
      const changed = `WITH changed AS (UPDATE ${name} SET org_id = org_id RETURNING org_id) SELECT DISTINCT org_id FROM changed`;
      expect({ name, changed: await test.database.query(MINE, changed) }).toEqual({
        name,
        changed: [{ org_id: 'org_mine' }],
      });
    }
  });

  it('is not written through a view, which has the rights of its owner', async () => {
    const views = await test.database.query<{ name: string; is_written: boolean }>(
      ALL,
      `SELECT c.oid::regclass::text AS name, bool_or(has_table_privilege(role, c.oid, 'INSERT, UPDATE, DELETE')) AS is_written
       FROM pg_class c, unnest(ARRAY['quarry_serving', 'quarry_working']) AS role
       WHERE c.relkind = 'v' AND c.relnamespace::regnamespace::text !~ '^(pg_|information_schema)' GROUP BY c.oid`,
    );
    expect(views.filter(({ is_written }) => is_written)).toEqual([]);
    expect(views.map(({ name }) => name)).toContain('runs.finished_runs');
  });

  it('is shown through a view as its reader may see it', async () => {
    const views = await test.database.query<{ name: string }>(
      ALL,
      `SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'org_id'
       WHERE c.relkind = 'v' AND c.relnamespace::regnamespace::text !~ '^(pg_|information_schema)' ORDER BY 1`,
    );
    expect(views.map(({ name }) => name)).toContain('tables.open_workspaces');
    for (const { name } of views) {
      expect(await serving.query(MINE, `SELECT DISTINCT org_id FROM ${name}`)).toEqual([
        { org_id: 'org_mine' },
      ]);
      expect({ name, seen: await serving.query(ALL, `SELECT org_id FROM ${name}`) }).toEqual({
        name,
        seen: [],
      });
    }
  });

  it('is visible as a whole to the working role alone', async () => {
    for (const name of closed()) {
      const sql = `SELECT org_id FROM ${name} ORDER BY 1`;
      expect(await test.database.query(ALL, sql)).toEqual([{ org_id: 'org_mine' }, { org_id: 'org_other' }]);
      // A key or a session is looked up before the organisation is known.
      if (!FOUND_FIRST.includes(name)) expect(await serving.query(ALL, sql)).toEqual([]);
    }
  });

  it('shows nothing if no organisation is set, to its owner neither', async () => {
    for (const url of [test.servingUrl, test.url, test.ownerUrl])
      for (const name of closed()) expect(await countAt(url, name)).toBe(0);
  });
});

describe('a statement within a scope', () => {
  it('leaves nothing of its organisation on the connection it used', async () => {
    const other = testCtx('org_other');
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        serving.query(
          i % 2 === 0 ? MINE : other,
          new Statement('spec keys', 'SELECT org_id FROM identity.api_keys', true),
          [],
          'read',
        ),
      ),
    );
    answers.forEach((rows, i) => expect(rows).toEqual([{ org_id: i % 2 === 0 ? 'org_mine' : 'org_other' }]));
  });

  it('fails alone if it is wrong, and others on the same connection are answered', async () => {
    const good = new Statement('spec good', 'SELECT org_id FROM jobs.jobs', true);
    const bad = new Statement('spec bad', 'SELECT nothing FROM jobs.jobs', true);
    for (let round = 0; round < 2; round += 1) {
      const answers = await Promise.allSettled(
        [good, bad, good, bad, good].map((statement) => serving.query(MINE, statement, [], 'read')),
      );
      expect(answers.map(({ status }) => status)).toEqual([
        'fulfilled',
        'rejected',
        'fulfilled',
        'rejected',
        'fulfilled',
      ]);
    }
  });
});
