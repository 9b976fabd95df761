import type { CompanyRecord, PersonRecord } from '@quarry/directory';
import type { VendorReply } from '@quarry/test-servers';
import type { Cost } from '@quarry/engine';
import { posted, type SearchFixture } from './fixtures.fixture.js';

/** Creates a company whose unspecified fields are unknown. */
export function companyRecord(known: Partial<CompanyRecord>): CompanyRecord {
  return {
    id: '',
    name: '',
    domain: null,
    website: null,
    linkedin_url: null,
    industry_id: null,
    industry: null,
    description: null,
    city: null,
    state: null,
    country: null,
    country_code: null,
    headcount: null,
    founded_year: null,
    funding_stage: null,
    funding_amount_usd: null,
    revenue_usd: null,
    business_model: null,
    ownership: null,
    technologies: [],
    keywords: [],
    is_hiring: null,
    hiring_departments: [],
    phone: null,
    ...known,
  };
}

/** Creates a person with values of the vocabulary. */
export function personRecord(
  known: Partial<Omit<PersonRecord, 'company'>> & { company: CompanyRecord },
): PersonRecord {
  return {
    id: '',
    first_name: '',
    last_name: '',
    full_name: '',
    title: null,
    seniority: null,
    department: null,
    city: null,
    state: null,
    country: null,
    country_code: null,
    linkedin_url: null,
    experiences: [],
    educations: [],
    ...known,
  };
}

/** @returns one call as in the vendor's reference */
export function requestOf(
  path: string,
  sent: unknown,
  parts: {
    input: Record<string, unknown>;
    output: Record<string, unknown>;
    cost: Cost | null;
    reply: unknown;
    miss: VendorReply;
    missed: Record<string, unknown>;
  },
): SearchFixture {
  const { reply, ...others } = parts;
  return { ...others, found: [posted(path, sent, reply)], skipped: null };
}
