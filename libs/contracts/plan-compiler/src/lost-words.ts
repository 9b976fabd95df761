import { COMPANY_ATTRIBUTES } from '@quarry/directory';
import { ABBREVIATIONS, ENTITY_NOUNS, STOP_WORDS, type PlanIntent, type TableProfile } from '@quarry/plan';
import { foldWords, singularOf } from '@quarry/vocabulary';
import { placedItems } from './intent/intent-faults.js';

/** Words that connect, request, exclude or rank, and say nothing about a row by themselves. */
const GRAMMAR = new Set(
  `not no non without except excluding exclude excludes excluded but omit skip ignore avoid remove drop hide minus outside
   prefer preferred preferably preferring disqualify required require nice have bonus
   sorted sort ordered order ranked rank descending ascending desc asc direction newest oldest largest biggest smallest highest lowest
   called named take pick choose select run add plus instead again keep narrow filter change switch make back same now
   per first last top bottom column columns location locations size sizes criteria criterion conditions must-have nationwide
   across among amongst since until till before after over under above below between least most up down max maximum minimum min
   work working employ employed employs hire hires hiring people's startup startups`
    .trim()
    .split(/\s+/),
);
/** Words for people: for rows of companies, they show that something else was meant. */
const PEOPLE = new Set(['everyone', 'everybody', 'anyone', 'anybody', 'someone', 'somebody', 'who', 'whom']);
/** Pattern such as "in each US state": a number of rows per something. */
const DISTRIBUTIVE =
  /(?:\b(?:in|from|for|of|at)\s+)?\b(?:each|every|apiece)\b(?:\s+(?:of|from|in)\b)?(?:\s+[\p{L}\p{N}-]+)?/giu;
/** Words in a table's own names. */
type TableWords = Pick<TableProfile, 'name' | 'columns'>;

/** Pattern such as "one per sector"; "as per our talk" is not a number. */
const PER = /\bper\s+[\p{L}\p{N}-]+/giu;
const QUOTED = /“([^”]+)”/g;
const WORD = /[\p{L}\p{N}][\p{L}\p{N}'’&+-]*/gu;

const NOUNS = new Set(
  ENTITY_NOUNS.flatMap(([, nouns]) => nouns.split('|'))
    .flatMap((noun) => foldWords(noun.trim()))
    .flatMap((noun) => [noun, `${noun}s`, `${noun}es`, noun.replace(/y$/, 'ies')]),
);
const ORDER_WORDS = new Set(
  COMPANY_ATTRIBUTES.flatMap(({ sort }) => (sort ? [...sort.ascending, ...sort.descending] : [])).flatMap(
    foldWords,
  ),
);

/**
 * Adds the words of an English prompt that no filter, column, count or order of the planner's intent uses to those not
 * understood. With the web as the source, all words of a prompt are used.
 * @param table that the intent reads: its name and columns count as known words
 */
export function withLostWords(
  intent: PlanIntent,
  prompt: string,
  table: TableWords | null = null,
): PlanIntent {
  if (intent.source.kind === 'nothing' || intent.source.kind === 'web') return intent;
  const ofCompanies = intent.entity === 'company' && isNew(intent.per_company);
  const cap = ofCompanies ? (intent.per_company?.fragments ?? []) : [];
  const kept: PlanIntent = ofCompanies ? { ...intent, per_company: null } : intent;
  const covered = coveredPlaces(kept, prompt);
  const own = new Set(table === null ? [] : wordsOf(table));
  const lost = [
    ...cap,
    ...findDistributives(kept, prompt),
    ...perOthers(prompt, covered),
    ...lostRuns(kept, prompt, { covered, own }),
  ];
  const known = intent.not_understood;
  const added = [...new Set(lost)].filter(
    (word, at, all) => ![...known, ...all.slice(0, at)].some((other) => other.includes(word)),
  );
  return added.length === 0 ? kept : { ...kept, not_understood: [...known, ...added] };
}

/**
 * Removes from the words that an intent does not understand those that the intent of another table uses: "5 banks and their CFOs"
 * has its role in the table of people, and needs none in that of companies. A table of people needs what one of companies uses:
 * it would list the people of other companies.
 */
export function withoutWordsOfOthers(intents: readonly PlanIntent[]): PlanIntent[] {
  return intents.map((intent) => {
    const isOfOthers = ({ entity }: PlanIntent): boolean =>
      intent.entity === 'person' && entity === 'company';
    const others = intents.filter(
      (other) => other !== intent && other.source.kind !== 'nothing' && !isOfOthers(other),
    );
    const isLost = (words: string): boolean =>
      others.every((other) =>
        other.not_understood.some((lost) => lost.includes(words) || words.includes(lost)),
      );
    return { ...intent, not_understood: intent.not_understood.filter(isLost) };
  });
}

function wordsOf({ name, columns }: TableWords): string[] {
  return [name, ...columns.flatMap((column) => [column.key, column.name])].flatMap(foldWords).map(singularOf);
}

function isNew(origin: { readonly from: string } | null): boolean {
  return origin?.from === 'prompt';
}

/** Returns for each position in the prompt whether a fragment covers it. */
function coveredPlaces(intent: PlanIntent, prompt: string): boolean[] {
  const covered = new Array<boolean>(prompt.length).fill(false);
  // A note may say that a column of the table needs no lookup; then its words are covered.
  const noted = intent.notes.flatMap((note) => [...note.matchAll(QUOTED)].map(([, words]) => words!));
  const fragments = [
    ...placedItems(intent).flatMap(({ origin }) => origin.fragments),
    ...intent.not_understood,
    ...(intent.source.kind === 'table' ? noted : []),
  ];
  for (const fragment of new Set(fragments)) {
    if (fragment === '') continue;
    for (let at = prompt.indexOf(fragment); at >= 0; at = prompt.indexOf(fragment, at + fragment.length))
      covered.fill(true, at, at + fragment.length);
  }
  return covered;
}

/**
 * Finds phrases such as "in each US state", unless a maximum per company covers them; "each company" means every company.
 */
function findDistributives(intent: PlanIntent, prompt: string): string[] {
  const cap = intent.per_company?.fragments.join(' ').toLowerCase() ?? '';
  return [...prompt.matchAll(DISTRIBUTIVE)].flatMap(([whole]) => {
    const words = foldWords(whole);
    const isOfRows = words.some((word) => NOUNS.has(word) || word === 'one' || word === 'single');
    // "3 each from Germany and France" is not a number of people per company.
    const isOfPlaces = / (?:from|of|in) /i.test(` ${whole}`.replace(/^ (?:in|from|for|of|at) /i, ' '));
    if (isOfRows) return [];
    return isOfPlaces || (intent.per_company === null && !cap.includes(whole.toLowerCase())) ? [whole] : [];
  });
}

/**
 * Finds phrases such as "per sector", unless an item of the intent covers them; "per company" without a number means every
 * company.
 */
function perOthers(prompt: string, covered: readonly boolean[]): string[] {
  return [...prompt.matchAll(PER)].flatMap(({ 0: whole, index }) => {
    const [, word = ''] = foldWords(whole);
    return covered[index] || STOP_WORDS.has(word) || NOUNS.has(word) ? [] : [whole];
  });
}

/** Joins adjacent uncovered words to fragments. */
function lostRuns(
  intent: PlanIntent,
  prompt: string,
  { covered, own }: { covered: readonly boolean[]; own: ReadonlySet<string> },
): string[] {
  const runs: Array<{ start: number; end: number }> = [];
  for (const { 0: word, index } of prompt.matchAll(WORD)) {
    if (covered[index] || isNeutral(word, intent, own)) continue;
    const end = index + word.length;
    const last = runs.at(-1);
    if (last && /^\s+$/.test(prompt.slice(last.end, index))) last.end = end;
    else runs.push({ start: index, end });
  }
  return runs.map(({ start, end }) => prompt.slice(start, end));
}

function isNeutral(word: string, intent: PlanIntent, own: ReadonlySet<string>): boolean {
  const folded = foldWords(word.replace(/['’]s$/u, ''));
  return folded.every((written) => {
    const part = ABBREVIATIONS.get(written) ?? written;
    if (own.has(singularOf(part))) return true;
    // Rows of a table may be people or not.
    const arePeople = intent.entity === 'person' || intent.source.kind === 'table';
    if (PEOPLE.has(part)) return arePeople || part === 'who' || part === 'whom';
    return (
      part.length < 2 ||
      STOP_WORDS.has(part) ||
      GRAMMAR.has(part) ||
      NOUNS.has(part) ||
      // An order that is stated twice: "sorted by founding year, newest first".
      (intent.order !== null && ORDER_WORDS.has(part))
    );
  });
}
