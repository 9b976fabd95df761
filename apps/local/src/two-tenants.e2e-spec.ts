import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOrganisation } from '@quarry/composition';
import type { RunJson, TableJson } from '@quarry/dto';
import { newId } from '@quarry/platform';
import { ApiClient, startProduct, waitFor, type Product } from '@quarry/testing';

interface Ids {
  ws: string;
  tbl: string;
  run: string;
  exp: string;
  /** Of a page of the owner's. */
  rowsCursor: string;
  frozenCursor: string;
}

const IMPORT = { name: 'x', columns: [{ key: 'a', name: 'A' }], rows: [{ a: 1 }] };
const SLOW_MS = 120_000;

/** Every route of workspaces, tables, frozen tables and exports that bears an id. */
const ROUTES: ReadonlyArray<[string, (ids: Ids) => string, unknown?, Record<string, string>?]> = [
  ['GET', ({ ws }) => `/v1/workspaces/${ws}`],
  ['HEAD', ({ ws }) => `/v1/workspaces/${ws}`],
  ['DELETE', ({ ws }) => `/v1/workspaces/${ws}`],
  ['GET', ({ ws }) => `/v1/workspaces/${ws}/tables`],
  ['GET', ({ ws }) => `/v1/workspaces/${ws}/tables?limit=1&offset=1`],
  ['POST', ({ ws }) => `/v1/workspaces/${ws}/tables`, IMPORT],
  ['GET', ({ tbl }) => `/v1/tables/${tbl}`],
  ['GET', ({ tbl }) => `/v1/tables/${tbl}/rows`],
  ['GET', ({ tbl, rowsCursor }) => `/v1/tables/${tbl}/rows?limit=1&cursor=${rowsCursor}`],
  ['GET', ({ run }) => `/v1/runs/${run}/output/tables/firms/rows`],
  [
    'GET',
    ({ run, frozenCursor }) => `/v1/runs/${run}/output/tables/firms/rows?limit=1&cursor=${frozenCursor}`,
  ],
  ['POST', ({ run }) => `/v1/runs/${run}/exports`, { table_key: 'firms', format: 'csv' }],
  ['GET', ({ exp }) => `/v1/exports/${exp}`],
  ['HEAD', ({ exp }) => `/v1/exports/${exp}`],
  ['GET', ({ exp }) => `/v1/exports/${exp}`, undefined, { range: 'bytes=0-9' }],
  ['GET', ({ exp }) => `/v1/exports/${exp}`, undefined, { 'if-none-match': '*' }],
];

describe('two organisations', () => {
  let product: Product;
  let owner: ApiClient;
  let stranger: ApiClient;
  let ids: Ids;

  beforeAll(async () => {
    product = await startProduct({ env: { RATE_LIMIT_SCALE: '1000', LOG_LEVEL: 'error' } });
    owner = new ApiClient(product.baseUrl, product.credentials.api_key);
    const other = await createOrganisation(product.database!.database, { name: 'Other', credits: 10 });
    stranger = new ApiClient(product.baseUrl, other.apiKey);
    ids = await prepared();
  }, SLOW_MS);
  afterAll(() => product.dispose(), 30_000);

  async function prepared(): Promise<Ids> {
    const ws = (await owner.post<{ id: string }>('/v1/workspaces', { name: 'Mine' })).body.id;
    const rows = [{ a: 'secret' }, { a: 'secret too' }];
    const table = await owner.post<TableJson>(`/v1/workspaces/${ws}/tables`, { ...IMPORT, rows });
    const columns = [{ key: 'name' }];
    const started = await owner.post<RunJson>('/v1/runs', {
      prompt: '3 banks in Germany',
      output: { tables: [{ key: 'firms', entity: 'company', columns }] },
    });
    const run = started.body.id;
    await waitFor(
      'the run to complete',
      async () => (await owner.get<RunJson>(started.body.links.self)).body.status === 'completed',
    );
    const made = await owner.post<{ id: string }>(`/v1/runs/${run}/exports`, {
      table_key: 'firms',
      format: 'csv',
    });
    const cursorOf = async (path: string) =>
      (await owner.get<{ next_cursor: string }>(`${path}?limit=1`)).body.next_cursor;
    return {
      ws,
      tbl: table.body.id,
      run,
      exp: made.body.id,
      rowsCursor: await cursorOf(table.body.links.rows),
      frozenCursor: await cursorOf(`/v1/runs/${run}/output/tables/firms/rows`),
    };
  }

  /** The whole answer but for what differs between any two. */
  async function answerOf(
    path: string,
    method: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ) {
    const answer = await fetch(`${product.baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${stranger.apiKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const own = ['date', 'x-request-id', 'ratelimit-remaining', 'ratelimit-reset', 'keep-alive'];
    const kept = [...answer.headers].filter(([name]) => !own.includes(name));
    return {
      status: answer.status,
      headers: kept,
      body: Buffer.from(await answer.arrayBuffer()).toString('hex'),
    };
  }

  it.each(ROUTES.map((route) => [`${route[0]} ${route[1](placeholders())}`, route] as const))(
    'answer a foreign id byte for byte as an unknown one: %s',
    async (_name, [method, pathOf, body, headers]) => {
      const unknown = { ws: newId('ws'), tbl: newId('tbl'), run: newId('run'), exp: newId('exp') };
      const foreign = await answerOf(pathOf(ids), method, body, headers);
      expect(foreign.status).toBe(404);
      expect(foreign).toEqual(await answerOf(pathOf({ ...ids, ...unknown }), method, body, headers));
    },
  );

  it('see nothing of each other in lists, and change nothing there', async () => {
    await owner.post('/v1/exclusions/companies', { items: [{ domain: 'mine.example.com' }] });
    const items = [{ domain: 'mine.example.com' }];
    expect((await stranger.get('/v1/exclusions/companies')).body).toEqual({ items: [], next_offset: null });
    const remove = await fetch(`${product.baseUrl}/v1/exclusions/companies`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${stranger.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ items }),
    });
    expect(await remove.json()).toEqual({ deleted: 0, not_found: 1 });
    const replace = await fetch(`${product.baseUrl}/v1/exclusions/companies`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${stranger.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ source: 'crm', items: [] }),
    });
    expect(await replace.json()).toEqual({ created: 0, deleted: 0, unchanged: 0, rejected: [] });
    expect((await owner.get('/v1/exclusions/companies')).body).toMatchObject({
      items: [{ domain: 'example.com', linkedin_url: null }],
    });
    expect((await stranger.get('/v1/workspaces')).body).toEqual({ items: [], next_offset: null });
  });

  it('leave the owner everything that the stranger reached for', async () => {
    expect((await owner.get(`/v1/workspaces/${ids.ws}`)).status).toBe(200);
    expect((await owner.get(`/v1/workspaces/${ids.ws}/tables`)).body).toMatchObject({
      items: [{ id: ids.tbl, row_count: 2 }],
    });
    expect((await owner.get(`/v1/exports/${ids.exp}`).catch(() => ({ status: 200 }))).status).toBe(200);
  });
});

function placeholders(): Ids {
  return {
    ws: '{ws}',
    tbl: '{tbl}',
    run: '{run}',
    exp: '{exp}',
    rowsCursor: '{cursor}',
    frozenCursor: '{cursor}',
  };
}
