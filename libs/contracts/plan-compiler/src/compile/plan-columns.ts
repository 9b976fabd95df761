import type {
  IntentColumn,
  IntentColumnSource,
  PlanIntent,
  ContractColumn,
  TableProfile,
  ColumnSource,
  Entity,
  PlanColumn,
  Predicate,
} from '@quarry/plan';
import { answerField, findService } from '@quarry/service-catalog';
import { contractColumn } from './contract-columns.js';
import { keyOfSource, resolveAttribute, usualKeys, webKeys } from './directory-columns.js';
import { serviceColumns, withInputs, type ServiceColumn } from './service-columns.js';

/** Parts of an intent and its contract that determine the columns of a plan. */
export interface ColumnSources {
  readonly intent: PlanIntent;
  /** Columns of the output contract; empty when it defines none. */
  readonly contract: readonly ContractColumn[];
  /** True for the contract of a previous run, to which a change may add columns. */
  readonly isCarried: boolean;
  /** Table from which rows are read; null for the directory. */
  readonly table: TableProfile | null;
  readonly predicates: readonly Predicate[];
}

/** Columns of a plan, and requests for which there is no column. */
export interface ChosenColumns {
  readonly columns: readonly PlanColumn[];
  readonly notUnderstood: readonly string[];
}

/**
 * Chooses the columns: those of the output contract; else those of the table, or the entity's default ones with those that
 * the filters use, so that each row shows why it was selected; and the requested ones.
 */
export function planColumns(sources: ColumnSources): ChosenColumns {
  const { columns, notUnderstood } = chosenColumns(sources);
  const filled = withInputs(columns, sources.intent, sources.table);
  return { columns: sources.intent.source.kind === 'web' ? filled.map(ofWeb) : filled, notUnderstood };
}

/** Changes the source of columns for rows from the web: pages replace the directory, or no source. */
function ofWeb(column: PlanColumn): PlanColumn {
  const { source } = column;
  if (source.from === 'nothing') return { ...column, source: { from: 'web' } };
  return source.from === 'directory'
    ? { ...column, source: { from: 'web', attribute: source.attribute } }
    : column;
}

function chosenColumns(sources: ColumnSources): ChosenColumns {
  const { intent, contract, isCarried, table } = sources;
  const isWanted = new Set(contract.map(({ key }) => key));
  const byService = new Map(serviceColumns(intent).map((column) => [column.index, column]));
  const requested = intent.columns.flatMap((column, i) =>
    column.source.from === 'service'
      ? requestedServiceColumn(byService.get(i), column, isWanted)
      : requestedColumn(column, intent.entity, table),
  );
  if (contract.length === 0) {
    // An explicitly given key of a service's column takes precedence over all others.
    const claimed = new Set([...byService.values()].flatMap(({ key, isNamed }) => (isNamed ? key : [])));
    const usual = defaultColumns(sources, requested).filter(({ key }) => !claimed.has(key));
    return { columns: shownColumns([...usual, ...requested], intent), notUnderstood: [] };
  }
  const wanted = contract.map((column) => wantedColumn(column, sources));
  const sourcesOf = new Set(wanted.map(({ source }) => JSON.stringify(source)));
  const more = requested.filter(({ source }) => !sourcesOf.has(JSON.stringify(source)));
  if (isCarried) return { columns: shownColumns([...wanted, ...more], intent), notUnderstood: [] };
  // With the directory, the contract defines the columns; with a table, a requested lookup would have no other place.
  const lost = table ? more.filter(({ source }) => source.from === 'service') : [];
  return { columns: wanted, notUnderstood: lost.map(({ key }) => `column ${key}`) };
}

/** Returns a requested service column, unless it fills a column of the output contract. */
function requestedServiceColumn(
  column: ServiceColumn | undefined,
  { required }: IntentColumn,
  isWanted: ReadonlySet<string>,
): PlanColumn[] {
  if (!column || (column.isNamed && isWanted.has(column.key))) return [];
  const { key, name, kind, source } = column;
  return [{ key, name, kind, required, qualification: {}, source }];
}

function shownColumns(columns: readonly PlanColumn[], { hidden }: PlanIntent): PlanColumn[] {
  const isRequired = new Set(columns.flatMap(({ key, required }) => (required ? key : [])));
  const byKey = new Map<string, PlanColumn>();
  for (const column of columns)
    if (!byKey.has(column.key)) byKey.set(column.key, { ...column, required: isRequired.has(column.key) });
  for (const { key } of hidden) byKey.delete(key);
  return [...byKey.values()];
}

function defaultColumns(
  { intent, table, predicates }: ColumnSources,
  requested: readonly PlanColumn[],
): PlanColumn[] {
  if (table) {
    const isListed = requested.some(({ source }) => source.from === 'table');
    return isListed ? [] : table.columns.map(({ key }) => ownColumn(key, false, table));
  }
  const isWeb = intent.source.kind === 'web';
  const keys = [
    ...(isWeb ? webKeys(intent.entity) : usualKeys(intent.entity)),
    ...predicates.flatMap(({ column_keys }) => column_keys),
  ];
  return keys.flatMap((key) => {
    const resolved = resolveAttribute(key, intent.entity);
    return resolved ? { ...resolved, required: false, qualification: {} } : [];
  });
}

/** Returns a requested column, unless it fills a column of the output contract. */
function requestedColumn(
  { source, required, key }: IntentColumn,
  entity: Entity,
  table: TableProfile | null,
): PlanColumn[] {
  if (key !== undefined) return [];
  if (source.from === 'table') return table ? [ownColumn(source.column, required, table)] : [];
  const resolved = resolveAttribute(keyOfSource(source), entity);
  return resolved ? [{ ...resolved, source, required, qualification: {} }] : [];
}

function ownColumn(key: string, required: boolean, table: TableProfile): PlanColumn {
  const own = table.columns.find((column) => column.key === key);
  return {
    key,
    name: own?.name || key,
    kind: own?.kind ?? 'text',
    required,
    qualification: {},
    source: { from: 'table', column_key: key },
  };
}

/** Finds the source of a contract column by the intent, else by its names. */
function wantedColumn(column: ContractColumn, { intent, table }: ColumnSources): PlanColumn {
  const general = contractColumn(column, intent.entity);
  const given = intent.columns.find(({ key }) => key === column.key)?.source ?? ownSource(column, table);
  if (given) return { ...general, ...nameColumn(column, general, given, table), source: sourceOf(given) };
  // The directory is not searched for the rows of a table.
  if (!table || general.source.from !== 'directory') return general;
  const hasCriterion = 'criterion' in column.qualification;
  return {
    ...general,
    name: column.name ?? column.key,
    source: { from: hasCriterion ? 'criterion' : 'nothing' },
  };
}

function ownSource({ key, name }: ContractColumn, table: TableProfile | null): IntentColumnSource | null {
  const columns = table?.columns ?? [];
  const own = columns.find((one) => one.key === key) ?? columns.find((one) => one.name === (name ?? key));
  return own ? { from: 'table', column: own.key } : null;
}

function nameColumn(
  column: ContractColumn,
  general: PlanColumn,
  source: IntentColumnSource,
  table: TableProfile | null,
): Pick<PlanColumn, 'name' | 'kind'> {
  if (source.from === 'service') {
    const service = findService(source.service)!;
    const kind = answerField(service, source.field ?? service.cellField)?.kind;
    return { name: general.name, kind: column.kind ?? kind ?? general.kind };
  }
  if (source.from !== 'table' || !table) return general;
  const own = ownColumn(source.column, false, table);
  return { name: column.name ?? own.name, kind: column.kind ?? own.kind };
}

function sourceOf(source: IntentColumnSource): ColumnSource {
  return source.from === 'table' ? { from: 'table', column_key: source.column } : source;
}
