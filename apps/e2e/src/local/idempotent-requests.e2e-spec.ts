import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunJson } from '@quarry/dto';
import { ApiClient, startProduct, type ApiAnswer, type Product } from '@quarry/testing';
import { waitFor } from '@quarry/test-servers';

interface Route {
  name: string;
  path: () => string;
  body: unknown;
  other: unknown;
  status: number;
  headers: readonly string[];
  /** Returns a count or the ids of the resources that the request creates. */
  made: () => Promise<unknown>;
}

const SLOW_PERSON = { last_name: 'Keyed', domain: 'slow-2s.sandbox.test' };

/** Returns the parts of an answer that a repeated request must return unchanged: not the headers of a single response. */
const answerOf = ({ status, headers, body }: ApiAnswer<unknown>, names: readonly string[]) => ({
  status,
  headers: names.map((name) => headers.get(name)),
  body,
});

describe('a repeated Idempotency-Key', () => {
  let product: Product;
  let api: ApiClient;
  let [ws, run] = ['', ''];

  beforeAll(async () => {
    product = await startProduct({ env: { RATE_LIMIT_SCALE: '1000', LOG_LEVEL: 'error' } });
    api = new ApiClient(product.baseUrl, product.credentials.api_key);
    ws = (await api.post<{ id: string }>('/v1/workspaces', { name: 'Keys' })).body.id;
    run = (await api.post<RunJson>('/v1/runs', { prompt: '3 banks in Germany', workspace_id: ws })).body.id;
    await api.runEnd({ id: run });
  });
  afterAll(() => product.dispose());

  const idsIn = async (path: string) => (await api.get<{ items: unknown[] }>(path)).body.items.length;
  const credits = async () => (await api.get<{ remaining: number }>('/credits')).body.remaining;
  const table = (name: string) => ({ name, columns: [{ key: 'a', name: 'A' }], rows: [{ a: 'x' }] });
  const tableKey = async () => {
    const { body } = await api.get<RunJson>(`/v1/runs/${run}`);
    return /“?key “?([a-z_]+)/.exec(body.message)?.[1] ?? 'companies';
  };

  const ROUTES: Route[] = [
    {
      name: 'POST /v1/workspaces',
      path: () => '/v1/workspaces',
      body: { name: 'Once' },
      other: { name: 'Twice' },
      status: 201,
      headers: [],
      made: () => idsIn('/v1/workspaces'),
    },
    {
      name: 'POST /v1/workspaces/{id}/tables',
      path: () => `/v1/workspaces/${ws}/tables`,
      body: table('Once'),
      other: table('Twice'),
      status: 201,
      headers: ['location'],
      made: () => idsIn(`/v1/workspaces/${ws}/tables`),
    },
    {
      name: 'POST /v1/services/jobs/batch',
      path: () => '/v1/services/jobs/batch',
      // Takes longer than the response, which would be 200 if the workers had finished first.
      body: { service: 'getEmail', inputs: [{ ...SLOW_PERSON, first_name: 'Once' }] },
      other: { service: 'getEmail', inputs: [{ ...SLOW_PERSON, first_name: 'Twice' }] },
      status: 202,
      headers: ['location', 'retry-after'],
      made: () => idsIn('/v1/services/jobs'),
    },
    {
      name: 'POST /services/{name}',
      path: () => '/services/searchCompanies',
      body: { industries: ['banking'], limit: 4 },
      other: { industries: ['banking'], limit: 5 },
      status: 200,
      headers: [],
      made: credits,
    },
    {
      name: 'POST /v1/plans',
      path: () => '/v1/plans',
      body: { prompt: '3 banks in Germany' },
      other: { prompt: '3 banks in Austria' },
      status: 201,
      headers: [],
      // No route lists plans, but a second plan would have another id in the answer.
      made: credits,
    },
    {
      name: 'POST /v1/erasures',
      path: () => '/v1/erasures',
      body: { email: 'once@person.example' },
      other: { email: 'twice@person.example' },
      status: 201,
      headers: [],
      made: () => idsIn('/v1/workspaces'),
    },
  ];

  it.each(ROUTES)('is replayed for $name, performed once', async (route) => {
    const send = (body: unknown, key: string) => api.post(route.path(), body, { 'idempotency-key': key });
    const first = await send(route.body, 'once');
    const before = await route.made();
    const again = await send(route.body, 'once');
    expect(first.status).toBe(route.status);
    expect(answerOf(again, route.headers)).toEqual(answerOf(first, route.headers));
    expect(answerOf(first, route.headers).headers).not.toContain(null);
    expect(await route.made()).toEqual(before);
    const conflict = await send(route.other, 'once');
    expect([conflict.status, conflict.body]).toMatchObject([
      409,
      { error: { code: 'idempotency_conflict' } },
    ]);
  });

  it('is replayed for POST /v1/runs/{id}/exports, and is separate for another run', async () => {
    const key = await tableKey();
    const send = (format: string) =>
      api.post(`/v1/runs/${run}/exports`, { table_key: key, format }, { 'idempotency-key': 'once' });
    const first = await send('csv');
    expect(first.status).toBe(201);
    expect(answerOf(await send('csv'), ['location'])).toEqual(answerOf(first, ['location']));
    expect((await send('json')).status).toBe(409);
  });

  it('belongs to one URL: in another workspace it creates something new', async () => {
    const other = (await api.post<{ id: string }>('/v1/workspaces', { name: 'Other' })).body.id;
    const made = await api.post(`/v1/workspaces/${other}/tables`, table('Once'), {
      'idempotency-key': 'once',
    });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ workspace_id: other });
  });

  it('is refused with Retry-After while the first request is running, and replayed afterwards', async () => {
    const send = (key: string) =>
      api.post(
        '/services/searchCompanies',
        { domains: ['slow-2s.sandbox.test'] },
        { 'idempotency-key': key },
      );
    // The first of the two requests does the work. On a busy machine the second may arrive when it is done.
    let pairs = 0;
    const { key, answered, refused } = await waitFor(
      'one to come in while the other is in work',
      async () => {
        const key = `slow-${++pairs}`;
        const answers = await Promise.all([send(key), send(key)]);
        const answered = answers.find(({ status }) => status === 200);
        const refused = answers.find(({ status }) => status === 409);
        expect(answered).toBeDefined();
        return refused && { key, answered: answered!, refused };
      },
    );
    expect(refused.body).toMatchObject({ error: { code: 'idempotency_conflict' } });
    expect(refused.headers.get('retry-after')).toBe('1');
    expect((await send(key)).body).toEqual(answered.body);
  });

  it('is not used up by a refusal', async () => {
    const send = (path: string, body: unknown) => api.post(path, body, { 'idempotency-key': 'refused' });
    expect((await send('/services/searchCompanies', { industries: ['no such'] })).status).toBe(400);
    expect((await send('/services/searchCompanies', { industries: ['banking'], limit: 1 })).status).toBe(200);
    expect((await send(`/v1/workspaces/${ws}/tables`, { name: 1 })).status).toBe(400);
    expect((await send(`/v1/workspaces/${ws}/tables`, table('Refused'))).status).toBe(201);
  });
});
