import type { Criterion } from '../../selection/judge-fit.js';
import type { Predicate } from '../../selection/predicate.js';
import { notAll } from '../directory/directory-predicates.js';
import type { Draft, Statement } from '../language/draft.js';
import { fitCondition } from './fit-condition.js';
import { mergePredicates } from './merge-predicates.js';
import type { TableColumn } from './table-schema.js';

/** A statement and the check on a column that it became. */
export interface Fitted {
  readonly statement: Statement;
  readonly predicate: Predicate;
}

/** Several values of one column are alternatives, bounds narrow each other; exclusions stated together go together. */
export function predicatesOf(fitted: readonly Fitted[]): Predicate[] {
  const wanted = fitted.filter(({ statement }) => statement.exclusion === null);
  const groups = new Map<number, Fitted[]>();
  for (const one of fitted) {
    const { exclusion } = one.statement;
    if (exclusion !== null) groups.set(exclusion, [...(groups.get(exclusion) ?? []), one]);
  }
  const excluded = [...groups.values()].map((group) => notAll(mergePredicates(group)));
  return [...mergePredicates(wanted), ...excluded];
}

/** Statements that rows are only judged by, and criteria that stayed words. */
export function criteriaOf(fitted: readonly Fitted[], draft: Draft): Criterion[] {
  const judged = fitted.flatMap(({ statement, predicate }): Criterion[] => {
    if (statement.effect === null) return [];
    const test = statement.exclusion === null ? predicate : notAll([predicate]);
    return [{ column_key: test.column_keys[0] ?? '', criterion: test.text, effect: statement.effect, test }];
  });
  return [
    ...judged,
    ...draft.openCriteria.map(({ text, effect }) => ({
      column_key: 'prompt',
      criterion: text,
      effect,
      test: null,
    })),
  ];
}

/** Fits the statements of a prompt to the columns of a table; `unfitted` are the words of those that none could show. */
export function fitDraft(
  { statements }: Pick<Draft, 'statements'>,
  columns: readonly TableColumn[],
): { readonly fitted: Fitted[]; readonly unfitted: string[] } {
  const all = statements.map((statement) => ({ statement, predicate: fitCondition(statement, columns) }));
  return {
    fitted: all.flatMap(({ statement, predicate }) => (predicate ? [{ statement, predicate }] : [])),
    unfitted: all.filter(({ predicate }) => !predicate).map(({ statement }) => statement.text),
  };
}
