import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOrganisation } from '@quarry/composition';
import { freePort } from '@quarry/local-postgres';
import { ApiClient, AppProcess, createTestDatabase, type TestDatabase } from '@quarry/testing';

/** Usually a third of a second, in which it looks for another process. A call that waits for its deadline takes 10 s. */
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
      LEAVE_MS: '0',
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

  it('serves what needs nobody, and says who is missing', async () => {
    expect((await api.get('/openapi.json')).status).toBe(200);
    expect((await api.get('/healthz')).status).toBe(200);
    const { body } = await api.get<{ error: { message: string } }>('/readyz');
    expect(body.error.message).toBe('Not ready: tables, runs, services.');
  });
});
