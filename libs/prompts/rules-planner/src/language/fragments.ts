import { STOP_WORDS } from '@quarry/plan';
import { listOf } from './phrase-list.js';
import type { Span } from './meaning.js';
import type { Token } from './token.js';
import { PHRASE_OPENERS } from './word-lists.js';

/** Spans that become part of the fragment of an unknown word after them: "not ugly", "at Contoso". */
const DRAGGED = new Set(
  listOf('scope | negation | relation | column_lead | filler | entity | effect | exception'),
);

/** @returns whether a token outside all spans is meaningful */
export function isContent(token: Token): boolean {
  if (token.kind === 'number' || token.kind === 'date' || token.kind === 'quoted') return true;
  return token.kind === 'word' && !STOP_WORDS.has(token.folded);
}

/**
 * Extracts the parts of a prompt that were not understood.
 * @param lost indexes of tokens whose meaning was lost
 * @param spans spans of the prompt in order
 * @returns each part as written, with the function words before it: "funded by Sequoia", "with a blue logo"
 */
export function fragmentsOf(
  prompt: string,
  tokens: readonly Token[],
  lost: ReadonlySet<number>,
  spans: readonly Span[],
): string[] {
  const spanAt = new Map(
    spans.flatMap((span) => numberRange(span.start, span.end).map((index) => [index, span] as const)),
  );
  const fragments: string[] = [];
  const sorted = [...lost].sort((a, b) => a - b);
  for (let next = 0; next < sorted.length;) {
    let last = sorted[next] as number;
    const first = openingAt(tokens, last, spanAt, lost);
    next += 1;
    while (next < sorted.length && isTied(tokens, last, sorted[next] as number, spanAt))
      last = sorted[next++] as number;
    fragments.push(prompt.slice(tokens[first]?.start, tokens[last]?.end));
  }
  return fragments;
}

/** Returns whether only function words separate two lost tokens, so that they form one fragment. */
function isTied(
  tokens: readonly Token[],
  from: number,
  to: number,
  spanAt: ReadonlyMap<number, Span>,
): boolean {
  return numberRange(from + 1, to).every((index) => {
    const span = spanAt.get(index);
    const kind = tokens[index]?.kind;
    if (kind === 'break' || tokens[index]?.folded === ',') return false;
    return span === undefined || DRAGGED.has(span.meaning.type);
  });
}

function openingAt(
  tokens: readonly Token[],
  at: number,
  spanAt: ReadonlyMap<number, Span>,
  lost: ReadonlySet<number>,
): number {
  let first = at;
  for (let index = at - 1; index >= 0 && at - index <= 4; index -= 1) {
    const token = tokens[index] as Token;
    const span = spanAt.get(index);
    const isDragged = span !== undefined && ['scope', 'negation'].includes(span.meaning.type);
    if (lost.has(index) || token.kind !== 'word' || (span && !isDragged)) break;
    if (isDragged || PHRASE_OPENERS.has(token.folded)) first = index;
  }
  return first;
}

function numberRange(start: number, end: number): number[] {
  return Array.from({ length: Math.max(0, end - start) }, (_, index) => start + index);
}
