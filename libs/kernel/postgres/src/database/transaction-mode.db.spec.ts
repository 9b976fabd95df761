import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, testCtx, type TestDatabase } from './spec-kit.js';
import { TransactionPooler } from '@quarry/test-servers';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { keepsStatements } from './connection-settings.js';
import { Database } from './database.js';
import { migrate } from '../schema/migrate.js';
import { ROLES } from './roles.js';
import { Statement, type StatementKind } from './statement.js';

const MINE = testCtx('org_mine');
const OTHER = testCtx('org_other');
const KINDS: Array<StatementKind | undefined> = ['read', 'work', 'heartbeat', 'list', undefined];
const LIMITS = ['app.org_id', 'statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];
const settings = `SELECT string_agg(coalesce(current_setting(name, true), ''), ' ' ORDER BY at) || ' ' || current_user AS text
  FROM unnest('{${LIMITS.join(',')}}'::text[]) WITH ORDINALITY AS each (name, at)`;
/** Session state that outlives a transaction, as far as it can be queried. */
const RESIDUE = `SELECT nullif(concat_ws('; ',
    (SELECT string_agg(name || '=' || setting, ', ') FROM pg_settings WHERE source = 'session'),
    (SELECT 'scope ' || nullif(current_setting('app.org_id', true), '')),
    (SELECT 'role ' || current_user WHERE current_user <> session_user),
    (SELECT 'statements ' || string_agg(name, ', ') FROM pg_prepared_statements),
    (SELECT 'listens ' || string_agg(c, ', ') FROM pg_listening_channels() c),
    (SELECT 'locks ' || count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() HAVING count(*) > 0),
    (SELECT 'tables ' || string_agg(relname, ', ') FROM pg_class WHERE relpersistence = 't')), '')`;

let test: TestDatabase;
let pooler: TransactionPooler;
beforeAll(async () => void (test = await createTestDatabase()));
afterAll(() => test.drop());
beforeEach(async () => void (pooler = await TransactionPooler.before(test.url, test.ownerUrl)));
afterEach(() => pooler.close());

async function residue(): Promise<Array<string | null>> {
  return [
    ...(await pooler.askServers(test.url, RESIDUE)),
    ...(await pooler.askServers(test.ownerUrl, RESIDUE)),
  ];
}

describe.each([
  ['the user of the address', undefined],
  ['a role that it works as', ROLES.working],
])('behind a pooler in transaction mode, %s', (_who, role) => {
  let db: Database;
  beforeEach(async () => {
    const url = role === undefined ? test.url : test.ownerUrl;
    db = await Database.open({
      url: pooler.through(url),
      applicationName: 'spec-pooled',
      connectMs: 60_000,
      ...(role ? { role } : {}),
    });
  });
  afterEach(() => db.close());

  it('every statement has the scope, limits and role of its kind', async () => {
    const expected = (kind: StatementKind | undefined): string => {
      if (kind === undefined) return '1min 5s 0';
      return kind === 'list' ? '5s 1s 0' : '4s 1s 0';
    };
    for (const kind of KINDS)
      for (const ctx of [MINE, OTHER, MINE]) {
        const [row] = await db.query(ctx, settings, [], kind);
        expect(row).toEqual({ text: `${ctx.orgId} ${expected(kind)} ${ROLES.working}` });
      }
    const [row] = await db.transaction(MINE, (tx) => db.query(tx, settings));
    expect(row).toEqual({ text: `org_mine 1min 5s 1min ${ROLES.working}` });
    const own = await db.withOwnConnection(MINE, async (client) => (await client.query(settings)).rows);
    expect(own).toEqual([{ text: `org_mine 5min 5s 0 ${ROLES.working}` }]);
    expect(await residue()).toEqual(Array(6).fill(null));
  });

  it('prepared statements are answered, even many at once, each for its own organisation', async () => {
    const statement = new Statement(
      'spec mine',
      "SELECT current_setting('app.org_id') AS org, $1::int AS n",
      true,
    );
    for (let round = 0; round < 2; round += 1) {
      const answers = Array.from({ length: 60 }, (_, n) =>
        db.query(n % 2 ? MINE : OTHER, statement, [n], KINDS[n % KINDS.length]),
      );
      (await Promise.all(answers)).forEach((rows, n) =>
        expect(rows).toEqual([{ org: n % 2 ? 'org_mine' : 'org_other', n }]),
      );
      const within = await db.transaction(MINE, (tx) => db.query(tx, statement, [round]));
      expect(within).toEqual([{ org: 'org_mine', n: round }]);
    }
    await db.ping();
    expect(await residue()).toEqual(Array(6).fill(null));
  });

  it('transactions commit, roll back and copy', async () => {
    const insert = "INSERT INTO identity.organisations (id, name) VALUES ($1, 'One')";
    await db.transaction(MINE, async (tx) => {
      await db.query(tx, insert, [`org_kept_${role}`]);
      const copy = db
        .rawClient(tx)
        .query(copyFrom('COPY tables.rows (org_id, row_set, position, id, cell_values) FROM STDIN'));
      await pipeline(Readable.from([]), copy);
    });
    const lost = db.transaction(MINE, async (tx) => {
      await db.query(tx, insert, [`org_lost_${role}`]);
      throw new Error('changed my mind');
    });
    await expect(lost).rejects.toThrow('changed my mind');
    const found = await db.query(
      MINE,
      `SELECT id FROM identity.organisations WHERE id IN ('org_kept_${role}', 'org_lost_${role}')`,
    );
    expect(found).toEqual([{ id: `org_kept_${role}` }]);
    expect(await residue()).toEqual(Array(6).fill(null));
  });

  it('only startup parameters that PgBouncer accepts are sent', async () => {
    await Promise.all([...KINDS.map((kind) => db.query(MINE, 'SELECT 1', [], kind)), db.ping()]);
    await db.withOwnConnection(MINE, () => Promise.resolve());
    expect([...pooler.parameters].sort()).toEqual([
      'application_name',
      'client_encoding',
      'database',
      'user',
    ]);
    expect(pooler.transactions).toBeGreaterThan(6);
  });
});

describe('a limit sent with its statement', () => {
  it('ends a statement that takes too long, and no other', async () => {
    const db = await Database.open({ url: pooler.through(test.url), applicationName: 'spec-limits' });
    await expect(db.query(MINE, 'SELECT pg_sleep(30)', [], 'read')).rejects.toThrow('statement timeout');
    expect(await db.query(MINE, 'SELECT 1 AS one', [], 'read')).toEqual([{ one: 1 }]);
    await db.close();
  });
});

describe('named prepared statements', () => {
  const found = async (url: string): Promise<boolean> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return keepsStatements(client).finally(() => client.end());
  };

  it('are used without a pooler, and not through one in transaction mode', async () => {
    expect(await found(test.url)).toBe(true);
    expect(await found(pooler.through(test.url))).toBe(false);
    expect(await residue()).toEqual(Array(6).fill(null));
  });
});

describe('a migration through a pooler in transaction mode', () => {
  it('works on an empty database, once, even with concurrent migrations', async () => {
    const empty = await createTestDatabase({ isEmpty: true });
    const through = await TransactionPooler.before(empty.ownerUrl);
    const applied = await Promise.all([migrate(through.through(empty.ownerUrl)), migrate(empty.ownerUrl)]);
    expect(applied.map(({ length }) => length > 0).sort()).toEqual([false, true]);
    expect(await migrate(through.through(empty.ownerUrl))).toEqual([]);
    expect(await through.askServers(empty.ownerUrl, RESIDUE)).toEqual(Array(3).fill(null));
    await through.close();
    await empty.drop();
  });
});
