import { companyValues, type CompanyRecord, type PersonRecord } from '@quarry/directory';
import type { SimulatedVendorCall, VendorReply } from '@quarry/test-servers';

type Raw = Record<string, unknown>;
interface Body {
  page: number;
  per_page: number;
  domains?: string[];
  details?: Array<{ id: string }>;
  organization_locations?: string[];
  person_locations?: string[];
  organization_num_employees_ranges?: string[];
  q_organization_domains_list?: string[];
  q_organization_keyword_tags?: string[];
  organization_num_jobs_range?: { min: number };
  person_seniorities?: string[];
}

const LEVELS: Readonly<Record<string, string>> = { c_level: 'c_suite' };

/**
 * Simulated companies and people of the vendor: found by the parameters of its searches, and complete only when requested
 * by key.
 */
export class ApolloWorld {
  constructor(
    private readonly companies: readonly CompanyRecord[],
    private readonly people: readonly PersonRecord[],
  ) {}

  reply({ path, body }: SimulatedVendorCall): VendorReply | null {
    const query = body as Body;
    const from = (query.page - 1) * query.per_page;
    const pageOf = <T>(found: readonly T[]): T[] => found.slice(from, from + query.per_page);
    switch (path) {
      case '/api/v1/mixed_companies/search': {
        const found = this.companies.filter((each) => isFound(each, query));
        const organizations = pageOf(found).map(({ id, name, domain }) => ({
          id,
          name,
          primary_domain: domain,
        }));
        return { body: { organizations, pagination: { total_entries: found.length } } };
      }
      case '/api/v1/organizations/bulk_enrich': {
        const byDomain = new Map(this.companies.map((each) => [each.domain, each]));
        const organizations = query.domains!.map((domain) => organizationRaw(byDomain.get(domain)!));
        return { body: { status: 'success', organizations } };
      }
      case '/api/v1/mixed_people/api_search': {
        const found = this.people.filter((each) => isFoundPerson(each, query));
        const people = pageOf(found).map(({ id, first_name, title }) => ({
          id,
          first_name,
          title,
          last_name_obfuscated: 'Ok***r',
        }));
        return { body: { people, total_entries: found.length } };
      }
      case '/api/v1/people/bulk_match': {
        const byId = new Map(this.people.map((each) => [each.id, each]));
        const matches = query.details!.map(({ id }) => personRaw(byId.get(id)!));
        return { body: { matches, credits_consumed: matches.length } };
      }
      default:
        return null;
    }
  }
}

function isFound(company: CompanyRecord, query: Body): boolean {
  const { organization_locations: locations, organization_num_employees_ranges: ranges } = query;
  const { q_organization_domains_list: domains, q_organization_keyword_tags: tags } = query;
  const size = company.headcount ?? 0;
  return (
    (!locations || locations.some((each) => isAt(each, company))) &&
    (!domains || domains.includes(company.domain!)) &&
    (!tags || tags.includes(company.industry?.toLowerCase() ?? '')) &&
    (!query.organization_num_jobs_range || company.is_hiring === true) &&
    (!ranges || ranges.map((each) => each.split(',').map(Number)).some(([a, b]) => size >= a! && size <= b!))
  );
}

function isFoundPerson(person: PersonRecord, query: Body): boolean {
  const { person_locations: locations, person_seniorities: levels } = query;
  const level = LEVELS[person.seniority ?? ''] ?? person.seniority;
  return (
    isFound(person.company, { ...query, q_organization_keyword_tags: undefined } as unknown as Body) &&
    (!locations || locations.some((each) => isAt(each, person))) &&
    (!levels || levels.includes(level ?? ''))
  );
}

function isAt(location: string, { city, state, country }: CompanyRecord | PersonRecord): boolean {
  const parts = location.split(', ');
  const own = [city, state, country].map((each) => each?.toLowerCase());
  return parts.every((part) => own.includes(part));
}

function organizationRaw(company: CompanyRecord): Raw {
  const values = companyValues(company);
  return {
    id: company.id,
    name: company.name,
    primary_domain: company.domain,
    industry: company.industry,
    website_url: company.website,
    linkedin_url: company.linkedin_url,
    keywords: company.keywords,
    estimated_num_employees: company.headcount,
    founded_year: company.founded_year,
    annual_revenue: company.revenue_usd,
    total_funding: company.funding_amount_usd,
    latest_funding_stage: values.funding_stage,
    technology_names: values.technologies,
    city: company.city,
    state: company.state,
    country: company.country,
    publicly_traded_symbol: company.ownership === 'public' ? 'HLBK' : null,
  };
}

function personRaw({ company, seniority, ...person }: PersonRecord): Raw {
  return {
    id: person.id,
    first_name: person.first_name,
    last_name: person.last_name,
    name: person.full_name,
    title: person.title,
    seniority: LEVELS[seniority ?? ''] ?? seniority,
    linkedin_url: person.linkedin_url,
    city: person.city,
    state: person.state,
    country: person.country,
    organization: organizationRaw(company),
    employment_history: [],
  };
}
