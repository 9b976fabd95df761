import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createOrganisation } from '@quarry/composition';
import type { RunJson } from '@quarry/dto';
import { freePort } from '@quarry/local-postgres';
import { ModelServer, VendorSimulator } from '@quarry/test-servers';
import { ApiClient, AppProcess, createTestDatabase, type TestDatabase } from '@quarry/testing';

/** Variables of `services`, `worker` and `runs-agent` in profile `search` of docker-compose.yml; see tools/compose.spec.ts. */
const composed = (): Record<string, string> => ({ SEARXNG_URL: search.url });

let database: TestDatabase;
let model: ModelServer;
let search: VendorSimulator;
let apps: AppProcess[];
let api: ApiClient;

const INPUTS: Readonly<Record<string, (url: string) => object>> = {
  scrapeUrl: (url) => ({ url }),
  mapWebsite: (url) => ({ url }),
  extractData: (url) => ({
    urls: [url],
    schema: { type: 'object', properties: { name: { type: 'string' } } },
  }),
  detectTech: (url) => ({ domain: url }),
};
const PAGE = { url: 'https://halbrook.example/pumps', title: 'Pumps', content: 'Quiet pumps.' };
/** Returns a page only for searches about pumps. */
const pagesFor = (words = '', category = '') =>
  words.includes('pumps') ? [{ ...PAGE, title: `Pumps of ${category}` }] : [];

beforeAll(async () => {
  database = await createTestDatabase();
  model = await ModelServer.start('openai');
  const turns = [
    { name: 'search', input: { query: 'ski shops' } },
    { name: 'propose', input: { candidates: [], done: true } },
  ];
  model.play(...turns.map((turn) => () => ({ tools: [turn] })));
  search = await VendorSimulator.start({ key: null, refusal: { status: 401 } });
  // Like SearXNG with the json format enabled: other formats get no response here.
  search.playAlways(({ query: { q, format, categories } }) =>
    format === 'json' ? { body: { query: q, results: pagesFor(q, categories) } } : null,
  );
  const [tables, runs, services, port] = await Promise.all(Array.from({ length: 4 }, freePort));
  const common = {
    SANDBOX: 'on',
    APP_URL: 'http://app.test',
    CURSOR_SECRET: 'x'.repeat(32),
    RPC_SECRETS: 'r'.repeat(32),
  };
  const working = { ...common, DATABASE_URL: database.url, QUEUE_URL: database.url };
  const web = { MODEL_URL: model.url, MODEL_KEY: model.key, MODEL_NAME: 'spec-model' };
  apps = [
    AppProcess.start('tables', { ...working, RPC_PORT: String(tables) }),
    AppProcess.start('runs-agent', {
      ...working,
      ...web,
      ...composed(),
      PLANNER: 'rules',
      RPC_PORT: String(runs),
    }),
    AppProcess.start('jobs-worker', {
      ...working,
      ...composed(),
      SERVICES_RPC: 'on',
      WORKER_QUEUES: 'none',
      RPC_PORT: String(services),
    }),
    AppProcess.start('gateway', {
      RPC_SECRETS: common.RPC_SECRETS,
      DATABASE_URL: database.servingUrl,
      PORT: String(port),
      SHUTDOWN_DELAY_MS: '0',
      TABLES_RPC_URL: `tcp://127.0.0.1:${tables}`,
      RUNS_RPC_URL: `tcp://127.0.0.1:${runs}`,
      SERVICES_RPC_URL: `tcp://127.0.0.1:${services}`,
    }),
    AppProcess.start('jobs-worker', { ...working, ...web, ...composed(), WORKER_QUEUES: 'sourcing-runs' }),
  ];
  for (const app of apps.slice(0, 3)) await app.printed('calls are answered');
  await apps[3]!.printed('the gateway listens');
  await apps[4]!.printed('queues are worked on');
  const { apiKey } = await createOrganisation(database.database, { name: 'Spec', credits: 10 });
  api = new ApiClient(`http://127.0.0.1:${port}`, apiKey);
});
afterAll(async () => {
  await Promise.all(apps.map((app) => app.stop('SIGTERM')));
  await Promise.all([model.stop(), search.stop()]);
  await database.drop();
});

it('a run that searches the web is planned by an agent and executed by the worker of its own queue', async () => {
  const { body: plan } = await api.post<{ id: string; intent: object }>('/v1/plans', {
    prompt: 'shops that sell skis',
  });
  const source = { kind: 'web', wanted: 'Shops that sell skis', fragments: [], from: 'user' };
  const intent = {
    ...plan.intent,
    source,
    entity: 'company',
    filters: [],
    exclusions: [],
    criteria: [],
    not_understood: [],
  };
  const { status, body: run } = await api.post<RunJson>(`/v1/plans/${plan.id}/runs`, { intent });
  expect(status).toBe(202);
  const end = await api.runEnd(run);
  expect(end).toMatchObject({
    status: 'completed',
    message: expect.stringContaining('No companies were found on the web'),
  });
  expect(search.calls.map(({ path, query }) => [path, query.q])).toEqual([['/search', 'ski shops']]);
  // The run searched and called the model, but read no page: nothing is charged, and nothing stays reserved.
  expect(model.requests).toHaveLength(2);
  expect((await api.get('/credits')).body).toMatchObject({ balance: 10, reserved: 0 });
});

it.each([
  ['webSearch', 'general'],
  ['newsSearch', 'news'],
])('%s with a live key calls the SearXNG of the compose file', async (service, category) => {
  const found = await api.post(`/services/${service}`, { query: 'brewery pumps' });
  expect(found).toMatchObject({
    status: 200,
    body: {
      ok: true,
      output: { provider: 'searxng', items: [{ url: PAGE.url, title: `Pumps of ${category}` }] },
    },
  });
  expect(search.calls.at(-1)).toMatchObject({ path: '/search', query: { categories: category } });
});

it.each(['scrapeUrl', 'mapWebsite', 'extractData', 'detectTech'])(
  '%s refuses the address of that SearXNG, which is only for searches',
  async (service) => {
    const before = search.calls.length;
    for (const url of [`${search.url}/search?q=pumps`, search.url]) {
      const refused = await api.post<{ error: object }>(`/services/${service}`, INPUTS[service]!(url));
      expect([refused.status, refused.body]).toEqual([
        400,
        {
          error: expect.objectContaining({
            code: 'validation_error',
            message: expect.stringMatching(/usual ports/),
          }),
        },
      ]);
    }
    expect(search.calls).toHaveLength(before);
  },
);
