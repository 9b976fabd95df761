import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { systemCtx } from '@quarry/app';
import { Database } from '@quarry/postgres';
import { PostgresServer } from '@quarry/local-postgres';
import { brokenInvariants, ClientHistory, descendantsOf, startProduct, type Product } from '@quarry/testing';
import { printMeasurement, TcpFaultProxy, waitFor } from '@quarry/test-servers';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

/** Milliseconds. A request takes 10 s at most; on an unnoticed dead connection it would wait a quarter of an hour for TCP. */
const FAILS_WITHIN_MS = 40_000;
/** Milliseconds. Recovery takes 5.4 s at most; without the product's own measures it would never happen. */
const RECOVERS_WITHIN_MS = 60_000;
/** Milliseconds, enough for every connection to be found dead, and for new ones to fail. */
const OUTAGE_MS = 12_000;
/**
 * Milliseconds. A line whose message or worker was lost takes its lease and a round of the reconciler, 40 s (docs/reliability.md,
 * Leases); a lost line would never end.
 */
const LINES_END_WITHIN_MS = 180_000;
const ASK_EVERY_MS = 300;
const REPEATS = 5;

let folder: string;
let server: PostgresServer;
let proxy: TcpFaultProxy;
let product: Product;
let lists = 0;

const cluster = () => join(folder, 'postgres');
const startServer = (port = 0) => PostgresServer.start({ dir: cluster(), port });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quarry-lost-postgres-'));
  server = await startServer();
  const admin = new pg.Client({ connectionString: server.url('postgres') });
  await admin.connect();
  await admin.query('CREATE DATABASE quarry');
  await admin.end();
  proxy = await TcpFaultProxy.before(server.url('quarry'));
  const env = {
    DATABASE_URL: proxy.through(server.url('quarry')),
    RATE_LIMIT_SCALE: '1000',
    LOG_LEVEL: 'error',
  };
  product = await startProduct({ database: 'embedded', env });
});
afterAll(async () => {
  await product.dispose();
  await proxy.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const status = (path: string): Promise<number> =>
  fetch(`${product.baseUrl}${path}`, { signal: AbortSignal.timeout(FAILS_WITHIN_MS) }).then(
    (answer) => answer.status,
    () => 0,
  );

const READ = ['/credits', '/v1/workspaces', '/v1/services/jobs?status=failed', '/v1/runs', '/v1/providers'];
const SENT = {
  '/v1/runs': { prompt: 'Find 3 software companies in Germany' },
  '/services/validatePhone': { phone: '+442079460000' },
  '/v1/exclusions/companies': { items: [{ domain: 'acme.com' }] },
};

/** A client that sends requests continuously, whatever the answers. */
class Load {
  readonly history = new ClientHistory(() => product.baseUrl, product.credentials.api_key);
  longestMs = 0;
  /** Requests that were answered with 500: an unavailable database is not an unexpected error. */
  readonly unexpected: string[] = [];
  private readonly requests: Array<Promise<unknown>> = [];
  private readonly timer = setInterval(() => void this.ask(), ASK_EVERY_MS);

  /** @returns the statuses of its answers; 0 for an answer that never came */
  ask(): Promise<number[]> {
    const from = performance.now();
    const person = { first_name: `L${++lists}`, last_name: 'Doe', domain: 'northwind.example' };
    const all: Array<readonly [what: string, answer: Promise<{ status: number }>]> = [
      ['a list', this.history.send(`lost-${lists}`, [person])],
      ...READ.map((path) => [path, this.history.call('GET', path)] as const),
      ...Object.entries(SENT).map(([path, body]) => [path, this.post(path, body)] as const),
    ];
    const answers = all.map(async ([what, answer]) => {
      const { status: status } = await answer;
      if (status === 500) this.unexpected.push(what);
      this.longestMs = Math.max(this.longestMs, performance.now() - from);
      return status;
    });
    this.requests.push(...answers);
    return Promise.all(answers);
  }

  private post(path: string, body: unknown): Promise<{ status: number }> {
    const { api_key: key } = product.credentials;
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
    const signal = AbortSignal.timeout(FAILS_WITHIN_MS);
    return fetch(`${product.baseUrl}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      signal,
    }).catch(() => ({ status: 0 }));
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.requests);
  }
}

interface Fault {
  name: string;
  lastsMs?: number;
  begin: () => Promise<unknown> | void;
  end: () => Promise<unknown> | void;
}

/** Breaks PostgreSQL under load. @returns the answers, the recovery times and the remaining faults */
async function survived(fault: Fault) {
  const load = new Load();
  await waitFor('the load', () => Promise.resolve(load.history.lists.length > 3));
  load.history.isOutage = true;
  await fault.begin();
  const { lastsMs } = fault;
  // The server is unavailable until these are answered: a request that waited for it would get no answer.
  const whileAway = lastsMs === undefined ? Promise.resolve([]) : load.ask();
  await new Promise((resolve) => setTimeout(resolve, lastsMs ?? 0));
  const unanswered = (await whileAway).filter((status) => status === 0).length;
  await fault.end();
  const backAt = performance.now();
  const isWell = async () =>
    (await status('/readyz')) === 200 && (await load.history.call('GET', '/credits')).status === 200;
  await waitFor('an answer', isWell);
  await waitFor('a list', async () => {
    const before = load.history.lists.length;
    await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
    return load.history.lists.length > before;
  });
  const recoveredMs = performance.now() - backAt;
  await load.stop();
  const { longestMs, history } = load;
  const database = await Database.open({ url: server.url('quarry'), applicationName: 'spec' });
  try {
    const open = 'SELECT 1 FROM jobs.jobs WHERE completed_at IS NULL LIMIT 1';
    const isQuiet = async () => (await database.query(systemCtx('spec'), open)).length === 0;
    await waitFor('every line to end', isQuiet, LINES_END_WITHIN_MS);
    const quietMs = performance.now() - backAt;
    history.isOutage = false;
    for (const list of [...history.lists.slice(0, REPEATS), ...history.lists.slice(-REPEATS)])
      await history.repeat({ ...list, batchId: list.batchId! });
    printMeasurement(
      `${fault.name}: longest answer ${Math.round(longestMs)} ms, well again after ${Math.round(recoveredMs)} ms, every line ended after ${Math.round(quietMs)} ms, ${history.lists.length} lists acknowledged`,
    );
    const broken = [...(await history.broken(database))];
    return {
      longestMs,
      recoveredMs,
      unanswered,
      unexpected: load.unexpected,
      alive: await status('/healthz'),
      broken,
      invariants: await brokenInvariants(database),
    };
  } finally {
    await database.close();
  }
}

const RIGHT = { unanswered: 0, unexpected: [], alive: 200, broken: [], invariants: {} };

describe('PostgreSQL fails silently', () => {
  const faults: Fault[] = [
    {
      name: 'connections dead for ever, server elsewhere after 12 s',
      lastsMs: OUTAGE_MS,
      begin: () => proxy.set({ kind: 'black-hole', heals: 'never' }),
      end: () => proxy.set({ kind: 'pass' }),
    },
    {
      name: 'connections dead for 12 s',
      lastsMs: OUTAGE_MS,
      begin: () => proxy.set({ kind: 'black-hole' }),
      end: () => proxy.set({ kind: 'pass' }),
    },
    {
      name: 'connections dead for ever, server elsewhere at once',
      begin: () => proxy.set({ kind: 'black-hole', heals: 'never' }),
      end: () => proxy.set({ kind: 'pass' }),
    },
    {
      name: 'every process of the server stands still for 12 s',
      lastsMs: OUTAGE_MS,
      begin: () => signalAll('SIGSTOP'),
      end: () => signalAll('SIGCONT'),
    },
  ];
  it.each(faults)('$name: requests are answered, everything recovers, and nothing is lost', async (fault) => {
    const { longestMs, recoveredMs, ...left } = await survived(fault);
    expect(left).toEqual(RIGHT);
    expect(longestMs).toBeLessThan(FAILS_WITHIN_MS);
    expect(recoveredMs).toBeLessThan(RECOVERS_WITHIN_MS);
  });
});

describe('PostgreSQL is restarted', () => {
  it.each(['SIGINT', 'SIGQUIT'] as const)(
    'after %s: ready again, and no acknowledged batch is lost',
    async (signal) => {
      const { port } = server;
      const { longestMs, recoveredMs, ...left } = await survived({
        name: `PostgreSQL restarted by ${signal}`,
        begin: async () => {
          const ended = new Promise<void>((resolve) => server.onLost(() => resolve()));
          process.kill(server.pid, signal);
          await ended;
        },
        end: async () => void (server = await startServer(port)),
      });
      expect(left).toEqual(RIGHT);
      expect(longestMs).toBeLessThan(FAILS_WITHIN_MS);
      expect(recoveredMs).toBeLessThan(RECOVERS_WITHIN_MS);
    },
  );
});

function signalAll(signal: 'SIGSTOP' | 'SIGCONT'): void {
  for (const pid of [server.pid, ...descendantsOf(server.pid)]) process.kill(pid, signal);
}
