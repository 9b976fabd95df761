import { listOf, matchPhrase } from '../language/phrase-list.js';
import type { Span } from '../language/meaning.js';
import { WEIGHT, type Reading, type Recogniser } from '../language/recogniser.js';
import { columnSpan } from './column-condition.js';
import type { TableColumn } from './table-schema.js';

const LIST_LEADS = new Set(
  listOf(
    `show | showing | columns | column | fields | include | including | add | by | with | return | output`,
  ),
);
const JOINTS = new Set([',', 'and', '&', ':', 'the', 'their']);

/** Recognises a boolean column used as a description of the row: "active customers", "not active". */
export function yesColumnRecogniser(columns: readonly TableColumn[]): Recogniser {
  const ofYes = columns.filter(({ isBoolean }) => isBoolean);
  return (reading, at) =>
    ofYes.flatMap((column): Span[] => {
      const named = matchPhrase(reading.words, at, column.phrases);
      if (named === 0 || isListed(columns, reading, at, at + named)) return [];
      return [columnSpan(at, named, column, { test: { op: 'is', value: true } }, WEIGHT.certain)];
    });
}

/**
 * Returns whether the column is part of a list, after a word that starts one and only columns in between: "show company and
 * active".
 */
function isListed(
  columns: readonly TableColumn[],
  { words, tokens }: Reading,
  at: number,
  end: number,
): boolean {
  const follows = tokens[end];
  if (follows?.kind === 'word' && !JOINTS.has(follows.folded)) return false;
  let before = at - 1;
  for (let found = true; found && before >= 0;) {
    const joint = JOINTS.has(words[before] ?? '') ? 1 : 0;
    const length = joint || columnLengthBefore(columns, words, before);
    found = length > 0;
    before -= length;
  }
  const lead = words[before] ?? '';
  return LIST_LEADS.has(lead) || (lead === 'only' && before < at - 1);
}

function columnLengthBefore(columns: readonly TableColumn[], words: readonly string[], last: number): number {
  const ending = columns
    .flatMap(({ phrases }) => phrases)
    .filter((phrase) => matchPhrase(words, last + 1 - phrase.length, [phrase]) > 0);
  return Math.max(0, ...ending.map(({ length }) => length));
}
