import type { ColumnJson } from '@quarry/dto';

/** @returns the keys of columns by the names that templates have for them: the keys themselves, and plain names */
export function variablesOf(columns: readonly Pick<ColumnJson, 'key'>[]): ReadonlyMap<string, string> {
  const keys = columns.map(({ key }) => key);
  return new Map(
    [ASCII_WORD, WORD, null].flatMap((word) =>
      keys
        .map((key) => [word === null ? key : templateName(key, word), key] as const)
        .filter(([name]) => name !== ''),
    ),
  );
}

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** Words of the names in earlier releases, which sequences may use: `pr_nom` for `Prénom`. */
const ASCII_WORD = /[a-z0-9]+/g;

/** Returns the name of a column in templates, whatever its key is: `First name` becomes `first_name`. */
function templateName(key: string, word: RegExp): string {
  const words = key.normalize('NFC').toLowerCase().match(word) ?? [];
  return words.join('_').replace(/^(?=\d)/, '_');
}
