import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CellJson, FitJson, RunJson } from '@quarry/dto';
import { freePort } from '@quarry/local-postgres';
import { callOf, waitFor, WebServers, type ModelRequest, type ModelTurn } from '@quarry/test-servers';
import { ApiClient, brokenInvariants, startProduct, type Product } from '@quarry/testing';

interface Row {
  values: Record<string, unknown>;
  cells: Record<string, CellJson>;
  fit: FitJson;
}
interface Plan {
  id: string;
  intent: Record<string, unknown>;
  understood: Array<{ fragment: string; reading: string }>;
  estimate: { rows: number; credits_max: number };
}
interface Ledger {
  items: Array<{ kind: string; amount: number; service: string | null; run_id: string | null }>;
}

const PROMPT = 'Shopify stores in Austria that sell skis';
const LIST = '127.0.4.10';
const PROFILE = 'https://www.linkedin.com/company/firnlinie';
/** Shops with the text of their own pages. One of them is excluded, and one sells something else. */
const SHOPS = {
  alpin: {
    host: '127.0.4.11',
    name: 'Alpin Glanz',
    says: 'Alpin Glanz sells touring skis and boots. Our shop in Innsbruck, Austria is open daily. Powered by Shopify.',
  },
  berg: {
    host: '127.0.4.12',
    name: 'Bergwerk Sport',
    says: 'Bergwerk Sport sells surfboards and never any skis. Our shop is in Graz, Austria. Powered by Shopify.',
  },
  firn: {
    host: '127.0.4.13',
    name: 'Firnlinie',
    says: 'Firnlinie sells skis in Salzburg, Austria. Powered by Shopify.',
  },
  grat: {
    host: '127.0.4.14',
    name: 'Gratwerk',
    says: 'Gratwerk welcomes you to its shop for the mountains.',
  },
} as const;
type Shop = keyof typeof SHOPS;

let web: WebServers;
let product: Product;
let api: ApiClient;
let metricsUrl: string;

/** Returns the address of a shop. One of them is known only by its profile. */
const urlOf = (host: string): string => (host === SHOPS.firn.host ? PROFILE : web.sites.url(host));
const shopOf = (promptText: string): Shop | undefined =>
  (Object.keys(SHOPS) as Shop[]).find((shop) => promptText.includes(`{"name":"${SHOPS[shop].name}"`));
const pageIn = ({ promptText }: ModelRequest): string => /Page (p\d+)/.exec(promptText)![1]!;

/** Plays the model: finds shops on a list, then evaluates each by its own page. */
function played(request: ModelRequest): ModelTurn | Promise<ModelTurn> {
  if (request.promptText.includes('You translate a request')) return planned(request);
  const shop = shopOf(request.promptText);
  if (shop) return evaluated(shop, pageIn(request));
  const { turn } = request;
  if (turn === 0) return callOf('search', { query: 'ski shops austria shopify' });
  if (turn === 1) return callOf('fetch', { url: web.sites.url(LIST, '/list') });
  const candidates = Object.values(SHOPS).map(({ name, host }) => ({
    name,
    url: urlOf(host),
    page_id: pageIn(request),
    quote: `${name} is a shop for the mountains`,
  }));
  return callOf('propose', { done: turn > 2, candidates: turn > 2 ? [] : candidates });
}

/** Plays the planner: reads the prompt as a web search, because no filter expresses it; refuses any other, such as the sample. */
function planned({ promptText: text }: ModelRequest): ModelTurn {
  if (!text.includes(PROMPT)) return { status: 401 };
  const entry = {
    source: { kind: 'web', wanted: PROMPT, fragments: [PROMPT] },
    entity: 'company',
    exclusions: [],
    not_understood: [],
    filters: [
      {
        of: 'company',
        filter: 'places',
        op: 'in',
        fragments: ['Austria'],
        value: [{ kind: 'country', id: 'AT' }],
      },
    ],
    criteria: ['Shopify stores', 'sell skis'].map((words) => ({
      effect: 'require',
      column: null,
      conditions: null,
      fragments: [words],
    })),
  };
  return { object: { tables: [entry] } };
}

function evaluated(shop: Shop, page: string): ModelTurn {
  const verdict = (criterion: number, holds: boolean, quote: string) => ({
    criterion,
    holds,
    page_id: page,
    quote,
  });
  const { says } = SHOPS[shop];
  const place = /Our shop[^.]*|in \w+, Austria/.exec(says)?.[0] ?? 'in Vienna, Austria';
  return callOf('judge', {
    done: true,
    claims: [],
    verdicts: [
      verdict(1, true, place),
      verdict(2, true, 'Powered by Shopify'),
      verdict(
        3,
        shop !== 'berg',
        shop === 'berg' ? 'sells surfboards and never any skis' : `${SHOPS[shop].name} sells`,
      ),
    ],
  });
}

beforeAll(async () => {
  web = await WebServers.start();
  const shops = Object.values(SHOPS);
  const links = shops.map(({ name, host }) => `<a href="${urlOf(host)}">${name}</a>`).join(' ');
  const list = shops.map(({ name }) => `${name} is a shop for the mountains.`).join(' ');
  web.sites.write(LIST, '/list', list, `<p>${links}</p>`);
  for (const { host, says } of shops) web.sites.write(host, '/', says);
  web.model.play(played);
  web.search.playAlways(() => ({
    body: { results: [{ url: web.sites.url(LIST, '/list'), title: 'Ski shops', content: 'Shops' }] },
  }));
  const served = web.env([LIST, ...shops.map(({ host }) => host)]);
  const port = await freePort();
  metricsUrl = `http://127.0.0.1:${port}/metrics`;
  product = await startProduct({
    env: { ...served, PLANNER: 'model-or-rules', METRICS_PORT: String(port), RATE_LIMIT_SCALE: '100' },
  });
  api = new ApiClient(product.baseUrl, product.credentials.api_key);
});
afterAll(async () => {
  const broken = await brokenInvariants(product.database!.database);
  await product.dispose();
  await web.stop();
  expect(broken).toEqual({});
});

const planOf = async (client = api): Promise<Plan> =>
  (await client.post<Plan>('/v1/plans', { prompt: PROMPT })).body;

/** Starts a run of the plan, with a changed source or count. */
async function started(change: { source?: object; count?: object } = {}): Promise<RunJson> {
  const { id, intent } = await planOf();
  const changed = { ...intent, ...change, source: { ...(intent['source'] as object), ...change.source } };
  const { status, body } = await api.post<RunJson>(`/v1/plans/${id}/runs`, { intent: changed });
  expect([status, body]).toEqual([202, expect.anything()]);
  return body;
}

const rowsOf = async ({ artifacts }: RunJson): Promise<Row[]> =>
  (await api.get<{ items: Row[] }>(artifacts[0]!.links.rows)).body.items;
const fitsOf = (rows: Row[]) => rows.map(({ values, fit }) => [values['name'], fit.status]);

async function chargeOf({ id }: RunJson): Promise<number> {
  const { body } = await api.get<Ledger>(`/credits/ledger?run_id=${id}&limit=100`);
  return body.items.reduce((sum, { amount }) => sum - amount, 0);
}

describe('rows found on the web', () => {
  it('are planned by a model from words without a filter, with the price in the estimate', async () => {
    const plan = await planOf();
    expect(plan).toMatchObject({
      planner: 'model',
      not_understood: [],
      estimate: { rows: 20, credits_max: 60 },
      intent: { source: { kind: 'web', wanted: PROMPT } },
    });
    expect(plan.understood).toContainEqual({ fragment: PROMPT, reading: `looked for on the web: ${PROMPT}` });
  });

  it('are judged by quotes from their own pages, without excluded ones, and cost what their steps cost', async () => {
    const items = [{ linkedin_url: PROFILE }];
    expect((await api.post('/v1/exclusions/companies', { items })).status).toBe(200);
    const { status, body } = await api.post<RunJson>('/v1/runs', { prompt: PROMPT });
    expect(status).toBe(202);
    const run = await api.runEnd(body);
    const rows = await rowsOf(run);
    expect(fitsOf(rows)).toEqual([
      ['Alpin Glanz', 'qualified'],
      ['Bergwerk Sport', 'disqualified'],
      ['Gratwerk', 'unknown'],
    ]);
    for (const { cells } of rows)
      for (const { citations, status: of } of Object.values(cells)) {
        expect(of === 'filled').toBe(citations.length > 0);
        for (const { url, excerpt } of citations) {
          const { hostname, pathname } = new URL(url);
          // The excerpt is Markdown, because pages are converted to it.
          const written = (excerpt ?? '').replace(/^\[(.+)\]\((.+)\)$/, '<a href="$2">$1</a>');
          expect(web.sites.others.get(hostname + pathname)).toContain(written);
        }
      }
    expect(rows[0]!.values).toMatchObject({ domain: SHOPS.alpin.host, sell_skis: true, place_austria: true });
    expect(rows[0]!.fit.criteria[0]!.reason).toContain(
      `“Our shop in Innsbruck, Austria is open daily” (http://`,
    );
    expect(rows[1]!.cells['sell_skis']!.citations[0]!.excerpt).toBe('sells surfboards and never any skis');
    expect(rows[2]!.cells['sell_skis']).toMatchObject({ status: 'empty', citations: [] });
    // A search, the list and four answers during the search; for each shop its page and one answer.
    expect(await chargeOf(run)).toBe(0.5 + 1 + 4 + 3 * 2);
    for (const words of ['1 left out by your exclusion lists', 'The web search cost 11.5 credits'])
      expect(run.message).toContain(words);
  });

  it('end with the budget or the row count, and the message says which', async () => {
    const poor = await api.runEnd(await started({ source: { max_credits: 7 } }));
    expect(poor).toMatchObject({
      status: 'completed',
      message: expect.stringContaining('its budget is spent'),
    });
    // Of 7 credits: a search, the list, three answers and one shop's page. The rest covers neither its answer nor another page.
    expect(await chargeOf(poor)).toBeLessThanOrEqual(7);
    expect(fitsOf(await rowsOf(poor)).map(([name]) => name)).toEqual([
      'Alpin Glanz',
      'Bergwerk Sport',
      'Gratwerk',
    ]);
    expect((await rowsOf(poor)).at(-1)!.cells['sell_skis']).toMatchObject({ status: 'skipped' });
    const one = await api.runEnd(await started({ count: { value: 1, fragments: [], from: 'user' } }));
    expect(fitsOf(await rowsOf(one))).toEqual([['Alpin Glanz', 'qualified']]);
    expect(await chargeOf(one)).toBe(0.5 + 1 + 3 + 2);
  });

  it('stay in their table if the run is cancelled, and the used credits are charged', async () => {
    const release = web.sites.hold(SHOPS.berg.host, '/');
    const run = await started();
    await waitFor('the second shop to be read', () =>
      Promise.resolve(web.sites.waitingFor(SHOPS.berg.host, '/') === 1),
    );
    expect((await api.post(`/v1/runs/${run.id}/cancel`, {})).status).toBe(202);
    release();
    const end = await api.runEnd(run);
    expect(end.status).toBe('cancelled');
    expect(fitsOf(await rowsOf(end))).toEqual([['Alpin Glanz', 'qualified']]);
    // The page in progress was read, but the model was not called for it.
    expect(await chargeOf(end)).toBe(0.5 + 1 + 3 + 2 + 1);
    expect((await api.get('/credits')).body).toMatchObject({ reserved: 0 });
  });

  it('are not searched with a test key, which reaches no real page, nor with an invalid intent', async () => {
    const test = new ApiClient(product.baseUrl, product.credentials.test_key);
    const [plan, own] = [await planOf(test), await planOf()];
    expect(plan.intent['source']).toEqual({ kind: 'directory' });
    const refusal = async (client: ApiClient, { id, intent }: Plan, change: object) =>
      (
        await client.post<{ error: { code: string; message: string } }>(`/v1/plans/${id}/runs`, {
          intent: { ...intent, ...change },
        })
      ).body.error;
    expect(await refusal(test, plan, { source: own.intent['source'], filters: [] })).toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('intent.source: searching the web needs'),
    });
    const source = { kind: 'web', wanted: 'Ski shops of the Alps', fragments: [PROMPT], from: 'prompt' };
    expect(await refusal(api, own, { source })).toMatchObject({
      message: expect.stringContaining('intent.source.wanted'),
    });
  });
});

it('a prompt that the model refuses is read by the rules, and the run says so', async () => {
  const { body } = await api.post<RunJson>('/v1/runs', { prompt: '3 fintech companies in Germany' });
  const run = await api.runEnd(body);
  expect(run).toMatchObject({ status: 'completed', artifacts: [{ type: 'table' }] });
  expect(run.message).toContain('The rules have read this prompt in its place.');
  expect(run.message).not.toContain(web.model.url);
  const metrics = await (await fetch(metricsUrl)).text();
  for (const outcome of ['answered', 'rejected'])
    expect(metrics).toMatch(
      new RegExp(`quarry_model_asks_total\\{outcome="${outcome}",app="local"\\} [1-9]`),
    );
  expect(web.model.requests.every(({ hasKey, leaksKey }) => hasKey && !leaksKey)).toBe(true);
  expect(product.output()).not.toContain(web.model.key);
});
