import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, testCtx, type TestDatabase } from './spec-kit.js';
import { printMeasurement, TcpFaultProxy, waitFor } from '@quarry/test-servers';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { createMetrics, probesOf, serveOperations } from '@quarry/app';
import { Database, isDatabaseUnavailable } from './database.js';
import type { StatementKind } from './statement.js';

const ctx = testCtx('org_a');
const KINDS: Array<StatementKind | undefined> = ['read', 'work', 'heartbeat', 'list', undefined];
/** It takes 6 s. TCP alone takes a quarter of an hour. */
const FAILS_WITHIN_MS = 40_000;

let test: TestDatabase;
let proxy: TcpFaultProxy;
let db: Database;

beforeAll(async () => void (test = await createTestDatabase({ as: 'owner' })));
afterAll(() => test.drop());
beforeEach(async () => {
  proxy = await TcpFaultProxy.before(test.url);
  db = await Database.open({ url: proxy.through(test.url), applicationName: 'spec-lost' });
  await Promise.all([...KINDS.map((kind) => db.query(ctx, 'SELECT 1', [], kind)), db.ping()]);
});
afterEach(async () => {
  await proxy.close();
  await db.close();
});

/** @returns the outcomes of a statement of each kind, and of one in a transaction that was already open */
async function outcomes(): Promise<unknown[]> {
  const outcomeOf = (work: Promise<unknown>) => work.then(() => 'answered', isDatabaseUnavailable);
  const all = [...KINDS.map((kind) => db.query(ctx, 'SELECT 1', [], kind)), db.ping()];
  return Promise.all(all.map(outcomeOf));
}

describe('connections that die silently', () => {
  it('fail their requests within 10 s, and are replaced once the server is back elsewhere', async () => {
    let isOpen = false;
    let goOn: () => void = () => undefined;
    const gone = new Promise<void>((resolve) => (goOn = resolve));
    const transaction = db.transaction(ctx, async (tx) => {
      await db.query(tx, 'SELECT 1');
      isOpen = true;
      await gone;
      await db.query(tx, 'SELECT 1');
    });
    const open = transaction.then(() => 'committed', isDatabaseUnavailable);
    await waitFor('the transaction', () => Promise.resolve(isOpen));
    await proxy.set({ kind: 'black-hole', heals: 'never' });
    const cutAt = performance.now();
    goOn();
    expect(await outcomes()).toEqual(Array(6).fill(true));
    expect(await open).toBe(true);
    const failedMs = performance.now() - cutAt;
    expect(failedMs).toBeLessThan(FAILS_WITHIN_MS);
    await proxy.set({ kind: 'pass' });
    const backAt = performance.now();
    await waitFor('an answer of every kind', async () =>
      (await outcomes()).every((each) => each === 'answered'),
    );
    printMeasurement(
      `connections dead without a word: failed after ${Math.round(failedMs)} ms, answered again after ${Math.round(performance.now() - backAt)} ms`,
    );
  });

  it('are replaced even while no request waits for them', async () => {
    await proxy.set({ kind: 'black-hole', heals: 'never' });
    const standing = proxy.deadLinks;
    expect(standing).toBeGreaterThan(KINDS.length);
    await waitFor('their end', () => Promise.resolve(proxy.deadLinks < standing / 2), FAILS_WITHIN_MS);
    await proxy.set({ kind: 'pass' });
    await waitFor('an answer of every kind', async () =>
      (await outcomes()).every((each) => each === 'answered'),
    );
  });
});

describe('a COPY whose connection dies while all others work', () => {
  /** After 65 s of silence (docs/reliability.md, Connections to PostgreSQL) and a check or two; TCP takes 15 minutes. */
  const NOTICED_WITHIN_MS = 270_000;
  const MARK = 'here-it-dies';

  async function copyIn(rows: AsyncIterable<string> | Iterable<string>): Promise<void> {
    await db.transaction(ctx, async (tx) => {
      await db.query(tx, 'SET LOCAL statement_timeout = 0');
      const copy = db.rawClient(tx).query(copyFrom('COPY copied FROM STDIN'));
      await pipeline(Readable.from(rows), copy);
    });
  }

  async function copyOut(sql: string, read: () => Promise<void>): Promise<number> {
    return db.withOwnConnection(ctx, async (client) => {
      let length = 0;
      for await (const bytes of client.query(copyTo(`COPY (${sql}) TO STDOUT`)) as AsyncIterable<Buffer>) {
        length += bytes.length;
        await read();
      }
      return length;
    });
  }

  it('fails in time in both directions, and a COPY that only waits for its caller continues', async () => {
    await test.asOwner('CREATE TABLE copied (line text); GRANT ALL ON copied TO PUBLIC');
    await proxy.set({ kind: 'dead-link', at: MARK });
    let goOn: () => void = () => undefined;
    const noticed = new Promise<void>((resolve) => (goOn = resolve));
    async function* patientRows(): AsyncGenerator<string> {
      yield 'first\n';
      await noticed;
      yield 'last\n';
    }
    const patient = [
      copyIn(patientRows()),
      copyOut("SELECT repeat('x', 999) FROM generate_series(1, 20000)", () => noticed),
    ];
    const startedAt = performance.now();
    const marked = `'${MARK.slice(0, 5)}' || '${MARK.slice(5)}'`;
    const lost = [
      copyIn(Array.from({ length: 1_000 }, (_, i) => (i < 500 ? 'row\n' : `${MARK}\n`))),
      copyOut(
        `SELECT CASE WHEN i > 50000 THEN ${marked} ELSE 'row' END FROM generate_series(1, 100000) i`,
        () => Promise.resolve(),
      ),
    ].map((work: Promise<unknown>) => work.then(() => 'ended', isDatabaseUnavailable));
    expect(await Promise.all(lost)).toEqual([true, true]);
    const noticedMs = performance.now() - startedAt;
    printMeasurement(`COPYs whose connection went dead: ended after ${Math.round(noticedMs)} ms`);
    expect(noticedMs).toBeLessThan(NOTICED_WITHIN_MS);
    expect(await outcomes()).toEqual(Array(6).fill('answered'));
    goOn();
    expect(await Promise.all(patient)).toEqual([undefined, 20_000_000]);
    const kept = await db.query(ctx, 'SELECT line FROM copied ORDER BY line');
    expect(kept).toEqual([{ line: 'first' }, { line: 'last' }]);
  });
});

describe('a pipelined connection that is stuck', () => {
  it('fails the liveness probe, and only after it has been stuck for long', async () => {
    const server = await serveOperations({
      registries: [createMetrics('spec')],
      host: '127.0.0.1',
      port: 0,
      ...probesOf(db, () => false),
    });
    const { port } = server.address() as { port: number };
    const health = async (): Promise<number> => (await fetch(`http://127.0.0.1:${port}/healthz`)).status;
    // Simulates a socket that cannot be closed.
    const destroy = Socket.prototype.destroy;
    const kept = new Set<Socket>();
    Socket.prototype.destroy = function (this: Socket, error?: Error): Socket {
      if (!isPipelined(this)) return destroy.call(this, error) as Socket;
      kept.add(this);
      return this;
    };
    const isPipelined = (socket: Socket): boolean =>
      socket.remotePort === Number(new URL(proxy.through(test.url)).port);
    try {
      expect(await health()).toBe(200);
      await proxy.set({ kind: 'dead-link', at: 'never-answered' });
      const sentAt = performance.now();
      const answer = db.query(ctx, "SELECT 'never-answered'", [], 'read').catch(() => 'failed');
      await waitFor('its connection to be ended in vain', () => Promise.resolve(kept.size > 0));
      // The other connections and the server work, so readiness does not show it.
      expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
      expect(await health()).toBe(200);
      await waitFor('the probe to say so', async () => (await health()) === 503);
      expect(performance.now() - sentAt).toBeGreaterThan(15_000);
      Socket.prototype.destroy = destroy;
      for (const socket of kept) socket.destroy(new Error('closed at last'));
      expect(await answer).toBe('failed');
      await waitFor('the probe to be well again', async () => (await health()) === 200);
    } finally {
      Socket.prototype.destroy = destroy;
      await new Promise((resolve) => server.close(resolve));
    }
  });
});

describe('a pipelined statement', () => {
  it('is not delayed by a blocked list', async () => {
    await test.database.query(ctx, 'CREATE TABLE page (id int)');
    let done = false;
    await test.database.transaction(ctx, async (tx) => {
      await test.database.query(tx, 'LOCK TABLE page');
      const lists = Array.from({ length: 10 }, () => db.query(ctx, 'SELECT * FROM page', [], 'list'));
      const ended = Promise.allSettled(lists).then(() => (done = true));
      const other = db.query(testCtx('org_b'), 'SELECT 1', [], 'list');
      for (const kind of ['read', 'work', 'heartbeat'] as const)
        await Promise.all(Array.from({ length: 20 }, () => db.query(ctx, 'SELECT 1', [], kind)));
      await Promise.all([db.ping(), other, db.query(ctx, 'SELECT 1')]);
      expect(done).toBe(false);
      await ended;
      const codes = (await Promise.allSettled(lists)).map((each) =>
        each.status === 'rejected' ? ((each.reason as { code: string }).code ?? '') : 'answered',
      );
      // Two at once per organisation; a caller that waits too long gets `rate_limited`.
      expect(new Set(codes)).toEqual(new Set(['55P03', 'rate_limited']));
    });
  });

  it('waits only briefly for a lock, and then fails as unavailable', async () => {
    await test.database.transaction(ctx, async (tx) => {
      await test.database.query(tx, 'CREATE TABLE held (id int)');
      await test.database.query(tx, 'LOCK TABLE credits.accounts');
      const error = await db
        .query(ctx, 'SELECT * FROM credits.accounts', [], 'read')
        .catch((each: unknown) => each);
      expect(isDatabaseUnavailable(error)).toBe(true);
    });
  });
});
