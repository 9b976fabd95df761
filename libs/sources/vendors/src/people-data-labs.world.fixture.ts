import type { CompanyRecord, PersonRecord } from '@quarry/directory';
import type { SimulatedVendorCall, VendorReply } from '@quarry/test-servers';

type Raw = Record<string, unknown>;
type Query = Record<string, Record<string, unknown>>;

/** Simulated companies and people of the vendor. Supports the part of Elasticsearch that the searches use. */
export class PeopleDataLabsWorld {
  private readonly companies: Raw[];
  private readonly people: Raw[];

  constructor(companies: readonly CompanyRecord[], people: readonly PersonRecord[]) {
    this.companies = companies.map(companyRaw);
    this.people = people.map(personRaw);
  }

  reply({ path, body }: SimulatedVendorCall): VendorReply | null {
    const rows = { '/v5/company/search': this.companies, '/v5/person/search': this.people }[path];
    if (!rows) return null;
    const {
      query,
      size,
      scroll_token: token,
    } = body as { query: Query; size: number; scroll_token?: string };
    const found = rows.filter((row) => holds(row, query));
    const from = Number(token ?? 0);
    // Names keep their case, as requested.
    const data = found
      .slice(from, from + size)
      .map(({ written, ...row }) => ({ ...row, ...(written as Raw) }));
    if (data.length === 0) return { status: 404, body: { status: 404, error: { type: 'not_found' } } };
    const next = from + size < found.length ? { scroll_token: String(from + size) } : {};
    return { body: { status: 200, data, total: found.length, ...next } };
  }
}

const lower = (text: string | null): string | null => text?.toLowerCase() ?? null;

function companyRaw(company: CompanyRecord): Raw {
  const { name, domain, linkedin_url, industry, city, state, country, ownership } = company;
  return {
    id: company.id,
    name: lower(name),
    display_name: name,
    website: domain,
    linkedin_url: linkedin_url?.replace('https://www.', '') ?? null,
    industry: lower(industry),
    employee_count: company.headcount,
    founded: company.founded_year,
    type: ownership,
    latest_funding_stage: company.funding_stage,
    total_funding_raised: company.funding_amount_usd,
    tags: company.keywords,
    summary: company.description,
    location: { locality: lower(city), region: lower(state), country: lower(country) },
  };
}

const LEVELS: Readonly<Record<string, string>> = {
  founder: 'owner',
  c_level: 'cxo',
  head: 'director',
  intern: 'training',
};

/** Departments for which the vendor has the same word, and one for which it has another. */
const ROLES = new Map([
  ...['engineering', 'sales', 'marketing', 'finance', 'legal', 'operations', 'product', 'research'].map(
    (id) => [id, id] as const,
  ),
  ['people', 'human_resources'],
]);

function personRaw(person: PersonRecord): Raw {
  const { company } = person;
  return {
    written: { full_name: person.full_name },
    id: person.id,
    full_name: lower(person.full_name),
    linkedin_url: person.linkedin_url,
    first_name: person.first_name,
    last_name: person.last_name,
    job_title: lower(person.title),
    job_title_levels: person.seniority ? [LEVELS[person.seniority] ?? person.seniority] : [],
    job_title_role: ROLES.get(person.department ?? '') ?? null,
    location_locality: lower(person.city),
    location_region: lower(person.state),
    location_country: lower(person.country),
    job_company_id: company.id,
    job_company_name: lower(company.name),
    job_company_website: company.domain,
    job_company_industry: lower(company.industry),
    job_company_founded: company.founded_year,
    job_company_employee_count: company.headcount,
    job_company_location_locality: lower(company.city),
    job_company_location_region: lower(company.state),
    job_company_location_country: lower(company.country),
    experience: [],
    education: [],
  };
}

function at(row: Raw, field: string): unknown[] {
  const value = field.split('.').reduce<unknown>((inner, key) => (inner as Raw | null)?.[key], row);
  return [value].flat().filter((each) => each !== null && each !== undefined);
}

/** @throws Error for query types that the searches do not use */
function holds(row: Raw, query: Query): boolean {
  const [[kind, inner]] = Object.entries(query) as [[string, Record<string, unknown>]];
  if (kind === 'match_all') return true;
  if (kind === 'bool') {
    const { filter = [], should = [], must_not: not = [] } = inner as Record<string, Query[]>;
    const isOne = should.length === 0 || should.some((each) => holds(row, each));
    return isOne && filter.every((each) => holds(row, each)) && !not.some((each) => holds(row, each));
  }
  if (kind === 'exists') return at(row, inner.field as string).length > 0;
  const [[field, wanted]] = Object.entries(inner) as [[string, never]];
  const cells = at(row, field);
  if (kind === 'terms') return cells.some((cell) => (wanted as unknown[]).includes(cell));
  if (kind === 'range') {
    const { gte = -Infinity, lte = Infinity } = wanted as { gte?: number; lte?: number };
    return cells.some((cell) => Number(cell) >= Number(gte) && Number(cell) <= Number(lte));
  }
  if (kind === 'match') {
    const words = String(cells[0] ?? '').split(/\W+/);
    return (wanted as { query: string }).query.split(' ').every((word) => words.includes(word));
  }
  throw new Error(`No such query: ${kind}`);
}
