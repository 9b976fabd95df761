import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { systemCtx } from '@quarry/app';
import { FactSites, waitFor } from '@quarry/test-servers';
import { ApiClient, brokenInvariants, startProduct, type Product } from '@quarry/testing';

interface GoRun {
  id: string;
  status: string;
  output: Record<string, unknown>;
  credits: { charged: number };
  completed_at: string | null;
}

let sites: FactSites;
let product: Product;
const pages = () => sites.pages.slice(0, 4);

const start = (before?: Product): Promise<Product> =>
  startProduct({
    ...(before ? { database: before.database!, dataDir: before.dataDir } : {}),
    env: {
      RATE_LIMIT_SCALE: '100',
      LOG_LEVEL: 'error',
      FETCH_ALLOW_HOSTS: pages()
        .map(({ host }) => `${host}:${sites.port}`)
        .join(', '),
    },
  });

beforeAll(async () => {
  sites = await FactSites.start();
  product = await start();
});
afterAll(async () => {
  await product.dispose();
  await sites.stop();
});

it('a Go run whose process is killed midway resumes where it was, and pays each step once', async () => {
  const held = pages()[2]!;
  const release = sites.hold(held.host, '/');
  const api = () => new ApiClient(product.baseUrl, product.credentials.api_key);
  const { body: before } = await api().get<{ balance: number }>('/credits');
  const { body: run } = await api().post<GoRun>('/v1/go/runs', {
    prompt: 'What is known?',
    urls: pages().map(({ host }) => sites.url(host)),
    schema: { type: 'object', properties: { name: { type: 'string' }, founded: { type: 'integer' } } },
  });
  // Killed twice during the third step: two pages are read and journaled, the third one is in progress.
  for (const times of [1, 2]) {
    await waitFor('the third page to be asked for', () =>
      Promise.resolve(sites.fetched.get(`${held.host}/`) === times),
    );
    await product.kill9();
    product = await start(product);
  }
  await waitFor('the third page to be asked for again', () =>
    Promise.resolve(sites.fetched.get(`${held.host}/`) === 3),
  );
  release();
  await waitFor('the run to end', async () => {
    const { body } = await api().get<GoRun>(`/v1/go/runs/${run.id}?wait_seconds=10`);
    return body.completed_at !== null;
  });
  const { body: end } = await api().get<GoRun>(`/v1/go/runs/${run.id}`);
  expect(end).toMatchObject({ status: 'completed', credits: { charged: 4 } });
  expect(end.output.name).toBe(pages()[0]!.facts.name);
  expect(pages().map(({ host }) => sites.fetched.get(`${host}/`))).toEqual([1, 1, 3, 1]);
  const { database } = product.database!;
  const steps = await database.query(
    systemCtx('spec'),
    'SELECT position, cost::int, finished_at IS NOT NULL AS finished FROM go.steps WHERE run_id = $1 ORDER BY position',
    [run.id],
  );
  expect(steps).toEqual([0, 1, 2, 3].map((position) => ({ position, cost: 1000, finished: true })));
  const { body: after } = await api().get<{ balance: number; reserved: number }>('/credits');
  expect([before.balance - after.balance, after.reserved]).toEqual([4, 0]);
  expect(await brokenInvariants(database)).toEqual({});
});
