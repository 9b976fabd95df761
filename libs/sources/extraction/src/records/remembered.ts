import { LRUCache } from 'lru-cache';

const KEPT = 20_000;

/** @returns a function that remembers its last answers. @param keyOf the same text for equal inputs, and for no others */
export function remembered<Input, Output extends object>(
  find: (input: Input) => Output,
  keyOf: (input: Input) => string,
): (input: Input) => Output {
  const known = new LRUCache<string, Output>({ max: KEPT });
  return (input) => {
    const key = keyOf(input);
    const before = known.get(key);
    if (before) return before;
    const found = find(input);
    known.set(key, found);
    return found;
  };
}
