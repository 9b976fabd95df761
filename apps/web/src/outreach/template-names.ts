import type { Table } from '../api/resources';

/** Fields of people found by Quarry, as templates name them. Their tables have no first name column. */
export const FIRST_NAME = "{{ full_name | split: ' ' | first }}";

/** @returns the names of a table's columns in templates, the same as on the server */
export function templateNames({ columns }: Table): string {
  return columns.map(({ key }) => templateName(key)).join(', ');
}

function templateName(key: string): string {
  const words = key
    .normalize('NFC')
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [key];
  return words.join('_').replace(/^(?=\d)/, '_');
}
