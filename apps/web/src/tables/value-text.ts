import type { Column } from '../api/resources';
import { formatDay, formatNumber } from '../ui/format';

/** @returns a value as text in the reader's form; lists are parted by commas */
export function valueText(value: unknown, kind?: Column['kind']): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number')
    return Number.isInteger(value) && isYear(value, kind) ? String(value) : formatNumber(value);
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (kind === 'date' && typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value)) return formatDay(value);
  if (Array.isArray(value)) return value.map((each) => valueText(each)).join(', ');
  if (typeof value === 'object') {
    const parts = Object.values(value as Record<string, unknown>).filter(
      (each) => each !== null && typeof each !== 'object',
    );
    // When something was said is less than what was said, which a narrow cell would cut off.
    return [...parts.filter((each) => !isTime(each)), ...parts.filter(isTime)]
      .map((each) => valueText(each, isTime(each) ? 'date' : undefined))
      .join(' · ');
  }
  return String(value);
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value);
}

/** A whole number of four digits is read as a year: founded in 2,015 is nobody's form. */
function isYear(value: number, kind: Column['kind'] | undefined): boolean {
  return kind !== undefined && value >= 1000 && value <= 2100;
}
