import type { TableProfile } from '@quarry/plan';
import { listOf, type PhraseList } from '../language/phrase-list.js';
import { foldText, foldWords, singularOf } from '@quarry/vocabulary';

/** Type by which the cells of a column are compared. */
export type CellType = 'text' | 'number' | 'year' | 'date';

/** Column of a named table with the known facts about its cells. */
export interface TableColumn {
  readonly key: string;
  readonly name: string;
  readonly type: CellType;
  /** Distinct values as text. */
  readonly values: readonly string[];
  /** True when few values repeat over many rows: then a prompt may name a value without the column. */
  readonly isCategory: boolean;
  /** True when the cells are yes or no, in any spelling. */
  readonly isBoolean: boolean;
  /** True when some cells are numbers with a fraction. */
  readonly isDecimal: boolean;
  /** Folded phrases with which a prompt may name the column, longest first. */
  readonly phrases: PhraseList;
}

/** Share of values that must have a format for the column to have it; imports contain a few irregular cells. */
const FORM_SHARE = 0.8;
/** Maximum number of values of a category, or share of the rows. */
const CATEGORY_VALUES_MAX = 40;
const CATEGORY_ROWS_SHARE = 0.45;
/** Words that occur in many column names and do not identify a column. */
const WEAK_WORDS = new Set(listOf('name | date | gics | id | the | of | number | type | in | is | company'));

/** Describes the columns of a table, to read a prompt about it. */
export function tableColumns(table: TableProfile): TableColumn[] {
  const names = table.columns.map(({ name, key }) => foldWords(name || key));
  return table.columns.map(({ key, name, kind }, index) => {
    const { values, isComplete } = table.values[key] ?? { values: [], isComplete: false };
    const type = typeOf(kind, name || key, values);
    return {
      key,
      name: name || key,
      type,
      values,
      isCategory: type === 'text' && isCategory(values, isComplete, table.rowCount),
      isBoolean: isBoolean(kind, values, isComplete),
      isDecimal: type === 'number' && values.some((value) => /\.\d*[1-9]/.test(value)),
      phrases: phrasesOf(index, names, key),
    };
  });
}

function typeOf(kind: string, name: string, values: readonly string[]): CellType {
  const share = (form: RegExp): number =>
    values.filter((value) => form.test(value.trim())).length / Math.max(1, values.length);
  const isYearName = /found|year|establish|incorporat|since|inception/i.test(name);
  if (kind === 'date' || share(/^\d{4}-\d{2}-\d{2}/) >= FORM_SHARE) return 'date';
  if (isYearName && share(/(?<!\d)(1\d|20)\d{2}(?!\d)/) >= FORM_SHARE) return 'year';
  return kind === 'number' || share(/^[$€£]?-?[\d,]+(\.\d+)?$/) >= FORM_SHARE ? 'number' : 'text';
}

function isCategory(values: readonly string[], isComplete: boolean, rowCount: number): boolean {
  if (!isComplete || values.length === 0) return false;
  return values.length <= CATEGORY_VALUES_MAX || values.length <= rowCount * CATEGORY_ROWS_SHARE;
}

function isBoolean(kind: string, values: readonly string[], isComplete: boolean): boolean {
  const isYesOrNo = (value: string): boolean => /^(true|false|yes|no|y|n)$/i.test(value.trim());
  return kind === 'boolean' || (isComplete && values.length > 0 && values.every(isYesOrNo));
}

/** Returns the whole name, then shorter and shorter endings and single words of it that no other column has. */
function phrasesOf(
  index: number,
  names: ReadonlyArray<readonly string[]>,
  key: string,
): Array<readonly string[]> {
  const own = names[index] ?? [];
  const others = names.filter((_, other) => other !== index);
  const ends = own.map((_, start) => own.slice(start));
  const single = own.map((word) => [word]);
  const candidates = [own, foldWords(key), ...ends, ...single].filter((words) => words.length > 0);
  const isOwn = (words: readonly string[]): boolean =>
    words.length === own.length ||
    (!(words.length === 1 && WEAK_WORDS.has(words[0] ?? '')) &&
      !others.some((other) => other.join(' ') === words.join(' ')));
  const spoken = candidates
    .filter(isOwn)
    .flatMap((words) => [words, [...words.slice(0, -1), `${words.at(-1)}s`]]);
  return [...new Map(spoken.map((words) => [words.join(' '), words])).values()].sort(
    (a, b) => b.length - a.length,
  );
}

/** @returns a text for comparing values: folded, words in the singular, without "and" */
export function valueKey(text: string): string {
  return foldWords(text)
    .filter((word) => word !== 'and')
    .map(singularOf)
    .join(' ');
}

/** Returns the values of a column that a text names: equal ones, else those that contain all its words. */
export function valuesNamed(column: TableColumn, text: string): { values: string[]; isExact: boolean } {
  const key = valueKey(text);
  const exact = column.values.filter((value) => valueKey(value) === key);
  if (exact.length > 0 || key === '') return { values: exact, isExact: true };
  const words = key.split(' ');
  const containing = column.values.filter((value) => {
    const known = valueKey(value).split(' ');
    return words.every((word) => known.some((other) => isSameStem(word, other)));
  });
  return { values: containing, isExact: false };
}

/** Maximum number of values in a sentence; the others are only counted. */
const VALUES_NAMED_MAX = 5;

/** @returns the note for words that only occur within longer values of a column, for the run's message */
export function partNote(phrase: string, column: TableColumn, values: readonly string[]): string {
  const named = values.slice(0, VALUES_NAMED_MAX).map((value) => `“${value}”`);
  const rest = values.length > named.length ? ` and ${values.length - named.length} more` : '';
  return `“${phrase}” is only a part of values of “${column.name}”, and was read as ${named.join(' or ')}${rest}.`;
}

/** Returns whether words have the same stem: "biotech" and "biotechnology" do, "industrial" and "industry" do not. */
function isSameStem(word: string, known: string): boolean {
  return word === known || (word.length >= 6 && known.startsWith(word));
}

/** @returns the first column with a matching name and a comparable type */
export function columnNamed(
  columns: readonly TableColumn[],
  name: RegExp | null,
  types: readonly CellType[],
): TableColumn | null {
  return columns.find((column) => name?.test(foldText(column.name)) && types.includes(column.type)) ?? null;
}
