import { queryOptions } from '@tanstack/react-query';
import { callApi } from '../api/http';
import { currentMode } from '../api/mode';
import type { TableView } from '../api/resources';
import type { TableSearch } from '../router';
import { readFilter, readSort, WITHOUT_VALUE } from './view-text';

/** Returns the request for the view; null where the table is shown as it is. */
function viewRequest({ sort, filter = [], fit, q }: TableSearch, numeric: ReadonlySet<string>) {
  const filters = filter.flatMap((text) => readFilter(text) ?? []);
  const sorts = Object.entries(readSort(sort)).map(([key, direction]) => ({ key, direction }));
  if (filters.length + sorts.length === 0 && !fit && !q) return null;
  return {
    ...(sorts.length > 0 ? { sort: sorts } : {}),
    ...(filters.length > 0
      ? {
          filter: filters.map(({ key, op, value }) => ({
            key,
            op,
            ...(WITHOUT_VALUE.has(op)
              ? {}
              : {
                  value:
                    numeric.has(key) && value.trim() !== '' && Number.isFinite(Number(value))
                      ? Number(value)
                      : value,
                }),
          })),
        }
      : {}),
    ...(fit ? { fit: [fit] } : {}),
    ...(q ? { query: q } : {}),
  };
}

/** @param numeric keys of columns of numbers, whose values are sent as such */
export function viewQuery(tableId: string, search: TableSearch, numeric: ReadonlySet<string>) {
  const request = viewRequest(search, numeric);
  return queryOptions({
    queryKey: [currentMode(), 'view', tableId, request],
    queryFn: ({ signal }) =>
      request
        ? callApi<TableView>(`/v1/tables/${tableId}/views`, { method: 'POST', body: request, signal })
        : null,
    // A view ends an hour after its last use; it is made anew well before.
    staleTime: 30 * 60_000,
    gcTime: 30 * 60_000,
  });
}
