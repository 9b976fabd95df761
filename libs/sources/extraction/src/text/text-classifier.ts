import { foldText, foldWords, industriesNamed, industryOf, singularOf } from '@quarry/vocabulary';
import { LABEL_CUES } from './label-cues.js';

export interface Classified {
  label: string | null;
  confidence: 'high' | 'medium' | 'low' | null;
  reasoning: string | null;
}

interface Cue {
  /** Singular folded words. */
  words: readonly string[];
  label: number;
  /** Weight of one occurrence. */
  weight: number;
}

// The label's own phrase is the strongest cue; a synonym is nearly as good; one word of a longer label is weak.
const WEIGHT = { label: 3, synonym: 2, word: 1 };
const QUOTES_MAX = 3;
/** Only the first words of a longer phrase are compared, because each word of the text may begin it. */
const PHRASE_WORDS_MAX = 20;
/** Stop words. */
const EMPTY = new Set(
  'a an and are as at be by for from has have in is it its not of on or our that the their this to us we with you your'.split(
    ' ',
  ),
);

/**
 * Classifies a text by its words alone. At each position the longest matching phrase counts and consumes its words, so "not
 * interested" is not a cue for "interested". High: the label's own phrase or two cues occur, and none of another label.
 * Medium: at least twice the points of the next label. Low: more points than the next label. A text without cues, or with a
 * tie, gets no label.
 * @param text at most 20,000 characters
 */
export function classifyText(text: string, labels: readonly string[]): Classified {
  const cues = cuesOf(labels);
  const scores = labels.map(() => ({ points: 0, isNamed: false, marks: [] as string[] }));
  const shown = text.match(/[\p{L}\p{N}]+(?:[&.'’][\p{L}\p{N}]+)*/gu) ?? [];
  const words = shown.map((word) => singularOf(foldText(word)));
  for (let at = 0; at < words.length;) {
    const fitting = (cues.get(words[at]!) ?? []).filter((cue) =>
      cue.words.every((word, index) => words[at + index] === word),
    );
    const longest = Math.max(0, ...fitting.map((cue) => cue.words.length));
    for (const cue of fitting.filter((each) => each.words.length === longest)) {
      const score = scores[cue.label]!;
      score.points += cue.weight;
      score.isNamed ||= cue.weight === WEIGHT.label;
      score.marks.push(shown.slice(at, at + longest).join(' '));
    }
    at += Math.max(1, longest);
  }
  const ranked = scores
    .map((score, label) => ({ ...score, label }))
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points);
  const [best, second] = ranked;
  if (!best)
    return unclassified('None of the labels, nor a word that usually stands for one, is in the text.');
  if (second?.points === best.points)
    return unclassified(
      `As many words speak for "${labels[best.label]!}" as for "${labels[second.label]!}".`,
    );
  const isSure = !second && (best.isNamed || best.marks.length >= 2);
  const isAhead = best.points >= 2 * (second?.points ?? 0) && best.points > WEIGHT.word;
  const marks = [...new Set(best.marks.map((mark) => `"${mark}"`))].slice(0, QUOTES_MAX).join(', ');
  return {
    label: labels[best.label]!,
    confidence: isSure ? 'high' : isAhead ? 'medium' : 'low',
    reasoning: `By words alone: ${marks} in the text${second ? `, and less for "${labels[second.label]!}"` : ''}.`,
  };
}

function unclassified(reasoning: string): Classified {
  return { label: null, confidence: null, reasoning };
}

/** @returns the cues of all labels by their first word */
function cuesOf(labels: readonly string[]): Map<string, Cue[]> {
  const cues = new Map<string, Cue[]>();
  const known = new Set<string>();
  const add = (phrase: string, label: number, weight: number): void => {
    const words = foldWords(phrase).slice(0, PHRASE_WORDS_MAX).map(singularOf);
    const key = `${label} ${words.join(' ')}`;
    if (words.length === 0 || known.has(key)) return;
    known.add(key);
    cues.set(words[0]!, [...(cues.get(words[0]!) ?? []), { words, label, weight }]);
  };
  for (const [index, label] of labels.entries()) {
    add(label, index, WEIGHT.label);
    for (const synonym of synonymsOf(label)) add(synonym, index, WEIGHT.synonym);
    const words = foldWords(label).filter((word) => !EMPTY.has(word) && word.length > 2);
    // The single words of "not interested" must not count, or they would indicate its opposite.
    if (words.length > 1 && !/\b(not|no|non|un)\b/i.test(label))
      for (const word of words) add(word, index, WEIGHT.word);
  }
  return cues;
}

function synonymsOf(label: string): string[] {
  const folded = foldText(label);
  const industries = industriesNamed(label).flatMap((id) => {
    const industry = industryOf(id);
    return industry ? [industry.name, ...industry.synonyms] : [];
  });
  const usual = LABEL_CUES.filter(({ labels }) => labels.some((each) => foldText(each) === folded));
  return [...industries, ...usual.flatMap(({ cues }) => cues)];
}
