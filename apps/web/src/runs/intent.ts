import type { Plan } from '../api/resources';
import { formatCount } from '../ui/format';

/** One condition of a plan, with the fields that the page shows. */
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
  readonly source?: { readonly kind: string; readonly reason?: string };
  readonly filters?: readonly Filter[];
  /** A row is excluded when it meets all conditions of one of these groups. */
  readonly exclusions?: ReadonlyArray<readonly Filter[]>;
  readonly columns?: readonly PlanColumn[];
  readonly criteria?: ReadonlyArray<{ readonly effect: string; readonly fragments?: readonly string[] }>;
  readonly per_company?: { readonly value: number; readonly fragments?: readonly string[] } | null;
  readonly order?: { readonly by: string; readonly fragments?: readonly string[] } | null;
  readonly [field: string]: unknown;
}

/** The parts of an intent that filter or evaluate rows. */
type ConditionPart = 'filters' | 'exclusions' | 'per_company' | 'criteria';

/** A condition in words, with its fragment of the prompt and its path in the intent. */
export interface FilterChip {
  readonly part: ConditionPart;
  readonly index: number;
  readonly reading: string;
  readonly fragment: string | null;
}

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const textOf = ({ filter, fragments = [] }: Filter) =>
  `${filter.replaceAll('_', ' ')}: ${fragments.join(', ') || 'as before'}`;

/** @returns the conditions of a plan of one table, including exclusions, in the words of their readings */
export function filterChips({ intent, understood }: Plan): FilterChip[] {
  const { filters = [], exclusions = [], per_company: perCompany, criteria = [] } = intent as Intent;
  const chip = (
    part: ConditionPart,
    index: number,
    fragments: readonly string[],
    otherwise: string,
    // The same words may be read twice: "software, but no fintech" filters and excludes.
    isOfPart = (_reading: string) => true,
  ): FilterChip => {
    const isOfWords = (fragment: string) =>
      fragments.includes(fragment) || fragment === fragments.join(' … ');
    const read = understood.find(({ fragment, reading }) => isOfWords(fragment) && isOfPart(reading));
    return { part, index, reading: capitalize(read?.reading ?? otherwise), fragment: fragments[0] ?? null };
  };
  const isNot = (reading: string) => reading.startsWith('not ');
  return [
    ...filters.map((filter, index) =>
      chip('filters', index, filter.fragments ?? [], textOf(filter), (reading) => !isNot(reading)),
    ),
    ...exclusions.map((group, index) => {
      const fragments = group.flatMap((filter) => filter.fragments ?? []);
      return chip('exclusions', index, fragments, `not ${group.map(textOf).join(' and ')}`, isNot);
    }),
    ...(perCompany
      ? [
          chip(
            'per_company',
            0,
            perCompany.fragments ?? [],
            `at most ${formatCount(perCompany.value, 'person', 'people')} of each company`,
          ),
        ]
      : []),
    ...criteria.map(({ effect, fragments = [] }, index) =>
      chip(
        'criteria',
        index,
        fragments,
        `${effect} ${fragments.join(', ') || 'what the columns ask for'}`,
        (reading) => reading.startsWith(`${effect} `),
      ),
    ),
  ];
}

/** @returns why a plan has no rows, whatever its conditions are; null when it searches for some */
export function noRowsReason({ intent }: Plan): string | null {
  const { source } = intent as Intent;
  return source?.kind === 'nothing' ? (source.reason ?? 'unclear') : null;
}

/** @returns the order of the rows in words; null when the prompt requests none */
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

/** @returns the columns that the plan adds, with the service that fills each; null when the directory has it */
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

/** @returns a plan without one of its conditions */
export function withoutFilter(
  intent: Plan['intent'],
  { part, index }: Pick<FilterChip, 'part' | 'index'>,
): Plan['intent'] {
  if (part === 'per_company') return { ...intent, per_company: null };
  const items: readonly unknown[] = (intent as Intent)[part] ?? [];
  return { ...intent, [part]: items.filter((_, place) => place !== index) };
}

export function withoutOrder(intent: Plan['intent']): Plan['intent'] {
  return { ...intent, order: null };
}

export function withoutColumn(intent: Plan['intent'], index: number): Plan['intent'] {
  return { ...intent, columns: (intent as Intent).columns?.filter((_, place) => place !== index) };
}

const LISTS = ['filters', 'exclusions', 'columns', 'criteria'] as const;

/**
 * Applies removals to the plan of a changed prompt.
 * @param next plan of the new prompt
 * @param read plan of the old prompt
 * @param kept what was left of the old plan
 * @returns `next` without the conditions, columns and order that were removed from `read`
 */
export function withoutRemoved(
  next: Plan['intent'],
  read: Plan['intent'],
  kept: Plan['intent'],
): Plan['intent'] {
  const remaining = (items: (typeof LISTS)[number]) => {
    const textsOf = (intent: Intent) => (intent[items] ?? []).map((item) => JSON.stringify(item));
    const left = textsOf(kept);
    const removed = textsOf(read).filter((text) => !left.includes(text));
    const all: readonly unknown[] | undefined = (next as Intent)[items];
    return all?.filter((item) => !removed.includes(JSON.stringify(item)));
  };
  const isRemoved = (item: 'order' | 'per_company') => (read as Intent)[item] && !(kept as Intent)[item];
  return {
    ...next,
    ...(isRemoved('order') ? { order: null } : {}),
    ...(isRemoved('per_company') ? { per_company: null } : {}),
    ...Object.fromEntries(LISTS.map((items) => [items, remaining(items)])),
  };
}

/** @returns the same plan with another number of rows */
export function withCount(intent: Plan['intent'], value: number): Plan['intent'] {
  return { ...intent, count: { value, fragments: [], from: 'user' } };
}
