import type { Plan } from '../api/resources';

/** Columns that change from one run to the next, of those that every search fills. */
const USUAL = { company: 'Headcount, City', person: 'Title, Company name' } as const;

/** @returns columns to watch that rows of a plan have, as an example; none for an own table, whose columns are its own */
export function watchExample({ intent }: Pick<Plan, 'intent'>): string | undefined {
  const { source, entity } = intent as { source?: { kind: string }; entity?: string };
  if (source?.kind === 'table') return undefined;
  return entity === 'person' ? USUAL.person : USUAL.company;
}

/** @returns the keys of columns that somebody wrote by their keys or, of a search, by their titles */
export function watchKeys(text: string, { intent }: Pick<Plan, 'intent'>): string[] {
  const { source } = intent as { source?: { kind: string } };
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  return source?.kind === 'table' ? names : names.map((name) => name.toLowerCase().replaceAll(/\s+/g, '_'));
}
