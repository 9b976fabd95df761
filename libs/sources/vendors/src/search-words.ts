import { COMPANY_FILTERS, type CompanyFilters, type CompanyQuery } from '@quarry/directory';
import { namesOf } from '@quarry/extraction';

/** One filter, translated to a vendor's query language. */
export interface Clause<Part> {
  part: Part;
  /**
   * True when every result of the vendor matches the filter. Otherwise it only narrows the search, and each record is
   * checked.
   */
  isExact: boolean;
}

/** Translations of filters for a vendor; null or omitted when it does not support a filter. */
export type FilterWords<Filters, Part> = {
  readonly [Name in keyof Filters]?: (value: NonNullable<Filters[Name]>) => Clause<Part> | null;
};

/** Query in a vendor's query language, and the filters it does not cover. */
export interface TranslatedQuery<Part> {
  parts: Part[];
  /** Names of filters that the vendor applies exactly. */
  exact: string[];
  /** Names of filters without a translation. */
  unsaid: string[];
}

/** @returns the filters of one entity, translated for a vendor */
export function translateFilters<Filters extends object, Part>(
  filters: Filters,
  words: FilterWords<Filters, Part>,
): TranslatedQuery<Part> {
  const translated: TranslatedQuery<Part> = { parts: [], exact: [], unsaid: [] };
  for (const name of namesOf(filters)) {
    const key = name as keyof Filters;
    const clause = words[key]?.(filters[key] as NonNullable<Filters[keyof Filters]>) ?? null;
    if (clause === null) translated.unsaid.push(name);
    else translated.parts.push(clause.part);
    if (clause?.isExact) translated.exact.push(name);
  }
  return translated;
}

/**
 * Returns the company filters of a query, positive or negated, that a vendor cannot answer. Filters that are not listed in
 * `answered` count as such, so that a new filter is refused until its support has been checked.
 * @param answered filters with a translation, or that can be checked on the records
 */
export function filtersBeyond(
  query: CompanyQuery,
  answered: Readonly<Partial<Record<keyof CompanyFilters, unknown>>>,
): string[] {
  const names = [query, ...(query.not ?? [])].flatMap(namesOf);
  return COMPANY_FILTERS.flatMap(({ name }) =>
    names.includes(name) && answered[name] === undefined ? name : [],
  );
}
