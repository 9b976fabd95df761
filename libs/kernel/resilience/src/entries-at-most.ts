/**
 * @param max entries
 * @returns options of an LRU cache that holds so many, and takes room as it fills: with `max` alone lru-cache reserves the room of
 *   all of them at once, which is 430 kB for ten thousand
 */
export function entriesAtMost(max: number): { maxSize: number; sizeCalculation: () => number } {
  return { maxSize: max, sizeCalculation: () => 1 };
}
