import type { ServiceInput, ServiceInputs } from '@quarry/plan';

/** Key in double braces. Surrounding spaces are not part of the pattern: it would try each of them in many ways. */
const PLACEHOLDER = /\{\{([^{}]+)\}\}/g;
/**
 * Most characters and items of a constant with the values of a row in it, twice as many as any service takes: a key can be named
 * thousands of times, and a cell has up to 32 KiB.
 */
const FILLED_MAX = 200_000;

/** Keys of constants, which are read once and not again for each row. */
const keysOfConstants = new WeakMap<object, string[]>();

/** @returns the distinct keys of attributes and columns that an input reads */
export function keysRead(input: ServiceInput): string[] {
  if (typeof input === 'string') return [input];
  const known = keysOfConstants.get(input);
  if (known) return known;
  const keys = textsIn(input.value).flatMap((text) =>
    [...text.matchAll(PLACEHOLDER)].map(([, key]) => key!.trim()),
  );
  const distinct = [...new Set(keys)];
  keysOfConstants.set(input, distinct);
  return distinct;
}

/** @returns the distinct keys that the inputs read */
export function keysOfInputs(inputs: ServiceInputs = {}): string[] {
  return [...new Set(Object.values(inputs).flatMap(keysRead))];
}

/**
 * Computes an input's value for one row.
 * @param valueOf returns the row's value for a key; null for none
 * @returns the value, or the first key without a value in the row: then there is no value; `too long` for a constant that exceeds
 *   what services take once the row's values are in it
 */
export function inputValue(
  input: ServiceInput,
  valueOf: (key: string) => unknown,
): { value: unknown; missing: null } | { value: null; missing: string } | 'too long' {
  const keys = keysRead(input);
  const missing = keys.find((key) => !isThere(valueOf(key)));
  if (missing !== undefined) return { value: null, missing };
  if (typeof input === 'string') return { value: valueOf(input), missing: null };
  if (keys.length === 0) return { value: input.value, missing: null };
  const value = fillConstant(input.value, valueOf);
  return value === null ? 'too long' : { value, missing: null };
}

function isThere(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== '';
  return value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0);
}

/** @returns the constant with the row's values; null when it is too long */
function fillConstant(constant: unknown, valueOf: (key: string) => unknown): unknown {
  let left = FILLED_MAX;
  const textOfKey = (_: string, key: string): string => {
    const text = left < 0 ? '' : textOf(valueOf(key.trim()));
    left -= text.length;
    return left < 0 ? '' : text;
  };
  const fill = (value: unknown): unknown => {
    left -= typeof value === 'string' ? value.length : 1;
    if (left < 0) return null;
    if (typeof value === 'string') return value.replace(PLACEHOLDER, textOfKey);
    if (Array.isArray(value)) return value.map(fill);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, fill(item)]));
  };
  const filled = fill(constant);
  return left < 0 ? null : filled;
}

/**
 * @returns a value as text: items of a list separated by commas. Equal values give equal texts, independent of the order of
 *   their keys: the storage changes that order, and the inputs of a call determine its idempotency key
 */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value.trim();
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.join(', ');
  return typeof value === 'object' ? JSON.stringify(value, withSortedKeys) : String(value);
}

function withSortedKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
