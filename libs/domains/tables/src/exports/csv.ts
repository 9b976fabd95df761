import type { ColumnJson, ColumnKind } from '@quarry/dto';
import { isJsonObject } from '../import/column-kinds.js';

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

/**
 * @returns a value as readable text: null as nothing, list items joined by "; ", experience and education as sentences, an object
 * as JSON
 */
export function cellText(kind: ColumnKind, value: unknown): string {
  if (value === null || value === undefined) return '';
  if (!Array.isArray(value)) return scalarText(value);
  if (kind === 'experiences') return joinItems(value, experienceText);
  if (kind === 'educations') return joinItems(value, educationText);
  return joinItems(value, scalarText);
}

function joinItems(items: unknown[], toText: (item: unknown) => string): string {
  return items
    .map(toText)
    .filter((text) => text !== '')
    .join('; ');
}

function scalarText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** "Head of Sales at Acme (2019 – present)". Falls back to JSON for an item without a title or a company. */
function experienceText(item: unknown): string {
  if (!isJsonObject(item)) return scalarText(item);
  const title = firstText(item, ['title', 'position', 'role']);
  const company = firstText(item, ['company', 'company_name', 'organization']);
  if (title === '' && company === '') return JSON.stringify(item);
  const place = title !== '' && company !== '' ? `${title} at ${company}` : title || company;
  return place + periodOf(item);
}

/** "BSc, Physics, University of Oslo (2001 – 2004)". Falls back to JSON for an item without a school or degree. */
function educationText(item: unknown): string {
  if (!isJsonObject(item)) return scalarText(item);
  const parts = [
    firstText(item, ['degree']),
    firstText(item, ['field', 'field_of_study']),
    firstText(item, ['school', 'school_name', 'institution']),
  ].filter((part) => part !== '');
  return parts.length === 0 ? JSON.stringify(item) : parts.join(', ') + periodOf(item);
}

function periodOf(item: Record<string, unknown>): string {
  const start = firstText(item, ['start', 'start_date', 'start_year', 'from']);
  const end = firstText(item, ['end', 'end_date', 'end_year', 'to']);
  if (start === '' && end === '') return '';
  return start === '' ? ` (until ${end})` : ` (${start} – ${end || 'present'})`;
}

function firstText(item: Record<string, unknown>, members: string[]): string {
  const found = members.map((member) => (Object.hasOwn(item, member) ? item[member] : null));
  return scalarText(found.find((value) => value !== null && value !== '') ?? '');
}
