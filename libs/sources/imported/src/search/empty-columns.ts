import {
  COMPANY_ATTRIBUTES,
  COMPANY_FILTERS,
  PERSON_ATTRIBUTES,
  PERSON_FILTERS,
  type CompanyFilters,
  type CompanyQuery,
  type DirectorySort,
  type Filter,
  type PeopleQuery,
  type PersonFilters,
} from '@quarry/directory';
import type { Place, Role } from '@quarry/vocabulary';
import { statement } from '../statements.types.js';
import type { DirectoryHead } from '../tables/directory.store.js';
import { tableOf } from '../tables/directory-table.js';
import type { DirectoryReader } from './imported-directory.js';

/** Prefix of the columns of a person's company. */
const OF_COMPANY = 'company_';

type Wanted = Readonly<Record<string, unknown>>;

/**
 * Attributes that are null in all rows of a directory; those of a person's company start with `company_`. Empty for a
 * directory without rows.
 */
export type EmptyColumns = ReadonlySet<string>;

/** Determines in one pass which attributes are null in all rows of a directory. */
export async function readEmptyColumns(
  { database, ctx }: DirectoryReader,
  { kind, number }: DirectoryHead,
): Promise<EmptyColumns> {
  const ofCompany = COMPANY_ATTRIBUTES.map((attribute) => ({ ...attribute, prefix: '' }));
  const attributes =
    kind === 'companies'
      ? ofCompany
      : [
          ...PERSON_ATTRIBUTES.map((attribute) => ({ ...attribute, prefix: '' })),
          ...ofCompany.map((attribute) => ({ ...attribute, prefix: OF_COMPANY })),
        ];
  const columns = attributes
    .filter(({ filters }) => Object.keys(filters).length > 0)
    .map(({ key, kind: type, prefix }) => {
      // A size such as "51-200" has bounds but no exact number.
      const column = `${prefix}${key}${key === 'headcount' ? '_min' : ''}`;
      const isFilled = type === 'list' ? `${column} <> '{}'` : `${column} IS NOT NULL`;
      return `CASE WHEN NOT bool_or(${isFilled}) THEN '${prefix}${key}' END`;
    });
  const text = `SELECT array_remove(ARRAY[${columns.join(', ')}], NULL) AS keys FROM ${tableOf(kind, number)}`;
  const [row] = await database.query(ctx, EMPTY.composed(text), [], 'list');
  return new Set(row?.keys ?? []);
}

/** Returns the labels of attributes that are null in all rows and that a company query filters by, excludes or sorts by. */
export function emptyOfCompanies(query: CompanyQuery, empty: EmptyColumns, sort?: DirectorySort): string[] {
  return wordsOf([...emptyOfCompanyQuery(query, empty, ''), ...emptyOfSort(sort, empty, '')]);
}

/** Returns the labels of attributes that are null in all rows and that a people query filters by, excludes or sorts by. */
export function emptyOfPeople(query: PeopleQuery, empty: EmptyColumns, sort?: DirectorySort): string[] {
  const people = [query as PersonFilters, ...(query.not ?? [])];
  return wordsOf([
    ...people.flatMap((each) => emptyAmong(PERSON_FILTERS, each as Wanted, empty, '')),
    ...emptyOfCompanyQuery(query.company ?? {}, empty, OF_COMPANY),
    ...emptyOfSort(sort, empty, OF_COMPANY),
  ]);
}

function emptyOfCompanyQuery(query: CompanyQuery, empty: EmptyColumns, prefix: string): string[] {
  return [query, ...(query.not ?? [])].flatMap((each) =>
    emptyAmong(COMPANY_FILTERS, each as CompanyFilters as Wanted, empty, prefix),
  );
}

function emptyOfSort(sort: DirectorySort | undefined, empty: EmptyColumns, prefix: string): string[] {
  return sort && empty.has(`${prefix}${sort.by}`) ? [qualifiedName(sort.by, prefix)] : [];
}

function wordsOf(names: readonly string[]): string[] {
  return [...new Set(names)];
}

function emptyAmong(
  filters: readonly Filter[],
  wanted: Wanted,
  empty: EmptyColumns,
  prefix: string,
): string[] {
  const lacks = (key: string): boolean => empty.has(`${prefix}${key}`);
  const found = filters.flatMap((filter) => {
    const value = wanted[filter.name];
    return value === undefined ? [] : lackingOf(filter, value, lacks);
  });
  return found.map((key) => qualifiedName(key, prefix));
}

function qualifiedName(key: string, prefix: string): string {
  return prefix === '' ? nameOfKey(key) : `${nameOfKey(key)} of a company`;
}

/** Returns the missing attributes. Of alternatives, one that is present is enough. */
function lackingOf(
  { type, attributes: [first] }: Filter,
  value: unknown,
  lacks: (key: string) => boolean,
): string[] {
  const needs =
    type === 'place'
      ? (value as readonly Place[]).map(({ kind }) => [kind === 'region' ? 'country' : kind])
      : type === 'role'
        ? (value as readonly Role[]).map(columnsOfRole)
        : [[first!.key]];
  const lacking = needs.map((keys) => keys.filter(lacks));
  if (lacking.some((keys) => keys.length === 0)) return [];
  return lacking.flat();
}

function columnsOfRole({ seniorities, departments, titleWords }: Role): string[] {
  return [
    ...(seniorities.length > 0 ? ['seniority'] : []),
    ...(departments.length > 0 ? ['department'] : []),
    ...(titleWords.length > 0 ? ['title'] : []),
  ];
}

const NAMES = new Map<string, string>(
  [...PERSON_ATTRIBUTES, ...COMPANY_ATTRIBUTES].map(({ key, name }) => [key, name]),
);
/** Labels of attributes whose headings are not nouns. */
const NOUNS: Readonly<Record<string, string>> = {
  founded_year: 'founding year',
  is_hiring: 'word on hiring',
  hiring_departments: 'department that hires',
  funding_amount_usd: 'sum of funding',
  revenue_usd: 'revenue',
  technologies: 'technology',
};

function nameOfKey(key: string): string {
  return NOUNS[key] ?? NAMES.get(key)?.toLowerCase() ?? key;
}

const EMPTY = statement(
  'imported-directory.empty',
  `SELECT ARRAY['state'] AS keys FROM directory.companies`,
).rows<{ keys: readonly string[] }>();
