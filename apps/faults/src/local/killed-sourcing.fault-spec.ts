import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { FitJson, RunJson } from '@quarry/dto';
import { systemCtx } from '@quarry/app';
import { callOf, waitFor, WebServers, type ModelRequest, type ModelTurn } from '@quarry/test-servers';
import { ApiClient, brokenInvariants, startProduct, type Product } from '@quarry/testing';

const PROMPT = 'Shops in the Alps that sell skis';
const LIST = '127.0.5.10';
const SHOPS = [
  { host: '127.0.5.11', name: 'Alpin Glanz' },
  { host: '127.0.5.12', name: 'Bergwerk Sport' },
  { host: '127.0.5.13', name: 'Firnlinie' },
] as const;
const HELD = SHOPS[1].host;

let web: WebServers;
let product: Product;
let searches = 0;
/** Number of answers of the model by shop; the conversation that searches for shops has an empty name. */
const answered = new Map<string, number>();

function played({ promptText, turn }: ModelRequest): ModelTurn {
  const isExpected =
    promptText.includes(PROMPT) || SHOPS.some(({ name }) => promptText.includes(`{"name":"${name}"`));
  // The sample prompt of the first start.
  if (!isExpected) return { status: 401 };
  const page = /Page (p\d+)/.exec(promptText)?.[1];
  const shop = SHOPS.find(({ name }) => promptText.includes(`{"name":"${name}"`));
  answered.set(shop?.name ?? '', (answered.get(shop?.name ?? '') ?? 0) + 1);
  if (shop) {
    const verdict = { criterion: 1, holds: true, page_id: page, quote: `${shop.name} sells skis` };
    return callOf('judge', { done: true, claims: [], verdicts: [verdict] });
  }
  if (turn === 0) return callOf('search', { query: 'ski shops' });
  if (turn === 1) return callOf('fetch', { url: web.sites.url(LIST, '/list') });
  const candidates = SHOPS.map(({ name, host }) => ({
    name,
    url: web.sites.url(host),
    page_id: page,
    quote: `${name} is a shop`,
  }));
  return callOf('propose', { done: turn > 2, candidates: turn > 2 ? [] : candidates });
}

const start = (before?: Product): Promise<Product> =>
  startProduct({
    ...(before ? { database: before.database!, dataDir: before.dataDir } : {}),
    env: {
      ...web.env([LIST, ...SHOPS.map(({ host }) => host)]),
      PLANNER: 'rules',
      RATE_LIMIT_SCALE: '100',
      LOG_LEVEL: 'error',
    },
  });

beforeAll(async () => {
  web = await WebServers.start();
  const links = SHOPS.map(({ name, host }) => `<a href="${web.sites.url(host)}">${name}</a>`).join(' ');
  web.sites.write(LIST, '/list', `${SHOPS.map(({ name }) => `${name} is a shop.`).join(' ')} ${links}`);
  for (const { host, name } of SHOPS) web.sites.write(host, '/', `${name} sells skis in the Alps.`);
  web.model.play(played);
  web.search.playAlways(() => {
    searches += 1;
    return { body: { results: [{ url: web.sites.url(LIST, '/list'), title: 'Shops', content: 'Shops' }] } };
  });
  product = await start();
});
afterAll(async () => {
  await product.dispose();
  await web.stop();
});

it('a run that searches the web and is killed midway resumes where it was, and pays each step once', async () => {
  const release = web.sites.hold(HELD, '/');
  const api = () => new ApiClient(product.baseUrl, product.credentials.api_key);
  const { body: before } = await api().get<{ balance: number }>('/credits');
  const { body: plan } = await api().post<{ id: string; intent: object }>('/v1/plans', { prompt: PROMPT });
  const intent = {
    ...plan.intent,
    source: { kind: 'web', wanted: PROMPT, fragments: [], from: 'user' },
    entity: 'company',
    filters: [],
    exclusions: [],
    criteria: [],
    not_understood: [],
    count: null,
  };
  const { status, body: run } = await api().post<RunJson>(`/v1/plans/${plan.id}/runs`, { intent });
  expect(status).toBe(202);
  // Killed twice while it reads the second shop: the first one is evaluated and in the table.
  for (const times of [1, 2]) {
    await waitFor('the second shop to be read', () =>
      Promise.resolve(web.sites.fetched.get(`${HELD}/`) === times),
    );
    await product.kill9();
    product = await start(product);
  }
  await waitFor('the second shop to be read again', () =>
    Promise.resolve(web.sites.fetched.get(`${HELD}/`) === 3),
  );
  release();
  const end = await api().runEnd(run);
  expect([end.status, end.message]).toEqual(['completed', expect.stringContaining('3 qualified')]);
  const { body: rows } = await api().get<{ items: Array<{ values: { name: string }; fit: FitJson }> }>(
    end.artifacts[0]!.links.rows,
  );
  expect(rows.items.map(({ values, fit }) => [values.name, fit.status])).toEqual(
    SHOPS.map(({ name }) => [name, 'qualified']),
  );
  // Each step was requested once, except for the page at which the process was killed.
  expect([searches, Object.fromEntries(answered)]).toEqual([
    1,
    { '': 4, ...Object.fromEntries(SHOPS.map(({ name }) => [name, 1])) },
  ]);
  expect(
    [LIST, ...SHOPS.map(({ host }) => host)].map((host) =>
      web.sites.fetched.get(`${host}${host === LIST ? '/list' : '/'}`),
    ),
  ).toEqual([1, 1, 3, 1]);
  const { database } = product.database!;
  const [steps] = await database.query<{ cost: number; open: number }>(
    systemCtx('spec'),
    `SELECT sum((result ->> 'cost')::int)::int AS cost, count(*) FILTER (WHERE finished_at IS NULL)::int AS open
     FROM runs.steps WHERE run_id = $1 AND name ~ '^table-0[.]web[.][0-9]+$'`,
    [run.id],
  );
  // A search, the list and four answers; for each shop its page and one answer.
  expect(steps).toEqual({ cost: 500 + 1000 + 4000 + 3 * 2000, open: 0 });
  const { body: after } = await api().get<{ balance: number; reserved: number }>('/credits');
  expect([before.balance - after.balance, after.reserved]).toEqual([11.5, 0]);
  expect(await brokenInvariants(database)).toEqual({});
});
