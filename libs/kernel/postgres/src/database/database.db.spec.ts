import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, testCtx, type TestDatabase } from './spec-kit.js';
import type { Ctx } from '@quarry/app';
import { waitFor } from '@quarry/test-servers';
import { CONNECTION_BUDGETS, type ConnectionBudget } from './connection-budget.js';
import { afterCommit, Database, isDatabaseUnavailable } from './database.js';
import type { RoleName } from './roles.js';
import { Statement } from './statement.js';
import type { TxCtx } from './transaction.js';

const ctx = testCtx('org_a');

describe('the database', () => {
  let test: TestDatabase;
  let db: Database;

  beforeAll(async () => {
    test = await createTestDatabase({ as: 'owner' });
    db = test.database;
    await db.query(ctx, 'CREATE TABLE note (id int PRIMARY KEY, text text)');
  });
  afterAll(() => test.drop());

  it('keeps nothing of a transaction that throws, and runs none of its after-commit effects', async () => {
    const effects: string[] = [];
    const work = db.transaction(ctx, async (tx) => {
      await db.query(tx, 'INSERT INTO note VALUES (1, $1)', ['lost']);
      await afterCommit(tx, () => void effects.push('ran'));
      throw new Error('changed my mind');
    });
    await expect(work).rejects.toThrow('changed my mind');
    expect(await db.query(ctx, 'SELECT * FROM note')).toEqual([]);
    expect(effects).toEqual([]);
  });

  it('keeps nothing of an attempt whose work returns null, and everything of another', async () => {
    const attempt = (id: number, result: string | null) =>
      db.tryTransaction(ctx, async (tx) => {
        await db.query(tx, 'INSERT INTO note VALUES ($1)', [id]);
        return result;
      });
    expect([await attempt(10, null), await attempt(11, 'done')]).toEqual([null, 'done']);
    expect(await db.query(ctx, 'DELETE FROM note WHERE id >= 10 RETURNING id')).toEqual([{ id: 11 }]);
  });

  it('runs effects once, after the commit is visible to others', async () => {
    const seen: unknown[] = [];
    await db.transaction(ctx, async (tx) => {
      await db.query(tx, 'INSERT INTO note VALUES (2, $1)', ['kept']);
      await afterCommit(
        tx,
        async () => void seen.push(await db.queryOne(ctx, 'SELECT text FROM note WHERE id = 2')),
      );
    });
    expect(seen).toEqual([{ text: 'kept' }]);
  });

  it.each([
    ['58030', 'its disk fails', true],
    ['57P03', 'it is starting', true],
    ['53100', 'its disk is full', true],
    ['57014', 'it had no time for it', true],
    ['23505', 'a value is there twice', false],
    ['58P01', 'a file of its installation is missing', false],
  ])(
    'distinguishes failures of the server from failures of the statement: %s, %s',
    async (code, _why, expected) => {
      const refused = db.query(
        ctx,
        `DO $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '${code}'; END $$`,
      );
      expect(await refused.then(() => 'answered', isDatabaseUnavailable)).toBe(expected);
    },
  );

  it.each([
    ['a client closed during a request', new Error('Client was closed and is not queryable')],
    ['a closed socket', Object.assign(new Error('Cannot call write'), { code: 'ERR_STREAM_DESTROYED' })],
    ['a host without a route', Object.assign(new Error('connect'), { code: 'EHOSTUNREACH' })],
    ['an unreachable name server', Object.assign(new Error('getaddrinfo'), { code: 'EAI_AGAIN' })],
  ])('treats %s as an unreachable server', (_what, error) => {
    expect(isDatabaseUnavailable(error)).toBe(true);
    expect(isDatabaseUnavailable(new Error('another error'))).toBe(false);
  });

  it('retries a transaction that was the victim of a deadlock', async () => {
    await db.query(ctx, "INSERT INTO note VALUES (10, ''), (11, '')");
    let arrived = 0;
    let open: () => void = () => undefined;
    const bothHoldOne = new Promise<void>((resolve) => (open = resolve));
    const cross = (first: number, second: number) =>
      db.transaction(ctx, async (tx) => {
        await db.query(tx, 'UPDATE note SET text = text || $2 WHERE id = $1', [first, 'x']);
        if (++arrived >= 2) open();
        await bothHoldOne;
        await db.query(tx, 'UPDATE note SET text = text || $2 WHERE id = $1', [second, 'x']);
      });
    await Promise.all([cross(10, 11), cross(11, 10)]);
    expect(await db.query(ctx, 'SELECT text FROM note WHERE id >= 10')).toEqual([
      { text: 'xx' },
      { text: 'xx' },
    ]);
    // It can be more than 3: the retry may collide with the other transaction again.
    expect(arrived).toBeGreaterThan(2);
  });

  it('reuses no connection whose setup was refused after its BEGIN', async () => {
    const session = await db.queryOne<{ role: string; owner: string }>(
      ctx,
      'SELECT current_database() AS role, current_user AS owner',
    );
    const { role, owner } = session!;
    const own = await Database.open({
      url: test.ownerUrl,
      applicationName: 'spec-opening',
      connectMs: 60_000,
      connections: { transactions: 1 },
      role: role as RoleName,
    });
    const who = 'SELECT current_user AS role, pg_backend_pid() AS pid';
    const inTransaction = () => own.transaction(ctx, (tx) => own.query(tx, who));
    const refusals: string[] = [];
    const refused = async (ask: () => Promise<unknown>) =>
      refusals.push(await ask().then(() => 'answered', String));
    await refused(inTransaction);
    await test.asAdmin(`CREATE ROLE ${role}; GRANT ${role} TO ${owner}`);
    const first = await inTransaction();
    await test.asAdmin(`REVOKE ${role} FROM ${owner}`);
    await refused(inTransaction);
    await refused(() => own.query(ctx, who));
    await refused(inTransaction);
    await test.asAdmin(`GRANT ${role} TO ${owner}`);
    // Checks that the same connection works again, not a new one.
    expect([await own.query(ctx, who), await inTransaction()]).toEqual([first, first]);
    expect(first).toEqual([{ role, pid: expect.any(Number) }]);
    expect(refusals).toEqual([
      expect.stringContaining('does not exist'),
      ...Array<unknown>(3).fill(expect.stringContaining('permission denied')),
    ]);
    await own.close();
    await test.asAdmin(`DROP ROLE ${role}`);
  });

  it('answers each of many pipelined reads with its own row, even if one of them fails', async () => {
    const reads = Array.from({ length: 50 }, (_, i) =>
      db.queryOne(ctx, 'SELECT 100 / $1::int AS n', [i]).catch(() => 'refused'),
    );
    const answers = await Promise.all(reads);
    expect(answers[0]).toBe('refused');
    expect(answers.slice(1)).toEqual(
      Array.from({ length: 49 }, (_, i) => ({ n: Math.trunc(100 / (i + 1)) })),
    );
  });

  it('returns JSON as text to statements that declare it, and to no others', async () => {
    const text = `SELECT '{"a": 1.0}'::jsonb AS binary, '{"a":1.0}'::json AS plain, 7 AS n`;
    const parsed = { binary: { a: 1 }, plain: { a: 1 }, n: 7 };
    const printed = { binary: '{"a": 1.0}', plain: '{"a":1.0}', n: 7 };
    const declared = new Statement('spec.jsonText', text).preparedWithJsonText();
    const readBoth = async (at: Ctx | TxCtx) => [
      await db.queryOne(at, declared, [], 'list'),
      await db.queryOne(at, declared, [], 'read'),
      await db.queryOne(at, text),
    ];
    expect(await readBoth(ctx)).toEqual([printed, printed, parsed]);
    expect(await db.transaction(ctx, readBoth)).toEqual([printed, printed, parsed]);
  });

  it('answers a light read while a heavy one blocks its connection', async () => {
    let heavyEnded = false;
    const heavy = db.query(ctx, 'SELECT pg_sleep(1)').then(() => (heavyEnded = true));
    const sentAt = performance.now();
    await waitFor('the heavy read to hold it up', () => Promise.resolve(performance.now() - sentAt > 10));
    await Promise.all(Array.from({ length: 20 }, () => db.query(ctx, 'SELECT 1')));
    expect(heavyEnded).toBe(false);
    await heavy;
  });

  it('reports what its connections are busy with', async () => {
    const idle = db.readMetrics();
    expect([idle.shares.transactions?.running, idle.pipelined.read?.inFlight]).toEqual([0, 0]);
    const sleeping = db.query(ctx, 'SELECT pg_sleep(0.2)', [], 'read');
    await db.transaction(ctx, async () => {
      await waitFor('the silence of a pipelined connection', () =>
        Promise.resolve(db.readMetrics().pipelined.read!.stillMs > 20),
      );
      const { shares, pipelined } = db.readMetrics();
      expect([shares.transactions?.running, pipelined.read?.inFlight]).toEqual([1, 1]);
    });
    await sleeping;
    expect(db.readMetrics()).toMatchObject({
      shares: { transactions: { running: 0, waiting: 0 } },
      pipelined: { read: { inFlight: 0, stillMs: 0 } },
    });
  });

  it('opens no more connections than configured, whatever is requested at once', async () => {
    const own = await Database.open({
      url: test.ownerUrl,
      applicationName: 'spec-budget',
      connectMs: 60_000,
      connections: { transactions: 3 },
    });
    const kinds = ['read', 'work', 'heartbeat', 'list', undefined] as const;
    const answers = Array.from({ length: 200 }, (_, i) =>
      own.query(testCtx(`org_${i}`), 'SELECT pg_sleep(0.01)', [], kinds[i % kinds.length]),
    );
    const copied = Array.from({ length: 9 }, () =>
      own.withOwnConnection(ctx, (client) => client.query('SELECT pg_sleep(0.01)')),
    );
    // On a busy machine a list may be refused because it waited too long; that does not open more connections.
    const ends = await Promise.allSettled([...answers, ...copied, own.ping()]);
    const counted = await db.queryOne<{ n: number }>(
      ctx,
      "SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name LIKE 'spec-budget%'",
    );
    const budget = Object.values(own.connections).reduce((sum, n) => sum + n, 0);
    await own.close();
    const refusals = ends.flatMap((end) =>
      end.status === 'rejected' ? [(end.reason as { code?: string }).code] : [],
    );
    expect(refusals.filter((code) => code !== 'rate_limited')).toEqual([]);
    expect(counted!.n).toBeGreaterThan(5);
    expect(counted!.n).toBeLessThanOrEqual(budget);
  });

  it.each(Object.entries<ConnectionBudget>(CONNECTION_BUDGETS).filter(([, { lists }]) => lists > 0))(
    'answers a list of one organisation while another has many slow ones: %s',
    async (_, connections) => {
      const own = await Database.open({
        url: test.ownerUrl,
        applicationName: 'spec-lists',
        connectMs: 60_000,
        connections,
      });
      // Opens the connections in advance, one organisation each.
      await Promise.all(
        Array.from({ length: connections.lists }, (_each, i) =>
          own.query(testCtx(`org_${i}`), 'SELECT pg_sleep(0.1)', [], 'list'),
        ),
      );
      const slow = Array.from({ length: connections.lists + 2 }, () =>
        own.query(ctx, 'SELECT pg_sleep(0.5)', [], 'list'),
      );
      const ended = Promise.race(slow).then(() => 'a slow list');
      const others = own.query(testCtx('org_b'), 'SELECT 1 AS n', [], 'list').then(() => "another's list");
      const first = await Promise.race([ended, others]);
      const { running, waiting } = own.readMetrics().shares.lists!;
      await Promise.allSettled(slow);
      await own.close();
      expect(first).toBe("another's list");
      expect({ isBelowAll: running < connections.lists, answers: running + waiting }).toEqual({
        isBelowAll: true,
        answers: slow.length,
      });
    },
  );

  it('keeps one of two COPY connections free for other organisations', async () => {
    const own = await Database.open({
      url: test.ownerUrl,
      applicationName: 'spec-copies',
      connectMs: 60_000,
      connections: { copies: 2 },
    });
    let end: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (end = resolve));
    const copies = Array.from({ length: 3 }, () => own.withOwnConnection(ctx, () => held));
    await own.withOwnConnection(testCtx('org_b'), () => Promise.resolve());
    const { running, waiting } = own.readMetrics().shares.copies!;
    end();
    await Promise.all(copies);
    await own.close();
    expect({ running, waiting }).toEqual({ running: 1, waiting: 2 });
  });

  it('uses a transaction connection for a kind of statement without connections of its own', async () => {
    const own = await Database.open({
      url: test.ownerUrl,
      applicationName: 'spec-narrow',
      connectMs: 60_000,
      connections: CONNECTION_BUDGETS.admin,
    });
    for (const kind of ['read', 'work', 'heartbeat', 'list'] as const)
      expect(await own.query(ctx, "SELECT current_setting('statement_timeout') AS limit", [], kind)).toEqual([
        { limit: '1min' },
      ]);
    await own.close();
  });
});
