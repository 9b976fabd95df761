import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOrganisation, setSpendLimits } from '@quarry/composition';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MailServer, NameServer, waitFor } from '@quarry/test-servers';
import { ApiClient, brokenInvariants, startProduct, type Product } from '@quarry/testing';

type Item = Record<string, any>;
interface FastAnswer {
  ok: boolean;
  service: string;
  output: { items: Item[]; provider: string };
  credits: { charged: number; remaining: number };
}
interface Refusal {
  error: { code: string; message: string; details?: Array<{ path: string[]; message: string }> };
}

/** A company's own domain, which leads to the site here. Names below .example are not looked up in the web. */
const FIRM = 'halbrook-firm.com';
/** What the site shows beside its home page. */
const PAGES: Record<string, { type?: string; body: string }> = {
  '/co': {
    body: `<html><head><title>Halbrook</title><meta property="og:site_name" content="Halbrook"><link rel="alternate" type="application/rss+xml" href="/co/news">
      <script type="application/ld+json">{"@type":"Organization","name":"Halbrook","foundingDate":"1911","sameAs":"https://www.linkedin.com/company/halbrook"}</script>
      </head><body><a href="/co/jobs">Jobs</a><a href="/co/team">Team</a></body></html>`,
  },
  '/co/jobs': { body: '<a href="https://jobs.lever.co/halbrook">Open positions</a>' },
  '/co/team': {
    body: '<div>Ada Lovelace <a href="mailto:alovelace@halbrook.example">Mail</a> <a href="https://www.linkedin.com/in/al-1815"></a></div>',
  },
  '/co/news': {
    type: 'application/rss+xml',
    body: '<rss><channel><item><title>New pump</title><link>https://halbrook.example/1</link></item></channel></rss>',
  },
  '/firm/': { body: '<title>Firm</title><body><a href="/team">Team</a></body>' },
  '/firm/team': {
    body: `<div>Ada Lovelace, engineer <a href="mailto:ada@${FIRM}">Mail</a></div>`,
  },
  '/v0/postings/halbrook': {
    type: 'application/json',
    body: '[{"text":"Welder","hostedUrl":"https://jobs.lever.co/halbrook/1","categories":{"location":"Leeds"},"createdAt":1767225600000}]',
  },
};

/** A site of its own, a mail server, and a name server that knows of their domain. */
let site: Server;
let siteUrl: string;
let mail: MailServer;
let names: NameServer;
let product: Product;
let api: ApiClient;
let testApi: ApiClient;

beforeAll(async () => {
  site = createServer(({ url, headers }, response) => {
    if (url === '/robots.txt') return void response.writeHead(404).end();
    const at = headers.host!.startsWith(FIRM) ? `/firm${url!}` : url!;
    const page = PAGES[at.split('?')[0]!];
    if (page)
      return void response
        .writeHead(200, { 'content-type': page.type ?? 'text/html; charset=utf-8' })
        .end(page.body);
    if (url !== '/') return void response.writeHead(404, { 'content-type': 'text/html' }).end('Nothing here');
    response
      .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
      .end(
        '<html lang="en"><title>Halbrook Pumps</title><meta name="generator" content="WordPress 6.9"><body><p>Pumps for breweries.</p><a href="https://x.com/halbrook">X</a></body></html>',
      );
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  const host = `127.0.0.1:${(site.address() as AddressInfo).port}`;
  siteUrl = `http://${host}`;
  mail = await MailServer.start({
    recipient: (to) => (to.startsWith('ada@') ? null : { code: 550, text: '5.1.1 Unknown' }),
  });
  names = await NameServer.start(({ type, name }) => {
    if (type === 'MX' && ['halbrook.example', FIRM].includes(name))
      return [{ preference: 10, exchange: 'mail.example' }];
    // The domain that a name leads to stands inside, where nobody is led.
    return type === 'A' && ['mail.example', 'halbrook.com', FIRM].includes(name) ? ['127.0.0.1'] : [];
  });
  product = await startProduct({
    env: {
      RATE_LIMIT_SCALE: '100',
      LOG_LEVEL: 'error',
      FETCH_ALLOW_HOSTS: `${host}, ${FIRM}:${host.split(':')[1]!}, mail.example:${mail.port}`,
      DNS_SERVERS: names.address,
      SMTP_PROBE_PORT: String(mail.port),
      JOB_BOARD_URLS: `lever=http://${host}`,
    },
  });
  api = new ApiClient(product.baseUrl, product.credentials.api_key);
  testApi = new ApiClient(product.baseUrl, product.credentials.test_key);
});
afterAll(async () => {
  const broken = await brokenInvariants(product.database!.database);
  await product.dispose();
  await mail.stop();
  names.stop();
  site.closeAllConnections();
  site.close();
  expect(broken).toEqual({});
});

const another = async (credits: number): Promise<ApiClient> => {
  const { apiKey } = await createOrganisation(product.database!.database, { name: 'Another', credits });
  return new ApiClient(product.baseUrl, apiKey);
};
const remaining = async (client: ApiClient) =>
  (await client.get<{ remaining: number }>('/credits')).body.remaining;

async function find(service: string, input: object, client = api): Promise<FastAnswer> {
  const { status, body } = await client.post<FastAnswer>(`/services/${service}`, input);
  expect([status, body]).toEqual([200, expect.anything()]);
  return body;
}

async function refused(service: string, input: unknown, client = api) {
  const { status, body } = await client.post<Refusal>(`/services/${service}`, input);
  return { status, ...body.error };
}

async function batchOf(service: string, inputs: object[], client = api): Promise<Item> {
  const { body: list } = await client.post<Item>('/v1/services/jobs/batch', { service, inputs });
  const { body } = await client.get<Item>(`${list.poll_url}?wait_seconds=60`);
  expect(body).toMatchObject({ status: 'completed' });
  return body;
}

describe('a search', () => {
  it('answers the shape of the contract, key by key, and charges its items', async () => {
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

  it('stands in the ledger under the name of its service, without a batch, job or run', async () => {
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

  it('gives ten items when no limit is named, and nothing for nothing', async () => {
    expect((await find('searchCompanies', { countries: ['US'] })).output.items).toHaveLength(10);
    const none = await find('searchCompanies', { names: ['Nobody at All'] });
    expect([none.output, none.credits.charged]).toEqual([{ items: [], provider: 'sandbox' }, 0]);
  });

  it('gives companies that are everything that was asked', async () => {
    const { output } = await find('searchCompanies', {
      industries: ['fintech', 'saas'],
      countries: ['Germany', 'GB'],
      headcount_min: 20,
      headcount_max: 900,
      founded_min: 1990,
      founded_max: 2020,
      limit: 100,
    });
    expect(output.items.length).toBeGreaterThan(0);
    for (const item of output.items) {
      expect(['Fintech', 'Software & SaaS']).toContain(item.industry);
      expect(['Germany', 'United Kingdom']).toContain(item.country);
      expect(item.headcount >= 20 && item.headcount <= 900).toBe(true);
      expect(item.founded_year >= 1990 && item.founded_year <= 2020).toBe(true);
    }
    const inBerlin = await find('searchCompanies', { cities: ['Berlin'], limit: 100 });
    expect(new Set(inBerlin.output.items.map(({ city }) => city))).toEqual(new Set(['Berlin']));
    const { name, domain } = inBerlin.output.items[0]!;
    const named = await find('searchCompanies', { names: [name.toUpperCase()], domains: [domain] });
    expect(named.output.items.map((item) => item.domain)).toEqual([domain]);
  });

  it('gives people who are everything that was asked, of companies that are', async () => {
    const { output } = await find('searchPeople', {
      departments: ['sales', 'marketing'],
      seniorities: ['vp', 'Director'],
      countries: ['United States'],
      headcount_min: 100,
      limit: 100,
    });
    expect(output.items.length).toBeGreaterThan(0);
    for (const item of output.items) {
      expect(['Sales', 'Marketing']).toContain(item.department);
      expect(['VP', 'Director']).toContain(item.seniority);
      expect(item.country).toBe('United States');
      expect(item.company_headcount).toBeGreaterThanOrEqual(100);
    }
    const one = output.items[0]!;
    const named = await find('searchPeople', {
      names: [one.full_name],
      company_domains: [one.company_domain],
    });
    expect(named.output.items.map((item) => item.linkedin_url)).toContain(one.linkedin_url);
  });
});

describe('a refused call', () => {
  it.each([
    ['no filter', 'searchCompanies', { limit: 5 }, []],
    ['an unknown field', 'searchCompanies', { query: 'fintech in London' }, []],
    ['a limit of 101', 'searchPeople', { roles: ['CTO'], limit: 101 }, ['limit']],
    ['an empty list', 'searchCompanies', { cities: [] }, ['cities']],
    ['an unknown industry', 'searchCompanies', { industries: ['fintech', 'fintehc'] }, ['industries', '1']],
    ['an unknown country', 'searchPeople', { countries: ['Atlantis'] }, ['countries', '0']],
    ['a range upside down', 'searchCompanies', { founded_min: 2001, founded_max: 2000 }, ['founded_max']],
  ])('with %s names the place', async (_name, service, input, path) => {
    const before = await remaining(api);
    const { status, code, details } = await refused(service, input);
    expect([status, code]).toEqual([400, 'validation_error']);
    expect(details?.map((detail) => detail.path)).toContainEqual(path);
    expect(await remaining(api)).toBe(before);
  });

  it('is 404 for no service, 400 for a slow one and 502 for one that nobody answers', async () => {
    expect(await refused('noService', {})).toMatchObject({ status: 404, code: 'not_found' });
    const slow = await refused('getEmail', {});
    expect(slow).toMatchObject({ status: 400, code: 'validation_error' });
    expect(slow.message).toContain('POST /v1/services/jobs/batch');
    expect(await refused('webSearch', {})).toMatchObject({ status: 400, code: 'validation_error' });
    expect(await refused('webSearch', { query: 'x' })).toMatchObject({
      status: 502,
      code: 'capability_error',
    });
  });

  it('is 402 when the balance is below the price of the limit, and charges nothing', async () => {
    const poor = await another(1);
    expect(await refused('searchCompanies', { industries: ['Fintech'] }, poor)).toMatchObject({
      status: 402,
      code: 'insufficient_credits',
    });
    expect(await remaining(poor)).toBe(1);
    const answer = await find('searchCompanies', { industries: ['Fintech'], limit: 4 }, poor);
    expect(answer.credits).toEqual({ charged: 1, remaining: 0 });
  });

  it('is 402 usage_limit at a spend cap, which GET /v1/limits shows in the mode of the key', async () => {
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

  it.each([
    ['provider-error', 502, 'provider_error'],
    ['timeout', 502, 'provider_error'],
    ['provider-unavailable', 502, 'capability_error'],
    ['rejected', 400, 'validation_error'],
  ])('of %s.sandbox.test costs nothing', async (label, status, code) => {
    const before = await remaining(api);
    const input = { domains: [`${label}.sandbox.test`] };
    expect(await refused('searchCompanies', input)).toMatchObject({ status, code });
    expect((await api.get('/credits')).body).toMatchObject({ remaining: before, reserved: 0 });
  });
});

describe('exclusions', () => {
  it('take a company out of the answer of its organisation only, and the next match takes its place', async () => {
    const [mine, theirs] = [await another(50), await another(50)];
    const input = { industries: ['Fintech'], limit: 6 };
    const first = (await find('searchCompanies', input, mine)).output.items;
    const gone = first[0]!.domain as string;
    await mine.post('/v1/exclusions/companies', { items: [{ domain: gone }] });
    const second = await find('searchCompanies', input, mine);
    expect(second.output.items).toHaveLength(6);
    expect(second.output.items.slice(0, 5)).toEqual(first.slice(1));
    expect(second.credits.charged).toBe(1.5);
    expect((await find('searchCompanies', input, theirs)).output.items).toEqual(first);
    const people = await find('searchPeople', { company_domains: [gone] }, mine);
    expect([people.output.items, people.credits.charged]).toEqual([[], 0]);
    expect((await find('searchPeople', { company_domains: [gone] }, theirs)).output.items).not.toEqual([]);
  });

  it('take a person out by the profile', async () => {
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
    });
    for (const example of body.examples) {
      const { output } = await find(name, example);
      expect(output.items.length).toBeGreaterThan(0);
      expect(Object.keys(output.items[0]!)).toEqual(
        Object.keys(body.output_schema.properties.items.items.properties),
      );
    }
  });

  it('lists as available what a directory or the network answers, and nothing else', async () => {
    const { body } = await api.get<{ items: Item[] }>('/services?mode=fast&limit=100');
    const available = body.items.filter((item) => item.available).map(({ name }) => name);
    expect(available.sort()).toEqual([
      'classifyText',
      'detectTech',
      'domainInfo',
      'enrichCompany',
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

describe('columns of a run', () => {
  const user = { required: false, fragments: [], from: 'user' };
  const service = (name: string, more: object, key?: string) => ({
    source: { from: 'service', service: name, ...more },
    ...(key === undefined ? {} : { key }),
    ...user,
  });

  async function tableOf(rows: object[]): Promise<string> {
    const workspace = await api.post<{ id: string }>('/v1/workspaces', { name: 'Columns' });
    const columns = ['firm', 'home'].map((key) => ({ key, name: key }));
    const table = { name: 'Firms of columns', columns, rows };
    const made = await api.post(`/v1/workspaces/${workspace.body.id}/tables`, table);
    expect([made.status, made.body]).toEqual([201, expect.anything()]);
    return workspace.body.id;
  }

  /** Plans a run over the table, and gives its intent these columns. */
  async function planned(workspaceId: string, columns: object[]) {
    const prompt = 'From my table "Firms of columns": everyone';
    const plan = await api.post<Item>('/v1/plans', { prompt, workspace_id: workspaceId });
    expect(plan.body).toMatchObject({ intent: { source: { kind: 'table' } } });
    const start = () => api.post<Item>(plan.body.links.runs, { intent: { ...plan.body.intent, columns } });
    return { plan: plan.body, start };
  }

  async function ended({
    status,
    body,
  }: {
    status: number;
    body: Item;
  }): Promise<{ run: Item; rows: Item[] }> {
    expect([status, body]).toEqual([202, expect.anything()]);
    const run = await waitFor('the run to end', async () => {
      const { body: now } = await api.get<Item>(body.links.self);
      return ['completed', 'failed', 'cancelled'].includes(now.status) ? now : null;
    });
    expect(run).toMatchObject({ status: 'completed' });
    const rows = await api.get<{ items: Item[] }>(run.artifacts[0].links.rows);
    return { run, rows: rows.body.items };
  }

  it('are filled by any service, each from what those before it have found, and paid once for equal inputs', async () => {
    const home = `${siteUrl}/co`;
    const workspaceId = await tableOf([
      { firm: 'Halbrook', home },
      { firm: 'Halbrook again', home },
      { firm: 'Nobody', home: null },
      { firm: 'Gone', home: `${siteUrl}/gone` },
    ]);
    const { start } = await planned(workspaceId, [
      service('verifyEmail', { inputs: { email: 'mail' } }, 'verdict'),
      service('findEmailPattern', { inputs: { domain: 'home' }, field: 'examples.0' }, 'mail'),
      service('enrichCompany', { inputs: { domain: 'home' } }),
      service('enrichCompany', { inputs: { domain: 'home' }, field: 'founded_year' }),
      service('classifyText', {
        inputs: {
          text: { value: '{{enrich_company_name}}, since {{enrich_company_founded_year}}' },
          labels: { value: ['halbrook', 'nobody'] },
        },
      }),
      service('scrapeUrl', { inputs: { url: 'home' }, field: 'title' }, 'title'),
    ]);
    const before = await remaining(api);
    const { run, rows } = await ended(await start());
    const [first, again, nobody, gone] = rows as [Item, Item, Item, Item];
    expect(first.values).toMatchObject({
      verdict: 'invalid',
      mail: 'alovelace@halbrook.example',
      enrich_company_name: 'Halbrook',
      enrich_company_founded_year: 1911,
      classify_text_label: 'halbrook',
      title: 'Halbrook',
    });
    expect({ ...again.values, firm: '' }).toEqual({ ...first.values, firm: '' });
    expect(first.cells.verdict).toMatchObject({
      status: 'filled',
      reasoning: expect.any(String),
      source: { service: 'verifyEmail', provider: expect.stringMatching(/./), job_id: null },
      error: null,
    });
    expect(first.cells.title.citations).toMatchObject([{ url: home, title: 'Halbrook' }]);
    for (const key of ['verdict', 'mail', 'enrich_company_name', 'classify_text_label', 'title'])
      expect(nobody.cells[key]).toMatchObject({
        status: 'skipped',
        source: null,
        error: { code: 'missing_input' },
      });
    expect(gone.cells.mail).toMatchObject({ status: 'empty', source: { service: 'findEmailPattern' } });
    expect(gone.cells.verdict).toMatchObject({
      status: 'skipped',
      error: { message: expect.stringContaining('mail') },
    });
    const ledger = await api.get<{ items: Item[] }>(`/credits/ledger?run_id=${run.id}&limit=100`);
    const charged = ledger.body.items.map(({ service: name, amount }) => `${name} ${amount}`).sort();
    // Of the two equal rows and the two columns of one company, one call each.
    expect(charged).toEqual([
      'classifyText -0.5',
      'enrichCompany -1',
      'findEmailPattern -0.5',
      'scrapeUrl -1',
      'verifyEmail -0.2',
    ]);
    // The row that was asked about, so that each cell has its cost.
    expect(ledger.body.items.map((each) => each.input_index)).toEqual(Array(5).fill(0));
    expect(await remaining(api)).toBeCloseTo(before - 3.2, 3);
  });

  it('name every fault of an intent with its place, and cost nothing then', async () => {
    const workspaceId = await tableOf([{ firm: 'Halbrook', home: siteUrl }]);
    const { start } = await planned(workspaceId, [
      service('verifyEmail', { inputs: { email: 'b' } }, 'a'),
      service('findDomain', { inputs: { company: 'a' } }, 'b'),
    ]);
    const { status, body } = await start();
    expect([status, body.error.code]).toEqual([400, 'invalid_request']);
    expect(body.error.details).toEqual([
      { path: 'intent.columns.0.source.inputs', message: expect.stringContaining('a → b → a') },
    ]);
  });
});

describe('where the sandbox is off for live keys', () => {
  let off: Product;
  beforeAll(async () => {
    off = await startProduct({ env: { SANDBOX: 'off', LOG_LEVEL: 'error' } });
  });
  afterAll(() => off.dispose());

  it('a live key is told that nobody answers, and a test key is answered from its play money', async () => {
    const live = new ApiClient(off.baseUrl, off.credentials.api_key);
    const play = new ApiClient(off.baseUrl, off.credentials.test_key);
    const input = { cities: ['Berlin'], limit: 2 };
    expect(await refused('searchCompanies', input, live)).toMatchObject({
      status: 502,
      code: 'capability_error',
    });
    expect((await live.get('/services/searchCompanies')).body).toMatchObject({
      available: false,
      providers: [],
    });
    expect((await find('searchCompanies', input, play)).credits).toEqual({ charged: 0.5, remaining: 999.5 });
    expect((await play.get('/services/searchCompanies')).body).toMatchObject({ available: true });
  });

  // Without a key of any vendor, a language model or a directory.
  it.each<[string, object, string]>([
    ['webSearch', { query: 'pumps' }, 'A key at searxng, brave, serper, or exa answers it'],
    [
      'enrichPerson',
      { linkedin_url: 'https://www.linkedin.com/in/ada' },
      'A key at people-data-labs answers it',
    ],
    ['searchPeople', { roles: ['CTO'] }, 'people-data-labs or apollo answers it'],
    ['getLinkedInUserComments', { linkedin_url: 'https://www.linkedin.com/in/ada' }, 'A key at apify'],
    ['getLinkedInUserReactions', { linkedin_url: 'https://www.linkedin.com/in/ada' }, 'A key at apify'],
    ['webResearch', { question: 'Who leads Norwen?' }, 'a language model'],
  ])('%s says who could answer it, and costs nothing', async (service, input, reason) => {
    const live = new ApiClient(off.baseUrl, off.credentials.api_key);
    const before = await remaining(live);
    const { body } = await live.get<Item>(`/services/${service}`);
    expect(body).toMatchObject({ available: false, unavailable_reason: expect.stringContaining(reason) });
    if (body.mode === 'fast')
      expect(await refused(service, input, live)).toMatchObject({
        ...{ status: 502, code: 'capability_error', message: body.unavailable_reason },
      });
    else {
      const path = '/v1/services/jobs/batch';
      const { body: list } = await live.post<Item>(path, { service, inputs: [input] });
      const { body: ended } = await live.get<Item>(`${list.poll_url}?wait_seconds=60`);
      expect(ended).toMatchObject({ status: 'completed', jobs: [{ status: 'failed' }] });
      expect(ended.jobs[0].error.code).toBe('provider_unavailable');
    }
    expect(await remaining(live)).toBe(before);
  });

  // The web answers them, and it looks up no names that are reserved for examples.
  it.each<[string, object, RegExp]>([
    [
      'getEmail',
      { first_name: 'Ada', last_name: 'North', domain: 'norwen.example' },
      /public domain.* hunter, /,
    ],
    ['getPhoneNumber', { linkedin_url: 'https://www.linkedin.com/in/ada' }, /last name.* findymail, /],
  ])('%s names what %j leaves out, and costs nothing', async (service, input, reason) => {
    const live = new ApiClient(off.baseUrl, off.credentials.api_key);
    const before = await remaining(live);
    const providers = [{ id: 'web', configured: true, order: 0 }];
    expect((await live.get(`/services/${service}`)).body).toMatchObject({ available: true, providers });
    const { jobs } = await batchOf(service, [input], live);
    expect(jobs).toMatchObject([
      {
        status: 'failed',
        error: { code: 'provider_rejected', message: expect.stringMatching(reason) as unknown },
      },
    ]);
    expect(await remaining(live)).toBe(before);
  });

  it('nobody else is missing', async () => {
    const live = new ApiClient(off.baseUrl, off.credentials.api_key);
    const { body } = await live.get<{ items: Item[] }>('/services?limit=100');
    const unavailable = body.items.filter(({ available }) => !available).map(({ name }) => name);
    expect(unavailable.sort()).toEqual([
      ...['enrichPerson', 'getLinkedInUserComments', 'getLinkedInUserReactions'],
      ...['searchCompanies', 'searchPeople', 'webResearch', 'webSearch'],
    ]);
  });
});

it('a test key and a live key of one organisation spend their own balances', async () => {
  const before = await remaining(api);
  const { credits } = await find('searchCompanies', { cities: ['Paris'], limit: 1 }, testApi);
  expect(credits).toEqual({ charged: 0.25, remaining: 999.75 });
  expect(await remaining(api)).toBe(before);
});

describe('what needs no key', () => {
  it.each<[string, () => object, object, number]>([
    [
      'scrapeUrl',
      () => ({ url: siteUrl }),
      {
        title: 'Halbrook Pumps',
        status: 200,
        language: 'en',
        markdown: expect.stringContaining('breweries'),
      },
      1,
    ],
    ['scrapeUrl', () => ({ url: `${siteUrl}/gone` }), { status: 404 }, 0],
    ['mapWebsite', () => ({ url: siteUrl }), { items: [{ title: 'Halbrook Pumps' }] }, 0.5],
    ['findSocials', () => ({ domain: siteUrl }), { x_url: 'https://x.com/halbrook', tiktok_url: null }, 0.2],
    ['detectTech', () => ({ domain: siteUrl }), { items: [{ name: 'WordPress', category: 'cms' }] }, 0.5],
    [
      'domainInfo',
      () => ({ domain: 'halbrook.example' }),
      { mx: [{ priority: 10, host: 'mail.example' }], spf: null, registrar: null },
      0.1,
    ],
    ['validatePhone', () => ({ phone: '+49 30 901820' }), { phone: '+4930901820', country: 'DE' }, 0.05],
    [
      'verifyEmail',
      () => ({ email: 'ada@halbrook.example' }),
      { status: 'valid', mx_host: 'mail.example' },
      0.2,
    ],
    ['verifyEmail', () => ({ email: 'bob@halbrook.example' }), { status: 'invalid' }, 0.2],
    [
      'getJobPostings',
      () => ({ domain: `${siteUrl}/co` }),
      {
        items: [
          { title: 'Welder', location: 'Leeds', board: 'lever', posted_at: '2026-01-01T00:00:00.000Z' },
        ],
      },
      1,
    ],
    [
      'findEmailPattern',
      () => ({ domain: `${siteUrl}/co` }),
      { pattern: '{f}{last}', confidence: 'medium', examples: ['alovelace@halbrook.example'] },
      0.5,
    ],
    [
      'findLinkedInUrl',
      () => ({ name: 'Ada Lovelace', domain: `${siteUrl}/co` }),
      { linkedin_url: 'https://www.linkedin.com/in/al-1815', confidence: 'high' },
      0.5,
    ],
    [
      'enrichCompany',
      () => ({ domain: `${siteUrl}/co` }),
      {
        name: 'Halbrook',
        founded_year: 1911,
        headcount: null,
        linkedin_url: 'https://www.linkedin.com/company/halbrook',
      },
      1,
    ],
    // Its only candidate leads inside, so nothing is found, and nothing is charged.
    ['findDomain', () => ({ company: 'Halbrook' }), { domain: null, confidence: null }, 0],
    [
      'newsSearch',
      () => ({ query: `${siteUrl}/co pump` }),
      { items: [{ title: 'New pump', url: 'https://halbrook.example/1', published_at: null }] },
      0.5,
    ],
    [
      'classifyText',
      () => ({ text: 'We are not interested.', labels: ['interested', 'not interested'] }),
      { label: 'not interested', confidence: 'high' },
      0.5,
    ],
    [
      'extractData',
      () => ({
        urls: [`${siteUrl}/co`],
        schema: {
          type: 'object',
          properties: { founded_year: { type: 'integer' }, ceo: { type: 'string' } },
        },
      }),
      {
        data: { founded_year: 1911, ceo: null },
        basis: [
          { field: '/founded_year', confidence: 'medium' },
          { field: '/ceo', value: null },
        ],
      },
      3,
    ],
  ])('%s answers from the network, and is charged its price', async (service, input, output, charged) => {
    const before = await remaining(api);
    const answer = await find(service, input());
    expect(answer).toMatchObject({ ok: true, service, output, credits: { charged } });
    expect(await remaining(api)).toBeCloseTo(before - charged, 3);
    expect((await api.get(`/services/${service}`)).body).toMatchObject({ available: true });
  });

  it('getEmail answers a real company from its pages and its mail server, and the names of examples from the sandbox', async () => {
    const before = await remaining(api);
    const at = (first_name: string, last_name: string, domain: string) => ({ first_name, last_name, domain });
    const firm = `http://${FIRM}:${new URL(siteUrl).port}`;
    const { jobs, batch_id: id } = await batchOf('getEmail', [
      at('Ada', 'Lovelace', firm),
      at('Bob', 'Tonne', firm),
      at('Ada', 'Lovelace', 'acme.example'),
      { linkedin_url: 'https://www.linkedin.com/in/nobody-there-1815' },
    ]);
    const found = { found: true, status: 'verified', confidence: 'high' };
    expect(jobs).toMatchObject([
      { status: 'completed', result: { ...found, email: `ada@${FIRM}`, provider: 'web' } },
      // Its mail server knows nobody of that name.
      { status: 'completed', result: { found: false, email: null, provider: 'web' } },
      { status: 'completed', result: { ...found, email: 'ada.lovelace@acme.example', provider: 'sandbox' } },
      { status: 'failed', error: { code: 'provider_rejected' } },
    ]);
    const trails = await Promise.all(
      (jobs as Item[]).map(({ job_id: job }) => api.get<Item>(`/v1/services/jobs/${job as string}/trail`)),
    );
    const steps = trails.map(({ body }) =>
      (body.steps as Item[]).map(({ provider, outcome }) => `${provider} ${outcome}`),
    );
    expect(steps).toEqual([
      ['web hit'],
      ['web miss', 'sandbox skipped'],
      ['web skipped', 'sandbox hit'],
      ['web skipped', 'sandbox skipped'],
    ]);
    const { body: ledger } = await api.get<{ items: Item[] }>(`/credits/ledger?batch_id=${id as string}`);
    expect(ledger.items.map(({ amount }) => amount)).toEqual([-1, -1]);
    expect(await remaining(api)).toBe(before - 2);
    // Test keys meet fiction alone, also at a real domain.
    const { jobs: played } = await batchOf('getEmail', [at('Ada', 'Lovelace', firm)], testApi);
    expect(played).toMatchObject([{ result: { provider: 'sandbox' } }]);
  });

  it('news without a provider of news are refused, and cost nothing', async () => {
    const before = await remaining(api);
    const answer = await refused('newsSearch', { query: 'analytical engines' });
    expect(answer).toMatchObject({ status: 502, code: 'capability_error' });
    expect(answer.message).toContain('names a site');
    expect(await remaining(api)).toBe(before);
  });

  it('is not led inside, and costs nothing then', async () => {
    const before = await remaining(api);
    for (const url of ['http://169.254.169.254/', 'http://10.0.0.1/', 'http://[::1]/', 'file:///etc/passwd'])
      expect(await refused('scrapeUrl', { url })).toMatchObject({ status: 400, code: 'validation_error' });
    expect(await remaining(api)).toBe(before);
  });

  it('is no fiction: a test key is told that nobody answers', async () => {
    expect(await refused('validatePhone', { phone: '+4930901820' }, testApi)).toMatchObject({
      status: 502,
      code: 'capability_error',
    });
  });
});
