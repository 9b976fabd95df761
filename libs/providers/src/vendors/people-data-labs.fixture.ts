import { ADA, ADA_PROFILE, type ServiceFixture, type VendorFixture } from './fixtures.fixture.js';
import { missOutput } from './miss-outputs.js';

const cost = { unit: 'pdl_match', amount: 1 };
const miss = {
  status: 404,
  body: { status: 404, error: { type: 'not_found', message: 'No records were found.' } },
};
const named = { first_name: 'Ada', last_name: 'Okafor', company: 'halbrook.example', titlecase: 'true' };

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
      {
        method: 'GET',
        path: '/v5/person/enrich',
        query,
        reply: {
          body: { status: 200, likelihood: 8, data: { id: 'p-1', full_name: 'Ada Okafor', ...data } },
        },
      },
    ],
    miss,
    skipped: { first_name: 'Ada', last_name: 'Okafor' },
  };
}

export const peopleDataLabs: VendorFixture = {
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
          {
            number: '+12125550143',
            country: 'US',
            line_type: 'mobile',
            line_status: 'unknown',
            source: 'people-data-labs',
          },
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
      { profile: ADA_PROFILE, titlecase: 'true' },
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
        {
          method: 'GET',
          path: '/v5/company/enrich',
          query: { website: 'halbrook.example', titlecase: 'true' },
          reply: {
            body: {
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
          },
        },
      ],
      miss,
      skipped: {},
    },
  },
  badKey: { status: 401, body: { status: 401, error: { type: 'authentication_error' } } },
  noCredits: { status: 402, body: { status: 402, error: { type: 'payment_required' } } },
  rate: { status: 429, body: { status: 429, error: { type: 'rate_limit_error' } } },
};
