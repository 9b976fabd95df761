import type { NumberRange } from '@quarry/directory';
import type { Span } from '../meaning.js';
import { matchPhrase, parsePhrases, type PhraseList } from '../phrase-list.js';
import { spanAt, type Recogniser } from '../recogniser.js';

interface SizeWord {
  readonly phrases: PhraseList;
  readonly range: NumberRange;
  readonly text: string;
}

const size = (min: number | null, max: number | null, text: string, words: string): SizeWord => ({
  phrases: parsePhrases(words),
  range: { min, max },
  text,
});

/** Bounds up to 249 follow the EU recommendation 2003/361/EC on small and medium-sized enterprises. */
const SIZE_WORDS: readonly SizeWord[] = [
  size(null, 9, 'fewer than 10 staff', 'micro | tiny | very small'),
  size(null, 49, 'fewer than 50 staff', 'small | small sized | small size'),
  size(
    null,
    249,
    'fewer than 250 staff',
    `smb | smbs | sme | smes | small and medium sized | small and mid sized | small to medium sized | small and medium
      | small to medium | small business | small businesses | small to mid sized | small and midsize`,
  ),
  size(
    50,
    249,
    '50 to 249 staff',
    'mid size | mid sized | midsize | midsized | medium sized | medium size | medium',
  ),
  size(250, 999, '250 to 999 staff', 'mid market | midmarket | midcap | mid cap'),
  size(250, null, 'at least 250 staff', 'large | big | large sized | sizeable | sizable'),
  size(
    1000,
    null,
    'at least 1,000 staff',
    `enterprise | enterprises | enterprise level | enterprise size | enterprise sized | enterprise grade | very large
      | huge | large enterprise | large enterprises`,
  ),
];

/** Words for a size: "small", "mid-size", "enterprise". */
export const sizeWordRecogniser: Recogniser = (reading, at) =>
  SIZE_WORDS.flatMap(({ phrases: list, range, text }): Span[] => {
    const length = matchPhrase(reading.words, at, list);
    if (length === 0) return [];
    const note = `“${reading.raw.slice(at, at + length).join(' ')}” was read as ${text}.`;
    const condition = { on: 'headcount', ranges: [range] } as const;
    return [spanAt(at, length, { type: 'condition', condition, note })];
  });
