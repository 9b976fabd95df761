import type { Table } from '../api/resources';
import type { TableSearch } from '../router';
import { filterText, readFilter } from './view-text';

/** One active filter in words, with the search parameters without it. */
export interface FilterPart {
  readonly text: string;
  readonly without: Partial<TableSearch>;
}

/** @returns the filters of an address, each in words */
export function filterParts({ columns }: Table, { filter = [], fit, q }: TableSearch): FilterPart[] {
  return [
    ...(q ? [{ text: `“${q}”`, without: { q: undefined } }] : []),
    ...(fit ? [{ text: `Fit is ${fit}`, without: { fit: undefined } }] : []),
    ...filter.map((text) => {
      const read = readFilter(text);
      return {
        text: read ? filterText(read, columns) : text,
        without: { filter: filter.filter((each) => each !== text) },
      };
    }),
  ];
}
