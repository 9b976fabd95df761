import type { ColumnJson } from '@quarry/dto';
import type { Subject } from './column-enricher.js';

interface Role {
  readonly field: keyof Subject;
  /** Kinds that say it, whatever the column is called. */
  readonly kinds: readonly string[];
  readonly names: RegExp;
  /** Kinds that may be it where nothing else is. */
  readonly weakKinds?: readonly string[];
}

const ROLES: readonly Role[] = [
  { field: 'linkedin_url', kinds: ['linkedin_url'], names: /linkedin/ },
  { field: 'first_name', kinds: [], names: /^(first|given) ?name$|^forename$/ },
  { field: 'last_name', kinds: [], names: /^(last|family) ?name$|^surname$/ },
  // Any address of a row has the kind url: a picture's, a profile's.
  { field: 'domain', kinds: ['domain'], names: /domain|website/, weakKinds: ['url'] },
  { field: 'company', kinds: [], names: /^(company|employer|organi[sz]ation|account)( ?name)?$/ },
];

/** @returns whom an imported row is about, as far as its columns say by kind or by name; null when they say nothing */
export function subjectOfRow(
  columns: readonly ColumnJson[],
  values: Readonly<Record<string, unknown>>,
): Subject | null {
  const subject: Subject = {};
  const taken = new Set<ColumnJson>();
  for (const role of ROLES) {
    const { field } = role;
    const column = columnOf(
      role,
      columns.filter((each) => !taken.has(each)),
    );
    if (column) taken.add(column);
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

function columnOf(
  { kinds, names, weakKinds = [] }: Role,
  columns: readonly ColumnJson[],
): ColumnJson | undefined {
  return (
    columns.find(({ kind }) => kinds.includes(kind)) ??
    columns.find(({ key, name }) => [key, name].some((word) => names.test(folded(word)))) ??
    columns.find(({ kind }) => weakKinds.includes(kind))
  );
}

function folded(word: string): string {
  return word
    .toLowerCase()
    .replace(/[^a-z]+/g, ' ')
    .trim();
}
