import type { CellRange, Predicate, PredicateTest } from '../../selection/predicate.js';
import { mergePlaces } from '../directory/merge-conditions.js';
import type { Statement } from '../language/draft.js';
import type { Fitted } from './fit-condition.js';

/**
 * Joins checks on the same column: values become alternatives, ranges that "or" ties become alternatives. All other
 * checks stay side by side and must all hold.
 */
export function mergePredicates(fitted: readonly Fitted[]): Predicate[] {
  const merged: Predicate[] = [];
  for (const { statement, predicate } of fitted) {
    const index = merged.findIndex((known) => isMergeable(known, predicate, statement.joined));
    const known = merged[index];
    const test = known && joinTests(known.test, predicate.test, statement.joined);
    if (!known || !test) merged.push(predicate);
    else merged[index] = { ...known, test, text: joinedText(known, predicate, test) };
  }
  return merged;
}

function joinedText(known: Predicate, added: Predicate, test: PredicateTest): string {
  const column = known.text.slice(0, known.text.indexOf(': '));
  if (test.op === 'address') return `${column}: ${test.places.map(({ name }) => name).join(' or ')}`;
  return `${known.text} or ${added.text.slice(column.length + 2)}`;
}

function isMergeable(known: Predicate, added: Predicate, joined: Statement['joined']): boolean {
  const isSameColumn = known.column_keys.join() === added.column_keys.join() && known.negate === added.negate;
  const isRange = ['number', 'year', 'date'].includes(added.test.op);
  return isSameColumn && known.test.op === added.test.op && (!isRange || joined === 'or');
}

function joinTests(a: PredicateTest, b: PredicateTest, joined: Statement['joined']): PredicateTest | null {
  if ('values' in a && 'values' in b && a.op === b.op)
    return { op: a.op, values: [...new Set([...a.values, ...b.values])] };
  if (a.op === 'address' && b.op === 'address')
    return { op: 'address', places: mergePlaces(a.places, b.places, joined) };
  if ((a.op === 'number' || a.op === 'year') && b.op === a.op)
    return { op: a.op, ranges: [...a.ranges, ...b.ranges] as CellRange[] };
  return null;
}
