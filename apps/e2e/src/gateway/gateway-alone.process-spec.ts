import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createOrganisation } from '@quarry/composition';
import { freePort } from '@quarry/local-postgres';
import { ApiClient, AppProcess, createTestDatabase, type TestDatabase } from '@quarry/testing';
import { TcpBalancer } from '@quarry/test-servers';

/** Milliseconds. Usually a third of a second, to look for another process. A call that waits for its deadline takes 10 s. */
const AT_ONCE_MS = 5_000;

describe('a gateway that reaches none of its services', () => {
  let test: TestDatabase;
  let gateway: AppProcess;
  let api: ApiClient;

  beforeAll(async () => {
    test = await createTestDatabase();
    const { apiKey } = await createOrganisation(test.database, { name: 'Alone', credits: 10 });
    const [port, metrics, nobody, nobodyElse] = await Promise.all(Array.from({ length: 4 }, freePort));
    gateway = AppProcess.start('gateway', {
      DATABASE_URL: test.servingUrl,
      PORT: String(port),
      METRICS_PORT: String(metrics),
      TABLES_RPC_URL: `tcp://127.0.0.1:${nobody},tcp://127.0.0.1:${nobodyElse}`,
      RUNS_RPC_URL: `tcp://localhost:${nobody}`,
      SERVICES_RPC_URL: 'tcp://services.invalid:4000',
      RPC_SECRETS: 'r'.repeat(32),
      SHUTDOWN_DELAY_MS: '0',
    });
    await gateway.printed('the gateway listens');
    api = new ApiClient(`http://127.0.0.1:${port}`, apiKey);
  });
  afterAll(async () => {
    expect(await gateway.stop()).toBe(0);
    await test.drop();
  });

  it.each([
    ['GET', '/v1/runs', 503, 'runs_unavailable'],
    ['POST', '/v1/runs', 503, 'runs_unavailable'],
    ['GET', '/v1/workspaces', 503, 'runs_unavailable'],
    ['GET', '/services', 502, 'upstream_error'],
    ['GET', '/credits', 502, 'upstream_error'],
    ['GET', '/nowhere', 404, 'not_found'],
    ['GET', '/readyz', 503, 'runs_unavailable'],
  ] as const)('answers %s %s with %i %s, and at once', async (method, path, status, code) => {
    const askedAt = performance.now();
    const answer = await (method === 'GET' ? api.get(path) : api.post(path, { prompt: '3 companies' }));
    expect(answer).toMatchObject({ status, body: { error: { code } } });
    expect(performance.now() - askedAt).toBeLessThan(AT_ONCE_MS);
  });

  it('serves what needs no service, and names the missing ones', async () => {
    expect((await api.get('/openapi.json')).status).toBe(200);
    expect((await api.get('/healthz')).status).toBe(200);
    const { body } = await api.get<{ error: { message: string } }>('/readyz');
    expect(body.error.message).toBe('Not ready: tables, runs, services.');
  });
});

describe('the start of a process', () => {
  let test: TestDatabase;
  const started: AppProcess[] = [];
  beforeAll(async () => void (test = await createTestDatabase()));
  afterEach(() => Promise.all(started.splice(0).map((app) => app.stop('SIGKILL'))));
  afterAll(() => test.drop());

  async function start(
    app: 'gateway' | 'tables',
    port: number,
    databaseUrl = test.servingUrl,
  ): Promise<AppProcess> {
    const [metrics, nobody] = await Promise.all([freePort(), freePort()]);
    const peers = ['TABLES', 'RUNS', 'SERVICES'].map((name) => [
      `${name}_RPC_URL`,
      `tcp://127.0.0.1:${nobody}`,
    ]);
    const own = {
      gateway: { ...Object.fromEntries(peers), PORT: `${port}` },
      tables: { RPC_PORT: `${port}` },
    }[app];
    const secrets = {
      APP_URL: 'http://app.test',
      RPC_SECRETS: 'r'.repeat(32),
      CURSOR_SECRET: 'c'.repeat(32),
    };
    const env = {
      ...own,
      ...secrets,
      DATABASE_URL: databaseUrl,
      METRICS_PORT: String(metrics),
      SHUTDOWN_DELAY_MS: '0',
    };
    const process = AppProcess.start(app, env);
    started.push(process);
    return process;
  }

  it.each(['gateway', 'tables'] as const)(
    'of %s on a used port fails with one line that says so',
    async (app) => {
      const other = await TcpBalancer.before([]);
      const process = await start(app, other.port);
      expect(await process.ended()).toBe(1);
      const last = process.output.trim().split('\n').at(-1)!;
      expect(JSON.parse(last)).toMatchObject({
        level: 60,
        msg: `the start failed: 127.0.0.1:${other.port} is used by another process: stop it, or choose another port`,
      });
      other.close();
    },
  );

  it.each(['gateway', 'tables'] as const)('of %s waits for its database', async (app) => {
    const database = new URL(test.servingUrl);
    const backend = { host: database.hostname, port: Number(database.port) };
    const later = await freePort();
    database.host = `127.0.0.1:${later}`;
    const process = await start(app, await freePort(), database.href);
    await process.printed('waiting for the database to answer');
    const way = await TcpBalancer.before([backend], { host: '127.0.0.1', port: later });
    await process.printed({ gateway: 'the gateway listens', tables: 'calls are answered' }[app]);
    expect(await process.stop()).toBe(0);
    way.close();
  });
});
