import type { DirectoryKind } from './import/target-fields.catalogue.js';

/** Begins the ids of directories that were imported. */
export const IMPORTED = 'directory:';

/** What a directory may be called; answers name it as `directory:<name>`. */
export const DIRECTORY_NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;

/** @returns the name of the table that holds a directory. The number is the database's own, so it can stand in a statement */
export function tableOf(kind: DirectoryKind, number: number): string {
  return `directory.${kind}_${number}`;
}
