import type { Conditions, DirectoryFilter, IntentFilter } from '@quarry/plan';
import { asEarlier } from './prompt-origin.js';

/**
 * Merges previous and new directory conditions. The newer one wins: a filter removes the exclusion of the same attribute,
 * and an exclusion removes the filter that it contradicts.
 * @param isAddition "also": values are added to those of the same attribute
 */
export function mergedConditions(before: Conditions, now: Conditions, isAddition: boolean): Conditions {
  const wanted = byName(now.filters);
  const isRestated = (group: readonly IntentFilter[]): boolean =>
    [...byName(group).keys()].every((key) => wanted.has(key));
  const isRuledOut = (filter: DirectoryFilter): boolean =>
    now.exclusions.some((group) => group.length === 1 && isSame(byName(group).get(nameOf(filter)), filter));
  const kept = [...byName(before.filters).values()].filter((filter) => !isRuledOut(filter)).map(asEarlier);
  const filters = byName(kept);
  for (const [key, filter] of wanted) {
    const known = filters.get(key);
    filters.set(key, known && isAddition ? unionOf(known, filter) : filter);
  }
  const still = before.exclusions.filter((group) => !isRestated(group)).map((group) => group.map(asEarlier));
  return { filters: [...filters.values()], exclusions: [...still, ...now.exclusions] };
}

function byName(filters: readonly IntentFilter[]): Map<string, DirectoryFilter> {
  return new Map(filters.flatMap((filter) => ('of' in filter ? [[nameOf(filter), filter] as const] : [])));
}

function nameOf({ of, filter }: DirectoryFilter): string {
  return `${of} ${filter}`;
}

function unionOf(before: DirectoryFilter, now: DirectoryFilter): DirectoryFilter {
  // Ranges: another one in their place narrows, two beside each other would widen.
  if (now.op === 'between' || !Array.isArray(before.value) || !Array.isArray(now.value)) return now;
  const known: readonly unknown[] = before.value;
  const added = (now.value as readonly unknown[]).filter(
    (value) => !known.some((one) => JSON.stringify(one) === JSON.stringify(value)),
  );
  return { ...now, value: [...known, ...added] } as DirectoryFilter;
}

function isSame(a: DirectoryFilter | undefined, b: DirectoryFilter): boolean {
  return JSON.stringify(a?.value) === JSON.stringify(b.value);
}
