import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RowJson, RunJson, TableJson } from '@quarry/dto';
import { systemCtx } from '@quarry/app';
import { ApiClient, startProduct, type Product } from '@quarry/testing';
import { waitFor } from '@quarry/test-servers';

const LINES = 12;
const env = { RATE_LIMIT_SCALE: '100', LOG_LEVEL: 'error' };

let product: Product;
let api: ApiClient;

async function start(before?: Product): Promise<void> {
  product = await startProduct({
    env,
    ...(before ? { dataDir: before.dataDir, database: before.database! } : {}),
  });
  api = new ApiClient(product.baseUrl, product.credentials.api_key);
}

beforeAll(() => start());
afterAll(() => product.dispose());

describe('kill -9 in the middle of a run', () => {
  it('loses nothing: the run recovers and completes, with no row twice and no line charged twice', async () => {
    const workspace = (await api.post<{ id: string }>('/v1/workspaces', { name: 'Crash' })).body;
    const rows = Array.from({ length: LINES }, (_, i) => ({
      first_name: `Crash${i}`,
      last_name: 'Slow',
      domain: 'slow-5s.sandbox.test',
    }));
    const columns = Object.keys(rows[0]!).map((key) => ({ key, name: key.replace('_', ' ') }));
    const table = await api.post<TableJson>(`/v1/workspaces/${workspace.id}/tables`, {
      name: 'Crash',
      columns,
      rows,
    });
    const credits = () => api.get<{ balance: number; reserved: number }>('/credits');
    const before = (await credits()).body.balance;
    const prompt = `From my table "${table.body.name}": everyone, with work email`;
    const started = (await api.post<RunJson>('/v1/runs', { prompt })).body;
    await waitFor('lines to be held', async () => (await credits()).body.reserved === LINES);
    await product.kill9();
    await start(product);
    // The lease of the one that was killed ends by itself, after 30 seconds.
    const run = await waitFor(
      'the run to recover and complete',
      async () => {
        const { body } = await api.get<RunJson>(started.links.self);
        return body.status === 'completed' ? body : null;
      },
      150_000,
    );
    const losses = await product.database!.database.queryOne(
      systemCtx('spec'),
      'SELECT losses FROM runs.runs WHERE id = $1',
      [run.id],
    );
    expect(losses).toEqual({ losses: 1 });
    const { items } = (await api.get<{ items: RowJson[] }>(`${run.artifacts[0]!.links.rows}?limit=1000`))
      .body;
    expect(items).toHaveLength(LINES);
    expect(new Set(items.map(({ values }) => values.first_name)).size).toBe(LINES);
    expect(items.every(({ values }) => typeof values.email === 'string')).toBe(true);
    expect((await credits()).body).toMatchObject({ balance: before - LINES, reserved: 0 });
  });
});
