import { isDeepStrictEqual } from 'node:util';
import { foldText, placeOf } from '@quarry/vocabulary';
import type { PlanIntent } from '@quarry/plan';
import { claimsOf, type Claim } from '../claims.js';
import type { CheckedIntent } from './checked-intent.js';

/**
 * Compares hard facts: count, places, number ranges and the table to read. If the rules read one, the model must have read
 * the same.
 * @returns one sentence for each fact that differs, each starting with its position
 */
export function findDisagreements({ intent, rules, isEnglish }: CheckedIntent): string[] {
  if (!isEnglish) return [];
  const written = claimsOf(intent);
  return [
    ...sourceFaults(intent, rules),
    ...countFaults('count', intent, rules),
    ...countFaults('per_company', intent, rules),
    ...claimsOf(rules)
      .filter(({ origin }) => origin.from === 'prompt')
      .flatMap((claim) => [...placeFaults(claim, written), ...rangeFaults(claim, written)]),
  ];
}

function sourceFaults({ source }: PlanIntent, { source: read }: PlanIntent): string[] {
  if (read.kind === 'directory' || (read.kind === 'nothing' && read.reason === 'no_rows_described'))
    return source.kind === 'table' ? ['source: the prompt names no table of its own'] : [];
  return isDeepStrictEqual(source, read)
    ? []
    : [`source: the prompt names a table; it must be ${JSON.stringify(read)}`];
}

function countFaults(at: 'count' | 'per_company', intent: PlanIntent, rules: PlanIntent): string[] {
  const read = rules[at];
  if (!read || read.from !== 'prompt' || intent[at]?.value === read.value) return [];
  return [`${at}: the prompt says ${read.value} in ${JSON.stringify(read.fragments.join(' … '))}`];
}

function placeFaults({ filter, isNegative, origin }: Claim, written: readonly Claim[]): string[] {
  if (!filter || !('op' in filter) || (filter.op !== 'in' && filter.op !== 'address')) return [];
  return filter.value
    .filter(
      (place) =>
        !written.some(
          ({ filter: other, isNegative: isOtherNegative }) =>
            other !== null &&
            'op' in other &&
            (other.op === 'in' || other.op === 'address') &&
            isOtherNegative === isNegative &&
            other.value.some((each) => nameOf(each) === nameOf(place)),
        ),
    )
    .map(
      (place) =>
        `${isNegative ? 'exclusions' : 'filters'}: ${JSON.stringify(origin.fragments.join(' … '))} names the place ${JSON.stringify({ kind: place.kind, id: place.id })}`,
    );
}

function nameOf(place: Parameters<typeof placeOf>[0]): string {
  return foldText(placeOf(place)?.name ?? place.id);
}

function rangeFaults({ filter, isNegative, origin }: Claim, written: readonly Claim[]): string[] {
  if (!filter || !('filter' in filter) || filter.op !== 'between') return [];
  const isWritten = written.some(
    ({ filter: other, isNegative: isOtherNegative }) =>
      other !== null &&
      'filter' in other &&
      other.filter === filter.filter &&
      isOtherNegative === isNegative &&
      isDeepStrictEqual(boundsOf(other.value), boundsOf(filter.value)),
  );
  return isWritten
    ? []
    : [
        `${isNegative ? 'exclusions' : 'filters'}: ${JSON.stringify(origin.fragments.join(' … '))} says ${filter.filter} ${JSON.stringify(filter.value)}`,
      ];
}

function boundsOf(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
