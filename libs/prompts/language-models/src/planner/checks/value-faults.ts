import { COMPANY_FILTERS } from '@quarry/directory';
import {
  departmentAt,
  foldText,
  foldWords,
  industryAt,
  placeAt,
  placeOf,
  roleAt,
  singularOf,
  traitAt,
  traitIds,
  INDUSTRIES,
  type TraitKind,
} from '@quarry/vocabulary';
import { isDeepStrictEqual } from 'node:util';
import type { IntentFilter, IntentRange, OneColumn, PlanIntent } from '@quarry/plan';
import { claimsOf, type Claim } from '../claims.js';
import { contentWords } from '../language.js';
import { valuesIn } from '../numbers.js';
import { areAkin, beginsWord, holdsWords, isContent, isSameWords, spansOf } from '../words.js';
import type { CheckedIntent } from './checked-intent.js';
import { ownWords, tableSpans, wordsLeft } from './own-words.js';

/**
 * Finds filters that do not follow from the words that they refer to: values of the closed vocabularies must be named by
 * these words, and numbers and names must occur in them.
 * @returns one sentence for each fault, each starting with its position
 */
export function valueFaults(checked: CheckedIntent): string[] {
  return claimsOf(checked.intent)
    .filter(({ origin }) => origin.from === 'prompt')
    .flatMap((claim) => {
      const faults = [
        ...wordFaults(claim, checked),
        ...filterFaults(claim, checked),
        ...headFaults(claim, checked),
      ];
      return faults.map((fault) => `${claim.place}${fault}`);
    });
}

function wordFaults({ origin, filter }: Claim, { prompt, isEnglish }: CheckedIntent): string[] {
  const partial = isEnglish
    ? origin.fragments.find((each) => !spansOf(prompt, each).some(({ start }) => beginsWord(prompt, start)))
    : undefined;
  if (partial !== undefined) return [`.fragments: ${JSON.stringify(partial)} begins inside a word`];
  const empty = filter ? origin.fragments.find((each) => !foldWords(each).some(isContent)) : undefined;
  return empty === undefined ? [] : [`.fragments: ${JSON.stringify(empty)} says nothing by itself`];
}

function headFaults({ place, origin }: Claim, checked: CheckedIntent): string[] {
  const { intent, rules } = checked;
  if (place === 'count' || place === 'per_company') {
    const value = intent[place]!.value;
    const isRead = checked.isEnglish && rules[place]?.value === value;
    return isRead || isNumberIn(value, origin.fragments, checked)
      ? []
      : [`.value: ${value} does not stand in ${quoteTexts(origin.fragments)}`];
  }
  if (place === 'name' && !origin.fragments.some((each) => each.includes(intent.name!.value)))
    return ['.value: must stand in its fragments'];
  return [];
}

function filterFaults(claim: Claim, checked: CheckedIntent): string[] {
  const { filter } = claim;
  if (filter === null) return [];
  if ('either' in filter) return filter.either.flatMap((each) => columnFaults(claim, each, checked));
  if ('column' in filter) return columnFaults(claim, filter, checked);
  return directoryFaults(claim, filter, checked);
}

type Directory = Extract<IntentFilter, { filter: string }>;

function directoryFaults(claim: Claim, filter: Directory, checked: CheckedIntent): string[] {
  const { fragments } = filter;
  // The rules know idioms, such as "around 40", "the 1990s" and "decision makers", whose meaning is not in a single word.
  if (checked.isEnglish && isReadByRules(filter, checked.rules)) return [];
  switch (filter.op) {
    case 'between':
      return boundFaults(filter.value, fragments, filter.filter === 'founded', checked);
    case 'in':
      return placeFaults(filter.value, fragments, checked);
    case 'named':
      return filter.value
        .filter((value) => !fragments.some((each) => holdsWords(each, value)))
        .map((value) => `.value: ${JSON.stringify(value)} does not stand in its fragments`);
    case 'all_of':
      return traitFaults(filter.filter, filter.value, fragments, checked);
    case 'any_of':
      return anyFaults(claim, filter, checked);
    case 'is':
      return hiringFaults(claim, filter.filter, ownWords(claim, checked), checked);
  }
}

/** Words for hiring, for the two filters without a vocabulary of their own. */
const HIRING =
  /\b(?:hir(?:e|es|ing)|recruit(?:s|ing)?|(?:open|job) (?:positions?|roles?|jobs?|openings?)|vacanc(?:y|ies))\b/i;

function hiringFaults(
  claim: Claim,
  name: string,
  words: readonly string[],
  checked: CheckedIntent,
): string[] {
  if (!checked.isEnglish) return words.some(hasContent) ? [] : [SAYS_NOTHING];
  const read = claimsOf(checked.rules).filter(
    ({ filter }) => filter !== null && 'filter' in filter && filter.filter === name,
  );
  if (read.length === 0) return words.some((each) => HIRING.test(each)) ? [] : [SAYS_NOTHING];
  return read.some(({ isNegative }) => isNegative === claim.isNegative)
    ? []
    : [`.value: ${quoteTexts(claim.origin.fragments)} says the opposite`];
}

const SAYS_NOTHING = '.fragments: no word of their own asks for it';

function anyFaults(
  claim: Claim,
  filter: Extract<Directory, { op: 'any_of' }>,
  checked: CheckedIntent,
): string[] {
  const { fragments, value } = filter;
  switch (filter.filter) {
    case 'industries':
      return listFaults(filter.value, fragments, industryIdsIn, checked, industryWords);
    case 'domains':
      return filter.value
        .filter((domain) => !fragments.some((each) => each.toLowerCase().includes(domain.toLowerCase())))
        .map((domain) => `.value: ${JSON.stringify(domain)} does not stand in its fragments`);
    case 'roles':
      return filter.value.flatMap((role) => roleFaults(role, fragments, checked));
    case 'hiring_departments':
      return [
        ...hiringFaults(claim, filter.filter, fragments, checked),
        ...listFaults(filter.value, fragments, departmentIdsIn, checked),
      ];
    default:
      return traitFaults(filter.filter, value as readonly string[], fragments, checked);
  }
}

function departmentIdsIn(fragment: string): string[] {
  const words = foldWords(fragment);
  const ofRoles = rolesIn(fragment).flatMap(({ departments }) => departments);
  return [...ofRoles, ...words.flatMap((_, at) => departmentAt(words, at)?.meaning.id ?? [])];
}

/**
 * Maximum number of industries that a word may name: "services" and "technology" are in the names of many, so they mean
 * none of them.
 */
const INDUSTRIES_OF_A_WORD_MAX = 2;
const industryNames = new Map(
  INDUSTRIES.map(
    ({ id, name, synonyms }) =>
      [id, new Set([name, ...synonyms].flatMap(foldWords).map(singularOf))] as const,
  ),
);

function industryWords(id: string): string {
  const isOfFew = (word: string): boolean =>
    [...industryNames.values()].filter((words) => words.has(word)).length <= INDUSTRIES_OF_A_WORD_MAX;
  return [...(industryNames.get(id) ?? [])].filter(isOfFew).join(' ');
}

function industryIdsIn(fragment: string): string[] {
  const words = foldWords(fragment);
  return words.flatMap((_, at) => industryAt(words, at)?.meaning.industryIds ?? []);
}

function traitFaults(
  name: string,
  values: readonly string[],
  fragments: readonly string[],
  checked: CheckedIntent,
): string[] {
  const kind = COMPANY_FILTERS.find((filter) => filter.name === name)?.attributes[0]?.named as TraitKind;
  const idsIn = (fragment: string): string[] => {
    const words = foldWords(fragment);
    return words.flatMap((_word, at) => traitAt(kind, words, at)?.meaning.id ?? []);
  };
  // Product names are the same in every language, and a product that is not in the list cannot be searched.
  const isStrict = checked.isEnglish || kind === 'technology';
  return traitIds(kind).length > 0
    ? listFaults(values, fragments, idsIn, { isEnglish: isStrict }, (id) => id.replaceAll('_', ' '))
    : [];
}

/**
 * @param idsIn returns the ids that a fragment names in the words of the vocabulary
 * @param isEnglish true when unknown words must be related to those of a value, as "watches" is to "watchmakers": otherwise
 *   any word would allow every value. Other languages have words of their own
 * @param wordsOf returns the words of a value
 */
function listFaults(
  values: readonly string[],
  fragments: readonly string[],
  idsIn: (fragment: string) => readonly string[],
  { isEnglish }: Pick<CheckedIntent, 'isEnglish'>,
  wordsOf: (id: string) => string = (id) => id,
): string[] {
  const named = fragments.map((fragment) => ({ fragment, ids: idsIn(fragment) }));
  const others = named.filter(({ ids }) => ids.length > 0 && !ids.some((id) => values.includes(id)));
  const known = new Set(named.flatMap(({ ids }) => ids));
  const unknown = named.filter(({ ids }) => ids.length === 0);
  const isOpen = (value: string): boolean =>
    unknown.some(({ fragment }) => !isEnglish || areAkin(fragment, wordsOf(value)));
  const unsaid = values.filter((value) => !known.has(value) && !isOpen(value));
  return [
    ...others.map(
      ({ fragment, ids }) => `.value: ${JSON.stringify(fragment)} means ${quoteTexts(ids)} in the vocabulary`,
    ),
    ...unsaid.map((value) => `.value: nothing in ${quoteTexts(fragments)} says ${JSON.stringify(value)}`),
  ];
}

interface PlaceId {
  readonly kind: string;
  readonly id: string;
}

function placeFaults(
  values: ReadonlyArray<Parameters<typeof placeOf>[0]>,
  fragments: readonly string[],
  { isEnglish }: CheckedIntent,
): string[] {
  const named = fragments.map((fragment) => ({ fragment, places: placesIn(fragment) }));
  const isOf = (place: PlaceId): boolean =>
    named.some(({ places }) => places.some((each) => isSamePlace(each, place)));
  const others = named.filter(
    ({ places }) =>
      places.length > 0 && !places.some((each) => values.some((value) => isSamePlace(each, value))),
  );
  // Other languages have their own names for places.
  const isOpen = !isEnglish && named.some(({ places }) => places.length === 0);
  const unsaid = isOpen ? [] : values.filter((value) => placeOf(value) !== null && !isOf(value));
  return [
    ...others.map(({ fragment }) => `.value: ${JSON.stringify(fragment)} names another place`),
    ...unsaid.map(({ id }) => `.value: nothing in ${quoteTexts(fragments)} names ${JSON.stringify(id)}`),
  ];
}

function placesIn(fragment: string): PlaceId[] {
  const raw = fragment.match(/[\p{L}\p{N}.'’]+/gu) ?? [];
  const words = foldWords(fragment);
  return words.flatMap(
    (_, at) => placeAt(words, words.length === raw.length ? raw : words, at)?.meaning.place ?? [],
  );
}

/** Returns true for a city and a state with the same name as well. */
function isSamePlace(one: PlaceId, other: PlaceId): boolean {
  if (one.kind === other.kind && one.id === other.id) return true;
  const [name, otherName] = [one, other].map(
    (place) => placeOf(place as Parameters<typeof placeOf>[0])?.name,
  );
  return name !== undefined && otherName !== undefined && foldText(name) === foldText(otherName);
}

type RoleValue = Extract<Directory, { filter: 'roles' }>['value'][number];

function roleFaults(role: RoleValue, fragments: readonly string[], { isEnglish }: CheckedIntent): string[] {
  const known = fragments.flatMap(rolesIn);
  const spelled = new Set(fragments.flatMap(foldWords).flatMap((word) => [word, singularOf(word)]));
  const unsaid = role.title_words.find((title) => foldWords(title).some((word) => !spelled.has(word)));
  if (unsaid !== undefined) return [`.value: ${JSON.stringify(unsaid)} does not stand in its fragments`];
  if (role.title_words.length + role.seniorities.length + role.departments.length === 0)
    return ['.value: a role must ask a level, a department or a word of the title'];
  const isNamed = known.some(
    ({ seniorities, departments }) =>
      isDeepStrictEqual([...seniorities].sort(), [...role.seniorities].sort()) &&
      isDeepStrictEqual([...departments].sort(), [...role.departments].sort()),
  );
  if (isNamed || known.length === 0) return [];
  return isEnglish ? [`.value: ${quoteTexts(fragments)} names another role`] : [];
}

function rolesIn(fragment: string) {
  const words = foldWords(fragment);
  return words.flatMap((_, at) => roleAt(words, at)?.meaning ?? []);
}

/** @returns whether the rules read the same filter from the same words */
function isReadByRules(filter: Directory, rules: PlanIntent): boolean {
  return claimsOf(rules).some(
    ({ filter: read }) =>
      read !== null &&
      'filter' in read &&
      read.of === filter.of &&
      read.filter === filter.filter &&
      isDeepStrictEqual(read.value, filter.value) &&
      filter.fragments.every((fragment) => read.fragments.some((each) => isSameWords(each, fragment))),
  );
}

function boundFaults(
  ranges: readonly IntentRange[],
  fragments: readonly string[],
  isYear: boolean,
  checked: CheckedIntent,
): string[] {
  const bounds = ranges.flatMap(({ min, max }) => [min, max]).filter((bound) => bound !== null);
  if (bounds.length === 0) return ['.value: a range without a bound asks nothing'];
  const upsideDown = ranges.some(({ min, max }) => min !== null && max !== null && min > max);
  if (upsideDown) return ['.value: min is above max'];
  return bounds
    .filter((bound) => !isNumberIn(bound, fragments, checked, isYear))
    .map((bound) => `.value: ${bound} does not stand in ${quoteTexts(fragments)}`);
}

/** Returns whether a number occurs. "More than 50" starts at 51. Years may be a decade, or count back from now. */
function isNumberIn(
  bound: number,
  fragments: readonly string[],
  { referenceYear }: CheckedIntent,
  isYear = false,
): boolean {
  const origin = fragments.flatMap(valuesIn);
  const near = (value: number): boolean => Math.abs(bound - value) <= 1;
  if (origin.some(near)) return true;
  if (!isYear) return false;
  return origin.some((value) => near(referenceYear - value) || (value % 10 === 0 && near(value + 9)));
}

/** Checks the values of a column's test; unnamed-faults.ts checks that the column, or a cell of it, is named. */
function columnFaults(claim: Claim, check: OneColumn, checked: CheckedIntent): string[] {
  const { prompt, isEnglish, rules } = checked;
  if (isEnglish && isCheckOfRules(claim, rules)) return [];
  const words = wordsLeft(prompt, claim, tableSpans(checked));
  switch (check.op) {
    case 'number':
    case 'year':
      return boundFaults(check.value, words, check.op === 'year', checked);
    case 'address':
      return placeFaults(check.value, words, checked);
    case 'one_of':
    case 'contains':
    case 'has_words':
    case 'starts_with':
    case 'ends_with':
      return textFaults(check.column, check.value, words, checked);
    case 'date':
      return dayFaults(check.value, words, checked);
    case 'is':
    case 'filled':
      return [];
  }
}

function isCheckOfRules(claim: Claim, rules: PlanIntent): boolean {
  return claimsOf(rules).some(
    ({ meaning, origin }) =>
      meaning === claim.meaning &&
      claim.origin.fragments.every((fragment) =>
        origin.fragments.some((each) => isSameWords(each, fragment)),
      ),
  );
}

function hasContent(text: string): boolean {
  return contentWords(text).length > 0;
}

function textFaults(
  column: string,
  texts: readonly string[],
  words: readonly string[],
  { table }: CheckedIntent,
): string[] {
  const cells = new Set((table?.values[column]?.values ?? []).map(foldText));
  return texts
    .filter((value) => !cells.has(foldText(value)) && !words.some((each) => holdsWords(each, value)))
    .map((value) => `.value: ${JSON.stringify(value)} stands neither in its fragments nor in the column`);
}

function dayFaults(
  { from, to }: { readonly from: string | null; readonly to: string | null },
  fragments: readonly string[],
  checked: CheckedIntent,
): string[] {
  const years = [from, to].flatMap((day) => (day === null ? [] : [Number(day.slice(0, 4))]));
  if (years.length === 0) return ['.value: a span of time without an end asks nothing'];
  return years
    .filter((year) => !isNumberIn(year, fragments, checked, true))
    .map((year) => `.value: the year ${year} does not follow from ${quoteTexts(fragments)}`);
}

function quoteTexts(texts: readonly string[]): string {
  return texts.map((text) => JSON.stringify(text)).join(', ');
}
