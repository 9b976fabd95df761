const COLLATOR = new Intl.Collator('en', { numeric: true });

/**
 * Compares two values of a column for sorting: numbers by size, others as text with natural ordering of numbers. Empty
 * values come last in either direction.
 * @returns a negative number if the first comes first, a positive one if the second does
 */
export function compareValues(a: unknown, b: unknown, direction: 'ascending' | 'descending'): number {
  const [left, right] = [a ?? null, b ?? null];
  if (left === null || right === null) return Number(left === null) - Number(right === null);
  const order =
    typeof left === 'number' && typeof right === 'number'
      ? left - right
      : COLLATOR.compare(textOf(left), textOf(right));
  return direction === 'ascending' ? order : -order;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
