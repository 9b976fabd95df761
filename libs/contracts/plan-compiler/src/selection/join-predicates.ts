import type { Predicate } from '@quarry/plan';

/** @returns the check that a row does not match all of the parts */
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

/** @returns the check that a row matches all of the parts; null without parts */
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
