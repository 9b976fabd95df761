import type { TableSort } from '@quarry/plan';
import { COMPANY_ATTRIBUTES, type DirectorySort } from '@quarry/directory';
import { orderOf, type Draft } from '../language/draft.js';
import { columnNamed, type TableColumn } from './table-schema.js';

/** Order of a table's rows, and the parts of it that are not possible. */
export interface TableOrder {
  readonly sort: TableSort | null;
  readonly notes: readonly string[];
  readonly notUnderstood: readonly string[];
}

/** Applies the requested order to a column: named, implied ("largest"), or unspecified ("top 5"). */
export function tableOrder(draft: Draft, columns: readonly TableColumn[]): TableOrder {
  const none: TableOrder = { sort: null, notes: [], notUnderstood: [] };
  if (draft.tableSort) return { ...none, sort: draft.tableSort };
  const requested = orderOf(draft);
  if (!requested) return none;
  const column = sortColumn(requested.by, columns);
  const words = draft.sort ? `order by ${requested.by.replaceAll('_', ' ')}` : 'top';
  if (!column) return { ...none, notUnderstood: [words] };
  const notes = draft.sort ? [] : [`“Top” was read as the largest by “${column.name}”.`];
  return { ...none, sort: { column_key: column.key, direction: requested.direction }, notes };
}

function sortColumn(by: DirectorySort['by'], columns: readonly TableColumn[]): TableColumn | null {
  const heading = COMPANY_ATTRIBUTES.find(({ key }) => key === by)?.heading ?? null;
  return columnNamed(columns, heading, by === 'name' ? ['text'] : ['number', 'year', 'date']);
}
