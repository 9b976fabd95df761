import type { Predicate } from '@quarry/plan';

/** @returns the check that a row is not everything that the parts say. */
export function notAll(parts: readonly Predicate[]): Predicate {
  const [first] = parts;
  if (parts.length === 1 && first && !first.negate)
    return { ...first, negate: true, text: `not ${first.text}` };
  return {
    column_keys: parts.flatMap(({ column_keys }) => column_keys),
    negate: true,
    test: { op: 'every', parts },
    text: `not ${parts.map(({ text }) => text).join(' with ')}`,
  };
}

/** @returns the check that a row is everything that the parts say; null for none. */
export function allOf(parts: readonly Predicate[]): Predicate | null {
  const [first] = parts;
  if (!first || parts.length === 1) return first ?? null;
  return {
    column_keys: parts.flatMap(({ column_keys }) => column_keys),
    negate: false,
    test: { op: 'every', parts },
    text: parts.map(({ text }) => text).join(' and '),
  };
}
