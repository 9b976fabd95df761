import { industryOf, INDUSTRY_GROUPS, type NumberRange, type Place } from '@quarry/providers';
import type { Predicate, PredicateTest } from '../../selection/predicate.js';
import { rangesInWords } from '../directory/directory-predicates.js';
import type { Condition } from '../language/condition.js';
import type { Statement } from '../language/draft.js';
import { columnNamed, valuesNamed, type TableColumn } from './table-schema.js';

const LOCATION = /headquarter|location|\bhq\b|address|\bbased\b|\bplace\b|office/;
const CITY = /\b(city|town)\b/;
const STATE = /\b(state|province|region)\b/;
const COUNTRY = /\b(country|nation)\b/;
const FOUNDED = /found|establish|incorporat|inception|\byear\b/;
const HEADCOUNT = /employee|headcount|head count|staff|workforce|company size/;
const REVENUE = /revenue|turnover|sales/;
const NAME = /\b(name|company|security|organisation|organization|account|firm)\b/;
const TITLE = /\b(title|role|position)\b/;
const DOMAIN = /domain|website|url/;
const HIRING = /hiring/;
const INDUSTRY = /sector|industry|vertical|category|segment|line of business/;

/**
 * Fits a condition of the general language to a column of a table: by the column's name and type, or by its values.
 * @returns null when the table has no column that could show it
 */
export function fitCondition(statement: Statement, columns: readonly TableColumn[]): Predicate | null {
  const { condition, text } = statement;
  switch (condition.on) {
    case 'column':
      return condition.predicate;
    case 'places':
      return placePredicate(condition.places, text, columns);
    case 'founded':
      return rangePredicate(columnNamed(columns, FOUNDED, ['year', 'number', 'date']), condition.ranges);
    case 'headcount':
      return rangePredicate(columnNamed(columns, HEADCOUNT, ['number']), condition.ranges);
    case 'revenue_usd':
      return rangePredicate(columnNamed(columns, REVENUE, ['number']), condition.ranges);
    case 'industries':
      return valuePredicate(columns, [text, condition.name, ...synonymsOf(condition)], INDUSTRY);
    case 'names':
      return textPredicate(columnNamed(columns, NAME, ['text']), {
        op: 'has_words',
        values: condition.names,
      });
    case 'domains':
      return textPredicate(columnNamed(columns, DOMAIN, ['text']), {
        op: 'contains',
        values: condition.domains,
      });
    case 'roles':
      return rolePredicate(text, columns);
    case 'is_hiring': {
      const column = columnNamed(columns, HIRING, ['text']);
      return column && build(column, { op: 'is', value: condition.value }, 'yes');
    }
    default:
      return valuePredicate(columns, [text], null);
  }
}

function placePredicate(
  places: readonly Place[],
  text: string,
  columns: readonly TableColumn[],
): Predicate | null {
  const byKind = places[0]?.kind === 'city' ? CITY : places[0]?.kind === 'state' ? STATE : COUNTRY;
  const column = columnNamed(columns, LOCATION, ['text']) ?? columnNamed(columns, byKind, ['text']);
  return column && build(column, { op: 'address', places }, text);
}

function rangePredicate(column: TableColumn | null, ranges: readonly NumberRange[]): Predicate | null {
  if (!column) return null;
  if (column.type !== 'date')
    return build(column, { op: column.type === 'year' ? 'year' : 'number', ranges }, rangesInWords(ranges));
  const { min, max } = ranges[0] ?? { min: null, max: null };
  const range = { from: min === null ? null : `${min}-01-01`, to: max === null ? null : `${max}-12-31` };
  return build(column, { op: 'date', range }, rangesInWords(ranges));
}

/** Values of a category that one of the names means; a value that is the name itself beats one that contains it. */
function valuePredicate(
  columns: readonly TableColumn[],
  names: readonly string[],
  preferred: RegExp | null,
): Predicate | null {
  const categories = columns.filter(({ isCategory }) => isCategory);
  const ordered = preferred
    ? [...categories].sort(
        (a, b) => Number(preferred.test(b.name.toLowerCase())) - Number(preferred.test(a.name.toLowerCase())),
      )
    : categories;
  for (const name of names) {
    const found = ordered
      .map((column) => ({ column, ...valuesNamed(column, name) }))
      .filter(({ values }) => values.length > 0);
    const best = found.find(({ isExact }) => isExact) ?? found[0];
    if (best) return build(best.column, { op: 'one_of', values: best.values }, best.values.join(' or '));
  }
  return null;
}

function synonymsOf({ ids, name }: Extract<Condition, { on: 'industries' }>): string[] {
  const group = INDUSTRY_GROUPS.find((candidate) => candidate.name === name);
  const [id] = ids;
  // The members of a group are narrower than the word that was said; only its own synonyms may stand for it.
  if (group) return [...group.synonyms];
  return id === undefined ? [] : [...(industryOf(id)?.synonyms ?? [])];
}

function rolePredicate(text: string, columns: readonly TableColumn[]): Predicate | null {
  return textPredicate(columnNamed(columns, TITLE, ['text']), {
    op: 'has_words',
    values: [text, text.replace(/s$/, '')],
  });
}

function textPredicate(
  column: TableColumn | null,
  test: Extract<PredicateTest, { values: readonly string[] }>,
): Predicate | null {
  return column && build(column, test, test.values[0] ?? '');
}

function build(column: TableColumn, test: PredicateTest, text: string): Predicate {
  return { column_keys: [column.key], negate: false, test, text: `${column.name}: ${text}` };
}
