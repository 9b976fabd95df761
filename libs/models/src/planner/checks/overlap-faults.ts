import { claimedSpans, claimsOf, type Claim } from '../claims.js';
import { overlap } from '../words.js';
import type { Judged } from './judged.js';

/**
 * One word means one thing: two filters of different meaning must not come from the same words.
 * @returns one sentence for each pair, each beginning with the place of the second
 */
export function overlapFaults({ intent, prompt }: Judged): string[] {
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

/** @returns a fragment that cannot be anywhere but in words of the other one; null for none */
function sharedWords(prompt: string, claim: Claim, other: Claim): string | null {
  const taken = claimedSpans(prompt, other);
  const shared = claim.said.fragments.find((fragment) => {
    const spans = claimedSpans(prompt, { ...claim, said: { ...claim.said, fragments: [fragment] } });
    return spans.length > 0 && spans.every((span) => taken.some((each) => overlap(span, each)));
  });
  return shared ?? null;
}
