import { LRUCache } from 'lru-cache';

const KEPT = 20_000;

/**
 * @returns a function that caches its last results; memory is allocated on the first call.
 * @param keyOf returns the same text for equal inputs, and for no others
 */
export function memoize<Input, Output extends object>(
  find: (input: Input) => Output,
  keyOf: (input: Input) => string,
): (input: Input) => Output {
  let known: LRUCache<string, Output> | null = null;
  return (input) => {
    known ??= new LRUCache({ max: KEPT });
    const key = keyOf(input);
    const before = known.get(key);
    if (before) return before;
    const found = find(input);
    known.set(key, found);
    return found;
  };
}
