import type { NumberRange } from '@quarry/providers';
import type { Span } from '../meaning.js';
import { readRange, type RangeReading } from '../quantity.js';
import { WEIGHT, type Reading, type Recogniser } from '../recogniser.js';
import { matchPhrase, phrases } from '../phrase-list.js';

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
  const other = alternativeAt(reading, at + found.length);
  if (other) return headcountSpan(at, other.end, found.value, other.range);
  let next = at + found.length;
  if (['full', 'total', 'global'].includes(reading.words[next] ?? ''))
    next += reading.words[next] === 'full' ? 0 : 1;
  const unit = matchPhrase(reading.words, next, UNITS_AFTER) || doubtfulUnit(reading, at, next, found.value);
  return unit > 0 ? headcountSpan(at, next + unit, found.value) : null;
}

/** "50 or 60 employees": the unit of both stands behind the second. */
function alternativeAt(reading: Reading, at: number): { range: NumberRange; end: number } | null {
  const span = reading.words[at] === 'or' ? unitAfter(reading, at + 1) : null;
  const condition = span?.meaning.type === 'condition' ? span.meaning.condition : null;
  const [range] = condition?.on === 'headcount' && condition.ranges.length === 1 ? condition.ranges : [];
  return span && range ? { range, end: span.end } : null;
}

function doubtfulUnit(reading: Reading, at: number, next: number, value: RangeReading): number {
  // "20 or 30 people": what stands before the first number decides for both.
  const isSecond = reading.words[at - 1] === 'or' && reading.tokens[at - 2]?.kind === 'number';
  const first = isSecond ? at - 2 : at;
  const isShown = value.isExplicit || STAFF_SHOWN_BY.has(reading.words[first - 1] ?? '');
  // "up to 30 people" and "around 50 people" at the head of a prompt ask for rows.
  const isAsked = first === 0 || /^(find|get|me|give|list|us|show)$/.test(reading.words[first - 1] ?? '');
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

function headcountSpan(
  start: number,
  end: number,
  { range, isAbout }: RangeReading,
  other?: NumberRange,
): Span {
  const note = isAbout ? `“Around” was read as ${range.min} to ${range.max} staff.` : undefined;
  return {
    start,
    end,
    weight: WEIGHT.quantity,
    meaning: {
      type: 'condition',
      condition: { on: 'headcount', ranges: other ? [range, other] : [range] },
      ...(note ? { note } : {}),
    },
  };
}
