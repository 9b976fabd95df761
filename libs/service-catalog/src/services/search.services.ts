import { z } from 'zod';
import type { FastService, Millicredits } from '../service-definition.js';

/** Items of an answer when the input names no limit. */
export const SEARCH_LIMIT_DEFAULT = 10;
/** Most items of one answer. */
export const SEARCH_LIMIT_MAX = 100;
const PRICE_PER_ITEM: Millicredits = 250;

/** Fifty values of a filter and 200 characters a value: more than a person types, little enough to match at once. */
const values = (what: string) => z.array(z.string().trim().min(1).max(200)).min(1).max(50).describe(what);
const count = (what: string) => z.int().min(0).max(10_000_000).describe(what);
const year = (what: string) => z.int().min(1000).max(2100).describe(what);

const aboutCompany = {
  industries: values(
    'Lines of business, by name, usual word or id: "Fintech", "saas", "healthcare"',
  ).optional(),
  headcount_min: count('Least number of staff').optional(),
  headcount_max: count('Greatest number of staff').optional(),
  founded_min: year('First year of foundation').optional(),
  founded_max: year('Last year of foundation').optional(),
};

const companyFilters = {
  ...aboutCompany,
  countries: values('Countries, by name or ISO 3166-1 code: "Germany", "DE"').optional(),
  cities: values('Cities, by name').optional(),
  names: values('Whole names of companies; case, accents and punctuation do not count').optional(),
  domains: values('Domains of companies').optional(),
};

const personFilters = {
  roles: values('Roles as they are spoken: "CTO", "VP of Sales", "software engineers"').optional(),
  seniorities: values('Levels, by name or id: "vp", "C-level"').optional(),
  departments: values('Departments, by name, usual word or id: "sales", "HR"').optional(),
  countries: values('Countries that the people are in, by name or ISO 3166-1 code').optional(),
  cities: values('Cities that the people are in').optional(),
  names: values('Whole names of people; case, accents and punctuation do not count').optional(),
  ...aboutCompany,
  company_names: values('Whole names of their companies').optional(),
  company_domains: values('Domains of their companies').optional(),
};

const RANGES = [
  ['headcount_min', 'headcount_max'],
  ['founded_min', 'founded_max'],
] as const;

/** @returns the schema of a search: all filters optional, but one of them given */
function searchInput<Filters extends z.ZodRawShape>(filters: Filters) {
  const names = Object.keys(filters);
  const limit = z
    .int()
    .min(1)
    .max(SEARCH_LIMIT_MAX)
    .optional()
    .meta({ description: 'Most items of the answer', default: SEARCH_LIMIT_DEFAULT });
  return z
    .strictObject({ ...filters, limit })
    .superRefine((given: Record<string, unknown>, context) => {
      if (names.every((name) => given[name] === undefined))
        context.addIssue({
          code: 'custom',
          path: [],
          message: `Give one filter or more of: ${names.join(', ')}`,
        });
      for (const [min, max] of RANGES)
        if (Number(given[min]) > Number(given[max]))
          context.addIssue({ code: 'custom', path: [max], message: `Must not be less than ${min}` });
    })
    .meta({ anyOf: names.map((name) => ({ required: [name] })) });
}

const text = z.string();
const whole = z.int();

const companyFields = {
  name: text,
  domain: text,
  website: text,
  linkedin_url: text,
  industry: text,
  description: text,
  city: text,
  state: text.nullable(),
  country: text,
  headcount: whole,
  founded_year: whole,
  funding_stage: text.nullable(),
  revenue_usd: whole,
  business_model: text,
  ownership: text,
  technologies: z.array(text),
  keywords: z.array(text),
  is_hiring: z.boolean(),
  hiring_departments: z.array(text),
  phone: text,
};
type Prefixed<Shape> = { [Name in keyof Shape & string as `company_${Name}`]: Shape[Name] };
const employerFields = Object.fromEntries(
  Object.entries(companyFields).map(([name, type]) => [`company_${name}`, type]),
) as Prefixed<typeof companyFields>;

const personFields = {
  full_name: text,
  first_name: text,
  last_name: text,
  title: text,
  seniority: text,
  department: text,
  city: text,
  state: text.nullable(),
  country: text,
  linkedin_url: text,
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
  ...employerFields,
};

/** Both searches are sold alike; only what they look for differs. */
function search(
  service: Pick<FastService, 'name' | 'title' | 'description' | 'category' | 'input' | 'examples'> & {
    item: z.ZodRawShape;
  },
): FastService {
  const { item, ...naming } = service;
  return {
    ...naming,
    mode: 'fast',
    output: z.strictObject({ items: z.array(z.strictObject(item)), provider: text }),
    chargeRule:
      'A quarter of a credit for each item of the answer, nothing when there is none. The balance must cover the limit.',
    price: { unit: 'item', hit: PRICE_PER_ITEM, miss: 0, max: SEARCH_LIMIT_MAX * PRICE_PER_ITEM },
    worstCase: (input) => limitOf(input) * PRICE_PER_ITEM,
    charge: (items) => items * PRICE_PER_ITEM,
  };
}

/** @returns how many items an accepted input asks for at most. */
export function limitOf(input: Readonly<Record<string, unknown>>): number {
  return (input.limit as number | undefined) ?? SEARCH_LIMIT_DEFAULT;
}

export const searchCompanies = search({
  name: 'searchCompanies',
  title: 'Search companies',
  description: 'Finds companies by what they are. Those on your exclusion list are left out.',
  category: 'company',
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

export const searchPeople = search({
  name: 'searchPeople',
  title: 'Search people',
  description:
    'Finds people by what they do. Those on your exclusion lists, or at a company on them, are left out.',
  category: 'person',
  input: searchInput(personFilters),
  examples: [
    { roles: ['CTO'], countries: ['Germany'], industries: ['software'], limit: 5 },
    { departments: ['sales'], seniorities: ['vp', 'director'], headcount_min: 200 },
  ],
  item: personFields,
});
