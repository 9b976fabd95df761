import { NEAREST_WORDS } from '@quarry/vocabulary';
import type { PlanIntent } from '@quarry/plan';

/** Maximum number of hints; a prompt with more unknown words needs more than a hint. */
const HINTS_MAX = 5;
/** Words in front of a place. */
const PLACE = /^(?:(?:based|located|living|headquartered) )?(?:in|from|near|around) (.+)$/i;

/** Adds a note for words that were not understood and may name an industry or a place by another word or a misspelling. */
export function withNearestHints(intent: PlanIntent, prompt: string): PlanIntent {
  if (intent.source.kind === 'table') return intent;
  // Where a prompt speaks of an industry, a word in common with one is enough.
  const speaksOfOne = /\b(?:industry|industries|sector|sectors)\b/i.test(prompt);
  const hints = intent.not_understood
    .slice(0, HINTS_MAX)
    .flatMap((words) => industryHint(words, speaksOfOne) ?? placeHint(words) ?? []);
  return hints.length === 0 ? intent : { ...intent, notes: [...intent.notes, ...hints] };
}

function industryHint(words: string, speaksOfOne: boolean): string | null {
  return hintOf(words, 'industry', NEAREST_WORDS.industries(words, speaksOfOne));
}

function placeHint(words: string): string | null {
  const [, place] = PLACE.exec(words) ?? [];
  if (place === undefined) return null;
  return hintOf(place, 'place', [...NEAREST_WORDS.countries(place), ...NEAREST_WORDS.cities(place)]);
}

function hintOf(words: string, what: string, near: readonly string[]): string | null {
  return near.length === 0 ? null : `“${words}” is no known ${what}. The nearest: ${near.join(', ')}.`;
}
