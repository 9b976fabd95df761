import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOrganisation } from '@quarry/composition';
import type { RunJson, TableJson } from '@quarry/dto';
import { newId } from '@quarry/app';
import { ApiClient, startProduct, type Product } from '@quarry/testing';
import { waitFor } from '@quarry/test-servers';

interface Ids {
  ws: string;
  tbl: string;
  row: string;
  view: string;
  run: string;
  conv: string;
  exp: string;
  batch: string;
  mon: string;
  wh: string;
  whd: string;
  dst: string;
  psh: string;
  /** Cursor of a page of the owner's rows. */
  rowsCursor: string;
  frozenCursor: string;
}

const IMPORT = { name: 'x', columns: [{ key: 'a', name: 'A' }], rows: [{ a: 1 }] };
const SLOW_MS = 120_000;

/** All routes that take an id, in the path or in the body. */
const ROUTES: ReadonlyArray<[string, (ids: Ids) => string, unknown?, Record<string, string>?]> = [
  ['GET', ({ ws }) => `/v1/workspaces/${ws}`],
  ['HEAD', ({ ws }) => `/v1/workspaces/${ws}`],
  ['DELETE', ({ ws }) => `/v1/workspaces/${ws}`],
  ['GET', ({ ws }) => `/v1/workspaces/${ws}/tables`],
  ['GET', ({ ws }) => `/v1/workspaces/${ws}/tables?limit=1&offset=1`],
  ['POST', ({ ws }) => `/v1/workspaces/${ws}/tables`, IMPORT],
  ['GET', ({ tbl }) => `/v1/tables/${tbl}`],
  ['PATCH', ({ tbl }) => `/v1/tables/${tbl}`, { name: 'x' }],
  ['DELETE', ({ tbl }) => `/v1/tables/${tbl}`],
  ['GET', ({ tbl }) => `/v1/tables/${tbl}/columns/a`],
  ['PATCH', ({ tbl }) => `/v1/tables/${tbl}/columns/a`, { name: 'x' }],
  ['DELETE', ({ tbl }) => `/v1/tables/${tbl}/columns/a`],
  ['GET', ({ tbl }) => `/v1/tables/${tbl}/rows`],
  ['GET', ({ tbl, rowsCursor }) => `/v1/tables/${tbl}/rows?limit=1&cursor=${rowsCursor}`],
  ['GET', ({ tbl }) => `/v1/tables/${tbl}/window`],
  ['GET', ({ tbl, view }) => `/v1/tables/${tbl}/window?view=${view}`],
  ['POST', ({ tbl }) => `/v1/tables/${tbl}/views`, {}],
  ['GET', ({ tbl, row }) => `/v1/tables/${tbl}/rows/${row}`],
  ['GET', ({ tbl, row }) => `/v1/tables/${tbl}/rows/${row}/cells/a`],
  ['GET', ({ run }) => `/v1/runs/${run}/output/tables/firms/rows`],
  ['GET', ({ run }) => `/v1/runs/${run}`],
  ['GET', ({ run }) => `/v1/runs/${run}/events`],
  ['POST', ({ run }) => `/v1/runs/${run}/cancel`],
  ['GET', ({ run }) => `/v1/runs/${run}/output`],
  ['POST', () => '/v1/runs', ({ ws }: Ids) => ({ prompt: 'x', workspace_id: ws })],
  ['POST', () => '/v1/runs', ({ conv }: Ids) => ({ prompt: 'x', conversation_id: conv })],
  ['GET', ({ mon }) => `/v1/monitors/${mon}`],
  ['PATCH', ({ mon }) => `/v1/monitors/${mon}`, { name: 'Theirs' }],
  ['DELETE', ({ mon }) => `/v1/monitors/${mon}`],
  ['POST', ({ mon }) => `/v1/monitors/${mon}/pause`],
  ['POST', ({ mon }) => `/v1/monitors/${mon}/resume`],
  ['POST', ({ mon }) => `/v1/monitors/${mon}/trigger`],
  ['GET', ({ mon }) => `/v1/monitors/${mon}/runs`],
  ['GET', ({ mon }) => `/v1/monitors/${mon}/items`],
  ['GET', ({ wh }) => `/v1/webhooks/${wh}`],
  ['PATCH', ({ wh }) => `/v1/webhooks/${wh}`, { status: 'disabled' }],
  ['DELETE', ({ wh }) => `/v1/webhooks/${wh}`],
  ['POST', ({ wh }) => `/v1/webhooks/${wh}/rotate`, {}],
  ['POST', ({ wh }) => `/v1/webhooks/${wh}/test`],
  ['GET', ({ wh }) => `/v1/webhooks/${wh}/deliveries`],
  ['POST', ({ wh, whd }) => `/v1/webhooks/${wh}/deliveries/${whd}/redeliver`],
  ['POST', ({ wh }) => `/v1/webhooks/${wh}/replay`, { since: '2026-01-01T00:00:00Z' }],
  ['GET', ({ dst }) => `/v1/destinations/${dst}`],
  ['PATCH', ({ dst }) => `/v1/destinations/${dst}`, { name: 'taken' }],
  ['DELETE', ({ dst }) => `/v1/destinations/${dst}`],
  ['POST', ({ dst }) => `/v1/destinations/${dst}/preview`, ({ tbl }: Ids) => ({ table_id: tbl })],
  ['POST', ({ dst }) => `/v1/destinations/${dst}/pushes`, ({ tbl }: Ids) => ({ table_id: tbl })],
  ['GET', ({ dst }) => `/v1/destinations/${dst}/pushes`],
  ['GET', ({ dst, psh }) => `/v1/destinations/${dst}/pushes/${psh}`],
  ['GET', ({ dst, psh }) => `/v1/destinations/${dst}/pushes/${psh}/failures`],
  ['GET', ({ batch }) => `/v1/services/jobs/batch/${batch}`],
  ['GET', ({ batch }) => `/v1/services/jobs/batch/${batch}?wait_seconds=1`],
  ['GET', ({ batch }) => `/v1/services/jobs/batch/${batch}/events`],
  ['POST', ({ batch }) => `/v1/services/jobs/batch/${batch}/cancel`],
  [
    'GET',
    ({ run, frozenCursor }) => `/v1/runs/${run}/output/tables/firms/rows?limit=1&cursor=${frozenCursor}`,
  ],
  ['POST', ({ run }) => `/v1/runs/${run}/exports`, { table_key: 'firms', format: 'csv' }],
  ['GET', ({ exp }) => `/v1/exports/${exp}`],
  ['POST', ({ exp }) => `/v1/exports/${exp}/links`, {}],
  ['HEAD', ({ exp }) => `/v1/exports/${exp}`],
  ['GET', ({ exp }) => `/v1/exports/${exp}`, undefined, { range: 'bytes=0-9' }],
  ['GET', ({ exp }) => `/v1/exports/${exp}`, undefined, { 'if-none-match': '*' }],
];

/** Lists, filtered by the owner's ids where possible. Each is empty for another tenant. */
const LISTS: ReadonlyArray<(ids: Ids) => string> = [
  () => '/v1/workspaces',
  () => '/v1/runs',
  ({ ws }) => `/v1/runs?workspace_id=${ws}`,
  () => '/v1/tables',
  ({ conv }) => `/v1/runs?conversation_id=${conv}`,
  () => '/v1/services/jobs',
  ({ batch }) => `/v1/services/jobs?batch_id=${batch}`,
  ({ batch }) => `/credits/ledger?batch_id=${batch}`,
  ({ run }) => `/credits/ledger?run_id=${run}`,
  () => '/v1/events',
  () => '/v1/exclusions/companies',
  () => '/v1/exclusions/people',
  () => '/v1/monitors',
  () => '/v1/webhooks',
  () => '/v1/destinations',
];

let product: Product;
let otherKey: string;

beforeAll(async () => {
  product = await startProduct({ env: { RATE_LIMIT_SCALE: '1000', LOG_LEVEL: 'error' } });
  const other = await createOrganisation(product.database!.database, { name: 'Other', credits: 10 });
  otherKey = other.apiKey;
}, SLOW_MS);
afterAll(() => product.dispose());

const PAIRS = [
  { name: 'another organisation', ownerKey: () => product.credentials.api_key, foreignKey: () => otherKey },
  {
    name: 'a test key, of what a live key made',
    ownerKey: () => product.credentials.api_key,
    foreignKey: () => product.credentials.test_key,
  },
  {
    name: 'a live key, of what a test key made',
    ownerKey: () => product.credentials.test_key,
    foreignKey: () => product.credentials.api_key,
  },
];

// A tenant is empty only until its key creates something, so the order of the pairs matters.
describe.each(PAIRS)('another tenant: $name', ({ ownerKey, foreignKey }) => {
  let owner: ApiClient;
  let otherTenant: ApiClient;
  let ids: Ids;
  let seenBefore: unknown[];
  const ownDomain = `mine-${newId('key').slice(-8)}.com`;

  beforeAll(async () => {
    owner = new ApiClient(product.baseUrl, ownerKey());
    otherTenant = new ApiClient(product.baseUrl, foreignKey());
    seenBefore = await seen();
    ids = await prepared();
  }, SLOW_MS);

  /** Returns the unfiltered lists of another tenant. */
  const seen = () =>
    Promise.all(
      [
        '/v1/workspaces',
        '/v1/runs',
        '/v1/services/jobs',
        '/credits/ledger',
        '/credits/usage?by=key',
        '/v1/exclusions/companies',
        '/v1/monitors',
        '/v1/webhooks',
        '/v1/destinations',
      ].map(async (path) => (await otherTenant.get<unknown>(path)).body),
    );

  async function prepared(): Promise<Ids> {
    const ws = (await owner.post<{ id: string }>('/v1/workspaces', { name: 'Mine' })).body.id;
    const rows = [{ a: 'secret' }, { a: 'secret too' }];
    const table = await owner.post<TableJson>(`/v1/workspaces/${ws}/tables`, { ...IMPORT, rows });
    const columns = [{ key: 'name' }];
    const started = await owner.post<RunJson>('/v1/runs', {
      prompt: '3 banks in Germany',
      workspace_id: ws,
      output: { tables: [{ key: 'firms', entity: 'company', columns }] },
    });
    const run = started.body.id;
    await owner.runEnd(started.body);
    const made = await owner.post<{ id: string }>(`/v1/runs/${run}/exports`, {
      table_key: 'firms',
      format: 'csv',
    });
    const batch = await owner.post<{ batch_id: string }>('/v1/services/jobs/batch', {
      service: 'webResearch',
      inputs: [{ question: `Who is ${newId('key')} of acme.example?` }],
    });
    await owner.get(`/v1/services/jobs/batch/${batch.body.batch_id}?wait_seconds=30`);
    await owner.post('/v1/exclusions/companies', { items: [{ domain: ownDomain }] });
    const hook = await owner.post<{ id: string }>('/v1/webhooks', {
      url: 'https://hooks.example/',
      types: ['run.completed'],
    });
    const destination = await owner.post<{ id: string }>('/v1/destinations', {
      kind: 'webhook',
      name: 'Mine',
      secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
      settings: { url: 'https://hooks.example/' },
    });
    const push = await owner.post<{ id: string }>(`/v1/destinations/${destination.body.id}/pushes`, {
      table_id: table.body.id,
    });
    const monitor = await owner.post<{ id: string }>('/v1/monitors', {
      name: 'Mine',
      prompt: 'banks in Germany',
      workspace_id: ws,
      schedule: { cron: '0 9 1 1 *', time_zone: 'UTC' },
    });
    // A feed waits for open write transactions of the whole cluster, so an event appears with a delay.
    await waitFor('the feed to show an event', async () => {
      const feed = await owner.get<{ items: unknown[] }>('/v1/events');
      return feed.body.items.length > 0;
    });
    const cursorOf = async (path: string) =>
      (await owner.get<{ next_cursor: string }>(`${path}?limit=1`)).body.next_cursor;
    return {
      ws,
      tbl: table.body.id,
      row: (await owner.get<{ items: Array<{ id: string }> }>(table.body.links.rows)).body.items[0]!.id,
      view: (await owner.post<{ id: string }>(`/v1/tables/${table.body.id}/views`, {})).body.id,
      run,
      conv: started.body.conversation_id,
      batch: batch.body.batch_id,
      mon: monitor.body.id,
      wh: hook.body.id,
      whd: (await owner.post<{ id: string }>(`/v1/webhooks/${hook.body.id}/test`, undefined)).body.id,
      dst: destination.body.id,
      psh: push.body.id,
      exp: made.body.id,
      rowsCursor: await cursorOf(table.body.links.rows),
      frozenCursor: await cursorOf(`/v1/runs/${run}/output/tables/firms/rows`),
    };
  }

  /** Returns the whole answer without the parts that differ between any two answers. */
  async function answerOf(
    path: string,
    method: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ) {
    const answer = await fetch(`${product.baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${otherTenant.apiKey}`,
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
    'gets the same response for a foreign id as for an unknown one: %s',
    async (_name, [method, pathOf, bodyOf, headers]) => {
      const unknown = {
        ...ids,
        ws: newId('ws'),
        tbl: newId('tbl'),
        run: newId('run'),
        conv: newId('conv'),
        exp: newId('exp'),
        batch: newId('svcbatch'),
        mon: newId('mon'),
        wh: newId('wh'),
        dst: newId('dst'),
      };
      const ask = (of: Ids) =>
        answerOf(pathOf(of), method, typeof bodyOf === 'function' ? bodyOf(of) : bodyOf, headers);
      const foreign = await ask(ids);
      expect(foreign.status).toBe(404);
      expect(foreign).toEqual(await ask(unknown));
    },
  );

  it('sees nothing of the owner in any list', async () => {
    expect(await seen()).toEqual(seenBefore);
    for (const pathOf of LISTS.filter((each) => /[?]/.test(each(ids)))) {
      const page = (await otherTenant.get<{ items: unknown[] }>(pathOf(ids))).body;
      expect({ path: pathOf(ids), items: page.items }).toEqual({ path: pathOf(ids), items: [] });
    }
    // A list that is empty for the owner as well proves nothing: the run charges no line, and people are not excluded.
    const empty: string[] = [];
    for (const pathOf of LISTS) {
      const page = (await owner.get<{ items: unknown[] }>(pathOf(ids))).body;
      if (page.items.length === 0) empty.push(pathOf(placeholders()));
    }
    expect(empty).toEqual(['/credits/ledger?run_id={run}', '/v1/exclusions/people']);
  });

  it('changes nothing in the exclusion lists of the owner', async () => {
    const items = [{ domain: ownDomain }];
    const send = async (method: string, body: unknown) =>
      JSON.parse(
        Buffer.from((await answerOf('/v1/exclusions/companies', method, body)).body, 'hex').toString(),
      ) as unknown;
    expect(await send('DELETE', { items })).toEqual({ deleted: 0, not_found: 1 });
    expect(await send('PUT', { source: 'crm', items: [] })).toEqual({
      created: 0,
      deleted: 0,
      unchanged: 0,
      rejected: [],
    });
    expect((await owner.get('/v1/exclusions/companies')).body).toMatchObject({
      items: expect.arrayContaining([expect.objectContaining({ domain: ownDomain })]) as unknown,
    });
  });

  it('leaves everything it tried to change as it was', async () => {
    expect((await owner.get(`/v1/workspaces/${ids.ws}`)).status).toBe(200);
    expect((await owner.get(`/v1/workspaces/${ids.ws}/tables`)).body).toMatchObject({
      items: [{ id: ids.tbl, row_count: 2 }, { row_count: 3 }],
    });
    expect(await owner.text(`/v1/exports/${ids.exp}`)).toMatch(/^"name"\r?\n/);
    expect((await owner.get(`/v1/runs/${ids.run}`)).body).toMatchObject({ cancellation_requested: false });
    expect((await owner.get(`/v1/webhooks/${ids.wh}`)).body).toMatchObject({ status: 'active' });
    expect((await owner.get(`/v1/monitors/${ids.mon}`)).body).toMatchObject({
      name: 'Mine',
      status: 'active',
    });
    expect((await owner.get(`/v1/destinations/${ids.dst}`)).body).toMatchObject({ name: 'Mine' });
  });
});

describe('the live and test mode of an organisation', () => {
  const live = () => new ApiClient(product.baseUrl, product.credentials.api_key);
  const test = () => new ApiClient(product.baseUrl, product.credentials.test_key);

  it('have separate search results, exclusions and idempotency keys', async () => {
    const inputs = [{ first_name: 'Grace', last_name: 'Worlds', domain: 'grace-worlds.example' }];
    const send = (api: ApiClient) =>
      api.post<{ batch_id: string; jobs: Array<{ reused: boolean }> }>(
        '/v1/services/jobs/batch',
        { service: 'getEmail', inputs },
        { 'idempotency-key': 'one-key' },
      );
    const ofTest = await send(test());
    await test().get(`/v1/services/jobs/batch/${ofTest.body.batch_id}?wait_seconds=30`);
    const ofLive = await send(live());
    // 200 if the workers finished before the response.
    expect([200, 202]).toContain(ofLive.status);
    expect(ofLive.body.batch_id).not.toBe(ofTest.body.batch_id);
    expect(ofLive.body.jobs[0]!.reused).toBe(false);
  });

  it('each exclude from their own searches only', async () => {
    const filters = { industries: ['banking'], limit: 1 };
    const find = async (api: ApiClient) =>
      (await api.post<{ output: { items: Array<{ domain: string }> } }>('/services/searchCompanies', filters))
        .body.output.items[0]!.domain;
    const largest = await find(live());
    await test().post('/v1/exclusions/companies', { items: [{ domain: largest }] });
    expect(await find(live())).toBe(largest);
    expect(await find(test())).not.toBe(largest);
  });
});

function placeholders(): Ids {
  return {
    ws: '{ws}',
    tbl: '{tbl}',
    row: '{row}',
    view: '{view}',
    run: '{run}',
    conv: '{conv}',
    exp: '{exp}',
    batch: '{batch}',
    mon: '{mon}',
    wh: '{wh}',
    whd: '{whd}',
    dst: '{dst}',
    psh: '{psh}',
    rowsCursor: '{cursor}',
    frozenCursor: '{cursor}',
  };
}
