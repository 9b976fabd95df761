import {
  type CompanyDirectory,
  type CompanyKey,
  companyMatches,
  type CompanyQuery,
  type CompanyRecord,
  type DirectoryAnswer,
  type DirectorySearchOptions,
  type PeopleDirectory,
  type PeopleQuery,
  type PersonKey,
  personMatches,
  type PersonRecord,
} from '@quarry/directory';
import { foldText } from '@quarry/vocabulary';
import { linkedInSlug } from '@quarry/dto';
import { hostOf, capPerCompany, compareCompanies, comparePeople } from '@quarry/extraction';
import { generateCompanies } from './company.generator.js';
import { generatePeople } from './person.generator.js';
import { createRandom } from './random.js';
import { slugOf, slugOfName } from './slug.js';
import type { WholeCompany, WholePerson } from './whole-record.js';

/** Sizes of the sandbox and the seed it is generated from. Source: docs/contract.md#control-domains. */
export const SANDBOX_COMPANY_COUNT = 5000;
export const SANDBOX_PERSON_COUNT = 20_000;
const SANDBOX_SEED = 0x51_55_41_52;
const PROVIDER = 'sandbox';

/**
 * Fictional directory with about 25,000 records. They are generated on first use and cached for the lifetime of the
 * process.
 */
export class SandboxDirectory implements CompanyDirectory, PeopleDirectory {
  readonly provider = PROVIDER;

  /** @returns all companies, ordered by id */
  companies(): readonly WholeCompany[] {
    return this.openContents().companies;
  }

  /** @returns all people, ordered by id */
  people(): readonly WholePerson[] {
    return this.openContents().people;
  }

  async searchCompanies(
    query: CompanyQuery,
    options: DirectorySearchOptions<CompanyRecord>,
  ): Promise<DirectoryAnswer<CompanyRecord>> {
    const { sort } = options;
    const found = this.openContents().companiesInOrder.filter((company) => companyMatches(company, query));
    if (sort) found.sort((a, b) => compareCompanies(a, b, sort));
    return pageOf(found, options);
  }

  async searchPeople(
    query: PeopleQuery,
    options: DirectorySearchOptions<PersonRecord>,
  ): Promise<DirectoryAnswer<PersonRecord>> {
    const { sort } = options;
    const found = this.openContents().peopleInOrder.filter((person) => personMatches(person, query));
    if (sort) found.sort((a, b) => comparePeople(a, b, sort));
    const kept = options.exclude ? found.filter((person) => !options.exclude?.(person)) : found;
    const capped = query.per_company === undefined ? kept : capPerCompany(kept, query.per_company);
    return pageOf(capped, { limit: options.limit, offset: options.offset ?? 0 });
  }

  personOf(key: PersonKey): WholePerson | null {
    const { personBySlug, peopleByCompany } = this.openContents();
    if (key.linkedin_url !== undefined)
      return personBySlug.get(linkedInSlug('people', key.linkedin_url) ?? '') ?? null;
    if (key.first_name === undefined || key.last_name === undefined) return null;
    const company = this.companyOf(
      key.domain === undefined ? { name: key.company ?? '' } : { domain: key.domain },
    );
    const name = foldText(`${key.first_name} ${key.last_name}`);
    return (
      peopleByCompany.get(company?.id ?? '')?.find((person) => foldText(person.full_name) === name) ?? null
    );
  }

  companyOf(key: CompanyKey): WholeCompany | null {
    const { companyByKey } = this.openContents();
    if (key.domain !== undefined) return companyByKey.get(`domain:${hostOf(key.domain)}`) ?? null;
    if (key.linkedin_url !== undefined)
      return companyByKey.get(`slug:${linkedInSlug('companies', key.linkedin_url)}`) ?? null;
    return key.name === undefined ? null : (companyByKey.get(`name:${slugOf(key.name)}`) ?? null);
  }

  private openContents(): DirectoryContents {
    return (contents ??= generateDirectory());
  }
}

/**
 * Contents shared by all directories of a process: they are identical, and take a quarter of a second and some memory to
 * generate.
 */
let contents: DirectoryContents | null = null;

interface DirectoryContents {
  readonly companies: readonly WholeCompany[];
  readonly people: readonly WholePerson[];
  /** Records in the default order of a search, so that searches without a sort need not sort their matches. */
  readonly companiesInOrder: readonly WholeCompany[];
  readonly peopleInOrder: readonly WholePerson[];
  readonly companyByKey: ReadonlyMap<string, WholeCompany>;
  readonly personBySlug: ReadonlyMap<string, WholePerson>;
  readonly peopleByCompany: ReadonlyMap<string, readonly WholePerson[]>;
}

function generateDirectory(): DirectoryContents {
  const random = createRandom(SANDBOX_SEED);
  const companies = generateCompanies(SANDBOX_COMPANY_COUNT, random);
  const people = generatePeople(companies, SANDBOX_PERSON_COUNT, random);
  return {
    companies,
    people,
    companiesInOrder: companies.toSorted((a, b) => compareCompanies(a, b, undefined)),
    peopleInOrder: people.toSorted((a, b) => comparePeople(a, b, undefined)),
    companyByKey: new Map(
      companies.flatMap((company) => companyKeys(company).map((key) => [key, company] as const)),
    ),
    personBySlug: new Map(people.map((person) => [linkedInSlug('people', person.linkedin_url)!, person])),
    peopleByCompany: byCompany(people),
  };
}

function byCompany(people: readonly WholePerson[]): Map<string, WholePerson[]> {
  const groups = new Map<string, WholePerson[]>();
  for (const person of people) {
    const group = groups.get(person.company.id);
    if (group) group.push(person);
    else groups.set(person.company.id, [person]);
  }
  return groups;
}

function companyKeys(company: WholeCompany): string[] {
  return [
    `domain:${company.domain}`,
    `slug:${linkedInSlug('companies', company.linkedin_url)}`,
    `name:${slugOfName(company.name)}`,
  ];
}

function pageOf<T>(found: readonly T[], options: DirectorySearchOptions<T>): DirectoryAnswer<T> {
  const { limit, offset = 0, exclude } = options;
  const kept = exclude ? found.filter((item) => !exclude(item)) : found;
  return { provider: PROVIDER, items: kept.slice(offset, offset + limit), total: kept.length };
}
