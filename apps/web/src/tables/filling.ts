import { useCallback, useState } from 'react';
import type { Enrichment } from '../api/resources';
import type { TableSearch } from '../router';

/** A column that a service fills, with its request, so that remaining and failed rows can follow. */
export interface Filling {
  readonly enrichment: Enrichment;
  readonly request: Readonly<Record<string, unknown>>;
  /** View of the table at the time of the request: the rest uses the same rows. */
  readonly search?: TableSearch;
  /** True when only the first rows were requested. */
  readonly isPart: boolean;
}

/**
 * Returns whether an ended enrichment has left rows unfilled: it was for the first rows only, was stopped, or ran out of credits.
 */
export function hasRest({ status, counts }: Pick<Enrichment, 'status' | 'counts'>, isPart: boolean): boolean {
  return isPart || status === 'cancelled' || counts.skipped > 0;
}

/** Returns the current enrichment of a table, which survives a reload. */
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
