import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AddressGuard, DnsClient, HostTurns, OutboundClient } from '@quarry/safe-http';
import { LOOKUP_OUTPUTS } from '@quarry/service-catalog';
import { HttpSite, NameServer } from '@quarry/test-servers';
import type { ProviderAnswer, LookupProvider } from '@quarry/engine';
import { DomainSearch } from './company/domain-search.js';
import { EmailPatternProvider } from './company/email-pattern.provider.js';
import { EnrichCompanyProvider } from './company/enrich-company.provider.js';
import { FindDomainProvider } from './company/find-domain.provider.js';
import { LinkedInUrlProvider } from './company/linkedin-url.provider.js';
import { ExtractDataProvider } from './extract/extract-data.provider.js';
import { JobPostingsProvider } from './jobs/job-postings.provider.js';
import { PageReader } from './pages/page-reader.js';
import { NewsSearchProvider } from './text/news-search.provider.js';

/** "ada.lovelace@halbrook.example", each byte XORed with 42. */
const HIDDEN = Buffer.from([
  42,
  ...Buffer.from('ada.lovelace@halbrook.example', 'utf8').map((byte) => byte ^ 42),
]).toString('hex');
const PAGES: Record<string, { type?: string; body: string; status?: number }> = {
  '/': {
    body: `<html lang="en"><head><title>Halbrook - Pumps for breweries</title>
      <meta property="og:site_name" content="Halbrook"><meta name="keywords" content="pumps, breweries">
      <link rel="alternate" type="application/rss+xml" href="/news.xml">
      <script type="application/ld+json">[{"@type":"Organization","name":"Halbrook Pumps Ltd","legalName":"Halbrook Pumps Limited","telephone":"020 7946 0000",
        "foundingDate":"1911","industry":"fintech","numberOfEmployees":{"minValue":50,"maxValue":200},
        "address":{"addressLocality":"Leeds","addressCountry":"GB"}},{"@type":"Organization","name":"Some Agency"}]</script></head>
      <body><a href="/careers">Careers</a><a href="/team">Our team</a><a href="/contact">Contact</a>
      <a href="https://www.linkedin.com/company/halbrook">Follow</a><a href="https://elsewhere.example/team">Team of others</a></body></html>`,
  },
  '/team': {
    body: `<body><div class="card"><h3>Ada Lovelace</h3><p>CTO</p><a href="https://uk.linkedin.com/in/al-1815?trk=x"><svg></svg></a>
        <span class="__cf_email__" data-cfemail="${HIDDEN}">[email&#160;protected]</span></div>
      <div class="card"><h3>Grace Hopper</h3><a href="https://www.linkedin.com/in/gh"></a><a href="mailto:Grace.Hopper@halbrook.example?subject=x">Mail</a></div>
      <script>var a = 'not.shown@halbrook.example'</script></body>`,
  },
  '/contact': {
    body: `<p>Write to info&#64;halbrook.example or to our agency, jane.doe@agency.example. <a href="tel:+44%2020%207946%200000">Call</a></p>
      <div itemscope itemtype="https://schema.org/LocalBusiness"><span itemprop="name">Halbrook</span>
      <div itemprop="address" itemscope itemtype="https://schema.org/PostalAddress"><span itemprop="postalCode">LS1 1AA</span></div></div>`,
  },
  '/careers': { body: '<iframe src="https://boards.greenhouse.io/embed/job_board?for=halbrook"></iframe>' },
  '/v1/boards/halbrook/jobs': {
    type: 'application/json',
    body: '{"jobs":[{"id":7,"title":"Engineer","absolute_url":"https://boards.greenhouse.io/halbrook/jobs/7","location":{"name":"Leeds"}}]}',
  },
  '/v1/boards/halbrook/departments': { type: 'application/json', body: 'not json' },
  '/small': { body: '<body><a href="/small/jobs">Jobs</a></body>' },
  '/small/jobs': {
    body: '<body><a href="/small/jobs/welder">Welder</a><a href="/contact">Contact</a></body>',
  },
  '/small/jobs/welder': {
    body: '<script type="application/ld+json">{"@type":"JobPosting","title":"Welder","datePosted":"2026-02-03"}</script>',
  },
  '/news.xml': {
    type: 'application/rss+xml',
    body: `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><rss version="2.0"><channel><title>News</title>
      <item><title>New pump &amp; valve &b;</title><link>/news/1</link><pubDate>Fri, 02 Jan 2026 10:00:00 GMT</pubDate>
        <description>&lt;p&gt;It is &lt;b&gt;here&lt;/b&gt;.&lt;/p&gt;&lt;script&gt;alert(1)&lt;/script&gt;</description></item>
      <item><title><![CDATA[Two pumps <i>sold</i>]]></title><guid>https://halbrook.example/news/2</guid></item>
      <item><title>Summer party</title><link>/news/3</link><pubDate>some day</pubDate></item>
      <item><title>Bad pump</title><link>javascript:alert(1)</link></item></channel></rss>`,
  },
  '/search': {
    type: 'application/atom+xml',
    body: `<feed xmlns="http://www.w3.org/2005/Atom"><entry><title type="html">A &lt;b&gt;find&lt;/b&gt;</title>
      <link rel="self" href="https://news.example/self"/><link href="https://news.example/1"/><updated>2026-01-02T10:00:00Z</updated></entry></feed>`,
  },
  '/down': { status: 503, body: 'later' },
  '/gone': { status: 410, body: 'never' },
  '/walled': { status: 403, body: 'no' },
  '/named': { body: '<meta property="og:site_name" content="Feldmark">' },
  '/titled': { body: '<title>Stillwasser</title>' },
  '/parked': { body: '<title>halbrook.io is for sale</title>' },
  '/plain': { body: '<title>Halbrook | Start</title>' },
};

let server: HttpSite;
let site: string;
let requests: string[] = [];
let names: NameServer;
let client: OutboundClient;
let reader: PageReader;
let search: DomainSearch;
/** Addresses of the domains' sites in this spec. */
const SITES: Record<string, string> = {
  'halbrook.com': '/',
  'halbrook.io': '/parked',
  'plain-halbrook.com': '/plain',
  'feldmark.com': '/down',
  'feldmark.io': '/named',
  'stillwasser.com': '/down',
  'stillwasser.io': '/titled',
  'nordlicht.com': '/gone',
  'nordlicht.io': '/walled',
};

beforeAll(async () => {
  server = await HttpSite.open((request, response) => {
    requests.push(request.url!);
    const page = PAGES[request.url!.split('?')[0]!];
    if (!page) return void response.writeHead(404, { 'content-type': 'text/html' }).end('nothing');
    response
      .writeHead(page.status ?? 200, { 'content-type': page.type ?? 'text/html; charset=utf-8' })
      .end(page.body);
  });
  site = server.origin;
  names = await NameServer.start(({ type, name }) => (type === 'A' && SITES[name] ? ['127.0.0.1'] : []));
  const dns = new DnsClient([names.address]);
  client = new OutboundClient(new AddressGuard({ allowHosts: [server.host], dns }), 'QuarryBot/1.0');
  reader = new PageReader(client, 'QuarryBot', { turns: new HostTurns(0) });
  search = new DomainSearch({ dns, reader, siteOf: (domain) => site + SITES[domain] });
});
afterAll(async () => {
  await reader.close();
  await client.close();
  names.stop();
  await server.stop();
});

function ask(provider: LookupProvider, input: Record<string, unknown>): Promise<ProviderAnswer> {
  requests = [];
  const signal = AbortSignal.timeout(60_000);
  return provider.answerCall({ service: provider.services[0]!, input, searchId: 'hold_1', signal });
}

describe("a company's own website", () => {
  it('findEmailPattern uses its own people, hidden addresses too, and no role mailboxes or others', async () => {
    const { found, output } = await ask(new EmailPatternProvider(reader), { domain: site });
    expect(found).toBe(true);
    expect(LOOKUP_OUTPUTS.findEmailPattern.parse(output)).toEqual({
      pattern: '{first}.{last}',
      confidence: 'high',
      // This test's site has no domain of its own, so addresses of other domains follow its own.
      examples: expect.arrayContaining([
        'ada.lovelace@halbrook.example',
        'grace.hopper@halbrook.example',
      ]) as unknown,
      provider: 'web',
    });
    expect(output.examples).not.toContain('info@halbrook.example');
    expect(output.examples).not.toContain('not.shown@halbrook.example');
  });

  it('findDomain returns the domain whose page has the company name, and null if none does', async () => {
    const provider = new FindDomainProvider(search);
    const { output } = await ask(provider, { company: 'HALBROOK Ltd.' });
    expect(LOOKUP_OUTPUTS.findDomain.parse(output)).toEqual({
      domain: 'halbrook.com',
      confidence: 'high',
      provider: 'web',
    });
    const { output: titled } = await ask(provider, { company: 'plain-halbrook.com' });
    expect(titled).toMatchObject({ domain: null });
    expect(await ask(provider, { company: 'Nobody at All' })).toMatchObject({
      found: false,
      output: { domain: null, confidence: null },
    });
  });

  it('is not reported missing while a candidate is down, unless another is certain', async () => {
    const provider = new FindDomainProvider(search);
    const found = async (company: string) => (await ask(provider, { company })).output.domain;
    await expect(found('Stillwasser')).rejects.toMatchObject({ code: 'provider_unavailable' });
    expect(await found('Feldmark')).toBe('feldmark.io');
    // A retry would not help with these.
    expect(await found('Nordlicht')).toBeNull();
  });

  it('is not reported missing while no name server answers: that is a failure, at no cost', async () => {
    const nobody = new DomainSearch({ dns: new DnsClient(['127.0.0.1:1']), reader });
    const unavailable = { code: 'provider_unavailable', options: { isTransient: true } };
    for (const [provider, input] of [
      [new FindDomainProvider(nobody), { company: 'Halbrook' }],
      [new LinkedInUrlProvider(reader, nobody), { name: 'Halbrook' }],
      [new EnrichCompanyProvider(reader, nobody), { name: 'Halbrook' }],
    ] as const)
      await expect(ask(provider, input)).rejects.toMatchObject(unavailable);
  });

  it.each([
    [{ name: 'Ada Lovelace' }, 'https://www.linkedin.com/in/al-1815', 'high'],
    [{ name: 'Grace Hopper', company: 'Halbrook' }, 'https://www.linkedin.com/in/gh', 'high'],
    [{ name: 'Halbrook' }, 'https://www.linkedin.com/company/halbrook', 'high'],
    [
      { name: 'Halbrook Pumps', company: 'Halbrook Pumps' },
      'https://www.linkedin.com/company/halbrook',
      'high',
    ],
    [{ name: 'Somebody Else' }, null, null],
  ])('findLinkedInUrl of %j', async (input, url, confidence) => {
    const { found, output } = await ask(new LinkedInUrlProvider(reader, search), { ...input, domain: site });
    expect(LOOKUP_OUTPUTS.findLinkedInUrl.parse(output)).toEqual({
      linkedin_url: url,
      confidence,
      provider: 'web',
    });
    expect(found).toBe(url !== null);
  });

  it('enrichCompany returns what the site says, and null for the rest', async () => {
    const { output } = await ask(new EnrichCompanyProvider(reader, search), { name: 'Halbrook' });
    expect(LOOKUP_OUTPUTS.enrichCompany.parse(output)).toEqual({
      name: 'Halbrook Pumps Ltd',
      domain: null,
      website: site,
      linkedin_url: 'https://www.linkedin.com/company/halbrook',
      industry: 'Fintech',
      description: null,
      city: 'Leeds',
      state: null,
      country: 'United Kingdom',
      headcount: null,
      founded_year: 1911,
      funding_stage: null,
      funding_amount_usd: null,
      revenue_usd: null,
      business_model: null,
      ownership: null,
      technologies: [],
      keywords: ['pumps', 'breweries'],
      is_hiring: null,
      hiring_departments: [],
      phone: '+442079460000',
      provider: 'web',
    });
    const nobody = await ask(new EnrichCompanyProvider(reader, search), { name: 'Nobody at All' });
    expect([nobody.found, LOOKUP_OUTPUTS.enrichCompany.parse(nobody.output).name]).toEqual([false, null]);
  });
});

describe('getJobPostings', () => {
  it('reads the board that the careers page names', async () => {
    const provider = new JobPostingsProvider({ reader, client, boardUrls: { greenhouse: site } });
    const { output } = await ask(provider, { domain: site });
    expect(LOOKUP_OUTPUTS.getJobPostings.parse(output).items).toEqual([
      {
        title: 'Engineer',
        url: 'https://boards.greenhouse.io/halbrook/jobs/7',
        location: 'Leeds',
        department: null,
        posted_at: null,
        board: 'greenhouse',
      },
    ]);
  });

  it('fails if the board cannot be reached, and finds nothing at one that does not know the company', async () => {
    const answers: Record<string, number> = { '/busy': 429, '/down': 503, '/unknown': 404 };
    const board = await HttpSite.open((request, response) => {
      response.writeHead(answers[/^\/\w+/.exec(request.url!)![0]]!).end('{}');
    });
    const boards = new OutboundClient(new AddressGuard({ allowHosts: [board.host] }), 'QuarryBot/1.0');
    const requested = (path: string) => {
      const boardUrls = { greenhouse: board.origin + path };
      return ask(new JobPostingsProvider({ reader, client: boards, boardUrls }), { domain: site });
    };
    for (const path of ['/busy', '/down'])
      await expect(requested(path)).rejects.toMatchObject({ code: 'provider_unavailable' });
    expect(await requested('/unknown')).toMatchObject({ found: false });
    await boards.close();
    await board.stop();
  });

  it('reads job pages if there is no board, and only those', async () => {
    const { output } = await ask(new JobPostingsProvider({ reader, client }), { domain: `${site}/small` });
    expect(LOOKUP_OUTPUTS.getJobPostings.parse(output).items).toEqual([
      {
        title: 'Welder',
        url: `${site}/small/jobs/welder`,
        location: null,
        department: null,
        posted_at: '2026-02-03T00:00:00.000Z',
        board: 'website',
      },
    ]);
    expect(requests).not.toContain('/contact');
  });

  it('returns nothing for a company without positions', async () => {
    const boardUrls = { greenhouse: `${site}/no-board` };
    const { found, output } = await ask(new JobPostingsProvider({ reader, client, boardUrls }), {
      domain: `${site}/plain`,
    });
    expect([found, output.items]).toEqual([false, []]);
  });
});

describe('newsSearch', () => {
  const provider = (feedUrl: string | null = null) => new NewsSearchProvider({ reader, client, feedUrl });

  it('reads the feed named by a site, as text, and leaves unknown entities as they are', async () => {
    const { output } = await ask(provider(), { query: `${site} pump` });
    expect(LOOKUP_OUTPUTS.newsSearch.parse(output).items).toEqual([
      {
        title: 'New pump & valve &b;',
        url: `${site}/news/1`,
        snippet: 'It is here.',
        published_at: '2026-01-02T10:00:00.000Z',
      },
      { title: 'Two pumps sold', url: 'https://halbrook.example/news/2', snippet: null, published_at: null },
    ]);
  });

  it("searches the operator's feed, and fails if there is none, or a page in its place", async () => {
    const { output } = await ask(provider(`${site}/search?q={query}`), { query: 'pumps & valves' });
    expect(requests).toEqual(['/search?q=pumps%20%26%20valves']);
    expect(LOOKUP_OUTPUTS.newsSearch.parse(output).items).toEqual([
      {
        title: 'A find',
        url: 'https://news.example/1',
        snippet: null,
        published_at: '2026-01-02T10:00:00.000Z',
      },
    ]);
    for (const feed of [null, `${site}/contact`])
      await expect(ask(provider(feed), { query: 'pumps' })).rejects.toMatchObject({
        code: 'provider_unavailable',
      });
  });
});

describe('extractData', () => {
  it('fills the schema from several pages, and ignores a missing page', async () => {
    const schema = {
      type: 'object',
      properties: { legal_name: { type: 'string' }, zip: { type: 'string' }, ceo: { type: 'string' } },
    };
    const urls = [`${site}/gone`, site, `${site}/contact`];
    const { found, output } = await ask(new ExtractDataProvider(reader), { urls, schema });
    const { data, basis } = LOOKUP_OUTPUTS.extractData.parse(output);
    expect([found, data]).toEqual([
      true,
      { legal_name: 'Halbrook Pumps Limited', zip: 'LS1 1AA', ceo: null },
    ]);
    expect(basis.map(({ field, reasoning }) => [field, reasoning])).toEqual([
      ['/legal_name', 'JSON-LD Organization.legalName says so.'],
      ['/zip', 'microdata PostalAddress.postalCode says so.'],
      ['/ceo', 'No page says so in a form for programs.'],
    ]);
  });

  it.each([{}, { type: 'object' }, { properties: { a: 'text' } }, { properties: [] }])(
    'refuses the schema %j',
    async (schema) => {
      await expect(ask(new ExtractDataProvider(reader), { urls: [site], schema })).rejects.toMatchObject({
        code: 'provider_rejected',
      });
    },
  );
});
