import type { PlanAsk } from '@quarry/plan';
import type { Condition } from './condition.js';
import type { Meaning, Span } from './meaning.js';
import type { Token } from './token.js';

/** The prompt as recognisers see it. */
export interface Reading {
  readonly tokens: readonly Token[];
  /** Folded words, parallel to `tokens`; punctuation stands for itself. */
  readonly words: readonly string[];
  /** Words as written, parallel to `tokens`. */
  readonly raw: readonly string[];
  readonly referenceYear: PlanAsk['referenceYear'];
}

/** Finds one kind of thing at a position of the prompt. Recognisers may overlap; the segmenter chooses. */
export type Recogniser = (reading: Reading, at: number) => Span[];

export function readingOf(tokens: readonly Token[], referenceYear: number): Reading {
  return {
    tokens,
    words: tokens.map(({ kind, folded }) => (kind === 'quoted' ? '"' : folded)),
    raw: tokens.map(({ text }) => text),
    referenceYear,
  };
}

/** Weights of readings with the same length: the highest wins. */
export const WEIGHT = { cue: 1, column: 2, condition: 3, quantity: 4, certain: 6 } as const;

/** @returns the span of so many tokens from a position on */
export function spanAt(
  start: number,
  length: number,
  meaning: Meaning,
  weight: number = WEIGHT.condition,
): Span {
  return { start, end: start + length, weight, meaning };
}

/** @returns the span of tokens that state a condition */
export function conditionAt(start: number, length: number, condition: Condition, weight?: number): Span {
  return spanAt(start, length, { type: 'condition', condition }, weight);
}
