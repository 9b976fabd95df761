import type { DirectorySort } from '@quarry/directory';
import type {
  Conditions,
  PlanColumn,
  PlanIntent,
  ContractTable,
  TableProfile,
  Entity,
  PlanSource,
  RunPlan,
  Predicate,
} from '@quarry/plan';
import { roleNamed } from '@quarry/vocabulary';
import { directoryRequest } from './directory-filters.js';
import { directoryPredicates } from './directory-predicates.js';
import { contractColumn } from './contract-columns.js';
import { planColumns } from './plan-columns.js';
import { planCriteria } from './plan-criteria.js';
import { peopleByCompany } from './people-by-company.js';
import { limitOf, smallest, webCreditsOf } from './row-limit.js';
import { tableNameOf } from './table-name.js';
import { tablePredicates } from './table-predicates.js';
import { webCriteria, withCriterionColumns } from './web-criteria.js';

/** Contracts and table of the organisation that an intent is compiled with. */
export interface CompileWith {
  /** Table of the run's own output contract; null without one. */
  readonly output: ContractTable | null;
  /** Table of the contract of the run that this one changes; it defines the columns when the run has no contract. */
  readonly earlier?: ContractTable | null;
  /** Profile of the table that is the source; null for the directory. */
  readonly table: TableProfile | null;
}

/**
 * Compiles an intent to a plan: the query of the directory, the checks and criteria of rows, the columns and the number of
 * rows. The same intent with the same table and contract gives the same plan.
 */
export function compilePlan(read: PlanIntent, { output, earlier = null, table }: CompileWith): RunPlan {
  const isCarried = output === null && read.continues && earlier !== null;
  const shape = output ?? (isCarried ? earlier : null);
  const intent = withRole(read, shape?.byCompany?.contact?.role ?? null);
  const predicatesOf = (conditions: Conditions): Predicate[] =>
    table ? tablePredicates(conditions, table.columns) : directoryPredicates(conditions, intent.entity);
  const web = intent.source.kind === 'web' ? intent.source : null;
  const request = directoryRequest(table || web ? { filters: [], exclusions: [] } : intent);
  const predicates = web ? [] : predicatesOf(intent);
  const contract = shape?.columns ?? [];
  // Only a directory can be asked for the people of certain companies.
  const isOfPeople = intent.source.kind === 'directory' && intent.entity === 'person';
  const byCompany = isOfPeople ? shape?.byCompany : undefined;
  const requested = planColumns({ intent, contract, isCarried, table, predicates });
  const chosen =
    byCompany && !byCompany.contact ? { ...requested, columns: withDomain(requested.columns) } : requested;
  const evaluated = web
    ? webCriteria(intent, web.wanted, chosen.columns, predicatesOf)
    : planCriteria(intent.criteria, chosen.columns, predicatesOf);
  const empty = emptyStateOf(intent, output);
  const count = countOf(intent, shape, empty.isEmpty ?? false);
  const maxRows = maxRowsOf(intent, output, shape);
  const rows = byCompany
    ? peopleByCompany(
        smallest(count, output !== null || !isOfThisPrompt(intent.count) ? byCompany.companiesMax : null),
        smallest(intent.per_company?.value ?? null, byCompany.peopleMax),
        (people) => limitOf(people, maxRows, chosen.columns),
      )
    : {
        count,
        limit: Math.min(limitOf(count, maxRows, chosen.columns, web !== null), peopleMaxOf(output)),
        per_company: intent.per_company?.value ?? null,
      };
  return {
    version: shape?.byCompany ? 3 : 2,
    ...empty,
    source: web ? webSource(web, shape) : planSource(table),
    entity: intent.entity,
    ...rows,
    companies: request.companies,
    people: request.people,
    predicates,
    sort: table || web ? null : orderOf(intent),
    table_sort: table ? tableOrderOf(intent) : null,
    columns: web ? withCriterionColumns(chosen.columns, evaluated.criteria, shape !== null) : chosen.columns,
    criteria: evaluated.criteria,
    table: {
      key: shape?.key ?? defaultKey(intent.entity, table),
      name: output?.name ?? intent.name?.value ?? shape?.name ?? defaultName(intent, table),
    },
    notes: uniqueTexts([...nothingNotes(intent, output), ...intent.notes]),
    notUnderstood: uniqueTexts([
      ...intent.not_understood,
      ...chosen.notUnderstood,
      ...evaluated.notUnderstood,
    ]),
  };
}

/** Says that a plan has no rows, and why. With an output contract its tables are created nevertheless. */
function emptyStateOf(
  { source, notes }: PlanIntent,
  output: ContractTable | null,
): Pick<RunPlan, 'isEmpty' | 'isNoRequest' | 'question'> {
  if (source.kind !== 'nothing') return {};
  const isEmpty = source.reason !== 'unknown_table' && output === null;
  return {
    ...(isEmpty ? { isEmpty } : {}),
    ...(source.reason === 'no_request' ? { isNoRequest: true } : {}),
    ...(source.reason === 'unclear' && isEmpty ? { question: notes.join(' ') } : {}),
  };
}

/** Adds the role of the person that each company has in an output (`ceo`), unless the prompt names a role. */
function withRole(intent: PlanIntent, role: string | null): PlanIntent {
  const { entity, source, filters } = intent;
  const known = role === null ? null : roleNamed(role);
  const isNamed = filters.some((each) => 'filter' in each && each.filter === 'roles');
  if (known === null || isNamed || entity !== 'person' || source.kind !== 'directory') return intent;
  const { titleWords, ...rest } = known;
  const value = [{ ...rest, title_words: titleWords }];
  const filter = {
    of: 'person',
    filter: 'roles',
    op: 'any_of',
    value,
    from: 'output',
    fragments: [],
  } as const;
  return { ...intent, filters: [...filters, filter] };
}

/** Adds the domain, by which companies of the same name are different items of the output. */
function withDomain(columns: readonly PlanColumn[]): readonly PlanColumn[] {
  const key = 'company_domain';
  if (columns.some((column) => column.key === key)) return columns;
  const domain = { key, name: null, kind: null, required: false, qualification: {} };
  return [...columns, contractColumn(domain, 'person')];
}

/** Returns the maximum number of people that an output lists in its companies. No more rows of a table or the web are paid for. */
function peopleMaxOf(output: ContractTable | null): number {
  const { companiesMax, peopleMax } = output?.byCompany ?? {};
  return (companiesMax ?? Infinity) * (peopleMax ?? Infinity);
}

/** Returns the number of rows requested. A table that is created without a source has none. */
function countOf(
  { source, count }: PlanIntent,
  shape: ContractTable | null,
  isEmpty: boolean,
): number | null {
  if (source.kind === 'nothing' && !isEmpty) return 0;
  return count?.value ?? shape?.maxRows ?? null;
}

/** Returns the row limit of the contract. That of an earlier one applies until a prompt requests another number. */
function maxRowsOf(
  { count }: PlanIntent,
  output: ContractTable | null,
  shape: ContractTable | null,
): number | null {
  if (output) return output.maxRows;
  return isOfThisPrompt(count) ? null : (shape?.maxRows ?? null);
}

function isOfThisPrompt(count: PlanIntent['count']): boolean {
  return count?.from === 'prompt' || count?.from === 'user';
}

function webSource(
  { wanted, max_credits }: Extract<PlanIntent['source'], { kind: 'web' }>,
  shape: ContractTable | null,
): PlanSource {
  return { kind: 'web', wanted, max_credits: webCreditsOf(max_credits), keeps_disqualified: shape === null };
}

function planSource(table: TableProfile | null): PlanSource {
  return table ? { kind: 'table', table_id: table.id, table_name: table.name } : { kind: 'directory' };
}

function orderOf({ order }: PlanIntent): DirectorySort | null {
  return order && { by: order.by as DirectorySort['by'], direction: order.direction };
}

function tableOrderOf({ order }: PlanIntent): RunPlan['table_sort'] {
  return order && { column_key: order.by, direction: order.direction };
}

function defaultKey(entity: Entity, table: TableProfile | null): string {
  if (table) return 'rows';
  return entity === 'company' ? 'companies' : 'people';
}

function defaultName(intent: PlanIntent, table: TableProfile | null): string {
  return table ? `${table.name} (selection)` : tableNameOf(intent);
}

/** Returns the notes for an intent without rows. With an output contract, its tables are still created, empty. */
function nothingNotes({ source }: PlanIntent, output: ContractTable | null): string[] {
  const isNothing = source.kind === 'nothing' && source.reason === 'no_rows_described';
  return isNothing && output ? ['The prompt does not say which rows you want, so nothing was searched.'] : [];
}

function uniqueTexts(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
