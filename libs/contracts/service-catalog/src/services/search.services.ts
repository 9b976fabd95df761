import { COMPANY_ATTRIBUTES, PERSON_ATTRIBUTES, type Attribute, type Measure } from '@quarry/directory';
import { z } from 'zod';
import type { FastService, Millicredits } from '../service-definition.js';

/** Number of items when the input has no limit. */
export const SEARCH_LIMIT_DEFAULT = 10;
/** Maximum number of items per response. */
export const SEARCH_LIMIT_MAX = 100;
const PRICE_PER_ITEM: Millicredits = 250;

/** Schema of at most 50 values with 200 characters each: more than a person types, and few enough to be matched at once. */
const values = (what: string) => z.array(z.string().trim().min(1).max(200)).min(1).max(50).describe(what);
/** Limits that no real number exceeds: they detect typing errors. */
const WHOLE: Readonly<Record<Measure['unit'], readonly [min: number, max: number]>> = {
  count: [0, 10_000_000],
  usd: [0, 1_000_000_000_000],
  year: [1000, 2100],
};

/** Filters that the search services offer, from the table of attributes. */
const companyFilters = shapeOf(COMPANY_ATTRIBUTES.map((each) => filterOf(each, false)));
const personFilters = shapeOf([
  ...PERSON_ATTRIBUTES.map((each) => filterOf(each, false)),
  ...COMPANY_ATTRIBUTES.map((each) => filterOf(each, true)),
]);

function shapeOf(shapes: readonly z.ZodRawShape[]): z.ZodRawShape {
  return Object.assign({}, ...shapes) as z.ZodRawShape;
}

/** @param ofPeople true for a company attribute in the search for people */
function filterOf({ search, measure }: Attribute, ofPeople: boolean): z.ZodRawShape {
  if (search === null) return {};
  if ('least' in search) {
    const [min, max] = WHOLE[measure?.unit ?? 'count'];
    const bound = (what: string) => z.int().min(min).max(max).describe(what).optional();
    return { [`${search.name}_min`]: bound(search.least), [`${search.name}_max`]: bound(search.greatest) };
  }
  const offered = ofPeople && search.ofPeople !== undefined ? search.ofPeople : search;
  return offered === null ? {} : { [offered.name]: values(offered.description).optional() };
}

const RANGES = COMPANY_ATTRIBUTES.flatMap(({ search }) =>
  search && 'least' in search ? [[`${search.name}_min`, `${search.name}_max`] as const] : [],
);

/** @returns the schema of a search: all filters are optional, but at least one is required */
function searchInput<Filters extends z.ZodRawShape>(filters: Filters) {
  const names = Object.keys(filters);
  const limit = z
    .int()
    .min(1)
    .max(SEARCH_LIMIT_MAX)
    .optional()
    .meta({ description: 'Maximum number of items', default: SEARCH_LIMIT_DEFAULT });
  return z
    .strictObject({ ...filters, limit })
    .superRefine((given: Record<string, unknown>, context) => {
      if (names.every((name) => given[name] === undefined))
        context.addIssue({
          code: 'custom',
          path: [],
          message: `Give at least one filter of: ${names.join(', ')}`,
        });
      for (const [min, max] of RANGES)
        if (Number(given[min]) > Number(given[max]))
          context.addIssue({ code: 'custom', path: [max], message: `must not be less than ${min}` });
    })
    .meta({ anyOf: names.map((name) => ({ required: [name] })) });
}

const text = z.string();
const whole = z.int();

/** Schema of an attribute in a response, by the kind of its column. */
const TYPES: Readonly<Partial<Record<Attribute['kind'], z.ZodType>>> = {
  number: whole,
  boolean: z.boolean(),
  list: z.array(text),
  experiences: z.array(
    z.strictObject({
      title: text,
      company: text,
      company_domain: text.nullable(),
      start_year: whole,
      end_year: whole.nullable(),
    }),
  ),
  educations: z.array(z.strictObject({ school: text, degree: text, field: text, end_year: whole })),
};

const companyFields = fieldsOf(COMPANY_ATTRIBUTES, '');
const personFields = { ...fieldsOf(PERSON_ATTRIBUTES, ''), ...fieldsOf(COMPANY_ATTRIBUTES, 'company_') };

function fieldsOf(attributes: readonly Attribute[], prefix: string): z.ZodRawShape {
  return Object.fromEntries(
    attributes.map(({ key, kind, isNullable }) => {
      const type = TYPES[kind] ?? text;
      return [`${prefix}${key}`, isNullable ? type.nullable() : type];
    }),
  );
}

/** Defines a search; the two differ only in the records they search. */
function defineSearch(
  service: Pick<
    FastService,
    'name' | 'title' | 'description' | 'category' | 'input' | 'examples' | 'cellField' | 'promptPattern'
  > & { item: z.ZodRawShape },
): FastService {
  const { item, ...naming } = service;
  return {
    ...naming,
    mode: 'fast',
    output: z.strictObject({ items: z.array(z.strictObject(item)), provider: text }),
    chargeRule:
      '0.25 credits for each item of the answer, nothing when there is none. The balance must cover the limit.',
    pricedBy: ['limit'],
    price: { unit: 'item', hit: PRICE_PER_ITEM, miss: 0, max: SEARCH_LIMIT_MAX * PRICE_PER_ITEM },
    worstCase: (input) => limitOf(input) * PRICE_PER_ITEM,
    charge: (items) => items * PRICE_PER_ITEM,
  };
}

/** @returns the maximum number of items that a valid input requests */
export function limitOf(input: Readonly<Record<string, unknown>>): number {
  return (input.limit as number | undefined) ?? SEARCH_LIMIT_DEFAULT;
}

export const searchCompanies = defineSearch({
  name: 'searchCompanies',
  title: 'Search companies',
  description: 'Finds companies by filters. Companies on your exclusion list are left out.',
  category: 'company',
  cellField: 'items.domain',
  promptPattern: /\b(?:competitors?|similar companies|peers)\b/i,
  input: searchInput(companyFilters),
  examples: [
    {
      industries: ['Fintech'],
      countries: ['United Kingdom'],
      headcount_min: 50,
      headcount_max: 500,
      limit: 5,
    },
    { cities: ['Berlin'], founded_min: 2010 },
  ],
  item: companyFields,
});

export const searchPeople = defineSearch({
  name: 'searchPeople',
  title: 'Search people',
  description:
    'Finds people by filters. People on your exclusion lists, and people at excluded companies, are left out.',
  category: 'person',
  cellField: 'items.full_name',
  promptPattern: /\b(?:people|contacts?|decision makers?|who (?:is|are|leads?|runs?))\b/i,
  input: searchInput(personFilters),
  examples: [
    { roles: ['CTO'], countries: ['Germany'], industries: ['software'], limit: 5 },
    { departments: ['sales'], seniorities: ['vp', 'director'], headcount_min: 200 },
  ],
  item: personFields,
});
