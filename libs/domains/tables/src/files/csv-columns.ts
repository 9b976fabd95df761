import { isUsableKey } from '@quarry/dto';
import { IMPORT_LIMITS } from '../import/import-request.js';
import type { RequestFaults } from '../import/request-faults.js';
import { isStorableText } from '../sql/storable-text.js';
import { cellOf } from './csv-cell.js';

export interface CsvColumn {
  key: string;
  name: string;
}

/**
 * Names the columns of a file after its header, whose words are the keys, like in an export. A column without a word, or whose
 * word cannot be a key, is `column_3`, and a repeated word gets ` (2)`.
 * @param header empty for a file without one
 */
export function columnsOf(header: readonly string[], width: number, faults: RequestFaults): CsvColumn[] {
  if (width > IMPORT_LIMITS.columnsMax)
    faults.add('', `It has ${width} columns; ${IMPORT_LIMITS.columnsMax} are allowed`);
  const taken = new Set<string>();
  return Array.from({ length: width }, (_, at) => {
    const unnamed = `column_${at + 1}`;
    const word = (cellOf(header[at] ?? '') ?? '').trim() || unnamed;
    if (!isStorableText(word) || word === '__proto__')
      faults.add(`header, column ${at + 1}`, 'cannot be a column key');
    return {
      key: freeKey(isUsableKey(word) ? word : unnamed, taken),
      name: cutText(word, IMPORT_LIMITS.nameCharactersMax),
    };
  });
}

function freeKey(word: string, taken: Set<string>): string {
  for (let n = 1; ; n += 1) {
    const suffix = n === 1 ? '' : ` (${n})`;
    const key = cutText(word, IMPORT_LIMITS.columnKeyCharactersMax - suffix.length) + suffix;
    const normal = key.normalize('NFC');
    if (taken.has(normal)) continue;
    taken.add(normal);
    return key;
  }
}

/** Counts code points, so that an emoji is not cut in two. */
export function cutText(text: string, charactersMax: number): string {
  return text.length <= charactersMax ? text : [...text].slice(0, charactersMax).join('');
}
