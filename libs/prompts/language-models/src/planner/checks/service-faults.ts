import { foldWords } from '@quarry/vocabulary';
import type { IntentColumn } from '@quarry/plan';
import { findService } from '@quarry/service-catalog';
import { isContent, isKin } from '../words.js';

type ServiceSource = Extract<IntentColumn['source'], { from: 'service' }>;

/** Constants that choose the depth of a service, and thus its price: they must be requested, or omitted. */
const CHOICES = new Set(['deep', 'effort', 'limit', 'render', 'urls', 'schema']);

/** @returns whether words of a prompt request the result of a service; null for a service that is checked elsewhere */
export function asksForService({ service }: ServiceSource, text: string): boolean | null {
  const known = findService(service);
  if (known === null) return false;
  return known.promptPattern && known.promptPattern.test(text);
}

/**
 * Finds constants of a service that do not follow from the words of the column: a question or a label that is not in the
 * prompt could come from a cell.
 * @param words of the column, as they occur in the prompt
 * @returns one sentence for each fault, each starting with its position after the column's
 */
export function constantFaults({ inputs = {} }: ServiceSource, words: readonly string[]): string[] {
  const origin = words.flatMap(foldWords);
  return Object.entries(inputs).flatMap(([name, given]) => {
    if (typeof given === 'string') return [];
    const at = `.source.inputs.${name}`;
    if (CHOICES.has(name)) {
      const isNamed =
        textsIn(given.value).some((text) => origin.includes(text.toLowerCase())) || origin.includes(name);
      return isNamed ? [] : [`${at}: no word asks for it; leave it out`];
    }
    const unsaid = textsIn(given.value).find((text) => !isMostlyNamed(text, origin));
    return unsaid === undefined
      ? []
      : [`${at}: ${JSON.stringify(unsaid)} is not said by the words of the column`];
  });
}

/** Returns true when the origin contains at least half of the meaningful words of a text, not counting keys of columns. */
function isMostlyNamed(text: string, origin: readonly string[]): boolean {
  const own = foldWords(text.replace(/\{\{[^{}]*\}\}/g, ' ')).filter(isContent);
  const found = own.filter((word) => origin.some((each) => isKin(each, word)));
  return 2 * found.length >= own.length;
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(textsIn);
  return [String(value)];
}
