import { claimedSpans, claimsOf, type Claim } from '../claims.js';
import type { Span } from '../words.js';
import type { Judged } from './judged.js';

/** @returns a claim's words where they stand in the prompt, without those that are taken */
export function wordsLeft(prompt: string, claim: Claim, taken: readonly Span[]): string[] {
  const letters = prompt.split('');
  for (const { start, end } of taken) letters.fill(' ', start, end);
  const left = letters.join('');
  return claimedSpans(prompt, claim).map(({ start, end }) => left.slice(start, end));
}

/**
 * A word that a filter or the table's name comes from asks for nothing else. What an item holds itself, and what the rules read
 * as a filter where they read the language, count.
 * @returns a claim's words that no filter and no name has, where they stand in the prompt
 */
export function ownWords(claim: Claim, { intent, rules, prompt, isEnglish }: Judged): string[] {
  const isOther = ({ place }: Claim): boolean =>
    place !== claim.place && !place.startsWith(`${claim.place}.`);
  const others = [...claimsOf(intent).filter(isOther), ...(isEnglish ? claimsOf(rules) : [])];
  const taken = others.filter(({ filter, place }) => filter !== null || place === 'name');
  return wordsLeft(
    prompt,
    claim,
    taken.flatMap((other) => claimedSpans(prompt, other)),
  );
}
