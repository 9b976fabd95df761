import type { ServiceCall } from '@quarry/plan-compiler';

/** Holds values that calls have filled and later calls read, of the current rows. Whole answers may be megabytes. */
export class FilledValues {
  private readonly keys: ReadonlySet<string>;
  private readonly rows = new Map<string, Record<string, unknown>>();

  /** @param calls all calls of a table */
  constructor(calls: readonly ServiceCall[]) {
    this.keys = new Set(calls.flatMap(({ needs }) => needs));
  }

  /** Returns whether any call reads what another one fills. */
  get areNeeded(): boolean {
    return this.keys.size > 0;
  }

  /** Returns how many rows have something here. */
  get size(): number {
    return this.rows.size;
  }

  /** Keeps what a later call reads of the values; nothing else is kept. */
  keepValues(rowId: string, values: Readonly<Record<string, unknown>>): void {
    const needed = Object.entries(values).filter(([key, value]) => this.keys.has(key) && value !== null);
    if (needed.length > 0) this.rows.set(rowId, { ...this.rows.get(rowId), ...Object.fromEntries(needed) });
  }

  /** @returns what a row has by the key of a column; null for nothing */
  valueOf(rowId: string, key: string): unknown {
    return this.rows.get(rowId)?.[key] ?? null;
  }

  /** Forgets rows that have gone through every call. */
  dropRows(rows: ReadonlyArray<{ id: string }>): void {
    for (const { id } of rows) this.rows.delete(id);
  }
}

/** JSON of the changes of one statement, in characters: one that is much larger holds up others, and takes several times the memory. */
export const WRITE_CHARACTERS_MAX = 4_000_000;

/** @returns the changes in their order, in pieces of at most as much JSON; one that is larger stands alone */
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
