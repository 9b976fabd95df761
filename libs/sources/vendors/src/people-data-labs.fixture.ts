import type { CompanyQuery, PeopleQuery } from '@quarry/directory';
import { placeNamed, roleNamed } from '@quarry/vocabulary';
import {
  ADA,
  ADA_PROFILE,
  got,
  mobileFrom,
  type ServiceFixture,
  type VendorFixture,
} from './fixtures.fixture.js';
import { missOutput } from '@quarry/engine';
import { PEOPLE_DATA_LABS_SEARCHES } from './people-data-labs.search.js';
import { requestOf, companyRecord, personRecord } from './search-fixtures.fixture.js';

const cost = { unit: 'pdl_match', amount: 1 };
const miss = {
  status: 404,
  body: { status: 404, error: { type: 'not_found', message: 'No records were found.' } },
};
const sure = { min_likelihood: '6', titlecase: 'true' };
const named = { first_name: 'Ada', last_name: 'Okafor', company: 'halbrook.example', ...sure };

function matched(
  query: Record<string, string>,
  data: object,
  output: object,
  input: object = ADA,
): ServiceFixture {
  return {
    input: { ...input },
    output: { ...output },
    cost,
    found: [
      got('/v5/person/enrich', query, {
        status: 200,
        likelihood: 8,
        data: { id: 'p-1', full_name: 'Ada Okafor', ...data },
      }),
    ],
    miss,
    skipped: { first_name: 'Ada', last_name: 'Okafor' },
  };
}

const wordsOf = (name: 'searchCompanies' | 'searchPeople', query: CompanyQuery | PeopleQuery): unknown =>
  PEOPLE_DATA_LABS_SEARCHES[name].query(query as never).words;

const searches: VendorFixture['searches'] = {
  searchCompanies: requestOf(
    '/v5/company/search',
    {
      query: {
        bool: {
          filter: [
            { bool: { filter: [{ terms: { 'location.country': ['germany', 'deutschland'] } }] } },
            { range: { employee_count: { gte: 50, lte: 200 } } },
            { terms: { latest_funding_stage: ['seed', 'series_d', 'series_e', 'series_f'] } },
          ],
          must_not: [{ bool: { filter: [{ range: { founded: { lte: '1999' } } }] } }],
        },
      },
      size: 1,
      titlecase: true,
      scroll_token: 'next$1',
    },
    {
      input: {
        words: wordsOf('searchCompanies', {
          places: [placeNamed('Germany')!],
          headcount: [{ min: 50, max: 200 }],
          funding_stages: ['seed', 'series_d_plus'],
          not: [{ founded: [{ min: null, max: 1999 }] }],
        }),
        size: 1,
        cursor: 'next$1',
      },
      output: {
        found: [
          companyRecord({
            id: 'pdl_c-1',
            name: 'Feldmark',
            domain: 'feldmark.example',
            website: 'https://feldmark.example',
            linkedin_url: 'https://www.linkedin.com/company/feldmark',
            industry_id: 'software',
            industry: 'Software & SaaS',
            city: 'Hamburg',
            state: 'hamburg',
            country: 'Germany',
            country_code: 'DE',
            headcount: 85,
            founded_year: 2015,
            funding_stage: 'seed',
            funding_amount_usd: 1_500_000,
            ownership: 'private',
            keywords: ['maps'],
          }),
        ],
        total: 12,
        next: 'next$2',
      },
      cost: { unit: 'pdl_credit', amount: 1 },
      reply: {
        status: 200,
        data: [
          {
            id: 'c-1',
            name: 'feldmark',
            display_name: 'Feldmark',
            website: 'feldmark.example',
            linkedin_url: 'linkedin.com/company/feldmark',
            industry: 'computer software',
            type: 'private',
            employee_count: 85,
            founded: 2015,
            latest_funding_stage: 'seed',
            total_funding_raised: 1_500_000,
            tags: ['maps'],
            inferred_revenue: true,
            location: { locality: 'hamburg', region: 'hamburg', country: 'germany' },
          },
        ],
        total: 12,
        scroll_token: 'next$2',
      },
      miss,
      missed: { found: [], total: 0, next: null },
    },
  ),
  searchPeople: requestOf(
    '/v5/person/search',
    {
      query: {
        bool: {
          filter: [
            {
              bool: {
                filter: [
                  { match: { job_title: { query: 'head', operator: 'and' } } },
                  { terms: { job_title_role: ['partnerships', 'sales'] } },
                ],
              },
            },
            {
              bool: {
                should: [
                  { range: { job_company_employee_count: { gte: 51, lte: 500 } } },
                  { terms: { job_company_size: ['51-200', '201-500'] } },
                ],
                minimum_should_match: 1,
              },
            },
          ],
        },
      },
      size: 10,
      titlecase: true,
    },
    {
      input: {
        words: wordsOf('searchPeople', {
          roles: [roleNamed('Head of Sales')!],
          company: { headcount: [{ min: 51, max: 500 }] },
        }),
        size: 10,
        cursor: null,
      },
      output: {
        found: [
          personRecord({
            id: 'pdl_p-1',
            first_name: 'Ada',
            last_name: 'Okafor',
            full_name: 'Ada Okafor',
            title: 'Head Of Sales',
            seniority: 'head',
            department: 'sales',
            country: 'Germany',
            country_code: 'DE',
            linkedin_url: 'https://www.linkedin.com/in/ada-okafor',
            experiences: [
              {
                title: 'Buyer',
                company: 'Mill',
                company_domain: 'mill.example',
                start_year: 2012,
                end_year: null,
              },
            ],
            company: companyRecord({
              id: 'pdl_c-1',
              name: 'Feldmark',
              domain: 'feldmark.example',
              website: 'https://feldmark.example',
            }),
          }),
          // A person without an employer is not a person of a directory.
          null,
        ],
        total: 2,
        next: null,
      },
      cost: { unit: 'pdl_credit', amount: 2 },
      reply: {
        status: 200,
        data: [
          {
            id: 'p-1',
            full_name: 'Ada Okafor',
            first_name: 'Ada',
            last_name: 'Okafor',
            job_title: 'Head Of Sales',
            job_title_levels: ['director'],
            job_title_role: 'sales',
            linkedin_url: 'linkedin.com/in/ada-okafor',
            location_country: 'germany',
            location_locality: true,
            job_company_id: 'c-1',
            job_company_name: 'Feldmark',
            job_company_website: 'feldmark.example',
            job_company_size: '51-200',
            experience: [
              {
                title: { name: 'Buyer' },
                company: { name: 'Mill', website: 'mill.example' },
                start_date: '2012-04',
                end_date: null,
              },
              { title: null, company: null, start_date: null, end_date: null },
            ],
            education: [],
          },
          { id: 'p-2', full_name: 'Ben Rohnfeld', first_name: 'Ben', last_name: 'Rohnfeld' },
        ],
        total: 2,
      },
      miss,
      missed: { found: [], total: 0, next: null },
    },
  ),
};

export const peopleDataLabs: VendorFixture = {
  searches,
  services: {
    getEmail: matched(
      { ...named, required: 'work_email' },
      { work_email: 'Ada.Okafor@halbrook.example', mobile_phone: true },
      { email: 'ada.okafor@halbrook.example', status: 'unverified', confidence: 'medium' },
    ),
    getPhoneNumber: matched(
      { ...named, required: 'mobile_phone OR phone_numbers' },
      { mobile_phone: '+12125550143', phone_numbers: ['+12125550143', '+442079460018'] },
      {
        phone_number: '+12125550143',
        phones: [
          ...mobileFrom('people-data-labs').phones,
          {
            number: '+442079460018',
            country: 'GB',
            line_type: 'landline',
            line_status: 'unknown',
            source: 'people-data-labs',
          },
        ],
      },
    ),
    enrichPerson: matched(
      { profile: ADA_PROFILE, ...sure },
      {
        first_name: 'Ada',
        last_name: 'Okafor',
        job_title: 'Head of Pumps',
        job_title_levels: ['director'],
        location_locality: 'Leeds',
        location_country: 'United Kingdom',
        linkedin_url: 'linkedin.com/in/ada-okafor-halbrook',
        job_company_name: 'Halbrook Pumps',
        job_company_website: 'halbrook.example',
        job_company_founded: 1987,
        experience: [
          {
            title: { name: 'Engineer' },
            company: { name: 'Mill & Sons', website: null },
            start_date: '2012-04',
            end_date: null,
          },
        ],
        education: [
          { school: { name: 'Leeds College' }, degrees: ['Bachelor'], majors: [], end_date: '2011' },
        ],
      },
      {
        ...missOutput('enrichPerson', {}),
        full_name: 'Ada Okafor',
        first_name: 'Ada',
        last_name: 'Okafor',
        title: 'Head of Pumps',
        seniority: 'director',
        city: 'Leeds',
        country: 'United Kingdom',
        linkedin_url: 'https://linkedin.com/in/ada-okafor-halbrook',
        experiences: [
          {
            title: 'Engineer',
            company: 'Mill & Sons',
            company_domain: null,
            start_year: 2012,
            end_year: null,
          },
        ],
        educations: [{ school: 'Leeds College', degree: 'Bachelor', field: null, end_year: 2011 }],
        company_name: 'Halbrook Pumps',
        company_domain: 'halbrook.example',
        company_website: 'https://halbrook.example',
        company_founded_year: 1987,
      },
      { linkedin_url: ADA_PROFILE },
    ),
    enrichCompany: {
      input: { domain: 'halbrook.example' },
      output: {
        ...missOutput('enrichCompany', {}),
        name: 'Halbrook Pumps',
        domain: 'halbrook.example',
        website: 'https://halbrook.example',
        industry: 'Machinery',
        city: 'Leeds',
        country: 'United Kingdom',
        headcount: 140,
        founded_year: 1987,
        keywords: ['pumps'],
      },
      cost,
      found: [
        got(
          '/v5/company/enrich',
          { website: 'halbrook.example', ...sure },
          {
            status: 200,
            likelihood: 9,
            name: 'halbrook pumps',
            display_name: 'Halbrook Pumps',
            website: 'halbrook.example',
            industry: 'Machinery',
            employee_count: 140,
            founded: 1987,
            tags: ['pumps'],
            location: { locality: 'Leeds', region: null, country: 'United Kingdom' },
          },
        ),
      ],
      miss,
      skipped: {},
    },
  },
  badKey: { status: 401, body: { status: 401, error: { type: 'authentication_error' } } },
  noCredits: { status: 402, body: { status: 402, error: { type: 'payment_required' } } },
  rate: { status: 429, body: { status: 429, error: { type: 'rate_limit_error' } } },
};
