/** Repeatable source of random numbers. */
export interface Random {
  /** Returns a number in [0, 1). */
  next(): number;
  /** Returns a whole number from `min` to `max`, both included. */
  int(min: number, max: number): number;
  /** Returns one item of a non-empty list. */
  pick<T>(items: readonly T[]): T;
  chance(probability: number): boolean;
}

/**
 * Creates a repeatable random source. The generator is mulberry32 (public domain, Tommy Ettinger): 32 bits of state are
 * enough for fifty thousand fictional facts, and a number costs a few nanoseconds.
 */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    int: (min, max) => min + Math.floor(next() * (max - min + 1)),
    pick: <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)] as T,
    chance: (probability) => next() < probability,
  };
}

/** Draws items in proportion to their weights. */
export class WeightedList<T> {
  private readonly ends: number[] = [];
  private total = 0;

  constructor(private readonly entries: ReadonlyArray<readonly [T, number]>) {
    for (const [, weight] of entries) this.ends.push((this.total += weight));
  }

  draw(random: Random): T {
    const at = random.next() * this.total;
    let index = 0;
    while ((this.ends[index] as number) <= at) index += 1;
    return (this.entries[index] as readonly [T, number])[0];
  }
}
