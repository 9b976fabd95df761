import type { RunPlan, Predicate } from '@quarry/plan';
import { matchesPredicate, type RowValues } from './matches-predicate.js';

export interface FilterCheck {
  readonly filter: string;
  /** Null when the row does not have the relevant cells. */
  readonly honoured: boolean | null;
}

/**
 * Returns whether a row is selected: it meets all filters and no exclusion. Missing values do not exclude a row: "without
 * venture funding" includes companies whose funding is unknown.
 */
export function meetsFilters(values: RowValues, predicates: readonly Predicate[]): boolean {
  return predicates.every((predicate) => isHonoured(values, predicate) === true);
}

/**
 * Checks a result row against every requested filter of its plan.
 * @param values by column key; attributes of the directory may also be present by their own names
 */
export function filtersHonoured(values: RowValues, plan: RunPlan): FilterCheck[] {
  const known = withAttributes(values, plan);
  return plan.predicates.map((predicate) => ({
    filter: predicate.text,
    honoured: isHonoured(known, predicate),
  }));
}

/** Returns whether a row meets one filter; null when the relevant cells are empty. */
export function isHonoured(values: RowValues, predicate: Predicate): boolean | null {
  return matchesPredicate(values, predicate) ?? (predicate.negate ? true : null);
}

function withAttributes(values: RowValues, plan: RunPlan): RowValues {
  const named = plan.columns.flatMap(({ key, source }) =>
    source.from === 'directory' && source.attribute !== key ? [[source.attribute, values[key]] as const] : [],
  );
  return { ...Object.fromEntries(named), ...values };
}
