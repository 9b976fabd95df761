import type { ServiceInput, ServiceInputs } from '@quarry/plan';

/** Key in double braces. Surrounding spaces are not part of the pattern: it would try each of them in many ways. */
const PLACEHOLDER = /\{\{([^{}]+)\}\}/g;

/** @returns the distinct keys of attributes and columns that an input reads */
export function keysRead(input: ServiceInput): string[] {
  if (typeof input === 'string') return [input];
  const keys = textsIn(input.value).flatMap((text) =>
    [...text.matchAll(PLACEHOLDER)].map(([, key]) => key!.trim()),
  );
  return [...new Set(keys)];
}

/** @returns the distinct keys that the inputs read */
export function keysOfInputs(inputs: ServiceInputs = {}): string[] {
  return [...new Set(Object.values(inputs).flatMap(keysRead))];
}

/**
 * Computes an input's value for one row.
 * @param valueOf returns the row's value for a key; null for none
 * @returns the value, or the first key without a value in the row: then there is no value
 */
export function inputValue(
  input: ServiceInput,
  valueOf: (key: string) => unknown,
): { value: unknown; missing: null } | { value: null; missing: string } {
  const missing = keysRead(input).find((key) => !isThere(valueOf(key)));
  if (missing !== undefined) return { value: null, missing };
  if (typeof input === 'string') return { value: valueOf(input), missing: null };
  return { value: fillInputs(input.value, valueOf), missing: null };
}

function isThere(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== '';
  return value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0);
}

function fillInputs(value: unknown, valueOf: (key: string) => unknown): unknown {
  if (typeof value === 'string')
    return value.replace(PLACEHOLDER, (_, key: string) => textOf(valueOf(key.trim())));
  if (Array.isArray(value)) return value.map((item) => fillInputs(item, valueOf));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, fillInputs(item, valueOf)]));
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
