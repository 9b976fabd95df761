import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { RowJson, RunJson } from '@quarry/dto';
import { FactSites, VendorSimulator, waitFor, type SimulatedVendorCall } from '@quarry/test-servers';
import { ApiClient, brokenInvariants, startProduct, type Product } from '@quarry/testing';

const KEYS = { pdl: 'pdl-0f-th3-sp3c', apollo: 'apollo-0f-th3-sp3c' };

/** Pump manufacturers, each with its own site. */
const SITES = {
  leipzig: {
    host: '127.0.5.11',
    name: 'Halbrook Pumpen',
    city: 'Munich',
    country: 'DE',
    industry: 'Software',
  },
  elsewhere: { host: '127.0.5.12', name: 'Pompes Vives', city: 'Lyon', country: 'FR', industry: 'Software' },
  // The site states its place, but not its industry.
  silent: { host: '127.0.5.13', name: 'Stillwasser', city: 'Munich', country: 'DE', industry: undefined },
} as const;

let dir: string;
let sites: FactSites;
let pdl: VendorSimulator;
let apollo: VendorSimulator;
let searx: VendorSimulator;
let product: Product;
let api: ApiClient;

const pageOf = ({ name, city, country, industry }: (typeof SITES)[keyof typeof SITES]): string => {
  const address = { '@type': 'PostalAddress', addressLocality: city, addressCountry: country };
  const organisation = { '@type': 'Organization', name, industry, address, numberOfEmployees: '40' };
  return `<html><head><title>${name}</title><script type="application/ld+json">${JSON.stringify(organisation)}</script></head></html>`;
};

const organization = {
  id: 'o1',
  name: 'Halbrook Cloud',
  primary_domain: 'halbrook.example',
  industry: 'computer software',
  country: 'Germany',
  city: 'Berlin',
  estimated_num_employees: 120,
  founded_year: 2011,
};
const company = {
  id: 'c1',
  name: 'feldmark',
  display_name: 'Feldmark',
  website: 'feldmark.example',
  industry: 'computer software',
  employee_count: 85,
  founded: 2015,
  location: { locality: 'hamburg', region: 'hamburg', country: 'germany' },
};
const person = {
  id: 'p1',
  full_name: 'Ada Okafor',
  first_name: 'Ada',
  last_name: 'Okafor',
  job_title: 'Chief Technology Officer',
  job_title_levels: ['cxo'],
  linkedin_url: 'linkedin.com/in/ada-okafor',
  location_country: 'Germany',
  job_company_name: 'Feldmark',
  job_company_website: 'feldmark.example',
  job_company_location_country: 'Germany',
};
const NOBODY = { status: 404, body: { status: 404, error: { type: 'not_found' } } };

const asPdl = ({ path }: SimulatedVendorCall) => ({
  body: { status: 200, data: [path.includes('person') ? person : company], total: 1 },
});
const asApollo = ({ path }: SimulatedVendorCall) => {
  switch (path) {
    case '/api/v1/mixed_companies/search':
      return {
        body: {
          organizations: [{ id: 'o1', primary_domain: 'halbrook.example' }],
          pagination: { total_entries: 1 },
        },
      };
    case '/api/v1/organizations/bulk_enrich':
      return { body: { organizations: [organization] } };
    case '/api/v1/mixed_people/api_search':
      return {
        body: { people: [{ id: 'a1', first_name: 'Ben', last_name_obfuscated: 'Ro***l' }], total_entries: 1 },
      };
    default: {
      const known = {
        id: 'a1',
        first_name: 'Ben',
        last_name: 'Rohnfeld',
        name: 'Ben Rohnfeld',
        country: 'Germany',
      };
      const match = { ...known, title: 'Chief Technology Officer', seniority: 'c_suite', organization };
      return { body: { matches: [match], credits_consumed: 1 } };
    }
  }
};
const NO_COMPANY = { body: { organizations: [], pagination: { total_entries: 0 } } };
const NO_PERSON = { body: { people: [], total_entries: 0 } };
const asEmptyApollo = ({ path }: SimulatedVendorCall) => (path.includes('people') ? NO_PERSON : NO_COMPANY);

const vendors = () => [pdl, apollo, searx];

beforeAll(async () => {
  sites = await FactSites.start();
  for (const site of Object.values(SITES)) sites.others.set(`${site.host}/`, pageOf(site));
  const playing = (value: string) =>
    VendorSimulator.start({ key: { header: 'X-Api-Key', value }, refusal: { status: 401 } });
  pdl = await playing(KEYS.pdl);
  apollo = await playing(KEYS.apollo);
  searx = await VendorSimulator.start({ key: null, refusal: { status: 403 } });
  dir = mkdtempSync(join(tmpdir(), 'quarry-directories-'));
  const file = join(dir, 'providers.yaml');
  writeFileSync(
    file,
    `providers:
  people-data-labs: { base_url: "${pdl.url}" }
  apollo: { base_url: "${apollo.url}" }
`,
  );
  product = await startProduct({
    env: {
      RATE_LIMIT_SCALE: '100',
      PROVIDERS_FILE: file,
      PEOPLE_DATA_LABS_KEY: KEYS.pdl,
      APOLLO_KEY: KEYS.apollo,
      SEARXNG_URL: searx.url,
      FETCH_ALLOW_HOSTS: [
        ...vendors().map(({ host }) => host),
        ...Object.values(SITES).map(({ host }) => `${host}:${sites.port}`),
      ].join(),
    },
  });
  api = new ApiClient(product.baseUrl, product.credentials.api_key);
});
afterAll(async () => {
  const broken = await brokenInvariants(product.database!.database);
  await product.dispose();
  await Promise.all(vendors().map((each) => each.stop()));
  sites.stop();
  rmSync(dir, { recursive: true });
  expect(broken).toEqual({});
});
beforeEach(() => {
  pdl.playAlways(() => NOBODY);
  apollo.playAlways(asEmptyApollo);
  searx.playAlways(() => ({
    body: {
      query: 'companies',
      results: Object.values(SITES).map(({ host, name }) => ({
        url: sites.url(host),
        title: name,
        content: '',
      })),
    },
  }));
});

interface Found {
  output: { items: Array<Record<string, unknown>>; provider: string };
  credits: { charged: number };
}
const find = (service: string, input: object) => api.post<Found>(`/services/${service}`, input);

async function rowsOf(prompt: string): Promise<{ run: RunJson; rows: Array<Record<string, unknown>> }> {
  const { body: started } = await api.post<RunJson>('/v1/runs', { prompt });
  const run = await waitFor(`"${prompt}" to end`, async () => {
    const { body } = await api.get<RunJson>(started.links.self);
    return ['completed', 'failed', 'cancelled'].includes(body.status) ? body : null;
  });
  if (run.artifacts.length === 0) return { run, rows: [] };
  const { body } = await api.get<{ items: RowJson[] }>(`${run.artifacts[0]!.links.rows}?limit=100`);
  return { run, rows: body.items.map(({ values }) => values) };
}

describe('a prompt and the search services', () => {
  it('find the companies and people of People Data Labs, and buy only as many as requested', async () => {
    pdl.playAlways(asPdl);
    const { body } = await find('searchCompanies', { industries: ['software'], countries: ['DE'], limit: 3 });
    expect(body.output.provider).toBe('people-data-labs');
    expect(body.output.items).toMatchObject([{ name: 'Feldmark', city: 'Hamburg', headcount: 85 }]);
    expect(body.credits.charged).toBe(0.25);
    expect(pdl.calls.map(({ path, body: sent }) => [path, (sent as { size: number }).size])).toEqual([
      ['/v5/company/search', 3],
    ]);
    const companies = await rowsOf('Find 2 software companies in Germany');
    expect(companies.rows).toMatchObject([{ name: 'Feldmark', domain: 'feldmark.example' }]);
    const people = await rowsOf('Find 2 CTOs at companies in Germany');
    expect(people.rows).toMatchObject([{ full_name: 'Ada Okafor', company_name: 'Feldmark' }]);
    expect(apollo.calls).toEqual([]);
  });

  it('find those of Apollo if the first has none', async () => {
    apollo.playAlways(asApollo);
    const { body } = await find('searchCompanies', {
      industries: ['software'],
      countries: ['Germany'],
      headcount_min: 50,
    });
    expect(body.output).toMatchObject({
      provider: 'apollo',
      items: [{ name: 'Halbrook Cloud', headcount: 120 }],
    });
    const found = await find('searchPeople', { roles: ['CTO'], countries: ['Germany'], limit: 2 });
    expect(found.body.output).toMatchObject({ provider: 'apollo', items: [{ full_name: 'Ben Rohnfeld' }] });
    const { rows } = await rowsOf('Find 3 software companies in Germany with more than 60 employees');
    expect(rows).toMatchObject([{ name: 'Halbrook Cloud', domain: 'halbrook.example' }]);
    for (const { hasKey, leaksKey } of [...apollo.calls, ...pdl.calls])
      expect([hasKey, leaksKey]).toEqual([true, false]);
  });

  it('find companies whose own websites prove every criterion, and no others', async () => {
    const { body } = await find('searchCompanies', { industries: ['software'], cities: ['Munich'] });
    expect(body.output).toMatchObject({ provider: 'web' });
    expect(body.output.items).toMatchObject([
      { name: 'Halbrook Pumpen', city: 'Munich', country: 'Germany', headcount: 40, revenue_usd: null },
    ]);
    expect(searx.calls.map(({ query }) => query.q)).toEqual(['Software & SaaS companies in Munich']);
    const { rows } = await rowsOf('Find 5 software companies in Munich');
    expect(rows).toMatchObject([{ name: 'Halbrook Pumpen' }]);
  });

  it('report a filter that no directory supports, and never return sandbox data', async () => {
    const { status, body } = await find('searchPeople', {
      names: ['Ada Okafor'],
      company_names: ['Nobody at All'],
    });
    expect([status, body.output]).toMatchObject([200, { items: [] }]);
    const { run } = await rowsOf('Find 5 B2C companies in Norway');
    expect(run).toMatchObject({ status: 'failed' });
    expect(run.message).toContain('business model');
    pdl.playAlways(() => ({ status: 429, headers: { 'retry-after': '600' } }));
    const busy = await find('searchPeople', { roles: ['CFO'], countries: ['Norway'] });
    expect(busy.status).toBe(502);
    expect(JSON.stringify(busy.body)).not.toMatch(/people-data-labs|127\.0|0f-th3/);
    const { body: service } = await api.get<{ providers: Array<{ id: string }> }>(
      '/services/searchCompanies',
    );
    expect(service.providers.map(({ id }) => id)).toEqual(['people-data-labs', 'apollo', 'web']);
  });
});
