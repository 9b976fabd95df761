import type { ColumnTest } from '@quarry/plan';
import type { Span } from '../language/meaning.js';
import { matchPhrase, phrases, type PhraseList } from '../language/phrase-list.js';
import { readRange } from '../language/quantity.js';
import { WEIGHT, type Reading, type Recogniser } from '../language/recogniser.js';
import type { Check } from './check.js';
import { columnCheck, columnCondition } from './column-condition.js';
import { columnPhraseAt, type TableColumn } from './table-schema.js';

const ABSENT =
  phrases(`no | without | with no | but no | but without | but have no | but has no | but lack | but lacks | and no
  | and have no | and has no | has no | have no | must have no | neither | have neither | has neither
  | with neither | having no | missing | lacking | lacks | lack | does not have | do not have | doesnt have
  | dont have | with an empty | with a missing | whose missing`);
/** Bare "with" is none of these: it lists the columns that are to be shown. */
const PRESENT =
  phrases(`must have | must have : | must also have | need to have | needs to have | should have | have a | have an | has a
  | has an | but have | but has | but with | but a | but an | with a known | that have | that has | which have
  | which has | who have | who has | having | those with | ones with | rows with | only with`);
const ARTICLES = phrases('a', 'an', 'any', 'the', 'their', 'its', 'a known', 'an own', 'known');
const JOINTS = phrases(',', 'and', 'or', ', and', ', or');
const JOINTS_OF_ABSENT = phrases(',', 'and', 'or', 'nor', ', and', ', or', ', nor', 'and no', 'or no');
/** After these nothing more is asked of the cell: the sentence goes on with another subject. */
const GOES_ON = new Set(
  'and or nor but in from at on near within outside for based located sorted ordered ranked by without not'.split(
    ' ',
  ),
);

/** "Without e-mail or phone", "who have a website": whether cells of columns are empty. */
export function filledCellsRecogniser(columns: readonly TableColumn[]): Recogniser {
  return {
    name: 'filled cells',
    recognise: (reading, at) => [
      ...cells(columns, reading, at, ABSENT, true),
      ...cells(columns, reading, at, PRESENT, false),
    ],
  };
}

function cells(
  columns: readonly TableColumn[],
  reading: Reading,
  at: number,
  leads: PhraseList,
  isAbsent: boolean,
): Span[] {
  const lead = matchPhrase(reading.words, at, leads);
  if (lead === 0) return [];
  const joints = isAbsent ? JOINTS_OF_ABSENT : JOINTS;
  const { named, end, isEither } = columnsListedAt(columns, reading, at + lead, joints);
  if (named.length === 0 || (!isAbsent && !isWhole(reading, end))) return [];
  const check = checkOf(named, isAbsent, isEither && !isAbsent);
  return [{ start: at, end, weight: WEIGHT.certain, meaning: columnCondition(check) }];
}

interface ListedColumns {
  readonly named: TableColumn[];
  readonly end: number;
  /** True when an "or" ties them. */
  readonly isEither: boolean;
}

function columnsListedAt(
  columns: readonly TableColumn[],
  reading: Reading,
  at: number,
  joints: PhraseList,
): ListedColumns {
  const { words } = reading;
  const named: TableColumn[] = [];
  let end = at;
  let isEither = false;
  for (let next = at, joint = 0; ; next = end + joint) {
    next += matchPhrase(words, next, ARTICLES);
    const column = columns
      .map((candidate) => ({ candidate, length: columnPhraseAt(candidate, words, next) }))
      .sort((a, b) => b.length - a.length)[0];
    if (!column || column.length === 0) break;
    // "Without a phone, owner is Bob": a check of its own begins.
    if (named.length > 0 && !isWhole(reading, next + column.length)) break;
    isEither ||= named.length > 0 && words.slice(end, end + joint).includes('or');
    named.push(column.candidate);
    end = next + column.length;
    joint = matchPhrase(words, end, joints);
    if (joint === 0) break;
  }
  return { named, end, isEither };
}

/** "Who have a headcount above 50" asks more of the cell than that there is something in it. */
function isWhole(reading: Reading, end: number): boolean {
  const follows = reading.tokens[end];
  if (!follows || follows.kind === 'break' || follows.folded === ',') return true;
  return GOES_ON.has(follows.folded) && readRange(reading, end) === null;
}

/** "Without newsletter": a column of yes and no is asked for its yes. */
function testOf(column: TableColumn): ColumnTest {
  return column.isBoolean ? { op: 'is', value: true } : { op: 'filled' };
}

function checkOf(columns: readonly TableColumn[], isAbsent: boolean, isEither: boolean): Check {
  const checks = columns.map((column) => columnCheck(column, testOf(column), isAbsent));
  const [first] = checks;
  if (checks.length === 1 && first) return first;
  return isEither ? { either: checks } : { every: checks };
}
