import {
  BUSINESS_MODELS,
  FUNDING_STAGES,
  OWNERSHIPS,
  TECHNOLOGIES,
  type Trait,
} from './company-trait.catalogue.js';
import { ownVocabulary, ownWordOf } from './own-vocabulary.js';
import { PhraseIndex, type PhraseMatch } from './phrase-index.js';

export type TraitKind = 'funding' | 'business_model' | 'ownership' | 'technology';

const LISTS: Readonly<Record<TraitKind, readonly Trait[]>> = {
  funding: FUNDING_STAGES,
  business_model: BUSINESS_MODELS,
  ownership: OWNERSHIPS,
  technology: TECHNOLOGIES,
};

function indexOf(traits: readonly Trait[]): PhraseIndex<Trait> {
  const index = new PhraseIndex<Trait>();
  for (const trait of traits) index.add([trait.name, ...trait.synonyms], trait);
  return index;
}

const indexes: Readonly<Record<TraitKind, PhraseIndex<Trait>>> = {
  funding: indexOf(LISTS.funding),
  business_model: indexOf(LISTS.business_model),
  ownership: indexOf(LISTS.ownership),
  technology: indexOf(LISTS.technology),
};

/** Returns the trait value at a position; a technology may be one that only imported directories contain. */
export function traitAt(kind: TraitKind, words: readonly string[], at: number): PhraseMatch<Trait> | null {
  const known = indexes[kind].longestAt(words, at);
  if (known || kind !== 'technology') return known;
  return ownVocabulary()?.technologyAt(words, at) ?? null;
}

/** @returns the display name of a trait value; the id itself when it is not in the catalogue. */
export function traitName(kind: TraitKind, id: string): string {
  return LISTS[kind].find((trait) => trait.id === id)?.name ?? ownWordOf(id) ?? id;
}

/** @returns the ids of all values of a trait */
export function traitIds(kind: TraitKind): string[] {
  return LISTS[kind].map(({ id }) => id);
}
