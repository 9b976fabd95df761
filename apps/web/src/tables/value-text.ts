import type { Column } from '../api/resources';
import { formatDay, formatNumber } from '../ui/format';

/** Facts about a value's column that determine its format. */
type ValueColumn = Partial<Pick<Column, 'key' | 'name' | 'kind'>>;

/** @returns a value as text in the reader's locale; list items are separated by commas */
export function valueText(value: unknown, column: ValueColumn = {}): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return isYear(value, column) ? String(value) : formatNumber(value);
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (column.kind === 'date' && typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value))
    return formatDay(value);
  if (Array.isArray(value)) return value.map((each) => valueText(each)).join(', ');
  if (typeof value === 'object') {
    const parts = Object.entries(value as Record<string, unknown>).filter(
      ([, each]) => each !== null && typeof each !== 'object',
    );
    // Times come last: a narrow cell would cut off the end, and the text matters more.
    return [...parts.filter(([, each]) => !isTime(each)), ...parts.filter(([, each]) => isTime(each))]
      .map(([key, each]) => valueText(each, isTime(each) ? { kind: 'date' } : { key }))
      .join(' · ');
  }
  return String(value);
}

/** @returns only the names if all items of a list have one, which fits into a cell; otherwise the value */
export function namesAlone(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const names = value.map((each: unknown) => (each as { name?: unknown } | null)?.name);
  return names.every((name) => typeof name === 'string' && name !== '') ? names : value;
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value);
}

const YEAR = /(^|[^a-z])(year|founded)($|[^a-z])/i;

/** A column of years is recognised by its name: nobody writes “founded in 2,015”, but 1500 employees are 1,500. */
function isYear(value: number, { key = '', name = '' }: ValueColumn): boolean {
  return Number.isInteger(value) && value >= 1000 && value <= 2100 && (YEAR.test(key) || YEAR.test(name));
}
