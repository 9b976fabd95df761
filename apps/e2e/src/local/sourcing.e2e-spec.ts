import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CellJson, FitJson, RunJson } from '@quarry/dto';
import {
  FactSites,
  ModelServer,
  VendorSimulator,
  waitFor,
  type ModelRequest,
  type ModelTurn,
} from '@quarry/test-servers';
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
/** Of each shop what its own page says; one of them is excluded, and one sells something else. */
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
const CRITERIA = ['Shopify stores', 'in Austria', 'sell skis'];

let sites: FactSites;
let model: ModelServer;
let search: VendorSimulator;
let product: Product;
let api: ApiClient;

const shopOf = (said: string): Shop | undefined =>
  (Object.keys(SHOPS) as Shop[]).find((shop) => said.includes(`{"name":"${SHOPS[shop].name}"`));
const pageIn = ({ said }: ModelRequest): string => /Page (p\d+)/.exec(said)![1]!;
const turnsOf = ({ body }: ModelRequest): number =>
  (body.messages as Array<{ role: string }>).filter(({ role }) => role === 'assistant').length;
const tools = (name: string, input: unknown): ModelTurn => ({ tools: [{ name, input }] });

/** Looks for shops on a list, then judges each by its own page, as a model would. */
function played(request: ModelRequest): ModelTurn {
  const shop = shopOf(request.said);
  if (shop) return judged(shop, pageIn(request));
  const turn = turnsOf(request);
  if (turn === 0) return tools('search', { query: 'ski shops austria shopify' });
  if (turn === 1) return tools('fetch', { url: sites.url(LIST, '/list') });
  const candidates = Object.values(SHOPS).map(({ name, host }) => ({
    ...{ name, url: sites.url(host), page_id: pageIn(request) },
    quote: `${name} is a shop for the mountains`,
  }));
  return tools('propose', { done: turn > 2, candidates: turn > 2 ? [] : candidates });
}

function judged(shop: Shop, page: string): ModelTurn {
  const verdict = (criterion: number, holds: boolean, quote: string) => ({
    criterion,
    holds,
    page_id: page,
    quote,
  });
  const { says } = SHOPS[shop];
  const place = /Our shop[^.]*|in \w+, Austria/.exec(says)?.[0] ?? 'in Vienna, Austria';
  return tools('judge', {
    done: true,
    claims: [],
    verdicts: [
      verdict(1, true, 'Powered by Shopify'),
      verdict(2, true, place),
      verdict(
        3,
        shop !== 'berg',
        shop === 'berg' ? 'sells surfboards and never any skis' : `${SHOPS[shop].name} sells`,
      ),
    ],
  });
}

const page = (text: string, links = '') =>
  `<html lang="en"><body><main><p>${text}</p>${links}</main></body></html>`;

beforeAll(async () => {
  sites = await FactSites.start();
  const shops = Object.values(SHOPS);
  const links = shops.map(({ name, host }) => `<a href="${sites.url(host)}">${name}</a>`).join(' ');
  sites.others.set(
    `${LIST}/list`,
    page(shops.map(({ name }) => `${name} is a shop for the mountains.`).join(' '), `<p>${links}</p>`),
  );
  for (const { host, says } of shops) sites.others.set(`${host}/`, page(says));
  model = await ModelServer.start('openai');
  model.play(played);
  search = await VendorSimulator.start({ key: null, refusal: { status: 401 } });
  search.playAlways(() => ({
    body: { results: [{ url: sites.url(LIST, '/list'), title: 'Ski shops', content: 'Shops' }] },
  }));
  const hosts = [LIST, ...shops.map(({ host }) => host)].map((host) => `${host}:${sites.port}`);
  product = await startProduct({
    env: {
      ...{ MODEL_URL: model.url, MODEL_KEY: model.key, MODEL_NAME: 'spec-model', PLANNER: 'rules' },
      ...{
        SEARXNG_URL: search.url,
        FETCH_ALLOW_HOSTS: [...hosts, search.host].join(),
        RATE_LIMIT_SCALE: '100',
      },
    },
  });
  api = new ApiClient(product.baseUrl, product.credentials.api_key);
});
afterAll(async () => {
  const broken = await brokenInvariants(product.database!.database);
  await product.dispose();
  await Promise.all([model.stop(), search.stop()]);
  sites.stop();
  expect(broken).toEqual({});
});

const said = (...fragments: string[]) => ({ fragments, from: 'prompt' });
const criteria = CRITERIA.map((words) => ({
  effect: 'require',
  column: null,
  conditions: null,
  ...said(words),
}));

/** Plans the prompt, and starts it as one that is looked for on the web. */
async function started(intent: object = {}, client = api): Promise<RunJson> {
  const { body: plan } = await client.post<Plan>('/v1/plans', { prompt: PROMPT });
  const { status, body } = await client.post<RunJson>(`/v1/plans/${plan.id}/runs`, {
    intent: {
      ...plan.intent,
      ...{
        source: { kind: 'web', wanted: PROMPT, ...said(PROMPT) },
        entity: 'company',
        filters: [],
        exclusions: [],
      },
      ...{ count: null, order: null, columns: [], criteria, not_understood: [], ...intent },
    },
  });
  expect([status, body]).toEqual([202, expect.anything()]);
  return body;
}

async function ended({ id }: RunJson): Promise<RunJson> {
  return waitFor('the run to end', async () => {
    const { body } = await api.get<RunJson>(`/v1/runs/${id}`);
    return ['completed', 'failed', 'cancelled'].includes(body.status) ? body : null;
  });
}

const rowsOf = async ({ artifacts }: RunJson): Promise<Row[]> =>
  (await api.get<{ items: Row[] }>(artifacts[0]!.links.rows)).body.items;

async function chargeOf({ id }: RunJson): Promise<number> {
  const { body } = await api.get<Ledger>(`/credits/ledger?run_id=${id}&limit=100`);
  return body.items.reduce((sum, { amount }) => sum - amount, 0);
}

describe('rows that are looked for on the web', () => {
  it('are judged by quotes of their own pages, and cost what their steps cost', async () => {
    const excluded = await api.post('/v1/exclusions/companies', { items: [{ domain: 'firnlinie.example' }] });
    expect(excluded.status).toBe(200);
    const run = await ended(await started());
    expect([run.status, run.message]).toEqual([
      'completed',
      expect.stringContaining('Looking on the web has cost'),
    ]);
    const rows = await rowsOf(run);
    expect(rows.map(({ values, fit }) => [values.name, fit.status])).toEqual([
      ['Alpin Glanz', 'qualified'],
      ['Bergwerk Sport', 'disqualified'],
      ['Firnlinie', 'qualified'],
      ['Gratwerk', 'unknown'],
    ]);
    for (const { cells } of rows)
      for (const { citations, status } of Object.values(cells)) {
        expect(status === 'filled').toBe(citations.length > 0);
        for (const { url, excerpt } of citations) {
          const { hostname, pathname } = new URL(url);
          expect(sites.others.get(hostname + pathname)).toContain(excerpt);
        }
      }
    expect(rows[0]!.values).toMatchObject({ domain: SHOPS.alpin.host, sell_skis: true, in_austria: true });
    expect(rows[1]!.cells['sell_skis']!.citations[0]!.excerpt).toBe('sells surfboards and never any skis');
    // A search, the list, four answers of the finding; of each shop its page and one answer.
    expect(await chargeOf(run)).toBe(0.5 + 1 + 4 + 4 * 2);
    expect(run.message).toContain('13.5 credits');
  });
});
