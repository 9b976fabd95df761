import type { Column } from '../api/resources';
import { readNumber } from '../ui/format';
import { valueText } from './value-text';

type Kind = Column['kind'];

const OPERATORS = {
  contains: 'contains',
  eq: 'is',
  ne: 'is not',
  gt: 'is more than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
  empty: 'is empty',
  filled: 'is filled',
} as const;
export type Operator = keyof typeof OPERATORS;
/** Operators for days, in words. */
const DAY_OPERATORS: Partial<Record<Operator, string>> = {
  gt: 'is after',
  gte: 'is on or after',
  lt: 'is before',
  lte: 'is on or before',
};
const COMPARED = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'empty', 'filled'] as const;
const OFFERED: Partial<Record<Kind, readonly Operator[]>> = {
  number: COMPARED,
  date: COMPARED,
  boolean: ['eq', 'ne', 'empty', 'filled'],
};
const OF_TEXT: readonly Operator[] = ['contains', 'eq', 'ne', 'empty', 'filled'];

/** @returns the operators for a column of a kind: text has no greater and less */
export function operatorsOf(kind: Kind): readonly Operator[] {
  return OFFERED[kind] ?? OF_TEXT;
}

export function operatorText(op: Operator, kind?: Kind): string {
  return (kind === 'date' && DAY_OPERATORS[op]) || OPERATORS[op];
}

export const WITHOUT_VALUE: ReadonlySet<string> = new Set(['empty', 'filled']);

export interface ColumnFilter {
  readonly key: string;
  readonly op: Operator;
  readonly value: string;
}

/**
 * @returns a filter of the address (`key:op:value`); null for an invalid one. A key may contain colons, so the operator is
 * searched for
 */
export function readFilter(text: string): ColumnFilter | null {
  const found = /^(.*?):(contains|eq|ne|gte|gt|lte|lt|empty|filled)(?::([\s\S]*))?$/.exec(text);
  const [, key, op, value = ''] = found ?? [];
  return key && op ? { key, op: op as Operator, value } : null;
}

export function writeFilter({ key, op, value }: ColumnFilter): string {
  return WITHOUT_VALUE.has(op) ? `${key}:${op}` : `${key}:${op}:${value}`;
}

/** `problem` says in words why a filter's value does not fit the kind of its column. */
type FilterValue = { readonly value: string | number } | { readonly problem: string };

/** @returns the value of a filter for the API, which differs from the localised number that users type */
export function readValue({ key, op, value }: ColumnFilter, columns: readonly Column[]): FilterValue {
  const column = columns.find((each) => each.key === key);
  if (!column || op === 'contains') return { value };
  const text = value.trim();
  if (column.kind === 'number') {
    const number = text !== '' && Number.isFinite(Number(text)) ? Number(text) : readNumber(text);
    return number === null
      ? { problem: `“${text}” is not a number, and ${column.name} holds numbers.` }
      : { value: number };
  }
  if (column.kind === 'date' && !/^\d{4}($|-\d\d($|-\d\d))/.test(text))
    return { problem: `“${text}” is not a date such as 2026-01-31, and ${column.name} holds dates.` };
  return { value };
}

/** @returns a filter in words, such as `Staff is more than 9,000` */
export function filterText(filter: ColumnFilter, columns: readonly Column[]): string {
  const column = columns.find(({ key }) => key === filter.key);
  const name = `${column?.name ?? filter.key} ${operatorText(filter.op, column?.kind)}`;
  if (WITHOUT_VALUE.has(filter.op)) return name;
  if (column?.kind === 'boolean') return `${name} ${valueText(filter.value === 'true', column)}`;
  const read = readValue(filter, columns);
  return `${name} ${valueText('value' in read ? read.value : filter.value, column)}`.trim();
}

export type Direction = 'asc' | 'desc';
export type Sort = ReadonlyMap<string, Direction>;

/** @returns the directions by column key, the most important one first */
export function readSort(text = ''): Sort {
  const keys = text.split(',').filter(Boolean);
  return new Map(
    keys.map((key) => (key.startsWith('-') ? [readKey(key.slice(1)), 'desc'] : [readKey(key), 'asc'])),
  );
}

/** Writes a sort of the address. Of a key, the marks between keys and before them are escaped. */
export function writeSort(key: string, direction: Direction): string {
  const written = key.replace(/[%,]/g, encodeURIComponent).replace(/^-/, '%2D');
  return direction === 'desc' ? `-${written}` : written;
}

const readKey = (text: string) => text.replace(/%(?:25|2C|2D)/g, decodeURIComponent);

/** @returns the sorting after a click on a column's header: ascending, descending, none */
export function nextSort(text: string | undefined, key: string): string | undefined {
  const direction = readSort(text).get(key);
  if (direction === undefined) return writeSort(key, 'asc');
  return direction === 'asc' ? writeSort(key, 'desc') : undefined;
}
