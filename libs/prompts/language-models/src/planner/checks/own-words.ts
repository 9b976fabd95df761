import { claimedSpans, claimsOf, type Claim } from '../claims.js';
import { spansOf, type Span } from '../words.js';
import type { CheckedIntent } from './checked-intent.js';

/** @returns a claim's words in the prompt, except those within `taken` */
export function wordsLeft(prompt: string, claim: Claim, taken: readonly Span[]): string[] {
  const letters = prompt.split('');
  for (const { start, end } of taken) letters.fill(' ', start, end);
  const left = letters.join('');
  return claimedSpans(prompt, claim).map(({ start, end }) => left.slice(start, end));
}

/** @returns the first position of the table's name, which says nothing about its rows */
export function tableSpans({ prompt, table }: Pick<CheckedIntent, 'prompt' | 'table'>): Span[] {
  return table ? spansOf(prompt.toLowerCase(), table.name.toLowerCase()).slice(0, 1) : [];
}

/**
 * Returns the words that are only used by this claim. A word that a filter, a name or the table comes from requests nothing
 * else; these are those of the intent and, if the rules support the language, those of the rules.
 * @returns the claim's other words, as they occur in the prompt
 */
export function ownWords(claim: Claim, checked: CheckedIntent): string[] {
  const { intent, rules, prompt, isEnglish } = checked;
  const isOther = ({ place }: Claim): boolean =>
    place !== claim.place && !place.startsWith(`${claim.place}.`);
  const others = [...claimsOf(intent).filter(isOther), ...(isEnglish ? claimsOf(rules) : [])];
  const taken = others.filter(({ filter, place }) => filter !== null || place === 'name');
  return wordsLeft(prompt, claim, [
    ...taken.flatMap((other) => claimedSpans(prompt, other)),
    ...tableSpans(checked),
  ]);
}
