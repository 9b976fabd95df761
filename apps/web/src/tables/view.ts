import { queryOptions } from '@tanstack/react-query';
import { ApiError, callApi } from '../api/http';
import { currentMode } from '../api/mode';
import type { Table, TableView } from '../api/resources';
import type { TableSearch } from '../router';
import { readFilter, readSort, readValue, WITHOUT_VALUE } from './view-text';

/**
 * Returns the request for a view; null when the table is shown unchanged.
 * @param columns of the table, whose kinds determine how values are sent
 */
function viewRequest(
  { sort, filter = [], fit, q }: TableSearch,
  columns: Table['columns'],
): Record<string, unknown> | null {
  const filters = filter.flatMap((text) => readFilter(text) ?? []);
  const sorts = [...readSort(sort)].map(([key, direction]) => ({ key, direction }));
  if (filters.length + sorts.length === 0 && !fit && !q) return null;
  return {
    ...(sorts.length > 0 ? { sort: sorts } : {}),
    ...(filters.length > 0
      ? {
          filter: filters.map((each) => ({
            key: each.key,
            op: each.op,
            ...(WITHOUT_VALUE.has(each.op) ? {} : readValue(each, columns)),
          })),
        }
      : {}),
    ...(fit ? { fit: [fit] } : {}),
    ...(q ? { query: q } : {}),
  };
}

/** @returns what is wrong with the columns and values of a view, in words; null when nothing is */
function viewProblem({ sort, filter = [] }: TableSearch, columns: Table['columns']): string | null {
  const filters = filter.flatMap((text) => readFilter(text) ?? []);
  const unreadable = filter.find((text) => readFilter(text) === null);
  if (unreadable !== undefined) return `“${unreadable}” in the address is no filter: remove it.`;
  const missing = [...readSort(sort).keys(), ...filters.map(({ key }) => key)].filter(
    (key) => !columns.some((column) => column.key === key),
  );
  if (missing.length > 0) return `This table has no column “${missing[0]}”: sort or filter by another one.`;
  const problems = filters.flatMap((read) => {
    if (WITHOUT_VALUE.has(read.op)) return [];
    const value = readValue(read, columns);
    return 'problem' in value ? [value.problem] : [];
  });
  return problems.length > 0 ? problems.join(' ') : null;
}

export function viewQuery({ id, columns }: Table, search: TableSearch) {
  const request = viewRequest(search, columns);
  const problem = viewProblem(search, columns);
  return queryOptions({
    queryKey: [currentMode(), 'view', id, request, problem],
    queryFn: ({ signal }) => {
      if (problem) throw new ApiError(400, 'validation_error', problem);
      return request
        ? callApi<TableView>(`/v1/tables/${id}/views`, { method: 'POST', body: request, signal })
        : null;
    },
    // Without a view there is nothing to wait for.
    initialData: request || problem ? undefined : null,
    // A view expires an hour after its last use; it is created again well before.
    staleTime: 30 * 60_000,
    gcTime: 30 * 60_000,
  });
}
