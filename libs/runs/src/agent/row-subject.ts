import type { ColumnJson } from '@quarry/dto';
import type { Subject } from './column-enricher.js';

const ROLES: ReadonlyArray<{ field: keyof Subject; kinds: readonly string[]; names: RegExp }> = [
  { field: 'linkedin_url', kinds: ['linkedin_url'], names: /linkedin/ },
  { field: 'first_name', kinds: [], names: /^(first|given) ?name$|^forename$/ },
  { field: 'last_name', kinds: [], names: /^(last|family) ?name$|^surname$/ },
  { field: 'domain', kinds: ['domain', 'url'], names: /domain|website/ },
  { field: 'company', kinds: [], names: /^(company|employer|organi[sz]ation|account)( ?name)?$/ },
];

/** @returns whom an imported row is about, as far as its columns say by kind or by name; null when they say nothing */
export function subjectOfRow(
  columns: readonly ColumnJson[],
  values: Readonly<Record<string, unknown>>,
): Subject | null {
  const subject: Subject = {};
  for (const { field, kinds, names } of ROLES) {
    const column =
      columns.find(({ kind }) => kinds.includes(kind)) ??
      columns.find(({ key, name }) => [key, name].some((word) => names.test(folded(word))));
    const value = column ? values[column.key] : undefined;
    if (typeof value === 'string' && value.trim() !== '') subject[field] = value.trim();
  }
  const full = columns.find(({ key, name }) =>
    [key, name].some((word) => /^(full ?)?name$|^person$|^contact$/.test(folded(word))),
  );
  const words =
    typeof (full && values[full.key]) === 'string' ? String(values[full!.key]).trim().split(/\s+/) : [];
  if (words.length >= 2) {
    subject.first_name ??= words[0]!;
    subject.last_name ??= words.at(-1)!;
  }
  return Object.keys(subject).length > 0 ? subject : null;
}

function folded(word: string): string {
  return word
    .toLowerCase()
    .replace(/[^a-z]+/g, ' ')
    .trim();
}
