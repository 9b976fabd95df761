import { INDUSTRIES, INDUSTRY_GROUPS, type Industry } from './industry.catalogue.js';
import { PhraseIndex, type PhraseMatch } from './phrase-index.js';

/** What a phrase says about the line of business. */
export interface IndustryTerm {
  /** The word as the catalogue writes it. */
  readonly name: string;
  /** Ids of the industries meant; several for a group word. */
  readonly industryIds: readonly string[];
}

const byId = new Map(INDUSTRIES.map((industry) => [industry.id, industry]));
const index = new PhraseIndex<IndustryTerm>();
for (const industry of INDUSTRIES)
  index.add([industry.name, ...industry.synonyms], { name: industry.name, industryIds: [industry.id] });
for (const group of INDUSTRY_GROUPS)
  index.add(group.synonyms, { name: group.name, industryIds: group.industryIds });

/** @returns the industry or group of industries named at a position. */
export function industryAt(words: readonly string[], at: number): PhraseMatch<IndustryTerm> | null {
  return index.longestAt(words, at);
}

/** @returns the industry with this id, or null. */
export function industryOf(id: string): Industry | null {
  return byId.get(id) ?? null;
}

/** @returns the ids of the industries that a whole text names by id, name or usual word; empty for none. */
export function industriesNamed(text: string): readonly string[] {
  const id = text.trim().toLowerCase();
  return byId.has(id) ? [id] : (index.get(text)?.industryIds ?? []);
}
