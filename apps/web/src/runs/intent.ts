import type { Plan } from '../api/resources';

/** One condition of a plan, as far as the page shows it. */
export interface Filter {
  readonly filter: string;
  readonly fragments?: readonly string[];
  readonly [field: string]: unknown;
}
interface PlanColumn {
  readonly key?: string;
  readonly name?: string;
  readonly source: { readonly from: string; readonly service?: string; readonly attribute?: string };
  readonly fragments?: readonly string[];
}
export interface Intent {
  readonly filters?: readonly Filter[];
  readonly columns?: readonly PlanColumn[];
  readonly order?: { readonly by: string; readonly fragments?: readonly string[] } | null;
  readonly [field: string]: unknown;
}

/** A filter in words, with the words of the prompt that it stands for and its place in the intent. */
export interface FilterChip {
  readonly index: number;
  readonly reading: string;
  readonly fragment: string | null;
}

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** @returns the conditions of a plan of one table, each as its reading says it */
export function filterChips({ intent, understood }: Plan): FilterChip[] {
  const { filters = [] } = intent as Intent;
  return filters.map(({ filter, fragments = [] }, index) => {
    const fragmentRead = understood.find(({ fragment }) => fragments.includes(fragment));
    return {
      index,
      reading: capitalize(
        fragmentRead?.reading ?? `${filter.replaceAll('_', ' ')}: ${fragments.join(', ') || 'as before'}`,
      ),
      fragment: fragments[0] ?? null,
    };
  });
}

/** @returns the order of the rows in words; null where the prompt asks for none */
export function orderReading({ intent, understood }: Plan): string | null {
  const { order } = intent as Intent;
  if (!order?.fragments?.length) return null;
  const fragmentRead = understood.find(({ fragment }) => order.fragments?.includes(fragment));
  return capitalize(fragmentRead?.reading ?? `sorted by ${order.by.replaceAll('_', ' ')}`);
}

export interface ColumnChip {
  readonly index: number;
  readonly name: string;
  readonly service: string | null;
}

/** @returns the columns that the plan adds, with the service that fills each; null where the directory has it */
export function columnChips({ intent, understood }: Plan): ColumnChip[] {
  const { columns = [] } = intent as Intent;
  return columns.map(({ name, key, source, fragments = [] }, index) => {
    const reading = understood.find(({ fragment }) => fragments.includes(fragment))?.reading;
    const columnName = reading?.match(/^column ([^,]+)/)?.[1];
    return {
      index,
      name: name ?? columnName ?? key ?? source.attribute ?? source.service ?? 'Column',
      service: source.service ?? null,
    };
  });
}

export function withoutFilter(intent: Plan['intent'], index: number): Plan['intent'] {
  return { ...intent, filters: (intent as Intent).filters?.filter((_, place) => place !== index) };
}

export function withoutOrder(intent: Plan['intent']): Plan['intent'] {
  return { ...intent, order: null };
}

export function withoutColumn(intent: Plan['intent'], index: number): Plan['intent'] {
  return { ...intent, columns: (intent as Intent).columns?.filter((_, place) => place !== index) };
}

/**
 * Carries removals over to a plan that was read again with other words.
 * @param next what was read of the new words
 * @param read what was read of the words before
 * @param kept what was left of that
 * @returns `next` without the filters, the columns and the order that were taken out of `read`
 */
export function withoutRemoved(
  next: Plan['intent'],
  read: Plan['intent'],
  kept: Plan['intent'],
): Plan['intent'] {
  const remaining = (items: 'filters' | 'columns') => {
    const textsOf = (intent: Intent) => (intent[items] ?? []).map((item) => JSON.stringify(item));
    const left = textsOf(kept);
    const removed = textsOf(read).filter((text) => !left.includes(text));
    return (next as Intent)[items]?.filter((item) => !removed.includes(JSON.stringify(item)));
  };
  const isOrderRemoved = (read as Intent).order && !(kept as Intent).order;
  return {
    ...(isOrderRemoved ? withoutOrder(next) : next),
    filters: remaining('filters'),
    columns: remaining('columns'),
  };
}

/** @returns the same plan for so many rows */
export function withCount(intent: Plan['intent'], value: number): Plan['intent'] {
  return { ...intent, count: { value, fragments: [], from: 'user' } };
}
