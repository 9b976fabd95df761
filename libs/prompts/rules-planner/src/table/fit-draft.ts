import type { Conditions, IntentCriterion, IntentFilter } from '@quarry/plan';
import { exclusionGroups, type Draft } from '../language/draft.js';
import { allOf, openCriteria } from '../criteria.js';
import type { SayIn } from '../prompt-origin.js';
import { filtersOf } from '../language/check.js';
import { fitCondition, type Fitted } from './fit-condition.js';
import { mergeChecks } from './merge-checks.js';
import type { TableColumn } from './table-schema.js';

/**
 * Combines checks: several values of one column are alternatives, bounds narrow each other, and joint exclusions form a
 * group.
 */
export function conditionsOf(fitted: readonly Fitted[], say: SayIn): Conditions {
  const merged = (group: readonly Fitted[]): IntentFilter[] =>
    mergeChecks(group).flatMap(({ check, texts }) => filtersOf(check, say(...texts)));
  return {
    filters: merged(fitted.filter(({ statement }) => statement.exclusion === null)),
    exclusions: exclusionGroups(fitted, ({ statement }) => statement).map(merged),
  };
}

/** Returns statements that only evaluate rows, and criteria that remain text. */
export function criteriaOf(fitted: readonly Fitted[], draft: Draft, say: SayIn): IntentCriterion[] {
  const criteria = fitted.flatMap(({ statement, check }): IntentCriterion[] => {
    const { effect, exclusion, text } = statement;
    if (effect === null) return [];
    const conditions = allOf(filtersOf(check, say(text)), exclusion !== null);
    return [{ effect, column: null, conditions, ...say(text) }];
  });
  return [...criteria, ...openCriteria(draft, say)];
}

/**
 * Applies the statements of a prompt to the columns of a table; `unfitted` are the words of those without a suitable
 * column.
 */
export function fitDraft(
  { statements }: Pick<Draft, 'statements'>,
  columns: readonly TableColumn[],
): { readonly fitted: Fitted[]; readonly unfitted: string[] } {
  const all = statements.map((statement) => ({ statement, fit: fitCondition(statement, columns) }));
  return {
    fitted: all.flatMap(({ statement, fit }) => (fit ? [{ statement, ...fit }] : [])),
    unfitted: all.filter(({ fit }) => !fit).map(({ statement }) => statement.text),
  };
}
