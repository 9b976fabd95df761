import type {
  RunPlan,
  TableProfile,
  Conditions,
  IntentColumn,
  IntentFilter,
  PlanIntent,
  PromptOrigin,
} from '@quarry/plan';
import { formatCount } from '@quarry/service-catalog';
import { keyOfSource, resolveAttribute } from '../compile/directory-columns.js';
import { directoryPredicates } from '../compile/directory-predicates.js';
import { tablePredicates } from '../compile/table-predicates.js';

/** Words of a prompt, and their interpretation. */
export interface Reading {
  /** Words as they occur in the prompt; separate parts are joined by an ellipsis. */
  readonly fragment: string;
  /** Interpretation as text, such as "Industry: Fintech". */
  readonly reading: string;
}

/**
 * Returns for each item of an intent its words and their interpretation, so that a reader can see at a glance what was
 * understood. Items without words, such as those of an output contract, are omitted.
 * @param table profile of the table that the intent reads; null for the directory
 */
export function readingsOf(
  { intent, plan }: { readonly intent: PlanIntent; readonly plan: Pick<RunPlan, 'companies_max'> },
  table: TableProfile | null,
): Reading[] {
  const textOf = (filter: IntentFilter): string => wordsOf([filter], intent, table);
  const { count, per_company: perCompany, order, name } = intent;
  const { source } = intent;
  const numberOf = (value: number): string =>
    plan.companies_max === undefined ? formatCount(value, 'row') : formatCount(value, 'company', 'companies');
  const peopleCount = (value: number): string => `${formatCount(value, 'person', 'people')} of each company`;
  return [
    ...(source.kind === 'web' ? [withFragments(source, `looked for on the web: ${source.wanted}`)] : []),
    ...intent.filters.map((filter) => withFragments(filter, textOf(filter))),
    ...intent.exclusions.flatMap((group) =>
      group.map((filter) => withFragments(filter, `not ${wordsOf(group, intent, table)}`)),
    ),
    ...(count ? [withFragments(count, `at most ${numberOf(count.value)}`)] : []),
    ...(perCompany ? [withFragments(perCompany, `at most ${peopleCount(perCompany.value)}`)] : []),
    ...(order
      ? [withFragments(order, `sorted by ${order.by.replaceAll('_', ' ')}, ${order.direction}`)]
      : []),
    ...intent.columns.map((column) => withFragments(column, columnText(column, intent, table))),
    ...intent.hidden.map((column) => withFragments(column, `without the column ${column.key}`)),
    ...intent.criteria.map((criterion) =>
      withFragments(criterion, `${criterion.effect} ${criterionText(criterion.conditions, intent, table)}`),
    ),
    ...(name ? [withFragments(name, `the table is called “${name.value}”`)] : []),
  ].filter(({ fragment }) => fragment !== '');
}

function withFragments({ fragments }: PromptOrigin, reading: string): Reading {
  return { fragment: fragments.join(' … '), reading };
}

function wordsOf(group: readonly IntentFilter[], { entity }: PlanIntent, table: TableProfile | null): string {
  const conditions: Conditions = { filters: group, exclusions: [] };
  const predicates = table
    ? tablePredicates(conditions, table.columns)
    : directoryPredicates(conditions, entity);
  return predicates.map(({ text }) => text).join(' and ');
}

function columnText({ source }: IntentColumn, { entity }: PlanIntent, table: TableProfile | null): string {
  switch (source.from) {
    case 'directory':
      return `column ${resolveAttribute(source.attribute, entity)?.name ?? source.attribute}`;
    case 'table':
      return `column ${table?.columns.find(({ key }) => key === source.column)?.name || source.column}`;
    case 'service':
      return `column ${resolveAttribute(keyOfSource(source), entity)?.name ?? keyOfSource(source)}, looked up by ${source.service}`;
  }
}

function criterionText(
  conditions: Conditions | null,
  intent: PlanIntent,
  table: TableProfile | null,
): string {
  if (conditions === null)
    return intent.source.kind === 'web' ? 'what pages about each row say' : 'what nothing here can check';
  const groups = [
    ...conditions.filters.map((filter) => wordsOf([filter], intent, table)),
    ...conditions.exclusions.map((group) => `not ${wordsOf(group, intent, table)}`),
  ];
  return groups.join(' and ');
}
