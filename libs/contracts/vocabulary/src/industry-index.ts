import { INDUSTRIES, INDUSTRY_GROUPS, type Industry } from './industry.catalogue.js';
import { ownWordOf, ownVocabulary } from './own-vocabulary.js';
import { PhraseIndex, type PhraseMatch } from './phrase-index.js';
import { placeNamed } from './place-index.js';

/** Industries that a phrase names. */
export interface IndustryTerm {
  /** Name as in the catalogue. */
  readonly name: string;
  /** Ids of the industries; several for a group. */
  readonly industryIds: readonly string[];
}

const byId = new Map(INDUSTRIES.map((industry) => [industry.id, industry]));
const index = new PhraseIndex<IndustryTerm>();
for (const industry of INDUSTRIES)
  index.add([industry.name, ...industry.synonyms], { name: industry.name, industryIds: [industry.id] });
for (const group of INDUSTRY_GROUPS)
  index.add(group.synonyms, { name: group.name, industryIds: group.industryIds });

/** Finds the industry or group of industries at a position, from the catalogue or from imported directories. */
export function industryAt(words: readonly string[], at: number): PhraseMatch<IndustryTerm> | null {
  const known = index.longestAt(words, at);
  const own = ownVocabulary()?.industryAt(words, at) ?? null;
  if (!own || (known && known.length >= own.length)) return known;
  const isPlace = placeNamed(words.slice(at, at + own.length).join(' ')) !== null;
  return isPlace ? known : own;
}

export function industryOf(id: string): Industry | null {
  const own = ownVocabulary()?.hasIndustry(id) ? ownWordOf(id) : null;
  return byId.get(id) ?? (own === null ? null : { id, name: own, synonyms: [] });
}

/** Returns the name of an industry by its id; the id of one from imported directories contains it. */
export function industryNameOf(id: string): string {
  return byId.get(id)?.name ?? ownWordOf(id) ?? id;
}

/** @returns the ids of the industries that the whole text names by id, name or synonym; empty for none. */
export function industriesNamed(text: string): readonly string[] {
  const id = text.trim().toLowerCase();
  if (byId.has(id)) return [id];
  return index.get(text)?.industryIds ?? ownVocabulary()?.industriesNamed(text) ?? [];
}
