import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { createOrganisation } from '@quarry/composition';
import { setSpendLimits } from '@quarry/credit-ledger';
import type { GoRun as GoRunResource, JsonText, ResourceOf } from '@quarry/dto';
import { systemCtx } from '@quarry/app';
import { FactSites, waitFor } from '@quarry/test-servers';
import { ApiClient, brokenInvariants, startProduct, type ApiAnswer, type Product } from '@quarry/testing';

type GoRun = ResourceOf<JsonText<typeof GoRunResource>>;
interface Refusal {
  error: { code: string; message: string; details?: Array<{ path: string[]; message: string }> };
}

const FIELDS = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    founded: { type: 'integer' },
    email: { type: 'string', format: 'email' },
    phone: { type: 'string' },
    revenue: { type: ['number', 'null'] },
  },
};
const ONE = '127.0.2.11';
const TWO = '127.0.2.12';
const SLOW = '127.0.2.13';

let sites: FactSites;
let product: Product;
let api: ApiClient;

beforeAll(async () => {
  sites = await FactSites.start();
  const hosts = [...sites.pages.map(({ host }) => host), ONE, TWO, SLOW];
  product = await startProduct({
    env: {
      RATE_LIMIT_SCALE: '100',
      LOG_LEVEL: 'error',
      GO_SYNC_WAIT_SECONDS: '3',
      FETCH_ALLOW_HOSTS: hosts.map((host) => `${host}:${sites.port}`).join(', '),
    },
  });
  api = await another(1000);
});
afterAll(async () => {
  const broken = await brokenInvariants(product.database!.database);
  await product.dispose();
  await sites.stop();
  expect(broken).toEqual({});
});

async function another(credits: number): Promise<ApiClient> {
  const { apiKey } = await createOrganisation(product.database!.database, { name: 'Another', credits });
  return new ApiClient(product.baseUrl, apiKey);
}

/** Follows a run to its end, whether its start was held or returned early. */
async function ended(answer: ApiAnswer<GoRun>, client = api): Promise<GoRun> {
  let { body } = answer;
  expect([200, 202]).toContain(answer.status);
  while (body.completed_at === null)
    body = (await client.get<GoRun>(`/v1/go/runs/${body.id}?wait_seconds=10`)).body;
  return body;
}
const research = async (request: object, client = api): Promise<GoRun> =>
  ended(
    await client.post<GoRun>('/v1/go/run', { prompt: 'What is known?', schema: FIELDS, ...request }),
    client,
  );
const charges = async (client = api, runId?: string) => {
  const { body } = await client.get<{ items: Array<{ kind: string; amount: number; run_id: string }> }>(
    `/credits/ledger?limit=1000${runId === undefined ? '' : `&run_id=${runId}`}`,
  );
  return body.items.filter(({ kind }) => kind === 'charge');
};

describe('Go without a model', () => {
  it('finds what thirty pages state, quotes the proof, and charges one credit per page', async () => {
    const client = await another(1000);
    const runs: GoRun[] = [];
    for (let n = 0; n < sites.pages.length; n += 3)
      runs.push(
        ...(await Promise.all(
          sites.pages.slice(n, n + 3).map(({ host }) => research({ urls: [sites.url(host)] }, client)),
        )),
      );
    for (const [n, { facts, host }] of sites.pages.entries()) {
      const run = runs[n]!;
      const { phone, ...rest } = run.output as Record<string, unknown>;
      expect([host, rest]).toEqual([
        host,
        { name: facts.name, founded: facts.founded, email: facts.email, revenue: null },
      ]);
      expect(String(phone).replaceAll(' ', '')).toBe(facts.phone.replaceAll(' ', ''));
      expect(run).toMatchObject({
        ok: true,
        status: 'completed',
        stop_reason: 'complete',
        error: null,
        credits: { charged: 1 },
      });
      expect(run.basis.map(({ field }) => field)).toEqual([
        '/name',
        '/founded',
        '/email',
        '/phone',
        '/revenue',
      ]);
      for (const { field, value, confidence, citations } of run.basis.slice(0, 4)) {
        expect([field, confidence, citations.length]).toEqual([field, 'medium', 1]);
        expect(citations[0]!.url).toBe(sites.url(host));
        expect(citations[0]!.excerpt).toContain(String(value));
      }
      expect(run.basis[4]).toMatchObject({ value: null, confidence: null, citations: [] });
    }
    const charged = await charges(client);
    expect(charged.map(({ amount }) => amount)).toEqual(runs.map(() => -1));
    expect(new Set(charged.map(({ run_id: id }) => id))).toEqual(new Set(runs.map(({ id }) => id)));
    const { body: credits } = await client.get('/credits');
    expect(credits).toMatchObject({
      remaining: 1000 - runs.length,
      reserved: 0,
      balance: 1000 - runs.length,
    });
  });

  it('keeps the text of a page by its SHA-256, and the position of each value', async () => {
    const { id, basis } = await research({ urls: [sites.url(sites.pages[0]!.host)] });
    const { database } = product.database!;
    const rows = await database.query<{
      proofs: Array<{ field: string; sha256: string; from: number; to: number }>;
    }>(systemCtx('spec'), 'SELECT proofs FROM go.runs WHERE id = $1', [id]);
    for (const { field, sha256, from, to } of rows[0]!.proofs) {
      const [page] = await database.query<{ text: Buffer }>(
        systemCtx('spec'),
        'SELECT text FROM go.pages WHERE sha256 = $1',
        [sha256],
      );
      const text = gunzipSync(page!.text).toString('utf8');
      expect(createHash('sha256').update(text).digest('hex')).toBe(sha256);
      const entry = basis.find((each) => each.field === field)!;
      expect(text.slice(from, to)).toContain(String(entry.value));
    }
    expect(rows[0]!.proofs.map(({ field }) => field)).toEqual(['/name', '/founded', '/email', '/phone']);
  });

  it('is confident if two sites agree, and not if they disagree', async () => {
    const saying = (founded: number) => `<dl><dt>Founded</dt><dd>${founded}</dd></dl>`;
    sites.others.set(`${ONE}/`, saying(1911)).set(`${TWO}/`, saying(1911)).set(`${TWO}/other`, saying(1912));
    const schema = { type: 'object', properties: { founded: { type: 'integer' } } };
    const answerTo = async (prompt: string, ...urls: string[]) => {
      const { output, basis } = await research({ prompt, schema, urls });
      return { output, confidence: basis[0]!.confidence, citations: basis[0]!.citations.length };
    };
    const [one, two] = [sites.url(ONE), sites.url(TWO)];
    expect(await answerTo('When was it founded?', one, two)).toEqual({
      output: { founded: 1911 },
      confidence: 'high',
      citations: 2,
    });
    expect(await answerTo('When was it founded?', one)).toMatchObject({ confidence: 'medium' });
    expect(await answerTo('When?', one, sites.url(TWO, '/other'))).toMatchObject({ confidence: 'low' });
  });

  it('reads no URL outside the named domains, and none that is not public', async () => {
    const [one, two] = [sites.url(ONE), sites.url(TWO)];
    const both = await research({ urls: [one, two], include_domains: [ONE] });
    expect(both.credits.charged).toBe(1);
    const none = await research({
      urls: [one, 'http://169.254.169.254/latest/meta-data', `http://127.0.0.1:${sites.port}/`],
      exclude_domains: [ONE],
    });
    expect(none).toMatchObject({ status: 'completed', stop_reason: 'no_evidence', credits: { charged: 0 } });
    expect(await charges(api, none.id)).toEqual([]);
    sites.redirects.set(`${TWO}/away`, one);
    const away = await research({ urls: [sites.url(TWO, '/away')], exclude_domains: [ONE] });
    expect(away).toMatchObject({ stop_reason: 'no_evidence', credits: { charged: 0 } });
  });

  it('costs nothing without a page, and ends when its budget is used up', async () => {
    const gone = await research({ urls: [sites.url(ONE, '/gone')] });
    expect(gone).toMatchObject({
      stop_reason: 'no_evidence',
      output: { name: null },
      credits: { charged: 0 },
    });
    const urls = sites.pages.slice(0, 3).map(({ host }) => sites.url(host));
    const short = await research({ urls, max_credits: 2 });
    expect(short).toMatchObject({ status: 'completed', stop_reason: 'budget', credits: { charged: 2 } });
    expect(short.output).toMatchObject({ name: sites.pages[0]!.facts.name });
    const poor = await another(1.5);
    expect(await research({ urls }, poor)).toMatchObject({
      stop_reason: 'budget',
      credits: { charged: 1, remaining: 0.5 },
    });
    const refused = await poor.post<Refusal>('/v1/go/run', { prompt: 'What?', urls });
    expect([refused.status, refused.body.error.code]).toEqual([402, 'insufficient_credits']);
  });

  it('refuses what it cannot do or may not spend, and charges nothing', async () => {
    const client = await another(10);
    const refusal = async (path: string, body: unknown, by = client) => {
      const { status, body: answer } = await by.post<Refusal>(path, body);
      return [status, answer.error.code, answer.error.details?.map((detail) => detail.path) ?? []];
    };
    for (const path of ['/v1/go/run', '/v1/go/runs']) {
      expect(await refusal(path, { prompt: 'Who makes pumps?' })).toEqual([502, 'capability_error', []]);
      expect(
        await refusal(path, { prompt: ' ', urls: ['ftp://x'], effort: 'huge', max_credits: 0.5, extra: 1 }),
      ).toEqual([
        400,
        'validation_error',
        expect.arrayContaining([[], ['prompt'], ['urls', '0'], ['effort'], ['max_credits']]),
      ]);
      expect(
        await refusal(path, {
          prompt: 'What?',
          urls: [`http://${ONE}`],
          schema: { type: 'object', properties: { a: { pattern: 'x' } } },
        }),
      ).toEqual([400, 'validation_error', [['schema', 'properties', 'a', 'pattern']]]);
    }
    const { body: incapable } = await client.post<Refusal>('/v1/go/run', { prompt: 'Who makes pumps?' });
    expect(incapable.error.message).toMatch(/^No language model is configured \(MODEL_URL, MODEL_NAME\)/);
    const play = new ApiClient(product.baseUrl, product.credentials.test_key);
    const body = { prompt: 'What?', urls: [sites.url(ONE)] };
    expect(await refusal('/v1/go/run', body, play)).toEqual([502, 'capability_error', []]);
    const { orgId, apiKey } = await createOrganisation(product.database!.database, {
      name: 'Capped',
      credits: 100,
    });
    await setSpendLimits(product.database!.database, { orgId, keyId: null, mode: 'live' }, { day: 0 });
    expect(await refusal('/v1/go/run', body, new ApiClient(product.baseUrl, apiKey))).toEqual([
      402,
      'usage_limit',
      [],
    ]);
    expect((await client.get('/credits')).body).toMatchObject({ balance: 10, reserved: 0 });
    for (const path of ['/v1/go/runs/gorun_0', '/v1/go/runs/gorun_00000000000000000000000000'])
      expect((await client.get<Refusal>(path)).body.error.code).toBe('not_found');
    const late = await client.get<Refusal>('/v1/go/runs/gorun_00000000000000000000000000?wait_seconds=61');
    expect([late.status, late.body.error.details?.[0]?.path]).toEqual([400, ['wait_seconds']]);
  });

  it('returns a run id if it takes too long, and can be cancelled with what it has read by then', async () => {
    sites.others.set(`${SLOW}/a`, '<dl><dt>Name</dt><dd>Slow and Sons</dd></dl>');
    const release = sites.hold(SLOW, '/a');
    const first = sites.pages[2]!;
    const urls = [sites.url(first.host), sites.url(SLOW, '/a'), sites.url(ONE)];
    const body = { prompt: 'What is known?', schema: FIELDS, urls };
    const key = { 'idempotency-key': 'go-slow' };
    const request = api.post<GoRun>('/v1/go/run', body, key);
    await waitFor('the slow page to be asked for', () => Promise.resolve(sites.waitingFor(SLOW, '/a') === 1));
    const early = await api.post<Refusal>('/v1/go/run', body, key);
    expect([early.status, early.body.error.code, early.headers.get('retry-after')]).toEqual([
      409,
      'idempotency_conflict',
      '1',
    ]);
    const { status, headers, body: run } = await request;
    expect([status, headers.get('location')]).toEqual([202, `/v1/go/runs/${run.id}`]);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(run).toMatchObject({
      ok: true,
      status: 'running',
      stop_reason: null,
      output: null,
      basis: [],
      completed_at: null,
    });
    const { body: listed } = await api.get<{ items: GoRun[] }>('/v1/go/runs?status=running');
    expect(listed.items.map(({ id }) => id)).toEqual([run.id]);
    const cancelled = await api.post<GoRun>(`/v1/go/runs/${run.id}/cancel`, {});
    expect(cancelled.status).toBe(202);
    release();
    const end = await ended(await api.get<GoRun>(`/v1/go/runs/${run.id}?wait_seconds=10`));
    // The page in progress was read; the next one was not.
    expect(end).toMatchObject({
      ok: true,
      status: 'cancelled',
      stop_reason: 'cancelled',
      credits: { charged: 2 },
    });
    expect(end.output).toMatchObject({ name: first.facts.name, founded: first.facts.founded });
    expect((await charges(api, run.id)).map(({ amount }) => amount)).toEqual([-2]);
    const again = await api.post<GoRun>(`/v1/go/runs/${run.id}/cancel`, {});
    expect([again.status, again.body]).toEqual([200, end]);
  });

  it('replays the answer for the same key, charged once, and shows no run of another tenant', async () => {
    const body = { prompt: 'What is known?', schema: FIELDS, urls: [sites.url(sites.pages[5]!.host)] };
    for (const path of ['/v1/go/run', '/v1/go/runs']) {
      const key = { 'idempotency-key': `go-${path}` };
      const first = await ended(await api.post<GoRun>(path, body, key));
      const again = await api.post<GoRun>(path, body, key);
      expect(again.body).toEqual(first);
      expect(again.status).toBe(path === '/v1/go/run' ? 200 : 202);
      expect(await charges(api, first.id)).toHaveLength(1);
      const other = await api.post<Refusal>(path, { ...body, effort: 'high' }, key);
      expect([other.status, other.body.error.code]).toEqual([409, 'idempotency_conflict']);
      const otherTenant = await another(5);
      const play = new ApiClient(product.baseUrl, product.credentials.test_key);
      for (const client of [otherTenant, play]) {
        expect((await client.get(`/v1/go/runs/${first.id}`)).status).toBe(404);
        expect((await client.post(`/v1/go/runs/${first.id}/cancel`, {})).status).toBe(404);
        expect((await client.get<{ items: GoRun[] }>('/v1/go/runs')).body.items).toEqual([]);
      }
    }
  });
});
