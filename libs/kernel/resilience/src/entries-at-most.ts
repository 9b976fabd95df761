/**
 * @param max number of entries
 * @returns options of an LRU cache with a maximum number of entries that allocates memory as it fills: with `max`,
 *   lru-cache preallocates all entries, which is 430 kB for ten thousand
 */
export function entriesAtMost(max: number): { maxSize: number; sizeCalculation: () => number } {
  return { maxSize: max, sizeCalculation: () => 1 };
}
