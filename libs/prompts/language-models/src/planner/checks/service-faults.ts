import { foldWords } from '@quarry/vocabulary';
import type { IntentColumn } from '@quarry/plan';
import { findService } from '@quarry/service-catalog';
import { isContent, isKin } from '../words.js';

type ServiceSource = Extract<IntentColumn['source'], { from: 'service' }>;

/** Constants that choose how far a service goes, and so what it costs: they are said, or left out. */
const CHOICES = new Set(['deep', 'effort', 'limit', 'render', 'urls', 'schema']);

/** @returns whether words of a prompt ask for what a service finds; null for one that has words of its own elsewhere */
export function asksForService({ service }: ServiceSource, text: string): boolean | null {
  const known = findService(service);
  if (known === null) return false;
  return known.promptPattern && known.promptPattern.test(text);
}

/**
 * Finds constants of a service that do not follow from the words of the column: a question or a label that the prompt
 * does not have could come from a cell.
 * @param words of the column, where they stand in the prompt
 * @returns one sentence for each fault, each beginning with its place behind the column's
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

/** Half of what a text says by itself, keys of columns not counted. */
function isMostlyNamed(text: string, origin: readonly string[]): boolean {
  const own = foldWords(text.replace(/\{\{[^{}]*\}\}/g, ' ')).filter(isContent);
  const found = own.filter((word) => origin.some((each) => isKin(each, word)));
  return 2 * found.length >= own.length;
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(textsIn);
  return [String(value)];
}
