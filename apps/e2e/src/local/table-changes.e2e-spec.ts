import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ApiClient, startProduct, type Product } from '@quarry/testing';

let product: Product;
let api: ApiClient;
beforeAll(async () => {
  product = await startProduct();
  api = new ApiClient(product.baseUrl, product.credentials.api_key);
}, 120_000);
afterAll(() => product.dispose());

it('a table and its columns are renamed and deleted over HTTP', async () => {
  const workspace = await api.post<{ id: string }>('/v1/workspaces', { name: 'Old' });
  const made = await api.post<{ id: string }>(`/v1/workspaces/${workspace.body.id}/tables`, {
    name: 'Leads',
    columns: [
      { key: 'name', name: 'Name' },
      { key: 'a/b', name: 'Both' },
    ],
    rows: [{ name: 'Zoe', 'a/b': 1 }],
  });
  const path = `/v1/tables/${made.body.id}`;
  const column = `${path}/columns/a%2Fb`;
  expect(await api.patch(path, { name: 'Friends' })).toMatchObject({
    status: 200,
    body: { name: 'Friends' },
  });
  expect(await api.patch(column, { name: 'One' })).toMatchObject({
    status: 200,
    body: { columns: [{ key: 'name' }, { key: 'a/b', name: 'One' }] },
  });
  expect(await api.patch(path, { name: '' })).toMatchObject({
    status: 400,
    body: { error: { details: [{ path: 'name' }] } },
  });
  expect(await api.delete(column)).toMatchObject({ status: 200, body: { columns: [{ key: 'name' }] } });
  expect(await api.delete(column)).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
  expect(await api.delete(`${path}/columns/name`)).toMatchObject({
    status: 400,
    body: { error: { code: 'invalid_request' } },
  });
  expect(await api.get(`${path}/rows`)).toMatchObject({
    body: { items: [{ values: { name: 'Zoe' }, cells: {} }] },
  });
  const file = await api.post<{ links: { self: string } }>(`${path}/exports`, { format: 'csv' });
  expect(await api.delete(path)).toMatchObject({ status: 204 });
  for (const gone of [path, `${path}/rows`, file.body.links.self])
    expect((await api.get(gone)).status).toBe(404);
  expect(await api.patch(path, { name: 'x' })).toMatchObject({
    body: { error: { code: 'table_not_found' } },
  });
});
