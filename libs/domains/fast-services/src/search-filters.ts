import { excerpt } from '@quarry/error-codes';
import { COMPANY_ATTRIBUTES, type CompanyQuery, type NumberRange, type PeopleQuery } from '@quarry/directory';
import {
  citiesNamed,
  countryNamed,
  departmentNamed,
  industriesNamed,
  NEAREST_WORDS,
  roleNamed,
  seniorityNamed,
  type Place,
  type Role,
} from '@quarry/vocabulary';
import type { Fault } from '@quarry/dto';
import type { DirectorySearchCall } from '@quarry/engine';

export interface ReadFilters {
  /** Null if the service is not a search. */
  wanted: DirectorySearchCall['wanted'] | null;
  /** Values that are not in the vocabulary. */
  faults: Fault[];
}

/** Validated input of a search. */
type Input = Readonly<Record<string, unknown>>;

/**
 * Translates an input into the product's vocabulary. An unknown value is a fault: for a typo, an empty result would
 * suggest that there are no matches.
 */
export function readFilters(service: string, input: Input): ReadFilters {
  const words = new VocabularyReader(input);
  const wanted = wantedBy(service, input, words);
  return { wanted, faults: words.faults };
}

function wantedBy(
  service: string,
  input: Input,
  words: VocabularyReader,
): DirectorySearchCall['wanted'] | null {
  if (service === 'searchCompanies') return { entity: 'company', query: companyQuery(input, words) };
  if (service === 'searchPeople') return { entity: 'person', query: peopleQuery(input, words) };
  return null;
}

function companyQuery(input: Input, words: VocabularyReader): CompanyQuery {
  return givenFilters({
    ...aboutCompany(input, words),
    places: placesOf(words),
    names: input.names,
    domains: domainsOf(input.domains),
  });
}

function peopleQuery(input: Input, words: VocabularyReader): PeopleQuery {
  const company: CompanyQuery = givenFilters({
    ...aboutCompany(input, words),
    names: input.company_names,
    domains: domainsOf(input.company_domains),
  });
  return givenFilters({ roles: rolesOf(words), places: placesOf(words), names: input.names, company });
}

function aboutCompany(input: Input, words: VocabularyReader): Record<string, unknown> {
  return {
    industries: words.readValues('industries', industriesNamed, 'industry', NEAREST_WORDS.industries),
    ...rangesOf(input),
  };
}

/** Combines countries and cities: only the given cities in the given countries. */
function placesOf(words: VocabularyReader): readonly Place[] | undefined {
  const countries = words.readValues(
    'countries',
    (text) => listOf(countryNamed(text)),
    'country',
    NEAREST_WORDS.countries,
  );
  const cities = words.readValues('cities', citiesNamed, 'city', NEAREST_WORDS.cities);
  if (!countries || !cities) return cities ?? countries;
  // Ids of cities start with the code of their country.
  return cities.filter((city) => countries.some((country) => city.id.startsWith(`${country.id}-`)));
}

/** Combines roles, seniorities and departments: each role is restricted to the given seniorities and departments. */
function rolesOf(words: VocabularyReader): readonly Role[] | undefined {
  const roles = words.readValues('roles', (text) => listOf(roleNamed(text)), 'role');
  const seniorities = words.readValues(
    'seniorities',
    (text) => listOf(seniorityNamed(text)),
    'seniority',
    NEAREST_WORDS.seniorities,
  );
  const departments = words.readValues(
    'departments',
    (text) => listOf(departmentNamed(text)),
    'department',
    NEAREST_WORDS.departments,
  );
  if (!roles && !seniorities && !departments) return undefined;
  const anyone: Role = { name: 'anyone', seniorities: [], departments: [], titleWords: [] };
  return (roles ?? [anyone]).flatMap((role) => {
    const narrowed = {
      ...role,
      seniorities: commonValues(role.seniorities, seniorities),
      departments: commonValues(role.departments, departments),
    };
    return narrowed.seniorities && narrowed.departments ? [narrowed as Role] : [];
  });
}

/** @returns the values that both allow, where an empty list allows all; null if they have none in common */
function commonValues<T>(ofRole: readonly T[], named: readonly T[] | undefined): readonly T[] | null {
  if (!named) return ofRole;
  if (ofRole.length === 0) return named;
  const both = ofRole.filter((each) => named.includes(each));
  return both.length > 0 ? both : null;
}

/** Returns `<name>_min` and `<name>_max` of every numeric filter of the searches, by filter name. */
function rangesOf(input: Input): Record<string, unknown> {
  const ranges = COMPANY_ATTRIBUTES.flatMap(({ filters, search }) =>
    search && 'least' in search
      ? Object.keys(filters).map((filter) => [
          filter,
          rangeOf(input[`${search.name}_min`], input[`${search.name}_max`]),
        ])
      : [],
  );
  return Object.fromEntries(ranges) as Record<string, unknown>;
}

function rangeOf(min: unknown, max: unknown): NumberRange[] | undefined {
  if (min === undefined && max === undefined) return undefined;
  return [{ min: (min as number | undefined) ?? null, max: (max as number | undefined) ?? null }];
}

/** Normalises domains; an email address also stands for its domain. */
function domainsOf(values: unknown): string[] | undefined {
  return (values as string[] | undefined)?.map((value) =>
    value
      .toLowerCase()
      .replace(/^[a-z]+:\/\//, '')
      .replace(/^www\./, '')
      .replace(/[/?#:].*$/, ''),
  );
}

function listOf<T>(value: T | null): T[] {
  return value === null ? [] : [value];
}

/** @returns the given filters only, because an undefined attribute would count as one */
function givenFilters<Query>(filters: Record<string, unknown>): Query {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)) as Query;
}

/** Reads lists of words, and collects the unknown ones. */
class VocabularyReader {
  readonly faults: Fault[] = [];

  constructor(private readonly input: Input) {}

  /** @returns every meaning of the filter's words; undefined if the filter is not given */
  readValues<T>(
    filter: string,
    meanings: (text: string) => readonly T[],
    noun: string,
    nearest: (text: string) => readonly string[] = () => [],
  ): T[] | undefined {
    const texts = this.input[filter] as string[] | undefined;
    return texts?.flatMap((text, i) => {
      const found = meanings(text);
      if (found.length === 0) {
        const near = nearest(text);
        const hint = near.length === 0 ? '' : `; the nearest: ${near.join(', ')}`;
        this.faults.push({
          path: [filter, i],
          message: `${filter}[${i}]: unknown ${noun} ${JSON.stringify(excerpt(text))}${hint}`,
        });
      }
      return found;
    });
  }
}
