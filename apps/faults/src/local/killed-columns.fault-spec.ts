import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RowJson, RunJson } from '@quarry/dto';
import { systemCtx } from '@quarry/app';
import { HttpSite, waitFor } from '@quarry/test-servers';
import { ApiClient, brokenInvariants, startProduct, type Product } from '@quarry/testing';

interface Entry {
  amount: number;
  service: string;
  input_index: number;
}

const ROWS = 120;
/** Number of responses before the site withholds all others; the process is killed during the withheld ones. */
const BEFORE = 50;

let site: HttpSite;
/** Number of requests for each page. */
const requests = new Map<string, number>();
let isHolding = true;
let product: Product;
const api = () => new ApiClient(product.baseUrl, product.credentials.api_key);
const start = (before?: Product): Promise<Product> =>
  startProduct({
    ...(before ? { database: before.database!, dataDir: before.dataDir } : {}),
    env: { LOG_LEVEL: 'error', RATE_LIMIT_SCALE: '100', FETCH_ALLOW_HOSTS: site.host },
  });

beforeAll(async () => {
  site = await HttpSite.open(({ url }, response) => {
    if (url === '/robots.txt') return void response.writeHead(404).end();
    requests.set(url!, (requests.get(url!) ?? 0) + 1);
    if (isHolding && requests.size > BEFORE) return;
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<title>Firm ${url}</title><p>Text.`);
  });
  product = await start();
});
afterAll(async () => {
  const broken = await brokenInvariants(product.database!.database);
  await product.dispose();
  await site.stop();
  expect(broken).toEqual({});
});

async function startedRun(): Promise<RunJson> {
  const workspace = await api().post<{ id: string }>('/v1/workspaces', { name: 'Killed' });
  const rows = Array.from({ length: ROWS }, (_, i) => ({ home: `${site.origin}/${i}` }));
  const table = { name: 'Killed firms', columns: [{ key: 'home', name: 'home' }], rows };
  expect((await api().post(`/v1/workspaces/${workspace.body.id}/tables`, table)).status).toBe(201);
  const plan = await api().post<{ intent: object; links: { runs: string } }>('/v1/plans', {
    prompt: 'From my table "Killed firms": everyone',
    workspace_id: workspace.body.id,
  });
  const column = (service: string, source: object, key: string) => ({
    source: { from: 'service', service, ...source },
    key,
    required: false,
    fragments: [],
    from: 'user',
  });
  const columns = [
    column('scrapeUrl', { inputs: { url: 'home' }, field: 'title' }, 'title'),
    column('classifyText', { inputs: { text: 'title', labels: { value: ['firm', 'person'] } } }, 'label'),
  ];
  const count = { value: ROWS, fragments: [], from: 'user' };
  const run = await api().post<RunJson>(plan.body.links.runs, {
    intent: { ...plan.body.intent, count, columns },
  });
  expect([run.status, run.body]).toEqual([202, expect.anything()]);
  return run.body;
}

describe('kill -9 during fast calls of a run', () => {
  it('loses nothing: the run completes, every cell is filled, and nothing is charged twice', async () => {
    const credits = async () => (await api().get<{ balance: number }>('/credits')).body.balance;
    const before = await credits();
    const { id } = await startedRun();
    const charged = async () => {
      const { items } = (await api().get<{ items: Entry[] }>(`/credits/ledger?run_id=${id}&limit=500`)).body;
      return items;
    };
    await waitFor('calls to be charged, and others to be in work', async () => {
      const pages = (await charged()).length;
      return pages > 0 && requests.size > BEFORE;
    });
    const already = (await charged()).length;
    await product.kill9();
    isHolding = false;
    product = await start(product);
    const run = await api().runEnd({ id }, 170_000);
    expect(run).toMatchObject({ status: 'completed' });
    const losses = await product.database!.database.queryOne(
      systemCtx('spec'),
      'SELECT losses FROM runs.runs WHERE id = $1',
      [id],
    );
    expect(losses).toEqual({ losses: 1 });
    const { items: rows } = (
      await api().get<{ items: RowJson[] }>(`${run.artifacts[0]!.links.rows}?limit=500`)
    ).body;
    expect(rows).toHaveLength(ROWS);
    for (const { values, cells } of rows)
      expect([values.title, cells.title!.status, cells.label!.status]).toEqual([
        `Firm ${new URL(String(values.home)).pathname}`,
        'filled',
        expect.stringMatching(/filled|empty/),
      ]);
    const entries = await charged();
    const of = (service: string) => entries.filter((entry) => entry.service === service);
    for (const service of ['scrapeUrl', 'classifyText']) {
      expect([service, of(service).length]).toEqual([service, ROWS]);
      expect(new Set(of(service).map((entry) => entry.input_index)).size).toBe(ROWS);
    }
    expect(already).toBeGreaterThan(0);
    const sum = entries.reduce((total, { amount }) => total - amount, 0);
    expect(sum).toBeCloseTo(ROWS * 1.5, 3);
    expect(await credits()).toBeCloseTo(before - sum, 3);
    // Answers that were charged before are not requested again.
    expect([...requests.values()].filter((times) => times > 1).length).toBeLessThanOrEqual(ROWS - already);
  });
});
