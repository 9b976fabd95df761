import type { ColumnJson } from '@quarry/dto';

/**
 * Beginning of a cell that a spreadsheet may execute as a formula: = + - @ (also full width) or a control character, after any
 * white space (including no-break spaces and line breaks). Source: docs/reliability.md, CSV cells; OWASP, CSV injection.
 */
const FORMULA_START =
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  /^[\s\u200b\u2060]*(?:[=+\-@\uff1d\uff0b\uff0d\uff20]|[\u0000-\u0008\u000e-\u001f])|^\s*[\t\r]/;
/** ITU-T E.164: a plus sign and at most fifteen digits, the first of them not zero. */
const E164 = /^\+[1-9]\d{6,14}$/;
const PLAIN_NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** @returns the text, with a leading apostrophe if a spreadsheet could take it for a formula */
export function formulaSafe(text: string): string {
  // Most cells begin like this, so the pattern need not be tried.
  if (isPlainStart(text.charCodeAt(0))) return text;
  if (!FORMULA_START.test(text) || E164.test(text) || PLAIN_NUMBER.test(text)) return text;
  return `'${text}`;
}

/** @returns whether a character code is an ASCII letter or digit */
export function isPlainStart(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39);
}

/** @returns the header as a record by RFC 4180, with the column keys that JSON and import use */
export function csvHeader(columns: ReadonlyArray<Pick<ColumnJson, 'key'> & { header?: string }>): string {
  return `${columns.map(({ key, header = key }) => `"${formulaSafe(header).replaceAll('"', '""')}"`).join(',')}\r\n`;
}
