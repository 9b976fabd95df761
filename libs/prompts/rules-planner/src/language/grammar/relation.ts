import type { Span } from '../meaning.js';
import type { Reading } from '../recogniser.js';

const OBJECTS: ReadonlySet<Span['meaning']['type']> = new Set(['condition', 'field', 'entity']);

/**
 * Reads "Sells to German banks in Paris": the things after a relation are its objects, up to a break, "in" or "with". They
 * do not describe the rows.
 * @param index of the relation's span
 * @returns the relation and the spans that belong to it, in order
 */
export function relationWithObjects({ tokens }: Reading, spans: readonly Span[], index: number): Span[] {
  const taken = spans.slice(index, index + 1);
  for (const span of spans.slice(index + 1)) {
    const between = tokens.slice(taken.at(-1)?.end, span.start);
    const isCut = between.some(
      ({ kind, folded }) => kind === 'break' || folded === 'with' || folded === 'in',
    );
    if (isCut || !OBJECTS.has(span.meaning.type)) break;
    taken.push(span);
  }
  return taken;
}
