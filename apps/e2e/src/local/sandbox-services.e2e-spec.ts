import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOrganisation } from '@quarry/composition';
import { setSpendLimits } from '@quarry/credit-ledger';
import type { RunJson } from '@quarry/dto';
import { ApiClient, brokenInvariants, startProduct, type Product } from '@quarry/testing';
import { NameServer } from '@quarry/test-servers';
import { fastCalls, remaining, type Item } from './fast-calls.fixture.js';

let product: Product;
let api: ApiClient;
let testApi: ApiClient;
/** Name server that knows no name, as some networks answer for a machine without internet access. */
let names: NameServer;

beforeAll(async () => {
  names = await NameServer.start(() => [], undefined, true);
  product = await startProduct({
    env: { RATE_LIMIT_SCALE: '100', LOG_LEVEL: 'error', DNS_SERVERS: names.address },
  });
  api = new ApiClient(product.baseUrl, product.credentials.api_key);
  testApi = new ApiClient(product.baseUrl, product.credentials.test_key);
});
afterAll(async () => {
  const broken = await brokenInvariants(product.database!.database);
  await product.dispose();
  names.stop();
  expect(broken).toEqual({});
});

const { find, refused, batchOf } = fastCalls(() => api);

let people = 0;
const contact = (domain: string, more: object = {}) => ({
  first_name: `Person${++people}`,
  last_name: 'Doe',
  domain,
  ...more,
});

/** Looks up one input in a slow service. @returns its line and what it has cost */
async function lookedUp(service: string, input: object): Promise<{ line: Item; cost: number }> {
  const before = await remaining(api);
  const { jobs } = await batchOf(service, [input]);
  return { line: jobs[0] as Item, cost: Math.round((before - (await remaining(api))) * 1000) / 1000 };
}

describe('a search', () => {
  it('is charged by its items, and is in the ledger without a batch, job or run', async () => {
    const before = await remaining(api);
    const { credits } = await find('searchPeople', { roles: ['CTO'], limit: 2 });
    expect(credits).toEqual({ charged: 0.5, remaining: before - 0.5 });
    const { body } = await api.get<{ items: Item[] }>('/credits/ledger?limit=1');
    expect(body.items[0]).toMatchObject({
      kind: 'charge',
      amount: -0.5,
      service: 'searchPeople',
      batch_id: null,
      job_id: null,
      input_index: null,
      run_id: null,
    });
  });

  it('returns ten items by default, and nothing at no cost if nothing matches', async () => {
    expect((await find('searchCompanies', { countries: ['US'] })).output.items).toHaveLength(10);
    const none = await find('searchCompanies', { names: ['Nobody at All'] }, testApi);
    expect([none.output, none.credits.charged]).toEqual([{ items: [], provider: 'sandbox' }, 0]);
  });
});

describe('a spend cap', () => {
  it('refuses with 402 usage_limit, and GET /v1/limits shows it in the mode of the key', async () => {
    const database = product.database!.database;
    const made = await createOrganisation(database, { name: 'Capped', credits: 100 });
    const [live, play] = [made.apiKey, made.testKey].map((key) => new ApiClient(product.baseUrl, key));
    await setSpendLimits(database, { orgId: made.orgId, keyId: null, mode: 'live' }, { day: 1.5, month: 40 });
    expect(await refused('searchCompanies', { industries: ['Fintech'], limit: 7 }, live)).toMatchObject({
      status: 402,
      code: 'usage_limit',
    });
    await find('searchCompanies', { industries: ['Fintech'], limit: 5 }, live);
    const { status, body } = await live!.get('/v1/limits');
    const day = expect.stringMatching(/^\d{4}-\d\d-\d\dT00:00:00\.000Z$/) as unknown;
    const month = expect.stringMatching(/^\d{4}-\d\d-01T00:00:00\.000Z$/) as unknown;
    expect([status, body]).toEqual([
      200,
      {
        organisation: {
          day: { cap: 1.5, used: 1.25, resets_at: day },
          month: { cap: 40, used: 1.25, resets_at: month },
        },
        key: {
          day: { cap: null, used: 1.25, resets_at: day },
          month: { cap: null, used: 1.25, resets_at: month },
        },
      },
    ]);
    expect(await refused('searchCompanies', { industries: ['Fintech'], limit: 2 }, live)).toMatchObject({
      status: 402,
      code: 'usage_limit',
    });
    await find('searchCompanies', { industries: ['Fintech'], limit: 7 }, play);
    expect((await play!.get('/v1/limits')).body).toMatchObject({
      organisation: { day: { cap: null, used: 1.75 } },
    });
    expect((await live!.get('/v1/limits?x=1')).status).toBe(400);
  });
});

describe('the catalogue', () => {
  it.each(['searchCompanies', 'searchPeople'])('shows %s with examples that find', async (name) => {
    const { body } = await api.get<Item>(`/services/${name}`);
    expect(body).toMatchObject({
      available: true,
      unavailable_reason: null,
      mode: 'fast',
      price: { unit: 'item', hit: 0.25, miss: 0, max: 25 },
      providers: [{ id: 'sandbox', configured: true, order: 0 }],
      description: expect.stringMatching(/Only the sandbox answers here, about its own fictional companies/),
    });
    const test = await testApi.get<Item>(`/services/${name}`);
    expect(test.body.description).not.toContain('sandbox');
    for (const example of body.examples) {
      const { output } = await find(name, example);
      expect(output.items.length).toBeGreaterThan(0);
      expect(Object.keys(output.items[0]!)).toEqual(
        Object.keys(body.output_schema.properties.items.items.properties),
      );
    }
  });

  it('lists as available what a directory, the network or the sandbox answers, and nothing else', async () => {
    const { body } = await api.get<{ items: Item[] }>('/services?mode=fast&limit=100');
    const available = body.items.filter((item) => item.available).map(({ name }) => name);
    expect(available.sort()).toEqual([
      'classifyText',
      'detectTech',
      'domainInfo',
      'enrichCompany',
      'enrichPerson',
      'extractData',
      'findDomain',
      'findEmailPattern',
      'findLinkedInUrl',
      'findSocials',
      'getJobPostings',
      'mapWebsite',
      'newsSearch',
      'scrapeUrl',
      'searchCompanies',
      'searchPeople',
      'validatePhone',
      'verifyEmail',
    ]);
  });
});

describe('a run in the sandbox with a live key', () => {
  async function ended(prompt: string): Promise<RunJson> {
    const { body } = await api.post<RunJson>('/v1/runs', { prompt });
    return api.runEnd(body);
  }

  it('says in the message of a run that its rows are fictional, even if there are none', async () => {
    const found = await ended('3 banks in Germany');
    expect(found).toMatchObject({
      status: 'completed',
      message: expect.stringContaining('They are fictional demonstration data.') as unknown,
    });
    const none = await ended('banks in Germany founded before 1850');
    expect(none).toMatchObject({
      status: 'completed',
      message: expect.stringContaining(
        'no matching companies in the fictional demonstration data',
      ) as unknown,
    });
  });

  it('fails a run about a company that it does not know, at no cost', async () => {
    const before = await remaining(api);
    expect(await ended('CTOs at stripe.com with work email')).toMatchObject({
      status: 'failed',
      error: {
        code: 'agent_unavailable',
        message: expect.stringContaining('could look up “stripe.com”') as unknown,
      },
    });
    expect(await remaining(api)).toBe(before);
  });
});

describe('a slow service', () => {
  it.each([
    ['getEmail', contact('acme.example'), 1],
    ['getPhoneNumber', contact('acme.example'), 10],
    ['webResearch', { question: 'What does acme.example sell?', effort: 'low' }, 3],
    ['webResearch', { question: 'What does acme.example sell?' }, 6],
    ['getLinkedInUserComments', { linkedin_url: 'https://www.linkedin.com/in/sandbox-ada-lovelace' }, 2],
    ['getLinkedInUserReactions', { linkedin_url: 'https://www.linkedin.com/in/sandbox-ada-lovelace' }, 2],
  ])('%s answers %j for %d credits, and names its provider', async (service, input, price) => {
    expect(await lookedUp(service, input)).toMatchObject({
      line: { status: 'completed', attempt: 1, result: { found: true, provider: 'sandbox' } },
      cost: price,
    });
  });

  it.each([
    ['timeout', {}, { status: 'failed', error: { code: 'timeout', retryable: true } }, 0],
    ['rejected', {}, { status: 'failed', error: { code: 'provider_rejected', retryable: false } }, 0],
    // Something is found in the retry of the same attempt.
    ['flaky', {}, { status: 'completed', attempt: 1, result: { found: true } }, 1],
    ['miss', {}, { status: 'completed' }, 0],
    ['miss', { deep: true }, { status: 'completed' }, 0.5],
    ['deep-miss', { deep: true }, { status: 'completed' }, 0.5],
    ['deep-fail', { deep: true }, { status: 'failed' }, 0.5],
  ])(
    'obeys the control domain %s with %j: the line ends as %j and costs %d',
    async (control, more, line, cost) => {
      expect(await lookedUp('getEmail', contact(`${control}.sandbox.test`, more))).toMatchObject({
        line,
        cost,
      });
    },
  );

  it('never reuses a failed line, and reuses a completed one even if it found nothing', async () => {
    const inputs = [contact('capacity.sandbox.test'), contact('miss.sandbox.test')];
    await batchOf('getEmail', inputs);
    expect((await batchOf('getEmail', inputs)).jobs).toMatchObject([{ reused: false }, { reused: true }]);
  });
});

describe('a name server that knows no names', () => {
  it.each(['getEmail', 'getPhoneNumber'])(
    'does not make %s report that nothing was found',
    async (service) => {
      const person = { first_name: 'Ada', last_name: 'Lovelace', domain: 'halbrook-firm.com' };
      const error = { code: 'provider_unavailable', retryable: true };
      for (let i = 0; i < 2; i += 1)
        expect(await lookedUp(service, person)).toMatchObject({
          line: { status: 'failed', reused: false, error },
          cost: 0,
        });
    },
  );

  it('does not make an address invalid', async () => {
    const before = await remaining(api);
    const answer = await refused('verifyEmail', { email: 'ada@halbrook-firm.com' });
    expect(answer).toMatchObject({ status: 502, code: 'provider_error' });
    expect(await remaining(api)).toBe(before);
  });
});

describe('credits', () => {
  it('are estimated without a job or a charge', async () => {
    const known = contact('acme.example');
    await batchOf('getEmail', [known]);
    const before = await remaining(api);
    const inputs = [
      known,
      contact('acme.example'),
      contact('acme.example', { deep: true }),
      { first_name: 'Thin' },
    ];
    const { status, body } = await api.post('/credits/estimate', { service: 'getEmail', inputs });
    expect(status).toBe(200);
    expect(body).toEqual({
      min: 0,
      max: 4,
      new_lines: 2,
      reused_lines: 1,
      rejected_lines: 1,
      affordable: true,
    });
    expect(await remaining(api)).toBe(before);
  });

  it('are estimated for a batch with Service-Fresh as it is charged: every line again', async () => {
    const known = contact('acme.example');
    await batchOf('getEmail', [known]);
    const list = { service: 'getEmail', inputs: [known, known] };
    const fresh = { 'service-fresh': 'true' };
    expect((await api.post('/credits/estimate', list)).body).toMatchObject({ max: 0, reused_lines: 2 });
    expect((await api.post('/credits/estimate', list, fresh)).body).toMatchObject({ max: 2, new_lines: 2 });
    expect((await api.post('/credits/estimate', list, { 'service-fresh': '1' })).status).toBe(400);
  });
});
