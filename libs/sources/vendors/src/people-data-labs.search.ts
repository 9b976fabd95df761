import type { CompanyFilters, NumberRange, PersonFilters } from '@quarry/directory';
import { type DepartmentId, foldText, type Role, type SeniorityId } from '@quarry/vocabulary';
import { z } from 'zod';
import { listOf } from '@quarry/engine';
import { departmentIn, seniorityIn, companyOf, personOf, namesOf } from '@quarry/extraction';
import {
  careerOf,
  COMPANY_FIELDS,
  numberOrNull,
  textsOf,
  number,
  PERSON_FIELDS,
  textOrNull,
  text,
  webAddressOf,
} from './people-data-labs.fields.js';
import { industryNames } from './search-industries.js';
import { placeNames } from './search-places.js';
import {
  filtersBeyond,
  translateFilters,
  type Clause,
  type FilterWords,
  type TranslatedQuery,
} from './search-words.js';
import { defineSearch, type PageAsk, type VendorSearch, type VendorSearchName } from './vendor-search.js';
import type { VendorRequest } from './vendor.js';

// Fields and their types are those of the vendor's Elasticsearch mappings (docs/elasticsearch-mapping-company and
// docs/elasticsearch-mapping); texts are lower-case keywords. Values are those of its canonical lists.

/** Query of Elasticsearch 7. */
type Query = Readonly<Record<string, unknown>>;

const terms = (field: string, values: readonly string[]): Query => ({ terms: { [field]: values } });
const all = (filter: readonly Query[]): Query => ({ bool: { filter } });
const any = (should: readonly Query[]): Query =>
  should.length === 1 ? should[0]! : { bool: { should, minimum_should_match: 1 } };
const exact = (part: Query): Clause<Query> => ({ part, isExact: true });
const lower = (values: readonly string[]): string[] => values.map((value) => value.trim().toLowerCase());

/** @param write formats a bound: years are dates there */
const within =
  (field: string, write: (bound: number) => number | string = (bound) => bound) =>
  (ranges: readonly NumberRange[]): Clause<Query> =>
    exact(
      any(
        ranges.map(({ min, max }) =>
          min === null && max === null
            ? { exists: { field } }
            : {
                range: {
                  [field]: {
                    ...(min === null ? {} : { gte: write(min) }),
                    ...(max === null ? {} : { lte: write(max) }),
                  },
                },
              },
        ),
      ),
    );

const inPlace = (
  fields: Readonly<Record<'country' | 'region' | 'locality', string>>,
): NonNullable<FilterWords<CompanyFilters, Query>['places']> => {
  return (places) =>
    exact(
      any(
        places.map((place) => {
          const { countries, state, cities } = placeNames(place);
          return all([
            terms(fields.country, countries),
            ...(state === null ? [] : [terms(fields.region, [state])]),
            ...(cities.length === 0 ? [] : [terms(fields.locality, cities)]),
          ]);
        }),
      ),
    );
};

/** Canonical names of funding rounds; a company without funding has none. */
const STAGES: Readonly<Record<string, readonly string[]>> = {
  pre_seed: ['pre_seed'],
  seed: ['seed'],
  series_a: ['series_a'],
  series_b: ['series_b'],
  series_c: ['series_c'],
  series_d_plus: ['series_d', 'series_e', 'series_f'],
};

const COMPANY_WORDS: FilterWords<CompanyFilters, Query> = {
  names: (names) => exact(terms('name', lower(names))),
  domains: (domains) => exact(terms('website', lower(domains))),
  industries: (ids) => exact(terms('industry', industryNames(ids))),
  places: inPlace({ country: 'location.country', region: 'location.region', locality: 'location.locality' }),
  headcount: within('employee_count'),
  founded: within('founded', String),
  funding_stages: (ids) => {
    const stages = ids.flatMap((id) => STAGES[id] ?? []);
    return ids.every((id) => STAGES[id]) ? exact(terms('latest_funding_stage', stages)) : null;
  },
  funding_amount_usd: within('total_funding_raised'),
  // Those of its types (private, public, nonprofit, educational, government …) that are in the vocabulary.
  ownerships: (ids) => exact(terms('type', ids)),
};

/** Headcount bands of a person's employer. */
const SIZES: ReadonlyArray<readonly [least: number, greatest: number]> = [
  [1, 10],
  [11, 50],
  [51, 200],
  [201, 500],
  [501, 1000],
  [1001, 5000],
  [5001, 10_000],
];
const OPEN_SIZE = { least: 10_001, name: '10001+' };

/** Matches an employer whose exact number is in the range, or whose band lies completely in it, like an imported size. */
function employerSize(ranges: readonly NumberRange[]): Clause<Query> {
  const bands = ranges.flatMap(({ min, max }) => [
    ...SIZES.filter(([least, greatest]) => (min ?? 0) <= least && (max ?? Infinity) >= greatest).map((each) =>
      each.join('-'),
    ),
    ...((min ?? 0) <= OPEN_SIZE.least && max === null ? [OPEN_SIZE.name] : []),
  ]);
  const { part } = within('job_company_employee_count')(ranges);
  return exact(bands.length === 0 ? part : any([part, terms('job_company_size', bands)]));
}

/** Filters of the current employer, on the fields that a person's record has of it. */
const EMPLOYER_WORDS: FilterWords<CompanyFilters, Query> = {
  names: (names) => exact(terms('job_company_name', lower(names))),
  domains: (domains) => exact(terms('job_company_website', lower(domains))),
  industries: (ids) => exact(terms('job_company_industry', industryNames(ids))),
  places: inPlace({
    country: 'job_company_location_country',
    region: 'job_company_location_region',
    locality: 'job_company_location_locality',
  }),
  headcount: employerSize,
  founded: within('job_company_founded', String),
};

/** Canonical seniority levels. */
const LEVELS = ['owner', 'partner', 'cxo', 'vp', 'director', 'manager', 'senior', 'entry', 'training'];
/** Canonical roles, from the list in use since February 2025. */
const ROLES =
  `advisory analyst creative education engineering finance fulfillment health hospitality human_resources legal
  manufacturing marketing operations partnerships product professional_service public_service research sales
  sales_engineering support trade`.split(/\s+/);

const levelsOf = (ids: readonly SeniorityId[]): string[] =>
  LEVELS.filter((level) => ids.includes(seniorityIn(level)!));
const rolesOf = (ids: readonly DepartmentId[]): string[] =>
  ROLES.filter((role) => ids.includes(departmentIn(role)!));
const titled = (words: string): Query => ({ match: { job_title: { query: words, operator: 'and' } } });

/** Filters departments only if the vendor has roles for all of them; otherwise the titles of the records decide. */
function roleClause({ seniorities, departments, titleWords }: Role): Query {
  const levels = levelsOf(seniorities);
  // The vendor has no such level: it classifies a head as a director or a manager, so the title is matched instead.
  const heads = seniorities.includes('head') ? [titled('head')] : [];
  return all([
    ...(seniorities.length === 0
      ? []
      : [any([...heads, ...(levels.length === 0 ? [] : [terms('job_title_levels', levels)])])]),
    ...(departments.length > 0 && departments.every((id) => rolesOf([id]).length > 0)
      ? [terms('job_title_role', rolesOf(departments))]
      : []),
    ...(titleWords.length > 0 ? [titled(titleWords.join(' '))] : []),
  ]);
}

const PERSON_WORDS: FilterWords<PersonFilters, Query> = {
  names: (names) => exact(terms('full_name', [...new Set([...lower(names), ...names.map(foldText)])])),
  roles: (roles) => ({ part: any(roles.map(roleClause)), isExact: false }),
  places: inPlace({ country: 'location_country', region: 'location_region', locality: 'location_locality' }),
};

/** Returns the exclusions that can be translated completely; the others are checked on the records. */
function ruledOut<Filters extends object>(
  not: readonly Filters[] | undefined,
  words: FilterWords<Filters, Query>,
): Query[] {
  return (not ?? []).flatMap((filters) => {
    const translated = translateFilters(filters, words);
    const isWhole = translated.exact.length === namesOf(filters).length && translated.parts.length > 0;
    return isWhole ? [all(translated.parts)] : [];
  });
}

function bodyOf(translated: ReadonlyArray<TranslatedQuery<Query>>, not: readonly Query[]): Query {
  const filter = translated.flatMap(({ parts }) => parts);
  if (filter.length + not.length === 0) return { match_all: {} };
  return { bool: { filter, ...(not.length === 0 ? {} : { must_not: not }) } };
}

/**
 * Creates the request for a page: `scroll_token` leads to the next one. Names are in lower case unless requested otherwise.
 */
const requestOf =
  (path: string) =>
  (words: Query, { size, cursor }: PageAsk): VendorRequest => ({
    method: 'POST',
    path,
    body: { query: words, size, titlecase: true, ...(cursor === null ? {} : { scroll_token: cursor }) },
  });

const answerOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ data: listOf(item), total: z.int().min(0), scroll_token: z.string().nullish() });

const idOf = (value: unknown): string | null =>
  textOrNull(value) === null ? null : `pdl_${textOrNull(value)}`;

const company = z.object({
  ...COMPANY_FIELDS,
  id: text,
  type: text,
  size: text,
  employee_count: number,
  founded: number,
  latest_funding_stage: text,
  total_funding_raised: number,
});
const person = z.object({
  ...PERSON_FIELDS,
  id: text,
  job_company_id: text,
  job_company_size: text,
  job_company_employee_count: number,
});

const pageOf = <Raw, Found>(
  { data, total, scroll_token }: { data: Raw[]; total: number; scroll_token?: string | null | undefined },
  { size }: PageAsk,
  recordOf: (raw: Raw) => Found,
) => ({
  // No more records are used than were requested and paid for.
  found: data.slice(0, size).map(recordOf),
  total,
  next: data.length < size ? null : (scroll_token ?? null),
});

/**
 * Returns the price: one credit per returned record, whether it is used or not. Source: docs/reference-company-search-api.
 */
const cost = ({ data }: { data: readonly unknown[] }) => ({ unit: 'pdl_credit', amount: data.length });
const shared = {
  price: '1 credit for each record that comes',
  // Limit of a paid account. Source: docs/reference-company-search-api, Rate limiting.
  limits: { perMinute: 10 },
  pageMax: 100,
};

/** Company and people search of the vendor, with version 5 of its search API. */
export const PEOPLE_DATA_LABS_SEARCHES: Readonly<Record<VendorSearchName, VendorSearch>> = {
  searchCompanies: defineSearch('searchCompanies', {
    ...shared,
    needs: 'name, domain, industry, place, headcount, year, funding, public or private',
    query: (query) => {
      const own = translateFilters(query, COMPANY_WORDS);
      const not = ruledOut(query.not, COMPANY_WORDS);
      return {
        words: bodyOf([own], not),
        exact: own.exact,
        exactOfCompany: [],
        saysNot: not.length === (query.not ?? []).length,
        unanswerable: filtersBeyond(query, COMPANY_WORDS),
      };
    },
    request: requestOf('/v5/company/search'),
    answer: answerOf(company),
    page: (answer, ask) =>
      pageOf(answer, ask, (found) =>
        companyOf({
          id: idOf(found.id),
          name: textOrNull(found.display_name) ?? textOrNull(found.name),
          domain: textOrNull(found.website),
          website: webAddressOf(found.website),
          linkedin_url: textOrNull(found.linkedin_url),
          industry: textOrNull(found.industry),
          description: textOrNull(found.summary),
          city: textOrNull(found.location?.locality),
          state: textOrNull(found.location?.region),
          country: textOrNull(found.location?.country),
          headcount: numberOrNull(found.employee_count),
          size: textOrNull(found.size),
          founded_year: numberOrNull(found.founded),
          funding_stage: textOrNull(found.latest_funding_stage),
          funding_amount_usd: numberOrNull(found.total_funding_raised),
          ownership: textOrNull(found.type),
          keywords: textsOf(found.tags),
        }),
      ),
    cost,
  }),
  searchPeople: defineSearch('searchPeople', {
    ...shared,
    // A person with a long history has about 20 kB, and at most 1 MiB of a response is read.
    pageMax: 25,
    needs: 'name, role, place; employer by name, domain, industry, place, headcount, year',
    query: (query) => {
      const { company: employer = {} } = query;
      const [own, ofCompany] = [
        translateFilters(query, PERSON_WORDS),
        translateFilters(employer, EMPLOYER_WORDS),
      ];
      const not = [...ruledOut(query.not, PERSON_WORDS), ...ruledOut(employer.not, EMPLOYER_WORDS)];
      return {
        words: bodyOf([own, ofCompany], not),
        exact: own.exact,
        exactOfCompany: ofCompany.exact,
        saysNot: not.length === (query.not ?? []).length + (employer.not ?? []).length,
        unanswerable: filtersBeyond(employer, EMPLOYER_WORDS).map((each) => `company_${each}`),
      };
    },
    request: requestOf('/v5/person/search'),
    answer: answerOf(person),
    page: (answer, ask) =>
      pageOf(answer, ask, (found) =>
        personOf({
          id: idOf(found.id),
          full_name: textOrNull(found.full_name),
          first_name: textOrNull(found.first_name),
          last_name: textOrNull(found.last_name),
          title: textOrNull(found.job_title),
          seniority: textsOf(found.job_title_levels).join(';'),
          department: textOrNull(found.job_title_role),
          linkedin_url: textOrNull(found.linkedin_url),
          city: textOrNull(found.location_locality),
          state: textOrNull(found.location_region),
          country: textOrNull(found.location_country),
          ...careerOf(found),
          company_id: idOf(found.job_company_id),
          company_name: textOrNull(found.job_company_name),
          company_domain: textOrNull(found.job_company_website),
          company_website: webAddressOf(found.job_company_website),
          company_linkedin_url: textOrNull(found.job_company_linkedin_url),
          company_industry: textOrNull(found.job_company_industry),
          company_founded_year: numberOrNull(found.job_company_founded),
          company_headcount: numberOrNull(found.job_company_employee_count),
          company_size: textOrNull(found.job_company_size),
          company_city: textOrNull(found.job_company_location_locality),
          company_state: textOrNull(found.job_company_location_region),
          company_country: textOrNull(found.job_company_location_country),
        }),
      ),
    cost,
  }),
};
