import { isSortable } from '@quarry/directory';
import {
  PLAN_INTENT,
  type ContractTable,
  type TableProfile,
  type OneColumn,
  type IntentPlace,
  type IntentFilter,
  type PlanIntent,
  type PromptOrigin,
} from '@quarry/plan';
import { industryOf, placeOf } from '@quarry/vocabulary';
import { resolveAttribute } from '../compile/directory-columns.js';
import { isOfDirectory } from '../compile/directory-filters.js';
import { serviceColumnFaults } from './service-column-faults.js';
import { shapeFaults } from './shape-faults.js';

/** Context that an intent is validated in. */
export interface IntentContext {
  readonly prompt: string;
  /** Table of the output contract that it is for. */
  readonly output: ContractTable | null;
  /** Contract from a previous run of the conversation: its columns are kept when the run has no contract. */
  readonly earlier?: ContractTable | null;
  /** Profile of the table that it reads. */
  readonly table: TableProfile | null;
  /** True when rows can be sourced from the web; false if omitted. */
  readonly canSource?: boolean;
}

/**
 * Validates an intent from a planner or a user: its format, its vocabulary, its columns, and that each fragment occurs in
 * the prompt.
 * @returns one sentence for each fault, each starting with its position
 */
export function intentFaults(written: unknown, beside: IntentContext): string[] {
  const read = PLAN_INTENT.safeParse(written);
  if (!read.success) return shapeFaults(written, read.error.issues);
  const intent = read.data;
  return [
    ...headFaults(intent, beside),
    ...webFaults(intent, beside),
    ...placedItems(intent).flatMap(({ at, origin }) => fragmentFaults(at, origin, beside.prompt)),
    ...conditionsOf(intent).flatMap(({ at, filters }) => filterFaults(at, filters, intent, beside)),
    ...groupFaults(intent),
    ...columnFaults(intent, beside),
    ...serviceColumnFaults(intent, beside),
  ];
}

function headFaults(intent: PlanIntent, { output, table }: IntentContext): string[] {
  const faults: string[] = [];
  const { source, entity, order } = intent;
  if (intent.output_table !== (output?.key ?? null))
    faults.push(`output_table: must be ${JSON.stringify(output?.key ?? null)}`);
  if (output?.entity && entity !== output.entity)
    faults.push(`entity: the output contract wants ${output.entity}`);
  if (source.kind === 'table' && source.table_id !== table?.id)
    faults.push('source.table_id: names no table');
  if (source.kind === 'table' && intent.per_company)
    faults.push('per_company: rows of a table have no cap per company');
  const isKnown = (by: string): boolean => (source.kind === 'table' ? hasColumn(table, by) : isSortable(by));
  if (order && !isKnown(order.by))
    faults.push(`order.by: rows cannot be put in order by ${JSON.stringify(order.by)}`);
  return faults;
}

/**
 * Finds faults of a web source: its rows have no sort order and no maximum per company, and their columns are filled from
 * pages.
 */
function webFaults(
  { source, order, per_company: perCompany }: PlanIntent,
  { canSource }: IntentContext,
): string[] {
  if (source.kind !== 'web') return [];
  const faults: string[] = [];
  if (!canSource)
    faults.push('source: searching the web needs a language model, a search engine and a live key');
  const isOfPrompt = source.from === 'prompt' && source.wanted !== source.fragments.join(' ');
  if (isOfPrompt) faults.push('source.wanted: must be its fragments, with a space between them');
  if (order) faults.push('order: rows from the web come as they are found');
  if (perCompany) faults.push('per_company: rows from the web have no cap per company');
  return faults;
}

interface Placed {
  readonly at: string;
  readonly origin: PromptOrigin;
}

/** Returns every item of an intent, with its position. */
export function placedItems(intent: PlanIntent): Placed[] {
  const { count, per_company, order, name } = intent;
  const source = intent.source.kind === 'web' ? intent.source : null;
  const single = Object.entries({ source, count, per_company, order, name }).flatMap(([at, origin]) =>
    origin ? [{ at, origin }] : [],
  );
  const listed = Object.entries({
    columns: intent.columns,
    hidden: intent.hidden,
    criteria: intent.criteria,
  }).flatMap(([at, items]) => items.map((origin, i) => ({ at: `${at}.${i}`, origin })));
  const filters = conditionsOf(intent).flatMap(({ at, filters: group }) =>
    group.map((origin, i) => ({ at: `${at}.${i}`, origin })),
  );
  return [...single, ...listed, ...filters];
}

function fragmentFaults(at: string, { fragments, from }: PromptOrigin, prompt: string): string[] {
  if (from !== 'prompt') return [];
  if (fragments.length === 0) return [`${at}.fragments: must name the words of the prompt`];
  return fragments
    .filter((fragment) => !prompt.includes(fragment))
    .map((fragment) => `${at}.fragments: ${JSON.stringify(fragment)} is not in the prompt`);
}

interface Group {
  readonly at: string;
  readonly filters: readonly IntentFilter[];
}

/** Returns every list of filters, including those of criteria. */
function conditionsOf({ filters, exclusions, criteria }: PlanIntent): Group[] {
  const groupsOf = (at: string, conditions: Pick<PlanIntent, 'filters' | 'exclusions'>): Group[] => [
    { at: `${at}filters`, filters: conditions.filters },
    ...conditions.exclusions.map((group, i) => ({ at: `${at}exclusions.${i}`, filters: group })),
  ];
  return [
    ...groupsOf('', { filters, exclusions }),
    ...criteria.flatMap(({ conditions }, i) =>
      conditions ? groupsOf(`criteria.${i}.conditions.`, conditions) : [],
    ),
  ];
}

function filterFaults(
  at: string,
  filters: readonly IntentFilter[],
  { source, entity }: PlanIntent,
  { table }: IntentContext,
): string[] {
  const isTable = source.kind === 'table';
  const seen = new Set<string>();
  return filters.flatMap((filter, i) => {
    const place = `${at}.${i}`;
    if (!isOfDirectory(filter)) {
      if (!isTable) return [`${place}: only rows of a table have columns`];
      return ('either' in filter ? filter.either : [filter]).flatMap((check) =>
        checkFaults(place, check, table),
      );
    }
    if (isTable) return [`${place}: rows of a table are checked by its columns`];
    const name = `${filter.of} ${filter.filter}`;
    const faults = seen.has(name) ? [`${place}: ${name} is said before; its values go together`] : [];
    seen.add(name);
    // A criterion may refer to data that rows do not have: then it is unknown.
    if (filter.of === 'person' && entity === 'company' && !at.startsWith('criteria'))
      faults.push(`${place}: rows are companies, which have no attributes of people`);
    if (filter.filter === 'industries') faults.push(...industryFaults(place, filter.value));
    return filter.op === 'in' ? [...faults, ...placeFaults(place, filter.value)] : faults;
  });
}

function checkFaults(at: string, check: OneColumn, table: TableProfile | null): string[] {
  const faults = hasColumn(table, check.column)
    ? []
    : [`${at}.column: there is no column ${JSON.stringify(check.column)}`];
  return check.op === 'address' ? [...faults, ...placeFaults(at, check.value)] : faults;
}

function placeFaults(at: string, places: readonly IntentPlace[]): string[] {
  return places
    .filter((place) => !placeOf(place))
    .map(({ kind, id }) => `${at}.value: there is no ${kind} ${JSON.stringify(id)}`);
}

function industryFaults(at: string, ids: readonly string[]): string[] {
  return ids
    .filter((id) => industryOf(id) === null)
    .map((id) => `${at}.value: there is no industry ${JSON.stringify(id)}`);
}

/** Finds groups of exclusions on both companies and people: a query supports only one of them per group. */
function groupFaults(intent: PlanIntent): string[] {
  return intent.exclusions.flatMap((group, i) => {
    const origin = new Set(group.flatMap((filter) => (isOfDirectory(filter) ? filter.of : [])));
    return origin.size > 1 ? [`exclusions.${i}: rules out companies or people, not both at once`] : [];
  });
}

function columnFaults({ columns, entity }: PlanIntent, beside: IntentContext): string[] {
  const { output, earlier = null, table } = beside;
  const contract = output ?? earlier;
  return columns.flatMap(({ source, key }, i) => {
    const faults: string[] = [];
    const isOwn = source.from === 'service' && output === null;
    if (key !== undefined && !isOwn && !contract?.columns.some((column) => column.key === key))
      faults.push(`columns.${i}.key: the output contract has no column ${JSON.stringify(key)}`);
    if (source.from === 'table' && !hasColumn(table, source.column))
      faults.push(`columns.${i}.source: there is no column ${JSON.stringify(source.column)}`);
    if (source.from === 'directory' && table)
      faults.push(`columns.${i}.source: rows of a table have no attributes of a directory`);
    if (
      source.from === 'directory' &&
      resolveAttribute(source.attribute, entity)?.source.from !== 'directory'
    )
      faults.push(`columns.${i}.source: rows of a ${entity} have no ${source.attribute}`);
    return faults;
  });
}

function hasColumn(table: TableProfile | null, key: string): boolean {
  return table?.columns.some((column) => column.key === key) ?? false;
}
