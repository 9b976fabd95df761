import type { ColumnKind } from './tables.js';

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
  if (!isObject(item)) return scalarText(item);
  const title = firstText(item, ['title', 'position', 'role']);
  const company = firstText(item, ['company', 'company_name', 'organization']);
  if (title === '' && company === '') return JSON.stringify(item);
  const place = title !== '' && company !== '' ? `${title} at ${company}` : title || company;
  return place + periodOf(item);
}

/** "BSc, Physics, University of Oslo (2001 – 2004)". Falls back to JSON for an item without a school or degree. */
function educationText(item: unknown): string {
  if (!isObject(item)) return scalarText(item);
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

function isObject(item: unknown): item is Record<string, unknown> {
  return typeof item === 'object' && item !== null && !Array.isArray(item);
}
