import { createHash } from 'node:crypto';
import { registrableDomain, trimPasted, type ColumnJson } from '@quarry/dto';
import { canonicalJson } from '@quarry/app';
import type { DestinationTemplate } from './destination-template.js';
import type { PushRow } from './push-rows.port.js';

/** Field of the destination ← key of the column. */
export type Mapping = Readonly<Record<string, string>>;

const EMAIL = /^[^\s@<>(),;:"]+@[^\s@<>(),;:"]+\.[^\s@<>(),;:".]+$/;
/** Headings of values that belong to neither the company nor the person of a row. */
const OF_OTHERS = /(^|[^a-z])(owner|assistant|parent|manager|supervisor)/i;
/** Kinds of columns that hold the key whatever their name, unless it is that of somebody else. */
const KINDS = { email: 'email', domain: 'domain' } as const;

/** @returns the mapping that the column names suggest; for a webhook every column under its own key */
export function guessMapping(template: DestinationTemplate, columns: readonly ColumnJson[]): Mapping {
  if (template.keyField === null) return Object.fromEntries(columns.map(({ key }) => [key, key]));
  const named = new Map<string, string>();
  for (const word of ['key', 'name'] as const)
    for (const column of columns) {
      const heading = fold(column[word]);
      if (!named.has(heading)) named.set(heading, column.key);
    }
  const guessed = Object.entries(template.fields).flatMap(([field, names]) => {
    const found = names.flatMap((name) => named.get(fold(name)) ?? [])[0] ?? ofKind(template, field, columns);
    return found === undefined ? [] : [[field, found] as const];
  });
  return Object.fromEntries(guessed);
}

/** Folds headings, so that “First Name” equals “first_name” and “prénom” equals “prenom”. */
function fold(heading: string): string {
  return heading
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '');
}

function ofKind(
  { keyField, keyedBy }: DestinationTemplate,
  field: string,
  columns: readonly ColumnJson[],
): string | undefined {
  if (field !== keyField || keyedBy === 'row') return undefined;
  return columns.find(({ kind, name }) => kind === KINDS[keyedBy] && !OF_OTHERS.test(name))?.key;
}

/** A row as it would be sent. */
export interface MappedRow {
  row: PushRow;
  /** Null if the row has no key. */
  key: string | null;
  fields: Record<string, unknown>;
  /** Length of the fields as JSON. */
  characters: number;
  /** Hash of the fields, to detect changes. */
  hash: string;
}

/** Maps a row to the fields to send. Empty cells are omitted, so that they do not clear fields; a webhook gets all. */
export function mapRow(template: DestinationTemplate, mapping: Mapping, row: PushRow): MappedRow {
  const isWebhook = template.keyField === null;
  const fields: Record<string, unknown> = {};
  for (const [field, column] of Object.entries(mapping)) {
    const value = isWebhook ? (row.values[column] ?? null) : textOf(row.values[column]);
    if (isWebhook || value !== null) fields[field] = value;
  }
  const key = isWebhook ? row.id : keyOf(template, fields[template.keyField!]);
  if (key !== null && !isWebhook) fields[template.keyField!] = key;
  const json = canonicalJson(fields);
  const hash = createHash('sha256').update(json).digest('base64url');
  return { row, key, fields, characters: json.length, hash };
}

function keyOf({ keyedBy }: DestinationTemplate, value: unknown): string | null {
  if (typeof value !== 'string') return null;
  if (keyedBy === 'domain') return registrableDomain(value);
  const email = value.toLowerCase();
  return email.length <= 254 && EMAIL.test(email) ? email : null;
}

/** @returns a value as text for forms; null if there is none */
function textOf(value: unknown): string | null {
  if (Array.isArray(value)) {
    const parts = value.flatMap((each) => textOf(each) ?? []);
    return parts.length > 0 ? parts.join(', ') : null;
  }
  if (typeof value === 'object' && value !== null)
    return Object.keys(value).length > 0 ? JSON.stringify(value) : null;
  const text = typeof value === 'string' ? trimPasted(value) : (value ?? '').toString();
  return text === '' ? null : text;
}

/** @returns the email addresses in a row, in lower case */
export function addressesOf({ values }: Pick<PushRow, 'values'>): string[] {
  return Object.values(values).flatMap((value) => {
    const text = typeof value === 'string' && value.length <= 2048 ? value.trim().toLowerCase() : '';
    return EMAIL.test(text) ? text : [];
  });
}

/** Values of a row that are matched against exclusion lists: all its domains, addresses and profiles. */
export interface ExclusionClues {
  domains: string[];
  profiles: string[];
}

const SITE = /(domain|website)$/i;

/**
 * @param fields what would be sent: a mapping names the column of a site, whatever its heading is
 * @returns the values of a row to match against the exclusion lists
 */
export function cluesOf(
  columns: readonly ColumnJson[],
  { values }: Pick<PushRow, 'values'>,
  fields: MappedRow['fields'] = {},
): ExclusionClues {
  const sites = Object.entries(fields).filter(([field]) => SITE.test(field));
  const clues: ExclusionClues = {
    domains: sites.flatMap(([, site]) => (typeof site === 'string' && site.length <= 2048 ? site : [])),
    profiles: [],
  };
  for (const { key, kind } of columns) {
    const value = values[key];
    if (typeof value !== 'string' || value.length > 2048) continue;
    if (/linkedin\.com\//i.test(value)) clues.profiles.push(value);
    else if (kind === 'domain' || kind === 'email' || EMAIL.test(value.trim()) || SITE.test(key))
      clues.domains.push(value);
  }
  return clues;
}
