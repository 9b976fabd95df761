import { ENTITY_NOUNS } from '@quarry/plan';
import { PhraseIndex } from '@quarry/vocabulary';
import type { Meaning } from '../meaning.js';
import { listOf, matchPhrase, parsePhrases, type PhraseList } from '../phrase-list.js';
import { spanAt, WEIGHT, type Recogniser } from '../recogniser.js';
import { CUES } from './cue.catalogue.js';

const cues: ReadonlyArray<{ meaning: Meaning; list: PhraseList }> = CUES.map(([meaning, list]) => ({
  meaning,
  list: parsePhrases(list),
}));

/** Words with a function in the grammar: negation, conjunction, sorting, effects … Several may share a word. */
export const cueRecogniser: Recogniser = ({ words }, at) =>
  cues.flatMap(({ meaning, list }) => {
    const length = matchPhrase(words, at, list);
    return length === 0 ? [] : [spanAt(at, length, meaning, WEIGHT.cue)];
  });

const NOT_ONLY = parsePhrases('not only', 'not just', 'not merely', 'not exclusively');

/**
 * Recognises "Not only fintech but also insurtech", which excludes nothing. Without "but" it requests more than it names.
 */
export const notOnlyRecogniser: Recogniser = ({ words, tokens }, at) => {
  const length = matchPhrase(words, at, NOT_ONLY);
  if (length === 0) return [];
  const stop = tokens.slice(at).findIndex(({ kind }) => kind === 'break');
  const rest = words.slice(at, stop < 0 ? undefined : at + stop);
  return [spanAt(at, length, { type: rest.includes('but') ? 'filler' : 'unsupported' }, WEIGHT.certain)];
};

const nouns = new PhraseIndex<Meaning>();
for (const [entity, words] of ENTITY_NOUNS) nouns.add(listOf(words), { type: 'entity', entity });

/** Nouns for rows: "companies", "contacts". */
export const entityRecogniser: Recogniser = ({ words }, at) => {
  const found = nouns.longestAt(words, at);
  return found ? [spanAt(at, found.length, found.meaning, WEIGHT.column)] : [];
};
