import type { DirectoryKind } from './target-fields.catalogue.js';

/** @returns the name of the table that holds a directory. The number is the database's own, so it can stand in a statement */
export function tableOf(kind: DirectoryKind, number: number): string {
  return `directory.${kind}_${number}`;
}
