import { useCallback, useState } from 'react';
import type { Enrichment } from '../api/resources';
import type { TableSearch } from '../router';

/** A column that a service fills, with what was asked for, so that the rest and what failed can follow. */
export interface Filling {
  readonly enrichment: Enrichment;
  readonly request: Readonly<Record<string, unknown>>;
  /** View of the table when it was asked for: the rest is of the same rows. */
  readonly search?: TableSearch;
  /** True where only the first rows were requested. */
  readonly isPart: boolean;
}

/**
 * Returns whether an enrichment that has ended has left rows to be filled: it was for the first rows alone, was stopped, or there
 * were too few credits for all.
 */
export function hasRest({ status, counts }: Pick<Enrichment, 'status' | 'counts'>, isPart: boolean): boolean {
  return isPart || status === 'cancelled' || counts.skipped > 0;
}

/** Returns the current enrichment of a table; a reload does not lose it. */
export function useFilling(tableId: string): [Filling | null, (filling: Filling | null) => void] {
  const key = `quarry.filling.${tableId}`;
  const [filling, setFilling] = useState(() => {
    try {
      return JSON.parse(sessionStorage.getItem(key) ?? 'null') as Filling | null;
    } catch {
      return null;
    }
  });
  const change = useCallback(
    (next: Filling | null) => {
      if (next) sessionStorage.setItem(key, JSON.stringify(next));
      else sessionStorage.removeItem(key);
      setFilling(next);
    },
    [key],
  );
  return [filling, change];
}
