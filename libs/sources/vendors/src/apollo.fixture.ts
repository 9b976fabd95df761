import type { CompanyQuery, PeopleQuery } from '@quarry/directory';
import { placeNamed, roleNamed } from '@quarry/vocabulary';
import { apollo as vendor } from './apollo.vendor.js';
import type { VendorFixture } from './fixtures.fixture.js';
import { requestOf, companyRecord, personRecord } from './search-fixtures.fixture.js';

const companies: CompanyQuery = {
  places: [placeNamed('United Kingdom')!],
  headcount: [{ min: 100, max: null }],
  is_hiring: true,
};
const people: PeopleQuery = { roles: [roleNamed('VP')!], company: { domains: ['halbrook.example'] } };
const wordsOf = (name: 'searchCompanies' | 'searchPeople', query: object): unknown =>
  vendor.searches![name]!.query(query as never).words;

const organization = {
  id: 'o-1',
  name: 'Halbrook Pumps',
  primary_domain: 'halbrook.example',
  industry: 'machinery',
  website_url: 'http://www.halbrook.example',
  linkedin_url: 'http://www.linkedin.com/company/halbrook',
  estimated_num_employees: 140,
  founded_year: 1987,
  annual_revenue: 21_000_000,
  total_funding: 2_500_000,
  latest_funding_stage: 'Series A',
  publicly_traded_symbol: 'HLBK',
  technology_names: ['Shopify', 'Pumpkin'],
  city: 'Leeds',
  state: 'England',
  country: 'United Kingdom',
  keywords: ['pumps'],
  short_description: 'Pumps.',
};
const company = companyRecord({
  id: 'apollo_o-1',
  name: 'Halbrook Pumps',
  domain: 'halbrook.example',
  website: 'https://www.halbrook.example',
  linkedin_url: 'https://www.linkedin.com/company/halbrook',
  industry_id: 'industrial_machinery',
  industry: 'Industrial Machinery',
  description: 'Pumps.',
  city: 'Leeds',
  state: 'England',
  country: 'United Kingdom',
  country_code: 'GB',
  headcount: 140,
  founded_year: 1987,
  revenue_usd: 21_000_000,
  funding_amount_usd: 2_500_000,
  funding_stage: 'series_a',
  ownership: 'public',
  technologies: ['shopify', 'own:pumpkin'],
  keywords: ['pumps'],
});
const match = {
  id: 'a-1',
  first_name: 'Ada',
  last_name: 'Okafor',
  name: 'Ada Okafor',
  title: 'VP of Sales',
  seniority: 'vp',
  linkedin_url: 'http://www.linkedin.com/in/ada-okafor',
  country: 'United Kingdom',
  employment_history: [
    { title: 'Buyer', organization_name: 'Mill & Sons', start_date: '2012-04-01', end_date: '2015-01-01' },
    { title: null, organization_name: 'Mill & Sons', start_date: null, end_date: null },
  ],
  organization,
};
const person = personRecord({
  id: 'apollo_a-1',
  first_name: 'Ada',
  last_name: 'Okafor',
  full_name: 'Ada Okafor',
  title: 'VP of Sales',
  seniority: 'vp',
  department: 'sales',
  linkedin_url: 'https://www.linkedin.com/in/ada-okafor',
  country: 'United Kingdom',
  country_code: 'GB',
  company,
  experiences: [
    { title: 'Buyer', company: 'Mill & Sons', company_domain: null, start_year: 2012, end_year: 2015 },
  ],
});

export const apollo: VendorFixture = {
  services: {},
  searches: {
    searchCompanies: requestOf(
      '/api/v1/mixed_companies/search',
      {
        organization_locations: ['united kingdom', 'great britain', 'britain'],
        organization_num_employees_ranges: ['100,10000000'],
        organization_num_jobs_range: { min: 1 },
        page: 2,
        per_page: 3,
      },
      {
        input: { words: wordsOf('searchCompanies', companies), size: 3, cursor: '2' },
        output: { found: ['feldmark.example', 'halbrook.example', null], total: 7, next: '3' },
        cost: { unit: 'apollo_credit', amount: 1 },
        reply: {
          // A company that a user of the account has saved.
          accounts: [{ id: 'c-3', organization_id: 'o-3', name: 'Feldmark', domain: 'feldmark.example' }],
          organizations: [
            { id: 'o-1', name: 'Halbrook Pumps', primary_domain: 'halbrook.example' },
            { id: 'o-2', name: 'Nowhere', primary_domain: null },
          ],
          pagination: { page: 2, per_page: 3, total_entries: 7, total_pages: 3 },
        },
        miss: { body: { organizations: [], pagination: { total_entries: 0 } } },
        missed: { found: [], total: 0, next: null },
      },
    ),
    'searchCompanies reveal': requestOf(
      '/api/v1/organizations/bulk_enrich',
      { domains: ['halbrook.example', 'gone.example'] },
      {
        input: { keys: ['halbrook.example', 'gone.example'] },
        output: { found: [company, null], total: null, next: null },
        cost: { unit: 'apollo_credit', amount: 1 },
        reply: { status: 'success', organizations: [organization, null] },
        miss: { body: { organizations: [null, null] } },
        missed: { found: [null, null], total: null, next: null },
      },
    ),
    searchPeople: requestOf(
      '/api/v1/mixed_people/api_search',
      { person_seniorities: ['vp'], q_organization_domains_list: ['halbrook.example'], page: 1, per_page: 5 },
      {
        input: { words: wordsOf('searchPeople', people), size: 5, cursor: null },
        output: { found: ['a-1'], total: 1, next: null },
        cost: null,
        reply: {
          people: [{ id: 'a-1', first_name: 'Ada', last_name_obfuscated: 'Ok***r' }],
          total_entries: 1,
        },
        miss: { body: { people: [], total_entries: 0 } },
        missed: { found: [], total: 0, next: null },
      },
    ),
    'searchPeople reveal': requestOf(
      '/api/v1/people/bulk_match',
      { details: [{ id: 'a-1' }], reveal_personal_emails: false },
      {
        input: { keys: ['a-1'] },
        output: { found: [person], total: null, next: null },
        cost: { unit: 'apollo_credit', amount: 1 },
        reply: { matches: [match], credits_consumed: 1 },
        miss: { body: { matches: [null], credits_consumed: 0 } },
        missed: { found: [null], total: null, next: null },
      },
    ),
  },
  badKey: { status: 401, text: 'Invalid access credentials.' },
  // The vendor's reference does not document this response.
  noCredits: null,
  rate: { status: 429, body: { message: 'The maximum number of api calls is reached.' } },
};
