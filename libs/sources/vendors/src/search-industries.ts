import { INDUSTRIES, ownWordOf } from '@quarry/vocabulary';
import { industryIn, industryWords } from '@quarry/extraction';

/** Every name of a line of business that the import reads, by the industry it stands for. */
const namesById = new Map<string, string[]>();
for (const name of new Set([
  ...industryWords().map(([words]) => words),
  ...INDUSTRIES.flatMap((industry) => [industry.name, ...industry.synonyms]),
])) {
  const { id } = industryIn(name);
  if (id !== null) namesById.set(id, [...(namesById.get(id) ?? []), name.toLowerCase()]);
}

/** @returns the names that an address book may have for these industries, in lower case; each is read as one of them */
export function industryNames(ids: readonly string[]): string[] {
  return [...new Set(ids.flatMap((id) => namesById.get(id) ?? ownWordOf(id)?.toLowerCase() ?? []))];
}
