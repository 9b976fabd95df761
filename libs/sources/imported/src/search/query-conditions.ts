import {
  COMPANY_FILTERS,
  type CompanyFilters,
  type CompanyQuery,
  type Filter,
  type FilterType,
  type FilterValues,
  type NumberRange,
  type PeopleQuery,
  PERSON_FILTERS,
  type PersonFilters,
} from '@quarry/directory';
import {
  countryCodesOf,
  foldText,
  ownWordOf,
  type Place,
  type Role,
  UNKNOWN_COUNTRY,
} from '@quarry/vocabulary';

/** Values of a composed statement: they are passed as parameters, never in its text. */
export class Parameters {
  readonly values: unknown[] = [];

  /** @returns the placeholder of the value in the text */
  add(value: unknown, type: 'text[]' | 'integer' | 'bigint' | 'boolean' | 'text'): string {
    this.values.push(value);
    return `$${this.values.length}::${type}`;
  }
}

/** @param column of the filter's field, with its prefix. @param prefix of all columns of this entity */
type Condition<Wanted> = (
  wanted: Wanted,
  place: { column: string; prefix: string; isList: boolean; parameters: Parameters },
) => string;

const NOTHING = 'false';
const any = (conditions: readonly string[]): string =>
  conditions.length === 0 ? NOTHING : `(${conditions.join(' OR ')})`;
const all = (conditions: readonly string[]): string =>
  conditions.length === 0 ? 'true' : `(${conditions.join(' AND ')})`;

/**
 * Writes a single value with `=` instead of `ANY`: only then does an index that continues with the size return the rows in
 * order.
 */
function equalsSql(column: string, values: readonly string[], parameters: Parameters): string {
  return values.length === 1
    ? `${column} = ${parameters.add(values[0], 'text')}`
    : `${column} = ANY (${parameters.add(values, 'text[]')})`;
}

const isOneOf: Condition<readonly string[]> = (ids, { column, isList, parameters }) =>
  isList ? `${column} && ${parameters.add(ids, 'text[]')}` : equalsSql(column, ids, parameters);

/**
 * One condition per filter type; the type makes the record complete. They have the same meaning as `directory-match.ts` of
 * the directory library.
 */
const CONDITIONS: { readonly [Type in FilterType]: Condition<FilterValues[Type]> } = {
  range: (ranges, { column, parameters }) => any(ranges.map((range) => isWithin(range, column, parameters))),
  industry: isInIndustry,
  trait: isOneOf,
  every_trait: (ids, { column, parameters }) => `${column} @> ${parameters.add(ids, 'text[]')}`,
  department: isOneOf,
  flag: (wanted, { column, parameters }) => `${column} = ${parameters.add(wanted, 'boolean')}`,
  place: (places, { prefix, parameters }) => isInOne(places, prefix, parameters),
  role: (roles, { prefix, parameters }) => any(roles.map((role) => hasRole(role, prefix, parameters))),
  name: (names, { column, parameters }) => equalsSql(`${column}_folded`, names.map(foldText), parameters),
  domain: (domains, { column, parameters }) =>
    equalsSql(
      column,
      domains.map((domain) => domain.toLowerCase()),
      parameters,
    ),
};

/** Matches an industry that is not in the catalogue by its words. */
function isInIndustry(
  ids: readonly string[],
  { column, prefix, parameters }: { column: string; prefix: string; parameters: Parameters },
): string {
  const known = ids.filter((id) => ownWordOf(id) === null);
  const own = ids.flatMap((id) => ownWordOf(id) ?? []);
  return any([
    ...(known.length > 0 ? [equalsSql(column, known, parameters)] : []),
    ...(own.length > 0 ? [all([`${column} IS NULL`, equalsSql(`${prefix}industry`, own, parameters)])] : []),
  ]);
}

/** Matches a number that is known by its bounds when both bounds lie in the range. */
function isWithin({ min, max }: NumberRange, column: string, parameters: Parameters): string {
  const [least, greatest] = column.endsWith('headcount')
    ? [`${column}_min`, `${column}_max`]
    : [column, column];
  if (min === null && max === null) return `${least} IS NOT NULL`;
  return all([
    ...(min === null ? [] : [`${least} >= ${parameters.add(min, 'bigint')}`]),
    ...(max === null ? [] : [`${greatest} <= ${parameters.add(max, 'bigint')}`]),
    // Implied by the previous condition; lets a scan of an index on the lower bound start at the first match.
    ...(max === null || least === greatest ? [] : [`${least} <= ${parameters.add(max, 'bigint')}`]),
  ]);
}

/** Merges countries and regions into one list of codes, for which an index can be used. */
function isInOne(places: readonly Place[], prefix: string, parameters: Parameters): string {
  const isWhole = ({ kind }: Place): boolean => kind === 'country' || kind === 'region';
  const codes = [...new Set(places.filter(isWhole).flatMap(countryCodesOf))];
  const parts = places.filter((place) => !isWhole(place));
  return any([
    ...(codes.length > 0 ? [equalsSql(`${prefix}country_code`, codes, parameters)] : []),
    ...parts.map((place) =>
      all([
        place.id.startsWith(`${UNKNOWN_COUNTRY}-`)
          ? `${prefix}country_code IS NULL`
          : equalsSql(`${prefix}country_code`, countryCodesOf(place), parameters),
        `${prefix}${place.kind} = ${parameters.add(place.name, 'text')}`,
      ]),
    ),
  ]);
}

function hasRole(
  { seniorities, departments, titleWords }: Role,
  prefix: string,
  parameters: Parameters,
): string {
  return all([
    ...(seniorities.length > 0 ? [equalsSql(`${prefix}seniority`, seniorities, parameters)] : []),
    ...(departments.length > 0 ? [equalsSql(`${prefix}department`, departments, parameters)] : []),
    ...(titleWords.length > 0 ? [`${prefix}title_words @> ${parameters.add(titleWords, 'text[]')}`] : []),
  ]);
}

function conditionsSql(
  filters: readonly Filter[],
  wanted: CompanyFilters | PersonFilters,
  prefix: string,
  parameters: Parameters,
): string {
  return all(
    filters.flatMap(({ name, type, field, attributes: [first] }) => {
      const value = wanted[name as keyof typeof wanted] as unknown;
      if (value === undefined) return [];
      const column = prefix + (field ?? first!.key);
      const condition = CONDITIONS[type] as Condition<unknown>;
      return [condition(value, { column, prefix, isList: first!.kind === 'list', parameters })];
    }),
  );
}

/** Negates conditions; an unknown value does not count as excluded. */
const isNone = (conditions: readonly string[]): string[] =>
  conditions.map((condition) => `NOT coalesce(${condition}, false)`);

/** @param prefix of the columns: empty in a table of companies, `company_` in one of people */
export function companyConditions(query: CompanyQuery, parameters: Parameters, prefix = ''): string {
  const ruledOut = (query.not ?? []).map((filters) =>
    conditionsSql(COMPANY_FILTERS, filters, prefix, parameters),
  );
  return all([conditionsSql(COMPANY_FILTERS, query, prefix, parameters), ...isNone(ruledOut)]);
}

export function personConditions(query: PeopleQuery, parameters: Parameters): string {
  const ruledOut = (query.not ?? []).map((filters) => conditionsSql(PERSON_FILTERS, filters, '', parameters));
  return all([
    conditionsSql(PERSON_FILTERS, query, '', parameters),
    ...isNone(ruledOut),
    companyConditions(query.company ?? {}, parameters, 'company_'),
  ]);
}
