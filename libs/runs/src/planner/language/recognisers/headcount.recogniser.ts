import type { NumberRange } from '@quarry/providers';
import type { Span } from '../meaning.js';
import { readRange, type RangeReading } from '../quantity.js';
import { WEIGHT, type Reading, type Recogniser } from '../recogniser.js';
import { matchPhrase, phrases, type PhraseList } from '../phrase-list.js';

const UNITS_AFTER = phrases(
  'employees',
  'employee',
  'staff',
  'staff members',
  'staffers',
  'workers',
  'headcount',
  'fte',
  'ftes',
  'team members',
  'full time employees',
  'people strong',
  'strong',
  'employees worldwide',
  'members of staff',
  'heads',
  'person team',
  'people on staff',
  'people employed',
  'in headcount',
  'employees in total',
  'person company',
  'person companies',
  'person',
  'man',
  'head count',
);
/** These also name rows ("find 50 people"), so they count as staff only where something shows it. */
const DOUBTFUL_UNITS = phrases('people', 'persons', 'professionals');
const UNITS_BEFORE = phrases(
  'headcount',
  'headcounts',
  'head count',
  'staff',
  'team size',
  'company size',
  'employee count',
  'number of employees',
  'employees',
  'size',
  'employing',
  'employ',
  'employs',
  'staff count',
  'staff size',
  'team',
  'teams',
  'workforce',
  'a workforce',
  'headcount range',
);
const LINKS = new Set([
  'of',
  ':',
  'is',
  'being',
  'a',
  'size',
  'count',
  'range',
  'with',
  'are',
  '=',
  'was',
  'has',
]);
const STAFF_SHOWN_BY = new Set([
  'with',
  'of',
  'having',
  'has',
  'have',
  'had',
  'employ',
  'employing',
  'employs',
  'team',
  'teams',
  'and',
  'or',
]);

/** Number of staff, with the unit before or after: "50-200 employees", "headcount over 1,000", "10+ person teams". */
export const headcountRecogniser: Recogniser = {
  name: 'headcount',
  recognise(reading, at) {
    return [unitAfter(reading, at), unitBefore(reading, at)].flatMap((found) => (found ? [found] : []));
  },
};

function unitAfter(reading: Reading, at: number): Span | null {
  const found = readRange(reading, at);
  if (!found || found.value.isMoney) return null;
  let next = at + found.length;
  if (['full', 'total', 'global'].includes(reading.words[next] ?? ''))
    next += reading.words[next] === 'full' ? 0 : 1;
  const unit = matchPhrase(reading.words, next, UNITS_AFTER) || doubtfulUnit(reading, at, next, found.value);
  return unit > 0 ? headcountSpan(at, next + unit, found.value) : null;
}

function doubtfulUnit(reading: Reading, at: number, next: number, value: RangeReading): number {
  const isShown = value.isExplicit || STAFF_SHOWN_BY.has(reading.words[at - 1] ?? '');
  // "up to 30 people" and "around 50 people" at the head of a prompt ask for rows.
  const isAsked = at === 0 || /^(find|get|me|give|list|us|show)$/.test(reading.words[at - 1] ?? '');
  return isShown && !isAsked ? matchPhrase(reading.words, next, DOUBTFUL_UNITS) : 0;
}

function unitBefore(reading: Reading, at: number): Span | null {
  let next = at + matchPhrase(reading.words, at, UNITS_BEFORE);
  if (next === at) return null;
  while (LINKS.has(reading.words[next] ?? '')) next += 1;
  const found = readRange(reading, next);
  if (!found || found.value.isMoney) return null;
  const end = next + found.length;
  return headcountSpan(
    at,
    end + (matchPhrase(reading.words, end, UNITS_AFTER) || matchPhrase(reading.words, end, DOUBTFUL_UNITS)),
    found.value,
  );
}

function headcountSpan(start: number, end: number, { range, isAbout }: RangeReading): Span {
  const note = isAbout ? `“Around” was read as ${range.min} to ${range.max} staff.` : undefined;
  return {
    start,
    end,
    weight: WEIGHT.quantity,
    meaning: {
      type: 'condition',
      condition: { on: 'headcount', ranges: [range] },
      ...(note ? { note } : {}),
    },
  };
}

interface SizeWord {
  readonly phrases: PhraseList;
  readonly range: NumberRange;
  readonly text: string;
}

const size = (min: number | null, max: number | null, text: string, ...words: string[]): SizeWord => ({
  phrases: phrases(...words),
  range: { min, max },
  text,
});

/** Bounds up to 249 follow the EU recommendation 2003/361/EC on small and medium-sized enterprises. */
const SIZE_WORDS: readonly SizeWord[] = [
  size(null, 9, 'fewer than 10 staff', 'micro', 'tiny', 'very small'),
  size(null, 49, 'fewer than 50 staff', 'small', 'small sized', 'small size'),
  size(
    null,
    249,
    'fewer than 250 staff',
    'smb',
    'smbs',
    'sme',
    'smes',
    'small and medium sized',
    'small and mid sized',
    'small to medium sized',
    'small and medium',
    'small to medium',
    'small business',
    'small businesses',
    'small to mid sized',
    'small and midsize',
  ),
  size(
    50,
    249,
    '50 to 249 staff',
    'mid size',
    'mid sized',
    'midsize',
    'midsized',
    'medium sized',
    'medium size',
    'medium',
  ),
  size(250, 999, '250 to 999 staff', 'mid market', 'midmarket', 'midcap', 'mid cap'),
  size(250, null, 'at least 250 staff', 'large', 'big', 'large sized', 'sizeable', 'sizable'),
  size(
    1000,
    null,
    'at least 1,000 staff',
    'enterprise',
    'enterprises',
    'enterprise level',
    'enterprise size',
    'enterprise sized',
    'enterprise grade',
    'very large',
    'huge',
    'large enterprise',
    'large enterprises',
  ),
];

/** Words for a size: "small", "mid-size", "enterprise". */
export const sizeWordRecogniser: Recogniser = {
  name: 'size-word',
  recognise(reading, at) {
    return SIZE_WORDS.flatMap(({ phrases: list, range, text }): Span[] => {
      const length = matchPhrase(reading.words, at, list);
      if (length === 0) return [];
      const said = reading.raw.slice(at, at + length).join(' ');
      const note = `“${said}” was read as ${text}.`;
      const meaning = { type: 'condition', condition: { on: 'headcount', ranges: [range] }, note } as const;
      return [{ start: at, end: at + length, weight: WEIGHT.condition, meaning }];
    });
  },
};
