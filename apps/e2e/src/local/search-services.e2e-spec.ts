import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOrganisation } from '@quarry/composition';
import { setSpendLimits } from '@quarry/credit-ledger';
import type { RunJson } from '@quarry/dto';
import { ApiClient, brokenInvariants, startProduct, type Product } from '@quarry/testing';
import { NameServer, waitFor } from '@quarry/test-servers';
import { fastCalls, remaining, type Item } from './fast-calls.fixture.js';

let product: Product;
let api: ApiClient;
let testApi: ApiClient;
let names: NameServer;

beforeAll(async () => {
  names = await NameServer.start(() => []);
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
const another = async (credits: number): Promise<ApiClient> => {
  const { apiKey } = await createOrganisation(product.database!.database, { name: 'Another', credits });
  return new ApiClient(product.baseUrl, apiKey);
};

describe('a search', () => {
  it('returns the shape of the contract, key by key, and charges its items', async () => {
    const before = await remaining(api);
    const answer = await find('searchCompanies', { industries: ['Fintech'], limit: 3 });
    expect(Object.keys(answer)).toEqual(['ok', 'service', 'output', 'credits']);
    expect(Object.keys(answer.output)).toEqual(['items', 'provider']);
    expect(Object.keys(answer.credits)).toEqual(['charged', 'remaining']);
    expect(answer).toMatchObject({ ok: true, service: 'searchCompanies', output: { provider: 'sandbox' } });
    expect(answer.output.items).toHaveLength(3);
    expect(answer.credits).toEqual({ charged: 0.75, remaining: before - 0.75 });
    expect((await api.get('/credits')).body).toMatchObject({ remaining: before - 0.75, reserved: 0 });
  });

  it('is in the ledger under its service, without a batch, job or run', async () => {
    await find('searchPeople', { roles: ['CTO'], limit: 2 });
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

describe('exclusions', () => {
  it('exclude a person by the profile', async () => {
    const mine = await another(50);
    const input = { roles: ['CTO'], limit: 5 };
    const first = (await find('searchPeople', input, mine)).output.items;
    await mine.post('/v1/exclusions/people', { items: [{ linkedin_url: first[2]!.linkedin_url }] });
    const second = (await find('searchPeople', input, mine)).output.items;
    expect(second).toHaveLength(5);
    expect(second.slice(0, 4)).toEqual([...first.slice(0, 2), ...first.slice(3)]);
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

it('a test key and a live key of one organisation spend separate balances', async () => {
  const before = await remaining(api);
  const { credits } = await find('searchCompanies', { cities: ['Paris'], limit: 1 }, testApi);
  expect(credits).toEqual({ charged: 0.25, remaining: 999.75 });
  expect(await remaining(api)).toBe(before);
});

describe('the sandbox and a live key', () => {
  const REAL = 'https://www.linkedin.com/in/satyanadella';

  it('returns nothing about the real world in a slow service, at no cost', async () => {
    const before = await remaining(api);
    for (const [service, input] of [
      ['webResearch', { question: 'Who is the CEO of Stripe?', effort: 'low' }],
      ['getLinkedInUserComments', { linkedin_url: REAL }],
      ['getLinkedInUserReactions', { linkedin_url: REAL }],
    ] as const) {
      const { jobs } = await batchOf(service, [input]);
      expect(jobs).toMatchObject([{ status: 'failed', error: { code: 'provider_unavailable' } }]);
      const { jobs: played } = await batchOf(service, [input], testApi);
      expect(played).toMatchObject([{ status: 'completed', result: { provider: 'sandbox' } }]);
    }
    expect(await remaining(api)).toBe(before);
  });

  it.each([
    ['searchCompanies', { names: ['Stripe'] }],
    ['searchCompanies', { domains: ['stripe.com'] }],
    ['searchPeople', { company_domains: ['stripe.com'] }],
    ['searchPeople', { names: ['Satya Nadella'] }],
  ])('refuses %s of %j instead of reporting no match', async (service, input) => {
    const before = await remaining(api);
    const { status, code, message } = await refused(service, input);
    expect([status, code]).toEqual([502, 'capability_error']);
    expect(message).toMatch(/knows only its own fictional companies and people/);
    expect(await remaining(api)).toBe(before);
  });

  it('returns its own people, with sandbox profile URLs, in each service', async () => {
    const { output } = await find('searchPeople', { roles: ['CEO'], limit: 1 });
    const [{ linkedin_url: profile, company_name: company, company_linkedin_url: page }] = output.items as [
      Item,
    ];
    expect(profile).toMatch(/^https:\/\/www\.linkedin\.com\/in\/sandbox-/);
    expect(page).toMatch(/^https:\/\/www\.linkedin\.com\/company\/sandbox-/);
    for (const [service, input] of [
      ['webResearch', { question: `Who leads ${company as string}?`, effort: 'low' }],
      ['getLinkedInUserComments', { linkedin_url: profile }],
    ] as const)
      expect((await batchOf(service, [input])).jobs).toMatchObject([
        { status: 'completed', result: { provider: 'sandbox' } },
      ]);
  });

  async function ended(prompt: string): Promise<RunJson> {
    const { body } = await api.post<RunJson>('/v1/runs', { prompt });
    let run = body;
    await waitFor('the run to end', async () => {
      run = (await api.get<RunJson>(body.links.self)).body;
      return ['completed', 'failed'].includes(run.status);
    });
    return run;
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

describe('getEmail with the sandbox and without a vendor', () => {
  it('looks up real companies only on the web, and example names only in the sandbox', async () => {
    const at = (domain: string) => ({ first_name: 'Ada', last_name: 'Lovelace', domain });
    const { jobs } = await batchOf('getEmail', [
      at('halbrook-firm.com'),
      at('acme.example'),
      { linkedin_url: 'https://www.linkedin.com/in/nobody-there-1815' },
    ]);
    expect(jobs).toMatchObject([
      { status: 'completed', result: { found: false, email: null, provider: 'web' } },
      {
        status: 'completed',
        result: { found: true, email: 'ada.lovelace@acme.example', provider: 'sandbox' },
      },
      { status: 'failed', error: { code: 'provider_rejected' } },
    ]);
    const trails = await Promise.all(
      (jobs as Item[]).map(({ job_id: job }) => api.get<Item>(`/v1/services/jobs/${job as string}/trail`)),
    );
    const steps = trails.map(({ body }) =>
      (body.steps as Item[]).map(({ provider, outcome }) => `${provider} ${outcome}`),
    );
    expect(steps).toEqual([
      ['web miss', 'sandbox skipped'],
      ['web skipped', 'sandbox hit'],
      ['web skipped', 'sandbox skipped'],
    ]);
    // Test keys get only sandbox data, even for a real domain.
    const { jobs: played } = await batchOf('getEmail', [at('halbrook-firm.com')], testApi);
    expect(played).toMatchObject([{ result: { provider: 'sandbox' } }]);
  });
});
