import type { CompanyRecord, PersonRecord } from '@quarry/directory';
import type { ColumnJson } from '@quarry/dto';
import { FIRST_NAME, foldHeading, LAST_NAME, LINKEDIN } from './column-headings.js';

/** Person of a contact lookup. */
export interface Subject {
  first_name?: string;
  last_name?: string;
  company?: string;
  domain?: string;
  linkedin_url?: string;
}

/** Conditions on a column: one of the kinds, and a matching name. If omitted, any matches. */
interface Look {
  readonly kinds?: readonly ColumnJson['kind'][];
  readonly names?: RegExp;
}

/** Conditions by which the column of a field is recognised, the most reliable first. */
const ROLES: ReadonlyArray<readonly [field: keyof Subject, looks: readonly Look[]]> = [
  ['linkedin_url', [{ kinds: ['linkedin_url'] }, { kinds: ['url', 'text'], names: LINKEDIN }]],
  ['first_name', [{ names: FIRST_NAME }]],
  ['last_name', [{ names: LAST_NAME }]],
  [
    'domain',
    [
      { kinds: ['domain'] },
      // Any web address in a row has the kind url: that of a picture, of a profile.
      { kinds: ['url'], names: /domain|web ?site|home ?page|^(company )?(site|url)$/ },
      // "Domain expertise" is not a domain.
      {
        kinds: ['text'],
        names: /^(company |employer |account )?(domain|web ?site|home ?page)( ?(name|url))?$/,
      },
      { kinds: ['url'] },
    ],
  ],
  ['company', [{ names: /^(company|employer|organi[sz]ation|account)( ?name)?$/ }]],
];

/** @returns the person of an imported row, by the kinds or names of its columns; null when no column is recognised */
export function subjectOfRow(
  columns: readonly ColumnJson[],
  values: Readonly<Record<string, unknown>>,
): Subject | null {
  const subject: Subject = {};
  const taken = new Set<ColumnJson>();
  for (const [field, looks] of ROLES) {
    const column = columnOf(
      looks,
      columns.filter((each) => !taken.has(each)),
    );
    if (column) taken.add(column);
    const value = column ? values[column.key] : undefined;
    if (typeof value === 'string' && value.trim() !== '') subject[field] = value.trim();
  }
  const full = columns.find(({ key, name }) =>
    [key, name].some((word) => /^(full ?)?name$|^person$|^contact$/.test(foldHeading(word))),
  );
  const { first_name: first, last_name: last } = namesOfPerson(full ? values[full.key] : null);
  if (last !== undefined) {
    subject.first_name ??= first!;
    subject.last_name ??= last;
  }
  return Object.keys(subject).length > 0 ? subject : null;
}

/** @returns the person of a directory's record; null for a company */
export function subjectOfRecord(record: CompanyRecord | PersonRecord): Subject | null {
  if (!('company' in record)) return null;
  const { first_name, last_name, linkedin_url, company } = record;
  return {
    first_name,
    last_name,
    company: company.name,
    ...(linkedin_url === null ? {} : { linkedin_url }),
    ...(company.domain === null ? {} : { domain: company.domain }),
  };
}

/** @returns the first and the last word of a full name; a single word is ambiguous and counts as the first name */
export function namesOfPerson(fullName: unknown): Pick<Subject, 'first_name' | 'last_name'> {
  const words = typeof fullName === 'string' ? fullName.trim().split(/\s+/).filter(Boolean) : [];
  return {
    ...(words.length > 0 ? { first_name: words[0]! } : {}),
    ...(words.length > 1 ? { last_name: words.at(-1)! } : {}),
  };
}

function columnOf(looks: readonly Look[], columns: readonly ColumnJson[]): ColumnJson | undefined {
  for (const { kinds, names } of looks) {
    const column = columns.find(
      ({ kind, key, name }) =>
        (kinds?.includes(kind) ?? true) &&
        (names === undefined || [key, name].some((word) => names.test(foldHeading(word)))),
    );
    if (column) return column;
  }
  return undefined;
}
