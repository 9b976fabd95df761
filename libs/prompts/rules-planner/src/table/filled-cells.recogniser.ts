import type { ColumnTest, OneColumn } from '@quarry/plan';
import type { Span } from '../language/meaning.js';
import { matchPhrase, parsePhrases, type PhraseList } from '../language/phrase-list.js';
import { readRange } from '../language/quantity.js';
import { readList, type Read, type Reader } from '../language/read.js';
import { spanAt, WEIGHT, type Reading, type Recogniser } from '../language/recogniser.js';
import type { Check } from '../language/check.js';
import { columnCheck, columnCondition } from './column-condition.js';
import type { TableColumn } from './table-schema.js';

const ABSENT =
  parsePhrases(`no | without | with no | but no | but without | but have no | but has no | but lack | but lacks | and no
  | and have no | and has no | has no | have no | must have no | neither | have neither | has neither
  | with neither | having no | missing | lacking | lacks | lack | does not have | do not have | doesnt have
  | dont have | with an empty | with a missing | whose missing`);
/** Words that require a value. A bare "with" is not one of them: it lists columns to show. */
const PRESENT =
  parsePhrases(`must have | must have : | must also have | need to have | needs to have | should have | have a | have an | has a
  | has an | but have | but has | but with | but a | but an | with a known | that have | that has | which have
  | which has | who have | who has | having | those with | ones with | rows with | only with`);
const ARTICLES = parsePhrases('a', 'an', 'any', 'the', 'their', 'its', 'a known', 'an own', 'known');
const JOINTS = parsePhrases(',', 'and', 'or', ', and', ', or');
const JOINTS_OF_ABSENT = parsePhrases(',', 'and', 'or', 'nor', ', and', ', or', ', nor', 'and no', 'or no');
/** Words after which the cell has no further condition: the sentence continues with another subject. */
const GOES_ON = new Set(
  'and or nor but in from at on near within outside for based located sorted ordered ranked by without not'.split(
    ' ',
  ),
);

/** Recognises "without e-mail or phone", "who have a website": whether cells of columns are empty. */
export function filledCellsRecogniser(columns: readonly TableColumn[]): Recogniser {
  return (reading, at) => [
    ...cellSpans(columns, reading, at, { leads: ABSENT, joints: JOINTS_OF_ABSENT, isAbsent: true }),
    ...cellSpans(columns, reading, at, { leads: PRESENT, joints: JOINTS, isAbsent: false }),
  ];
}

interface CellCondition {
  readonly leads: PhraseList;
  readonly joints: PhraseList;
  readonly isAbsent: boolean;
}

function cellSpans(
  columns: readonly TableColumn[],
  reading: Reading,
  at: number,
  { leads, joints, isAbsent }: CellCondition,
): Span[] {
  const lead = matchPhrase(reading.words, at, leads);
  if (lead === 0) return [];
  const column: Reader<NamedColumn> = ({ words }, from) => columnNamedAt(columns, words, from);
  // "Without a phone, owner is Bob": another check starts.
  const further: Reader<NamedColumn> = (_reading, from) => {
    const found = column(reading, from);
    return found && isWhole(reading, from + found.length) ? found : null;
  };
  const named = readList(reading, at + lead, joints, column, further);
  const length = lead + (named?.length ?? 0);
  if (!named || (!isAbsent && !isWhole(reading, at + length))) return [];
  const checks = named.value.map((one) => columnCheck(one.column, testOf(one.column), isAbsent));
  const isEither = !isAbsent && named.value.slice(1).some((one) => one.isBehindOr);
  return [spanAt(at, length, columnCondition(checkOf(checks, isEither)), WEIGHT.certain)];
}

interface NamedColumn {
  readonly column: TableColumn;
  readonly isBehindOr: boolean;
}

/** Returns the column with the longest name at a position, including an article before it. */
function columnNamedAt(
  columns: readonly TableColumn[],
  words: Reading['words'],
  at: number,
): Read<NamedColumn> | null {
  const article = matchPhrase(words, at, ARTICLES);
  const [longest] = columns
    .map((column) => ({ column, length: matchPhrase(words, at + article, column.phrases) }))
    .sort((a, b) => b.length - a.length);
  if (!longest || longest.length === 0) return null;
  const isBehindOr = words[at - 1] === 'or';
  return { value: { column: longest.column, isBehindOr }, length: article + longest.length };
}

/** Returns false when the cell has a further condition: "who have a headcount above 50". */
function isWhole(reading: Reading, end: number): boolean {
  const follows = reading.tokens[end];
  if (!follows || follows.kind === 'break' || follows.folded === ',') return true;
  return GOES_ON.has(follows.folded) && readRange(reading, end) === null;
}

/** Returns the test of a column. For a boolean column ("without newsletter"), its value is tested. */
function testOf(column: TableColumn): ColumnTest {
  return column.isBoolean ? { op: 'is', value: true } : { op: 'filled' };
}

function checkOf(checks: readonly OneColumn[], isEither: boolean): Check {
  const [first] = checks;
  if (checks.length === 1 && first) return first;
  return isEither ? { either: checks } : { every: checks };
}
