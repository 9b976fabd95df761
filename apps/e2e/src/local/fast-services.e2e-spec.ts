import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunJson } from '@quarry/dto';
import { HttpSite, MailServer, NameServer } from '@quarry/test-servers';
import { ApiClient, brokenInvariants, startProduct, type ApiAnswer, type Product } from '@quarry/testing';
import { fastCalls, remaining, type Item } from './fast-calls.fixture.js';

/** Domain of a company, which resolves to the site here. Names below .example are not looked up on the web. */
const FIRM = 'halbrook-firm.com';
/** Pages of the site other than its home page. */
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
  '/firm/team': { body: `<div>Ada Lovelace, engineer <a href="mailto:ada@${FIRM}">Mail</a></div>` },
  '/v0/postings/halbrook': {
    type: 'application/json',
    body: '[{"text":"Welder","hostedUrl":"https://jobs.lever.co/halbrook/1","categories":{"location":"Leeds"},"createdAt":1767225600000}]',
  },
};

/** A site, a mail server, and a name server that knows their domain. */
let site: HttpSite;
let siteUrl: string;
let mail: MailServer;
let names: NameServer;
let product: Product;
let api: ApiClient;
let testApi: ApiClient;

beforeAll(async () => {
  site = await HttpSite.open(({ url, headers }, response) => {
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
  });
  const { host } = site;
  siteUrl = site.origin;
  mail = await MailServer.start({
    recipient: (to) =>
      to.startsWith('ada@')
        ? null
        : to.startsWith('grey@')
          ? { code: 451, text: '4.7.1 Greylisted, try again later' }
          : { code: 550, text: '5.1.1 Unknown' },
  });
  names = await NameServer.start(({ type, name }) => {
    if (type === 'MX' && ['halbrook.example', FIRM].includes(name))
      return [{ preference: 10, exchange: 'mail.example' }];
    // The domain that a name leads to resolves to an internal address, which is never visited.
    return type === 'A' && ['mail.example', 'halbrook.com', FIRM].includes(name) ? ['127.0.0.1'] : [];
  });
  product = await startProduct({
    env: {
      SANDBOX: 'off',
      RATE_LIMIT_SCALE: '100',
      LOG_LEVEL: 'error',
      FETCH_ALLOW_HOSTS: `${host}, ${FIRM}:${site.port}, mail.example:${mail.port}`,
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
  await site.stop();
  expect(broken).toEqual({});
});

const { find, refused, batchOf } = fastCalls(() => api);

describe('a run without a directory', () => {
  it('fails instead of finding nothing, says what would help, and costs nothing', async () => {
    const before = await remaining(api);
    const { body } = await api.post<RunJson>('/v1/runs', { prompt: '5 fintech companies in Berlin' });
    const run = await api.runEnd(body);
    expect(run).toMatchObject({ status: 'failed', artifacts: [], error: { code: 'agent_unavailable' } });
    expect(run.message).toContain('Import a directory of companies (directory:import)');
    expect(await remaining(api)).toBe(before);
  });
});

describe('service columns of a run', () => {
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

  /** Plans a run over the table, and adds the given columns to its intent. */
  async function planned(workspaceId: string, columns: object[]) {
    const prompt = 'From my table "Firms of columns": everyone';
    const plan = await api.post<Item>('/v1/plans', { prompt, workspace_id: workspaceId });
    expect(plan.body).toMatchObject({ intent: { source: { kind: 'table' } } });
    const start = () => api.post<RunJson>(plan.body.links.runs, { intent: { ...plan.body.intent, columns } });
    return { plan: plan.body, start };
  }

  async function ended({ status, body }: ApiAnswer<RunJson>): Promise<{ run: RunJson; rows: Item[] }> {
    expect([status, body]).toEqual([202, expect.anything()]);
    const run = await api.runEnd(body);
    expect(run).toMatchObject({ status: 'completed' });
    const rows = await api.get<{ items: Item[] }>(run.artifacts[0]!.links.rows);
    return { run, rows: rows.body.items };
  }

  it('are filled by any service, each from earlier columns, and paid once for equal inputs', async () => {
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
    // One call for the two equal rows, and one for the two columns of one company.
    expect(charged).toEqual([
      'classifyText -0.5',
      'enrichCompany -1',
      'findEmailPattern -0.5',
      'scrapeUrl -1',
      'verifyEmail -0.2',
    ]);
    // The row that caused the call, so that each cell has its cost.
    expect(ledger.body.items.map((each) => each.input_index)).toEqual(Array(5).fill(0));
    expect(await remaining(api)).toBeCloseTo(before - 3.2, 3);
  });

  it('report every error of an intent with its path, at no cost', async () => {
    const workspaceId = await tableOf([{ firm: 'Halbrook', home: siteUrl }]);
    const { start } = await planned(workspaceId, [
      service('verifyEmail', { inputs: { email: 'b' } }, 'a'),
      service('findDomain', { inputs: { company: 'a' } }, 'b'),
    ]);
    const { status, body } = (await start()) as ApiAnswer<any>;
    expect([status, body.error.code]).toEqual([400, 'invalid_request']);
    expect(body.error.details).toEqual([
      { path: 'intent.columns.0.source.inputs', message: expect.stringContaining('a → b → a') },
    ]);
  });
});

describe('with the sandbox off for live keys', () => {
  it('a live key gets a capability error, and a test key is answered from its test credits', async () => {
    const [live, play] = [api, testApi];
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

  // Without a vendor key, a language model or a directory.
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
  ])('%s says which provider could answer it, and costs nothing', async (service, input, reason) => {
    const live = api;
    const before = await remaining(live);
    const { body } = await live.get<Item>(`/services/${service}`);
    expect(body).toMatchObject({ available: false, unavailable_reason: expect.stringContaining(reason) });
    if (body.mode === 'fast')
      expect(await refused(service, input, live)).toMatchObject({
        status: 502,
        code: 'capability_error',
        message: body.unavailable_reason,
      });
    else {
      const { jobs } = await batchOf(service, [input], live);
      expect(jobs).toMatchObject([{ status: 'failed', error: { code: 'provider_unavailable' } }]);
    }
    expect(await remaining(live)).toBe(before);
  });

  // The web provider answers these calls, and it does not look up names that are reserved for examples.
  it.each<[string, object, RegExp]>([
    [
      'getEmail',
      { first_name: 'Ada', last_name: 'North', domain: 'norwen.example' },
      /public domain.* hunter, /,
    ],
    ['getPhoneNumber', { linkedin_url: 'https://www.linkedin.com/in/ada' }, /last name.* findymail, /],
  ])('%s names what %j lacks, and costs nothing', async (service, input, reason) => {
    const before = await remaining(api);
    const providers = [{ id: 'web', configured: true, order: 0 }];
    expect((await api.get(`/services/${service}`)).body).toMatchObject({ available: true, providers });
    const { jobs } = await batchOf(service, [input]);
    const message = expect.stringMatching(reason) as unknown;
    expect(jobs).toMatchObject([{ status: 'failed', error: { code: 'provider_rejected', message } }]);
    expect(await remaining(api)).toBe(before);
  });

  it('no other service is unavailable', async () => {
    const live = api;
    const { body } = await live.get<{ items: Item[] }>('/services?limit=100');
    const unavailable = body.items.filter(({ available }) => !available).map(({ name }) => name);
    expect(unavailable.sort()).toEqual([
      'enrichPerson',
      'getLinkedInUserComments',
      'getLinkedInUserReactions',
      'searchCompanies',
      'searchPeople',
      'webResearch',
      'webSearch',
    ]);
  });
});

describe('services without a vendor key', () => {
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
    // An unknown verdict is not charged.
    ['verifyEmail', () => ({ email: 'grey@halbrook.example' }), { status: 'unknown' }, 0],
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
    // Its only candidate has an internal address, so nothing is found, and nothing is charged.
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

  it('getEmail finds an address at a real company from its pages and its mail server', async () => {
    const before = await remaining(api);
    const firm = `http://${FIRM}:${site.port}`;
    const people = [
      ['Ada', 'Lovelace'],
      ['Bob', 'Tonne'],
    ];
    const inputs = people.map(([first_name, last_name]) => ({ first_name, last_name, domain: firm }));
    const { jobs, batch_id: id } = await batchOf('getEmail', inputs);
    const found = { found: true, status: 'verified', confidence: 'high' };
    expect(jobs).toMatchObject([
      { status: 'completed', result: { ...found, email: `ada@${FIRM}`, provider: 'web' } },
      // The mail server knows no such person.
      { status: 'completed', result: { found: false, email: null, provider: 'web' } },
    ]);
    const { body: ledger } = await api.get<{ items: Item[] }>(`/credits/ledger?batch_id=${id as string}`);
    expect(ledger.items.map(({ amount }) => amount)).toEqual([-1]);
    expect(await remaining(api)).toBe(before - 1);
  });

  it('newsSearch without a news provider is refused, at no cost', async () => {
    const before = await remaining(api);
    const answer = await refused('newsSearch', { query: 'analytical engines' });
    expect(answer).toMatchObject({ status: 502, code: 'capability_error' });
    expect(answer.message).toContain('names a site');
    expect(await remaining(api)).toBe(before);
  });

  it('scrapeUrl reaches no internal address, at no cost', async () => {
    const before = await remaining(api);
    for (const url of ['http://169.254.169.254/', 'http://10.0.0.1/', 'http://[::1]/', 'file:///etc/passwd'])
      expect(await refused('scrapeUrl', { url })).toMatchObject({ status: 400, code: 'validation_error' });
    expect(await remaining(api)).toBe(before);
  });
});

describe('a test key', () => {
  it('is answered by the sandbox in all 24 services, as their examples show', async () => {
    const { body } = await testApi.get<{ items: Item[] }>('/services?limit=100');
    expect(body.items.filter(({ available }) => available)).toHaveLength(24);
    for (const { name, mode } of body.items as Array<{ name: string; mode: string }>) {
      const { body: service } = await testApi.get<Item>(`/services/${name}`);
      const [example] = service.examples as [object];
      const provider =
        mode === 'fast'
          ? (await find(name, example, testApi)).output.provider
          : (await batchOf(name, [example], testApi)).jobs[0]!.result.provider;
      expect([name, provider]).toEqual([name, 'sandbox']);
    }
  });
});
