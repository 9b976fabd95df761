import type { RunPlan, Predicate } from '@quarry/plan';
import { matchesPredicate, type RowValues } from './matches-predicate.js';

export interface FilterCheck {
  readonly filter: string;
  /** Null: the row does not hold the cells that would show it. */
  readonly honoured: boolean | null;
}

/**
 * Decides whether a row is selected: it shows everything that is wanted and nothing that is ruled out. A row is not
 * ruled out by what it does not show: "without venture funding" keeps companies whose funding is unknown.
 */
export function meetsFilters(values: RowValues, predicates: readonly Predicate[]): boolean {
  return predicates.every((predicate) => isHonoured(values, predicate) === true);
}

/**
 * Checks a produced row against every stated filter of its plan.
 * @param values values by column key; attributes of the directory may also stand under their own names
 */
export function filtersHonoured(values: RowValues, plan: RunPlan): FilterCheck[] {
  const known = withAttributes(values, plan);
  return plan.predicates.map((predicate) => ({
    filter: predicate.text,
    honoured: isHonoured(known, predicate),
  }));
}

/** Returns whether a row meets one filter; null where its cells do not show it. */
export function isHonoured(values: RowValues, predicate: Predicate): boolean | null {
  return matchesPredicate(values, predicate) ?? (predicate.negate ? true : null);
}

function withAttributes(values: RowValues, plan: RunPlan): RowValues {
  const named = plan.columns.flatMap(({ key, source }) =>
    source.from === 'directory' && source.attribute !== key ? [[source.attribute, values[key]] as const] : [],
  );
  return { ...Object.fromEntries(named), ...values };
}
