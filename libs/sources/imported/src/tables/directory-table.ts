import type { DirectoryKind } from './target-fields.catalogue.js';

/**
 * @returns the name of the table of a directory. The number comes from the database, so it is safe in the text of a
 *   statement
 */
export function tableOf(kind: DirectoryKind, number: number): string {
  return `directory.${kind}_${number}`;
}
