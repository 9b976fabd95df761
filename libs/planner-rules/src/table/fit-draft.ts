import type { Criterion } from '../../selection/judge-fit.js';
import { notAll, type Predicate } from '../../selection/predicate.js';
import { exclusionGroups, openCriteria, type Draft } from '../language/draft.js';
import { fitCondition, type Fitted } from './fit-condition.js';
import { mergePredicates } from './merge-predicates.js';
import type { TableColumn } from './table-schema.js';

/** Several values of one column are alternatives, bounds narrow each other; exclusions stated together go together. */
export function predicatesOf(fitted: readonly Fitted[]): Predicate[] {
  const wanted = fitted.filter(({ statement }) => statement.exclusion === null);
  const excluded = exclusionGroups(fitted, ({ statement }) => statement).map((group) =>
    notAll(mergePredicates(group)),
  );
  return [...mergePredicates(wanted), ...excluded];
}

/** Statements that rows are only judged by, and criteria that stayed words. */
export function criteriaOf(fitted: readonly Fitted[], draft: Draft): Criterion[] {
  const judged = fitted.flatMap(({ statement, predicate }): Criterion[] => {
    if (statement.effect === null) return [];
    const test = statement.exclusion === null ? predicate : notAll([predicate]);
    return [{ column_key: test.column_keys[0] ?? '', criterion: test.text, effect: statement.effect, test }];
  });
  return [...judged, ...openCriteria(draft)];
}

/** Fits the statements of a prompt to the columns of a table; `unfitted` are the words of those that none could show. */
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
