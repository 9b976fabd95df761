import type { NumberRange } from '@quarry/directory';
import type { Place, Role } from '@quarry/vocabulary';

/** Dates as `YYYY-MM-DD`, both included; null for no bound. */
export interface DateRange {
  readonly from: string | null;
  readonly to: string | null;
}

/** Range for cells that need not be whole numbers. */
export interface CellRange extends NumberRange {
  /** True when the bounds are excluded: "above 4" includes 4.2, not 4. */
  readonly isOpen?: boolean;
}

/** Test of one or more cells of a row. Every test can be evaluated without external data. */
export type PredicateTest =
  /** The cell, or an item of a list cell, equals one of the values, ignoring case, accents and punctuation. */
  | { readonly op: 'one_of'; readonly values: readonly string[] }
  /** The cell contains one of the values, even within a word. */
  | { readonly op: 'contains'; readonly values: readonly string[] }
  /** The cell contains one of the values as whole words: "director" does not contain "CTO". */
  | { readonly op: 'has_words'; readonly values: readonly string[] }
  | { readonly op: 'starts_with'; readonly values: readonly string[] }
  | { readonly op: 'ends_with'; readonly values: readonly string[] }
  | { readonly op: 'number'; readonly ranges: readonly CellRange[] }
  /** The first year in the cell: "2013 (1888)" is 2013. */
  | { readonly op: 'year'; readonly ranges: readonly NumberRange[] }
  | { readonly op: 'date'; readonly range: DateRange }
  /** One of the comma- or semicolon-separated parts of an address names one of the places. */
  | { readonly op: 'address'; readonly places: readonly Place[] }
  /** Three cells, city, state and country, are in one of the places. */
  | { readonly op: 'place'; readonly places: readonly Place[] }
  /** Three cells, title, seniority and department, match one of the roles. */
  | { readonly op: 'role'; readonly roles: readonly Role[] }
  | { readonly op: 'is'; readonly value: boolean }
  | { readonly op: 'filled' }
  /** All of the parts match; only useful with `negate`. */
  | { readonly op: 'every'; readonly parts: readonly Predicate[] }
  /** One of the parts matches. */
  | { readonly op: 'any'; readonly parts: readonly Predicate[] };

/** One condition on the values of a row. */
export interface Predicate {
  /** Cells that the test reads, in the order the test expects. */
  readonly column_keys: readonly string[];
  /** True when the row must not pass the test. */
  readonly negate: boolean;
  readonly test: PredicateTest;
  /** Condition as text, for reasons and messages: "headquarters in Minnesota". */
  readonly text: string;
}
