import type {
  ColumnTest,
  IntentRange,
  OneColumn,
  Conditions,
  IntentFilter,
  TableProfile,
  Predicate,
  PredicateTest,
} from '@quarry/plan';
import { singularOf } from '@quarry/vocabulary';
import { notAll } from '../selection/join-predicates.js';
import { isOfDirectory, placesOf } from './directory-filters.js';
import { rangesInWords } from './directory-predicates.js';

/** @returns the checks of conditions on a table's columns, with their text; filters of the directory are ignored */
export function tablePredicates(
  { filters, exclusions }: Conditions,
  columns: TableProfile['columns'],
): Predicate[] {
  const names = new Map(columns.map(({ key, name }) => [key, name || key]));
  const predicatesOf = (group: readonly IntentFilter[]): Predicate[] =>
    group.flatMap((filter) => {
      if (isOfDirectory(filter)) return [];
      return 'either' in filter ? [eitherColumn(filter.either, names)] : [predicateOf(filter, names)];
    });
  const groups = exclusions.map(predicatesOf).filter((group) => group.length > 0);
  return [...predicatesOf(filters), ...groups.map(notAll)];
}

function predicateOf(check: OneColumn, names: ReadonlyMap<string, string>): Predicate {
  const name = names.get(check.column) ?? check.column;
  const negate = check.is_not === true;
  return {
    column_keys: [check.column],
    negate,
    test: testOf(check),
    text: `${name}: ${wordsOf(check, negate)}`,
  };
}

function eitherColumn(checks: readonly OneColumn[], names: ReadonlyMap<string, string>): Predicate {
  const parts = checks.map((check) => predicateOf(check, names));
  return {
    column_keys: parts.flatMap(({ column_keys }) => column_keys),
    negate: false,
    test: { op: 'any', parts },
    text: parts.map(({ text }) => text).join(' or '),
  };
}

function testOf(check: ColumnTest): PredicateTest {
  switch (check.op) {
    case 'number':
      return { op: 'number', ranges: check.value.map(cellRange) };
    case 'year':
      return { op: 'year', ranges: check.value.map(({ min, max }) => ({ min, max })) };
    case 'date':
      return { op: 'date', range: check.value };
    case 'address':
      return { op: 'address', places: placesOf(check.value) };
    case 'is':
      return { op: 'is', value: check.value };
    case 'filled':
      return { op: 'filled' };
    default:
      return { op: check.op, values: check.value };
  }
}

function cellRange({ min, max, is_open }: IntentRange) {
  return { min, max, ...(is_open ? { isOpen: true } : {}) };
}

function wordsOf(check: ColumnTest, negate: boolean): string {
  if (check.op === 'filled') return negate ? 'empty' : 'not empty';
  return `${negate ? 'not ' : ''}${valueInWords(check, negate ? ' nor ' : ' or ')}`;
}

function valueInWords(check: Exclude<ColumnTest, { op: 'filled' }>, or: string): string {
  switch (check.op) {
    case 'number':
      return check.value.map(rangeInWords).join(' or ');
    case 'year':
      return rangesInWords(check.value);
    case 'date':
      return daysInWords(check.value);
    case 'address':
      return placesOf(check.value)
        .map(({ name }) => name)
        .join(' or ');
    case 'is':
      return check.value ? 'yes' : 'no';
    case 'one_of':
      return check.value.join(or);
    case 'has_words':
      return withoutSingulars(check.value).join(or);
    default:
      return `${check.op.replace('_', ' ')} ${check.value.join(or)}`;
  }
}

/** Removes singulars whose plural is also listed: "CTOs" and "CTO" are the same word to a reader. */
function withoutSingulars(words: readonly string[]): string[] {
  const same = (text: string): string => singularOf(text.toLowerCase());
  return words.filter((word, at) => words.findIndex((other) => same(other) === same(word)) === at);
}

function rangeInWords({ min, max, is_open }: IntentRange): string {
  if (is_open) return min === null ? `below ${max}` : `above ${min}`;
  return rangesInWords([{ min, max }]);
}

function daysInWords({ from, to }: { readonly from: string | null; readonly to: string | null }): string {
  if (from !== null && to !== null) return from === to ? from : `${from} to ${to}`;
  return from !== null ? `${from} or later` : `${to ?? ''} or earlier`;
}
