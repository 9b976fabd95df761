import type { Predicate } from '../../selection/predicate.js';
import type { Span } from '../language/meaning.js';
import { matchPhrase, phrases, type PhraseList } from '../language/phrase-list.js';
import { WEIGHT, type Reading, type Recogniser } from '../language/recogniser.js';
import { columnCondition, columnPredicate } from './column-condition.js';
import { columnPhraseAt, type TableColumn } from './table-schema.js';

const ABSENT = phrases(
  'no',
  'without',
  'with no',
  'has no',
  'have no',
  'having no',
  'missing',
  'lacking',
  'lacks',
  'lack',
  'does not have',
  'do not have',
  'doesnt have',
  'dont have',
  'with an empty',
  'with a missing',
  'whose missing',
);
/** Bare "with" is none of these: it lists the columns that are to be shown. */
const PRESENT = phrases(
  'that have',
  'that has',
  'which have',
  'which has',
  'who have',
  'who has',
  'having',
  'those with',
  'ones with',
  'rows with',
  'only with',
);
const ARTICLES = phrases('a', 'an', 'any', 'the', 'their', 'its', 'a known', 'an own', 'known');
const JOINTS = phrases(',', 'and', 'or', 'nor', ', and', ', or', 'and no', 'or no');

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
  { words, tokens }: Reading,
  at: number,
  leads: PhraseList,
  isAbsent: boolean,
): Span[] {
  const lead = matchPhrase(words, at, leads);
  if (lead === 0) return [];
  const named: TableColumn[] = [];
  let end = at + lead;
  for (let next = end; ;) {
    next += matchPhrase(words, next, ARTICLES);
    const column = columns
      .map((candidate) => ({ candidate, length: columnPhraseAt(candidate, words, next) }))
      .sort((a, b) => b.length - a.length)[0];
    if (!column || column.length === 0) break;
    named.push(column.candidate);
    end = next + column.length;
    const joint = matchPhrase(words, end, JOINTS);
    if (joint === 0) break;
    next = end + joint;
  }
  if (named.length === 0) return [];
  // "Who have a headcount above 50" asks more of the cell than that there is something in it.
  const follows = tokens[end];
  const isWhole = !follows || follows.kind === 'break' || matchPhrase(words, end, JOINTS) > 0;
  if (!isWhole && !isAbsent) return [];
  const parts = named.map((column) => columnPredicate(column, { op: 'filled' }, '', isAbsent));
  return [{ start: at, end, weight: WEIGHT.certain, meaning: columnCondition(all(parts)) }];
}

function all(parts: readonly Predicate[]): Predicate {
  const [first] = parts;
  if (parts.length === 1 && first) return first;
  const text = parts.map((part) => part.text).join(', ');
  return {
    column_keys: parts.flatMap(({ column_keys }) => column_keys),
    negate: false,
    test: { op: 'every', parts },
    text,
  };
}
