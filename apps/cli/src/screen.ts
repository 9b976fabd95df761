import stringWidth from 'string-width';

/** Columns of a table that a screen shows, with their widths. */
export interface Layout {
  keys: readonly string[];
  widths: readonly number[];
}

/** Narrower columns are unreadable, so fewer are shown instead. */
const COLUMN_WIDTH_READABLE = 12;
export const COLUMN_WIDTH_MAX = 40;
/** The most characters of an object on one line. */
const INLINE_MAX = 100;

/** Returns a text on one line, without control characters. */
export function toPrintable(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/\p{Cc}/gu, '');
}

/** Returns a text with its line breaks, but without other control characters: an unknown author could command the terminal. */
export function withoutControls(text: string): string {
  return text.replace(/[^\P{Cc}\n\r\t]/gu, '');
}

/** Returns a count with its noun: 1 credit, 2.5 credits. */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Returns a value as one field: texts unchanged, lists joined, everything else as JSON. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object')) return value.join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean);
}

/**
 * Returns the columns that fit on a screen, and their widths: the first ones, and the last one with up to a third of the screen,
 * because it is usually the looked-up one. An id is never cut, because the next command needs it.
 */
export function layOut(keys: readonly string[], widths: readonly number[], screenWidth: number): Layout {
  const leastOf = (key: string, at: number): number => {
    if (at === 0 && /(^|_)id$/.test(key)) return COLUMN_WIDTH_MAX;
    return at === keys.length - 1
      ? Math.max(COLUMN_WIDTH_READABLE, Math.floor(screenWidth / 3))
      : COLUMN_WIDTH_READABLE;
  };
  const least = keys.map((key, at) => Math.min(widths[at]!, leastOf(key, at)));
  const shown = keys.map((_, at) => at);
  while (shown.length > 2 && lineWidth(shown.map((at) => least[at]!)) > screenWidth) shown.splice(-2, 1);
  const fitted = shown.map((at) => widths[at]!);
  while (lineWidth(fitted) > screenWidth) {
    const spare = fitted.map((width, at) => (width > least[shown[at]!]! ? width : 0));
    const widest = Math.max(...spare);
    if (widest === 0) break;
    fitted[spare.indexOf(widest)] = widest - 1;
  }
  return { keys: shown.map((at) => keys[at]!), widths: fitted };
}

function lineWidth(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width + 2, -2);
}

/** Returns a value of a document as lines of a screen; none when it is empty. */
export function describeValue(name: string, value: unknown): string {
  return linesOfField(name, value)
    .map((line) => `${line}\n`)
    .join('');
}

function linesOfField(name: string, value: unknown): string[] {
  const lines = linesOf(value);
  if (lines.length === 0) return [];
  const isBelow = lines.length > 1 || (typeof value === 'object' && !isPlainList(value));
  return isBelow ? [`${name}:`, ...lines.map((line) => `  ${line}`)] : [`${name}: ${lines[0]}`];
}

/** Returns the lines of a text, the entries of a list of objects, or the fields of an object. */
function linesOf(value: unknown): string[] {
  if (isEmpty(value)) return [];
  if (typeof value === 'string') return value.trimEnd().split(/\r?\n/).map(toPrintable);
  if (isPlainList(value) || typeof value !== 'object') return [inlineOf(value)];
  if (Array.isArray(value))
    return value.flatMap((each) =>
      (isShort(each) ? [inlineOf(each)] : linesOf(each)).map((line, at) => `${at === 0 ? '-' : ' '} ${line}`),
    );
  return Object.entries(value as object).flatMap(([name, each]) =>
    isNestedObject(each) && !isEmpty(each) && isShort(each)
      ? [`${name}: (${inlineOf(each)})`]
      : linesOfField(name, each),
  );
}

/** Returns whether a value fits on one line: a text of several lines does not. */
function isShort(value: unknown): boolean {
  return !JSON.stringify(value).includes('\\n') && inlineOf(value).length <= INLINE_MAX;
}

/** Returns a value on one line: names and values of objects, nested objects in parentheses. */
export function inlineOf(value: unknown): string {
  if (Array.isArray(value))
    return value.map((each) => (isNestedObject(each) ? `(${inlineOf(each)})` : inlineOf(each))).join(', ');
  if (!isNestedObject(value)) return toPrintable(textOf(value));
  return Object.entries(value)
    .filter(([, each]) => !isEmpty(each))
    .map(([name, each]) => `${name}: ${isNestedObject(each) ? `(${inlineOf(each)})` : inlineOf(each)}`)
    .join(', ');
}

function isNestedObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isPlainList(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each !== 'object');
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  return typeof value === 'object' && Object.values(value).every(isEmpty);
}

/** Returns a text of exactly the given width: cut with an ellipsis, or padded with blanks. */
export function cutTo(text: string, width: number): string {
  const missing = width - stringWidth(text);
  if (missing >= 0) return text + ' '.repeat(missing);
  let cut = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (stringWidth(cut + segment) > width - 1) break;
    cut += segment;
  }
  return `${cut}…${' '.repeat(Math.max(0, width - 1 - stringWidth(cut)))}`;
}
