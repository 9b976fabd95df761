import { foldWords, singularOf } from '@quarry/vocabulary';
import type { OneColumn, TableProfile } from '@quarry/plan';
import { claimsOf, type Claim } from '../claims.js';
import { isKin } from '../words.js';
import type { CheckedIntent } from './checked-intent.js';
import { tableSpans, wordsLeft } from './own-words.js';

/** Checks with a value from a cell, or without one. Checks of numbers, dates and places are compared with their words. */
const OPEN_CHECKS: ReadonlySet<string> = new Set([
  'one_of',
  'contains',
  'has_words',
  'starts_with',
  'ends_with',
  'is',
  'filled',
]);

/**
 * Checks references to a table whose cells the model has seen, since cells are untrusted text. The prompt must name them:
 * half of the words of a value or a column must be in the fragments it comes from, or the rules must have read the same.
 * Otherwise a cell could have requested it.
 * @returns one sentence for each item that the prompt does not name, each starting with its position
 */
export function unnamedFaults(checked: CheckedIntent): string[] {
  const { intent, rules, table, prompt } = checked;
  if (table === null) return [];
  const read = new Set(claimsOf(rules).map(({ meaning }) => meaning));
  return claimsOf(intent)
    .filter(({ origin, meaning }) => origin.from === 'prompt' && !read.has(meaning))
    .flatMap((claim) => {
      const { place, origin, filter } = claim;
      // The table's own name proves nothing about its rows.
      const words = wordsOf(wordsLeft(prompt, claim, tableSpans(checked)));
      const unnamed = namesIn(place, origin, filter, table).find((names) => !isAnyIn(names, words));
      return unnamed ? [`${place}: nothing in its fragments names ${JSON.stringify(unnamed[0])}`] : [];
    });
}

/** @returns the possible names of each thing that must be named */
function namesIn(
  place: string,
  origin: Claim['origin'],
  filter: Claim['filter'],
  table: TableProfile,
): string[][] {
  const column = (key: string): string[] => [
    key,
    ...table.columns.filter((each) => each.key === key).map(({ name }) => name),
  ];
  const check = (each: OneColumn): string[][] =>
    !OPEN_CHECKS.has(each.op)
      ? []
      : 'value' in each && Array.isArray(each.value)
        ? (each.value as readonly string[]).map((value) => [value])
        : [column(each.column)];
  if (filter !== null)
    return 'either' in filter ? filter.either.flatMap(check) : 'column' in filter ? check(filter) : [];
  if (!/^(?:columns|hidden|order)/.test(place)) return [];
  const { source, key, by } = origin as { source?: Record<string, string>; key?: string; by?: string };
  // The result of a service is not a column of the table; item-faults.ts checks for all prompts that it was requested.
  if (source?.['from'] === 'service') return [];
  const names = [...Object.values(source ?? {}), key, by].filter((each) => each !== undefined);
  return [names.flatMap(column).filter((name) => name !== 'table')];
}

function wordsOf(texts: readonly string[]): string[] {
  return texts
    .map((text) => text.replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ').replaceAll('_', ' '))
    .flatMap(foldWords)
    .map(singularOf);
}

function isAnyIn(names: readonly string[], words: readonly string[]): boolean {
  return names.some((name) => {
    const all = wordsOf([name]);
    const origin = all.filter((each) => words.some((word) => isKin(each, word)));
    // A sentence in a cell always shares some word with the prompt.
    return origin.length > 0 && origin.length * 2 >= all.length;
  });
}
