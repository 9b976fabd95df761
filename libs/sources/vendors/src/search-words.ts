import { COMPANY_FILTERS, type CompanyFilters, type CompanyQuery } from '@quarry/directory';
import { namesOf } from '@quarry/extraction';

/** One filter in a vendor's words. */
export interface Clause<Part> {
  part: Part;
  /** Whatever the vendor finds by it meets the filter. Else it only narrows, and records are judged one by one. */
  isExact: boolean;
}

/** Filters in the words of a vendor; null, like a filter that is left out, is one that it has no words for. */
export type FilterWords<Filters, Part> = {
  readonly [Name in keyof Filters]?: (value: NonNullable<Filters[Name]>) => Clause<Part> | null;
};

/** A query in a vendor's words, and what these words leave open. */
export interface TranslatedQuery<Part> {
  parts: Part[];
  /** Names of filters that the vendor applies by itself. */
  exact: string[];
  /** Names of those that it has no words for. */
  unsaid: string[];
}

/** @returns the filters of one entity in a vendor's words */
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
 * Returns the filters of companies, asked for or ruled out, that a vendor cannot answer: what is not named is not answered, so that
 * a new filter is refused until somebody has looked whether the vendor knows it.
 * @param answered those that the vendor has words for, or that its records show
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
