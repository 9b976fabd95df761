import { isDeepStrictEqual } from 'node:util';
import type { CheckedIntent } from './checked-intent.js';

/**
 * Checks the use of the web as a source. It is slow, costs credits and is incomplete, while the directory is complete: it
 * may only be used for what no filter can express, in the words of the prompt.
 * @returns one sentence for each fault, each starting with its position
 */
export function webFaults({ intent, previous }: CheckedIntent): string[] {
  const { source, criteria } = intent;
  if (source.kind !== 'web') return [];
  const faults: string[] = [];
  const before = previous?.intent.source;
  const isKept =
    source.from === 'earlier' &&
    before?.kind === 'web' &&
    isDeepStrictEqual({ ...before, from: 'earlier' }, source);
  if (isKept) return [];
  if (source.from !== 'prompt') faults.push('source.from: the previous request has no such source');
  if (source.max_credits !== undefined) faults.push('source.max_credits: is not yours to write');
  const isNeeded = criteria.some(({ conditions, from }) => conditions === null && from !== 'output');
  if (!isNeeded)
    faults.push(
      'source: the filters of the directory say all of this; "web" wants a criterion without conditions',
    );
  return faults;
}
