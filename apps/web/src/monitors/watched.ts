import type { Plan } from '../api/resources';

/** Columns that every search fills and that often change between runs. */
const USUAL = { company: 'Headcount, City', person: 'Title, Company name' } as const;

/** @returns examples of columns to watch in a plan; none for an own table, whose columns are not known here */
export function watchExample({ intent }: Pick<Plan, 'intent'>): string | undefined {
  const { source, entity } = intent as { source?: { kind: string }; entity?: string };
  if (source?.kind === 'table') return undefined;
  return entity === 'person' ? USUAL.person : USUAL.company;
}

/** @returns the keys of columns that the user has named by key or, for a search, by title */
export function watchKeys(text: string, { intent }: Pick<Plan, 'intent'>): string[] {
  const { source } = intent as { source?: { kind: string } };
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  return source?.kind === 'table' ? names : names.map((name) => name.toLowerCase().replaceAll(/\s+/g, '_'));
}
