import { claimsOf, type Claim } from '../claims.js';
import { spansOverlap, spansOf, type Span } from '../words.js';
import type { CheckedIntent } from './checked-intent.js';

/**
 * Checks that words have one meaning: two filters with different meanings must not come from the same words.
 * @returns one sentence for each pair, each starting with the position of the second
 */
export function overlapFaults({ intent, prompt }: CheckedIntent): string[] {
  const filters = claimsOf(intent).filter(({ filter }) => filter !== null);
  return filters.flatMap((claim, i) =>
    filters
      .slice(0, i)
      .filter((other) => other.meaning !== claim.meaning)
      .flatMap((other) => {
        const shared = sharedWords(prompt, claim, other);
        return shared === null
          ? []
          : [`${claim.place}.fragments: ${JSON.stringify(shared)} is claimed by ${other.place} already`];
      }),
  );
}

/** @returns a fragment that only occurs within words of the other claim; null for none */
function sharedWords(prompt: string, claim: Claim, other: Claim): string | null {
  const taken = fragmentsOf(prompt, other);
  const shared = fragmentsOf(prompt, claim).find(({ spans }) =>
    taken.some((each) => spans.every((span) => each.spans.every((known) => spansOverlap(span, known)))),
  );
  return shared?.fragment ?? null;
}

/** Returns each fragment with its positions. */
function fragmentsOf(prompt: string, { origin }: Claim): Array<{ fragment: string; spans: Span[] }> {
  if (origin.from !== 'prompt') return [];
  return origin.fragments
    .map((fragment) => ({ fragment, spans: spansOf(prompt, fragment) }))
    .filter(({ spans }) => spans.length > 0);
}
