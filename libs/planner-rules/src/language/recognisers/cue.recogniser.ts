import { PhraseIndex } from '@quarry/directory';
import { ENTITY_NOUNS } from '../entity-nouns.catalogue.js';
import type { Meaning } from '../meaning.js';
import { listOf, matchPhrase, phrases, type PhraseList } from '../phrase-list.js';
import { WEIGHT, type Recogniser } from '../recogniser.js';
import { CUES } from './cue.catalogue.js';

const cues: ReadonlyArray<{ meaning: Meaning; list: PhraseList }> = CUES.map(([meaning, list]) => ({
  meaning,
  list: phrases(list),
}));

/** Words with a function in the grammar: negation, conjunction, sorting, effects … Several may share a word. */
export const cueRecogniser: Recogniser = {
  name: 'cue',
  recognise({ words }, at) {
    return cues.flatMap(({ meaning, list }) => {
      const length = matchPhrase(words, at, list);
      return length === 0 ? [] : [{ start: at, end: at + length, weight: WEIGHT.cue, meaning }];
    });
  },
};

const NOT_ONLY = phrases('not only', 'not just', 'not merely', 'not exclusively');

/** "Not only fintech but also insurtech" rules nothing out. Without its "but" it asks for more than it names. */
export const notOnlyRecogniser: Recogniser = {
  name: 'not only',
  recognise({ words, tokens }, at) {
    const length = matchPhrase(words, at, NOT_ONLY);
    if (length === 0) return [];
    const stop = tokens.slice(at).findIndex(({ kind }) => kind === 'break');
    const rest = words.slice(at, stop < 0 ? undefined : at + stop);
    const type = rest.includes('but') ? 'filler' : 'unsupported';
    return [{ start: at, end: at + length, weight: WEIGHT.certain, meaning: { type } }];
  },
};

const nouns = new PhraseIndex<Meaning>();
for (const [entity, words] of ENTITY_NOUNS) nouns.add(listOf(words), { type: 'entity', entity });

/** Nouns for rows: "companies", "contacts". */
export const entityRecogniser: Recogniser = {
  name: 'entity',
  recognise({ words }, at) {
    const found = nouns.longestAt(words, at);
    return found
      ? [{ start: at, end: at + found.length, weight: WEIGHT.column, meaning: found.meaning }]
      : [];
  },
};
