import type { ColumnTest } from '@quarry/plan';
import { intentPlaces, matchesPredicate } from '@quarry/plan-compiler';
import type { NumberRange } from '@quarry/directory';
import { industryOf, INDUSTRY_GROUPS, type Place } from '@quarry/vocabulary';
import { filterNamed, type Condition } from '../language/condition.js';
import type { Statement } from '../language/draft.js';
import type { Check } from '../language/check.js';
import { columnCheck } from './column-condition.js';
import { daysOfYears } from './range-test.js';
import { columnNamed, partNote, valuesNamed, type TableColumn } from './table-schema.js';

const LOCATION = /headquarter|location|\bhq\b|address|\bbased\b|\bplace\b|office/;
/** Check created from a condition, and its assumption, if any. */
interface ColumnFit {
  readonly check: Check;
  readonly note?: string;
}

/** Statement with the check created from it. */
export interface Fitted extends ColumnFit {
  readonly statement: Statement;
}

/**
 * Applies a condition of the general grammar to a column of a table: by the column's name and type, or by its values.
 * @returns null when the table has no suitable column
 */
export function fitCondition(statement: Statement, columns: readonly TableColumn[]): ColumnFit | null {
  const { condition, text } = statement;
  const columnOf = (on: Condition['on']) => columnNamed(columns, headingOf(on), ['text']);
  if ('ranges' in condition) return rangeFit(condition, columns);
  switch (condition.on) {
    case 'column':
      return { check: condition.check };
    case 'places':
      return placeFit(condition.places, columns);
    case 'industries':
      return valueFit(columns, [text, condition.name, ...synonymsOf(condition)], headingOf('industries'));
    case 'names':
      return textFit(columnOf('names'), { op: 'has_words', value: condition.names });
    case 'domains':
      return textFit(columnOf('domains'), { op: 'contains', value: condition.domains });
    case 'roles':
      return textFit(columnOf('roles'), { op: 'has_words', value: [text, text.replace(/s$/, '')] });
    case 'is_hiring':
      return textFit(columnOf('is_hiring'), { op: 'is', value: condition.value });
    default:
      return valueFit(columns, [text], null);
  }
}

/** @returns the pattern of headings for a filter, or for one attribute of it */
function headingOf(on: Condition['on'], key?: string): RegExp | null {
  const attributes = filterNamed(on)?.attributes ?? [];
  return (key === undefined ? attributes[0] : attributes.find((one) => one.key === key))?.heading ?? null;
}

function placeFit(places: readonly Place[], columns: readonly TableColumn[]): ColumnFit | null {
  const [place] = places;
  const kind = place?.kind === 'city' || place?.kind === 'state' ? place.kind : 'country';
  const byKind = headingOf('places', kind);
  const column = columnNamed(columns, LOCATION, ['text']) ?? columnNamed(columns, byKind, ['text']);
  return column && buildFit(column, { op: 'address', value: intentPlaces(places) });
}

function rangeFit(
  { on, ranges }: Extract<Condition, { ranges: readonly NumberRange[] }>,
  columns: readonly TableColumn[],
): ColumnFit | null {
  const isYear = filterNamed(on)?.attributes[0]?.measure?.unit === 'year';
  const column = columnNamed(columns, headingOf(on), isYear ? ['year', 'number', 'date'] : ['number']);
  if (!column) return null;
  if (column.type !== 'date')
    return buildFit(column, { op: column.type === 'year' ? 'year' : 'number', value: ranges });
  return buildFit(column, { op: 'date', value: daysOfYears(ranges[0] ?? { min: null, max: null }) });
}

/**
 * Finds the values of a category that one of the names means; a value equal to the name takes precedence over one that
 * contains it.
 */
function valueFit(
  columns: readonly TableColumn[],
  names: readonly string[],
  preferred: RegExp | null,
): ColumnFit | null {
  const categories = columns.filter(({ isCategory }) => isCategory);
  const isPreferred = ({ name }: TableColumn): boolean => preferred?.test(name.toLowerCase()) ?? false;
  const ordered = [...categories.filter(isPreferred), ...categories.filter((one) => !isPreferred(one))];
  for (const name of names) {
    const found = ordered
      .map((column) => ({ column, ...valuesNamed(column, name) }))
      .filter(({ values }) => values.length > 0);
    const best = found.find(({ isExact }) => isExact) ?? found[0];
    if (!best) continue;
    const { column, values, isExact } = best;
    const fit = buildFit(column, { op: 'one_of', value: values });
    return isExact ? fit : { ...fit, note: partNote(names[0] ?? name, column, values) };
  }
  return null;
}

function synonymsOf({ ids, name }: Extract<Condition, { on: 'industries' }>): string[] {
  const group = INDUSTRY_GROUPS.find((candidate) => candidate.name === name);
  const [id] = ids;
  // The members of a group are narrower than the word in the prompt; only its own synonyms are equivalent.
  if (group) return [...group.synonyms];
  return id === undefined ? [] : [...(industryOf(id)?.synonyms ?? [])];
}

function textFit(column: TableColumn | null, test: ColumnTest): ColumnFit | null {
  if (!column) return null;
  const fit = buildFit(column, test);
  if (test.op !== 'has_words') return fit;
  const longer = longerValues(column, test.value);
  return longer.length > 0 ? { ...fit, note: partNote(test.value[0] ?? '', column, longer) } : fit;
}

/** Returns the values that contain the words as a part. */
function longerValues(column: TableColumn, words: readonly string[]): string[] {
  const predicate = { column_keys: ['cell'], negate: false, text: '' } as const;
  const holds = (cell: string, op: 'has_words' | 'one_of'): boolean =>
    matchesPredicate({ cell }, { ...predicate, test: { op, values: words } }) === true;
  return column.values.filter((value) => holds(value, 'has_words') && !holds(value, 'one_of'));
}

function buildFit(column: TableColumn, test: ColumnTest): ColumnFit {
  return { check: columnCheck(column, test, false) };
}
