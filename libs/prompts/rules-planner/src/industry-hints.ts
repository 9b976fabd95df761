import { NEAREST_WORDS } from '@quarry/directory';
import type { PlanIntent } from '@quarry/plan';

/** A prompt with more that is not understood needs more than a hint. */
const HINTS_MAX = 5;

/** Adds a note for words that were not understood and may name an industry by another word or a misspelling. */
export function withIndustryHints(intent: PlanIntent, prompt: string): PlanIntent {
  if (intent.source.kind === 'table') return intent;
  // Where a prompt speaks of an industry, a word in common with one is enough.
  const speaksOfOne = /\b(?:industry|industries|sector|sectors)\b/i.test(prompt);
  const hints = intent.not_understood.slice(0, HINTS_MAX).flatMap((words) => {
    const near = NEAREST_WORDS.industries(words, speaksOfOne);
    return near.length === 0 ? [] : [`“${words}” is no known industry. The nearest: ${near.join(', ')}.`];
  });
  return hints.length === 0 ? intent : { ...intent, notes: [...intent.notes, ...hints] };
}
