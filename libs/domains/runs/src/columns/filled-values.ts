import type { ServiceCall } from '@quarry/plan-compiler';

/** Holds the values of the current rows that calls have filled and later calls read. Complete answers could take megabytes. */
export class FilledValues {
  private readonly keys: ReadonlySet<string>;
  private readonly rows = new Map<string, Record<string, unknown>>();

  /** @param calls all calls of a table */
  constructor(calls: readonly ServiceCall[]) {
    this.keys = new Set(calls.flatMap(({ needs }) => needs));
  }

  /** Returns whether any call reads a value that another one fills. */
  get areNeeded(): boolean {
    return this.keys.size > 0;
  }

  /** Stores the values that later calls read, and ignores the others. */
  keepValues(rowId: string, values: Readonly<Record<string, unknown>>): void {
    const needed = Object.entries(values).filter(([key, value]) => this.keys.has(key) && value !== null);
    if (needed.length > 0) this.rows.set(rowId, { ...this.rows.get(rowId), ...Object.fromEntries(needed) });
  }

  /** @returns the value of a row by column key; null when there is none */
  valueOf(rowId: string, key: string): unknown {
    return this.rows.get(rowId)?.[key] ?? null;
  }

  /** Removes rows that have been through every call. */
  dropRows(rows: ReadonlyArray<{ id: string }>): void {
    for (const { id } of rows) this.rows.delete(id);
  }
}

/** The most characters of JSON per statement: a much larger one blocks others and takes several times its size in memory. */
export const WRITE_CHARACTERS_MAX = 4_000_000;

/** @returns the changes in order, split into pieces of at most that size; a larger change gets a piece of its own */
export function inPieces<Change>(
  changes: readonly Change[],
  most: number = WRITE_CHARACTERS_MAX,
): Change[][] {
  const pieces: Change[][] = [];
  let charactersLeft = 0;
  for (const change of changes) {
    const { length } = JSON.stringify(change);
    if (length > charactersLeft) {
      pieces.push([]);
      charactersLeft = most;
    }
    pieces.at(-1)!.push(change);
    charactersLeft -= length;
  }
  return pieces;
}
