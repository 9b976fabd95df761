import type { Table } from '../api/resources';

/** Fields of the people that Quarry finds, as messages name them; the table has no column of first names. */
export const FIRST_NAME = "{{ full_name | split: ' ' | first }}";

/** @returns the names by which templates may call the columns of a table, as the service has them */
export function templateNames({ columns }: Table): string {
  return columns.map(({ key }) => (key.toLowerCase().match(/[a-z0-9]+/g) ?? []).join('_')).join(', ');
}
