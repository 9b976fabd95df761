import { INDUSTRIES, ownWordOf } from '@quarry/vocabulary';
import { industryIn, industryWords } from '@quarry/extraction';

/** All industry names that the import understands, by the id of their industry. */
const namesById = new Map<string, string[]>();
for (const name of new Set([
  ...industryWords().map(([words]) => words),
  ...INDUSTRIES.flatMap((industry) => [industry.name, ...industry.synonyms]),
])) {
  const { id } = industryIn(name);
  if (id !== null) namesById.set(id, [...(namesById.get(id) ?? []), name.toLowerCase()]);
}

/**
 * @returns lower-case names that a vendor may use for these industries; the import maps each of them to one of the
 *   industries
 */
export function industryNames(ids: readonly string[]): string[] {
  return [...new Set(ids.flatMap((id) => namesById.get(id) ?? ownWordOf(id)?.toLowerCase() ?? []))];
}
