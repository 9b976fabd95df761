import type { Span } from './meaning.js';
import type { Reading, Recogniser } from './recogniser.js';

/** Score of one covered token; higher than any weight, so that coverage has priority. */
const TOKEN_WORTH = 20;
/** Cost of each further span: of two readings of the same tokens, the one with longer spans wins. */
const SPAN_COST = 8;

/**
 * Chooses spans that do not overlap, so that together they cover as much of the prompt as possible with as few and
 * as weighty spans as possible. Dynamic programming from the end: linear in tokens times candidates.
 * @returns spans in the order of the prompt; tokens outside of all spans were not recognised
 */
export function segmentReading(reading: Reading, recognisers: readonly Recogniser[]): Span[] {
  const length = reading.tokens.length;
  const best: number[] = new Array<number>(length + 1).fill(0);
  const choice: Array<Span | null> = new Array<Span | null>(length).fill(null);
  for (let at = length - 1; at >= 0; at -= 1) {
    best[at] = best[at + 1] ?? 0;
    for (const span of recognisers.flatMap((recognise) => recognise(reading, at))) {
      const worth = (span.end - span.start) * TOKEN_WORTH - SPAN_COST + span.weight + (best[span.end] ?? 0);
      if (worth <= (best[at] ?? 0)) continue;
      best[at] = worth;
      choice[at] = span;
    }
  }
  return followChoices(choice);
}

function followChoices(choice: ReadonlyArray<Span | null>): Span[] {
  const spans: Span[] = [];
  for (let at = 0; at < choice.length;) {
    const span = choice[at];
    if (span) spans.push(span);
    at = span ? span.end : at + 1;
  }
  return spans;
}
