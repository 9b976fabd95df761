import type {
  CompanyFilters,
  CompanyQuery,
  CompanyRecord,
  NumberRange,
  PersonFilters,
} from '@quarry/directory';
import { DEPARTMENTS, type Place, type Role, TECHNOLOGIES } from '@quarry/vocabulary';
import { registrableDomain } from '@quarry/dto';
import { z } from 'zod';
import { listOf } from '@quarry/engine';
import { seniorityIn, companyOf, personOf, type SourcedPerson, type SourceFields } from '@quarry/extraction';
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

// Parameters are those of reference/organization-search and reference/people-api-search. The older `mixed_people/search` is
// not available to API keys. Both searches return few fields: companies come without industry, place and size, people
// without last name and profile. So the records are requested with `organizations/bulk_enrich` or `people/bulk_match`, at
// most ten at a time.

type Parameters = Readonly<Record<string, unknown>>;

const exact = (part: Parameters): Clause<Parameters> => ({ part, isExact: true });
const narrow = (part: Parameters): Clause<Parameters> => ({ part, isExact: false });

/** Returns locations such as "munich, germany"; a region as its countries. */
function locationsOf(places: readonly Place[]): string[] {
  return places.flatMap((place) => {
    const { countries, state, cities } = placeNames(place);
    const inner = cities.length > 0 ? cities : state === null ? [] : [state];
    return inner.length === 0 ? countries : inner.map((name) => `${name}, ${countries[0]!}`);
  });
}

/** Larger than the headcount of any company. */
const STAFF_MAX = 10_000_000;
const staffRanges = (ranges: readonly NumberRange[]): string[] =>
  ranges.map(({ min, max }) => `${min ?? 1},${max ?? STAFF_MAX}`);

/** @param name of a parameter that accepts a single range */
const oneRange =
  (name: string) =>
  ([range, ...others]: readonly NumberRange[]): Clause<Parameters> | null => {
    if (!range || others.length > 0) return null;
    const { min, max } = range;
    // The vendor has no filter for "any known value".
    if (min === null && max === null) return null;
    return exact({ [name]: { ...(min === null ? {} : { min }), ...(max === null ? {} : { max }) } });
  };

/** Uses the vendor's technology names, with "_" for spaces and dots. Names that it does not know have no effect. */
const technologyIds = (ids: readonly string[]): Clause<Parameters> => {
  const names = TECHNOLOGIES.filter(({ id }) => ids.includes(id)).map(({ name }) => name);
  const uids = names.map((name) => name.toLowerCase().replace(/[ .]/g, '_'));
  return narrow({ currently_using_any_of_technology_uids: [...new Set([...uids, ...ids])] });
};

/** Company filters as parameters of both searches. */
const EMPLOYER_WORDS: FilterWords<CompanyFilters, Parameters> = {
  domains: (domains) => exact({ q_organization_domains_list: domains.map((domain) => domain.toLowerCase()) }),
  places: (places) => exact({ organization_locations: locationsOf(places) }),
  headcount: (ranges) => exact({ organization_num_employees_ranges: staffRanges(ranges) }),
  revenue_usd: oneRange('revenue_range'),
  technologies: technologyIds,
  all_technologies: technologyIds,
  is_hiring: (isHiring) => (isHiring ? exact({ organization_num_jobs_range: { min: 1 } }) : null),
};

const COMPANY_WORDS: FilterWords<CompanyFilters, Parameters> = {
  ...EMPLOYER_WORDS,
  // The vendor also matches a part of a name.
  names: (names) => (names.length === 1 ? narrow({ q_organization_name: names[0] }) : null),
  // Tags are words about a company, not necessarily its industry.
  industries: (ids) => narrow({ q_organization_keyword_tags: industryNames(ids) }),
  funding_amount_usd: oneRange('total_funding_range'),
};

const LEVELS = 'owner founder c_suite partner vp head director manager senior entry intern'.split(' ');

/** Combines the titles and the levels of all roles into one list each, so the result is wider than the roles. */
function roleParameters(roles: readonly Role[]): Parameters {
  const levels = LEVELS.filter((level) =>
    roles.some(({ seniorities }) => seniorities.includes(seniorityIn(level)!)),
  );
  const titles = roles.map(({ departments, titleWords }) => [
    ...(titleWords.length > 0 ? [titleWords.join(' ')] : []),
    ...DEPARTMENTS.filter(({ id }) => departments.includes(id as never)).flatMap(
      ({ name, chief, member, synonyms }) => [name, chief, member, ...synonyms],
    ),
  ]);
  return {
    ...(roles.every(({ seniorities }) => seniorities.length > 0) ? { person_seniorities: levels } : {}),
    ...(titles.every((each) => each.length > 0)
      ? {
          person_titles: [...new Set(titles.flat().map((title) => title.toLowerCase()))],
          include_similar_titles: false,
        }
      : {}),
  };
}

const PERSON_WORDS: FilterWords<PersonFilters, Parameters> = {
  names: (names) => (names.length === 1 ? narrow({ q_keywords: names[0] }) : null),
  roles: (roles) => narrow(roleParameters(roles)),
  places: (places) => exact({ person_locations: locationsOf(places) }),
};

/** Filters without a parameter that can be checked on the vendor's records. */
const SHOWN = {
  industries: true,
  founded: true,
  funding_stages: true,
  funding_amount_usd: true,
  ownerships: true,
};

/** Returns filters that neither a parameter nor the records can answer; with `ofPeople`, filters of a person's employer. */
function unanswerableFilters(query: CompanyQuery, ofPeople: boolean): string[] {
  const queries = [query, ...(query.not ?? [])];
  return [
    ...filtersBeyond(query, { ...SHOWN, ...(ofPeople ? EMPLOYER_WORDS : COMPANY_WORDS) }),
    ...(!ofPeople && (query.names?.length ?? 1) > 1 ? ['names'] : []),
    // The vendor can filter by hiring, but its records do not contain it, so the negation cannot be checked.
    ...(query.is_hiring === false || (query.not ?? []).some((each) => each.is_hiring !== undefined)
      ? ['is_hiring']
      : []),
    // Of ownership, the vendor only knows whether shares are publicly traded.
    ...(queries.some(({ ownerships = [] }) => ownerships.some((each) => each !== 'public'))
      ? ['ownerships']
      : []),
  ];
}

const merged = (translated: ReadonlyArray<TranslatedQuery<Parameters>>): Parameters =>
  Object.assign({}, ...translated.flatMap(({ parts }) => parts)) as Parameters;

/** Creates the request for a page. The cursor is the page number: keys come in pages of a fixed size ({@link PAGE_MAX}). */
const requestOf =
  (path: string) =>
  (words: Parameters, { size, cursor }: PageAsk): VendorRequest => ({
    method: 'POST',
    path,
    body: { ...words, page: Number(cursor ?? 1), per_page: size },
  });

/** Last page that the vendor returns. Source: reference/organization-search, reference/people-api-search. */
const PAGES_MAX = 500;

/** Returns the next cursor. A page may be incomplete without being the last, so the total decides. */
function nextOf({ size, cursor }: PageAsk, count: number, total: number) {
  const page = Number(cursor ?? 1);
  if (count === 0 || page * size >= total) return { next: null };
  return page >= PAGES_MAX ? { next: null, isCut: true } : { next: String(page + 1) };
}

const text = z.string().nullish();
const number = z.number().nullish();
const organization = z.object({
  id: text,
  name: text,
  primary_domain: text,
  website_url: text,
  linkedin_url: text,
  industry: text,
  short_description: text,
  keywords: listOf(z.string()).nullish(),
  technology_names: listOf(z.string()).nullish(),
  estimated_num_employees: number,
  founded_year: number,
  annual_revenue: number,
  total_funding: number,
  latest_funding_stage: text,
  publicly_traded_symbol: text,
  city: text,
  state: text,
  country: text,
  phone: text,
  sanitized_phone: text,
});
type Organization = z.infer<typeof organization>;

/**
 * Company in the response of a search; one that the account has saved is in `accounts`. Source:
 * reference/organization-search.
 */
const shown = z.object({ primary_domain: text, domain: text });
type Shown = z.infer<typeof shown>;
interface ShownLists {
  organizations: Shown[];
  accounts?: Shown[] | null | undefined;
}

const shownIn = ({ organizations, accounts }: ShownLists): Shown[] => [...(accounts ?? []), ...organizations];
/** Returns the domain, which is the key with which the record of a company is requested. */
const domainOf = ({ primary_domain: primary, domain }: Shown): string | null => {
  const own = primary ?? domain;
  return own ? registrableDomain(own) : null;
};

const idOf = (id: string | null | undefined): string | null => (id ? `apollo_${id}` : null);
const whole = (amount: number | null | undefined): number | null =>
  amount == null ? null : Math.round(amount);
const web = (address: string | null | undefined): string | null =>
  address?.replace(/^http:/, 'https:') ?? null;

/** @param prefix of the fields: empty for a company, `company_` for a person's company */
function companyFields(found: Organization, prefix = ''): SourceFields {
  const fields: SourceFields = {
    id: idOf(found.id),
    name: found.name,
    domain: found.primary_domain,
    website: web(found.website_url),
    linkedin_url: web(found.linkedin_url),
    industry: found.industry,
    description: found.short_description,
    city: found.city,
    state: found.state,
    country: found.country,
    headcount: whole(found.estimated_num_employees),
    founded_year: found.founded_year,
    funding_stage: found.latest_funding_stage,
    funding_amount_usd: whole(found.total_funding),
    revenue_usd: whole(found.annual_revenue),
    ownership: found.publicly_traded_symbol ? 'public' : null,
    technologies: found.technology_names,
    keywords: found.keywords,
    phone: found.sanitized_phone ?? found.phone,
  };
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [prefix + key, value]));
}

const person = z.object({
  id: z.string(),
  first_name: text,
  last_name: text,
  name: text,
  title: text,
  seniority: text,
  linkedin_url: text,
  city: text,
  state: text,
  country: text,
  organization: organization.nullish(),
  employment_history: listOf(
    z.object({ title: text, organization_name: text, start_date: text, end_date: text }),
  ).nullish(),
});
type Person = z.infer<typeof person>;

const yearOf = (date: string | null | undefined): number | null => Number.parseInt(date ?? '', 10) || null;

const personFields = (found: Person): SourcedPerson => ({
  id: idOf(found.id),
  full_name: found.name,
  first_name: found.first_name,
  last_name: found.last_name,
  title: found.title,
  seniority: found.seniority,
  linkedin_url: web(found.linkedin_url),
  city: found.city,
  state: found.state,
  country: found.country,
  experiences: (found.employment_history ?? []).map((each) => ({
    title: each.title,
    company: each.organization_name,
    company_domain: null,
    start_year: yearOf(each.start_date),
    end_year: yearOf(each.end_date),
  })),
  ...(found.organization ? companyFields(found.organization, 'company_') : {}),
});

const credits = (amount: number) => ({ unit: 'apollo_credit', amount });
const PAGE_MAX = 100;
/** Maximum number of records requested by key in one call; further ones in the response were not requested and are dropped. */
const REVEAL_MAX = 10;

/** Company and people search of the vendor. */
export const APOLLO_SEARCHES: Readonly<Record<VendorSearchName, VendorSearch>> = {
  searchCompanies: defineSearch('searchCompanies', {
    needs:
      'one name, domain, industry, place, headcount, year, revenue, funding, technologies, traded shares, hiring',
    price: '1 credit for each page, and 1 for each record that comes',
    pageMax: PAGE_MAX,
    query: (query) => {
      const translated = translateFilters(query, COMPANY_WORDS);
      return {
        words: merged([translated]),
        exact: translated.exact,
        exactOfCompany: [],
        saysNot: false,
        unanswerable: unanswerableFilters(query, false),
      };
    },
    request: requestOf('/api/v1/mixed_companies/search'),
    answer: z.object({
      organizations: listOf(shown),
      accounts: listOf(shown).nullish(),
      pagination: z.object({ total_entries: z.int().min(0) }),
    }),
    page: ({ pagination: { total_entries: total }, ...answer }, ask) => {
      const found = shownIn(answer).map(domainOf);
      return { found, total, ...nextOf(ask, found.length, total) };
    },
    cost: (answer) => credits(shownIn(answer).length > 0 ? 1 : 0),
    reveal: {
      size: REVEAL_MAX,
      request: (domains) => ({
        method: 'POST',
        path: '/api/v1/organizations/bulk_enrich',
        body: { domains },
      }),
      answer: z.object({ organizations: listOf(organization.nullable()) }),
      records: ({ organizations }) =>
        new Map(
          organizations.slice(0, REVEAL_MAX).flatMap((found): Array<[string, CompanyRecord | null]> => {
            const record = found && companyOf(companyFields(found));
            return record?.domain ? [[record.domain, record]] : [];
          }),
        ),
      cost: ({ organizations }) => credits(organizations.filter((each) => each !== null).length),
    },
  }),
  searchPeople: defineSearch('searchPeople', {
    needs:
      'one name, role, place; employer by domain, industry, place, headcount, year, revenue, funding, technologies, traded shares, hiring',
    price: '1 credit for each record that comes',
    pageMax: PAGE_MAX,
    query: (query) => {
      const { company: employer = {} } = query;
      const [own, ofCompany] = [
        translateFilters(query, PERSON_WORDS),
        translateFilters(employer, EMPLOYER_WORDS),
      ];
      return {
        words: merged([own, ofCompany]),
        exact: own.exact,
        exactOfCompany: ofCompany.exact,
        saysNot: false,
        unanswerable: [
          ...((query.names?.length ?? 1) > 1 ? ['names'] : []),
          ...unanswerableFilters(employer, true).map((name) => `company_${name}`),
        ],
      };
    },
    request: requestOf('/api/v1/mixed_people/api_search'),
    answer: z.object({ people: listOf(z.object({ id: z.string() })), total_entries: z.int().min(0) }),
    page: ({ people, total_entries: total }, ask) => ({
      found: people.map(({ id }) => id),
      total,
      ...nextOf(ask, people.length, total),
    }),
    // The search itself is free; only the records are charged.
    reveal: {
      size: REVEAL_MAX,
      request: (ids) => ({
        method: 'POST',
        path: '/api/v1/people/bulk_match',
        body: { details: ids.map((id) => ({ id })), reveal_personal_emails: false },
      }),
      answer: z.object({ matches: listOf(person.nullable()), credits_consumed: number }),
      records: ({ matches }) =>
        new Map(
          matches
            .slice(0, REVEAL_MAX)
            .flatMap((found) => (found ? [[found.id, personOf(personFields(found))] as const] : [])),
        ),
      cost: ({ matches, credits_consumed: consumed }) =>
        credits(consumed ?? matches.filter((each) => each !== null).length),
    },
  }),
};
