import type { Criterion } from '../../selection/judge-fit.js';
import type { Predicate } from '../../selection/predicate.js';
import { resolveAttribute } from '../columns/plan-columns.js';
import { notAll } from '../directory/directory-predicates.js';
import type { Draft, Statement } from '../language/draft.js';
import type { PlannerKnowledge } from '../planner.port.js';
import { readPrompt } from '../read-prompt.js';
import { RUN_PLAN_VERSION, type Entity, type PlanColumn, type RunPlan, type TableSort } from '../run-plan.js';
import { attributeNamed } from '../language/recognisers/column.recogniser.js';
import { fitCondition } from './fit-condition.js';
import { mergePredicates } from './merge-predicates.js';
import type { TableReference } from './table-reference.js';
import { columnNamed, tableColumns, type TableColumn } from './table-schema.js';
import { tableRecognisers } from './table.recogniser.js';

/** Plans a run over a table that the prompt names: conditions become checks on its columns. */
export async function planTable(
  { table: { id }, prompt }: Extract<TableReference, { kind: 'known' }>,
  knowledge: PlannerKnowledge,
): Promise<RunPlan> {
  const table = await knowledge.tableProfile(id);
  const columns = tableColumns(table);
  const draft = readPrompt(prompt, knowledge.referenceYear, tableRecognisers(columns));
  const fitted = draft.statements.map((statement) => ({
    statement,
    predicate: fitCondition(statement, columns),
  }));
  const known = fitted.flatMap(({ statement, predicate }) => (predicate ? [{ statement, predicate }] : []));
  const unfitted = fitted.filter(({ predicate }) => !predicate).map(({ statement }) => statement.text);
  const sort = sortOf(draft, columns);
  const entity = entityOf(draft, columns);
  const chosen = planColumns(table.columns, draft, entity);
  return {
    version: RUN_PLAN_VERSION,
    source: { kind: 'table', table_id: table.id, table_name: table.name },
    entity,
    count: draft.count ?? null,
    companies: {},
    people: {},
    per_company: null,
    predicates: predicatesOf(known.filter(({ statement }) => statement.effect === null)),
    sort: null,
    table_sort: sort.sort,
    columns: chosen.columns,
    criteria: criteriaOf(known, draft),
    table: { key: 'rows', name: draft.tableName ?? `${table.name} (selection)` },
    notes: [...new Set([...draft.notes, ...notesOn(known, columns), ...chosen.notes])],
    notUnderstood: [
      ...new Set([...draft.notUnderstood, ...unfitted, ...sort.notUnderstood, ...chosen.notUnderstood]),
    ],
  };
}

interface Fitted {
  readonly statement: Statement;
  readonly predicate: Predicate;
}

/** Several values of one column are alternatives, bounds narrow each other; exclusions stated together go together. */
function predicatesOf(fitted: readonly Fitted[]): Predicate[] {
  const wanted = fitted.filter(({ statement }) => statement.exclusion === null);
  const groups = new Map<number, Fitted[]>();
  for (const one of fitted) {
    const { exclusion } = one.statement;
    if (exclusion !== null) groups.set(exclusion, [...(groups.get(exclusion) ?? []), one]);
  }
  const excluded = [...groups.values()].map((group) => notAll(mergePredicates(group)));
  return [...mergePredicates(wanted), ...excluded];
}

function criteriaOf(fitted: readonly Fitted[], draft: Draft): Criterion[] {
  const judged = fitted.flatMap(({ statement, predicate }): Criterion[] => {
    if (statement.effect === null) return [];
    const test = statement.exclusion === null ? predicate : notAll([predicate]);
    return [{ column_key: test.column_keys[0] ?? '', criterion: test.text, effect: statement.effect, test }];
  });
  return [
    ...judged,
    ...draft.openCriteria.map(({ text, effect }) => ({
      column_key: 'prompt',
      criterion: text,
      effect,
      test: null,
    })),
  ];
}

function entityOf(draft: Draft, columns: readonly TableColumn[]): Entity {
  const isOfPeople = columns.some(({ name }) => /first.?name|last.?name|full.?name|job.?title/i.test(name));
  return isOfPeople ? 'person' : (draft.entities[0] ?? 'company');
}

interface ChosenColumns {
  readonly columns: PlanColumn[];
  readonly notes: string[];
  readonly notUnderstood: string[];
}

type OwnColumn = Pick<PlanColumn, 'key' | 'name' | 'kind'>;

/** The table's own columns, or those that the prompt lists, and the paid ones that it asks for and the table has not. */
function planColumns(own: readonly OwnColumn[], draft: Draft, entity: Entity): ChosenColumns {
  const listed = own.filter(({ key }) => draft.tableColumns.includes(key));
  const columns = (listed.length > 0 ? listed : own).map(({ key, name, kind }): PlanColumn => ({
    key,
    name: name || key,
    kind,
    required: false,
    qualification: {},
    source: { from: 'table', column_key: key },
  }));
  const notes: string[] = [];
  const notUnderstood: string[] = [];
  for (const { attribute, isRequired, text } of draft.wanted) {
    const resolved = resolveAttribute(attribute, entity) ?? resolveAttribute(attribute, 'person');
    const isPaid = resolved?.source.from === 'service';
    const known = resolved && ownColumnFor(resolved, own, isPaid);
    if (known && isPaid)
      notes.push(`“${text}” is the table’s own column “${known.name || known.key}”; nothing was looked up.`);
    else if (resolved && isPaid && resolveAttribute(attribute, entity))
      columns.push({ ...resolved, required: isRequired, qualification: {} });
    else if (!known) notUnderstood.push(text);
  }
  return { columns, notes, notUnderstood };
}

/** The column of the table that holds such a value: by its key, for what is paid for by its kind, else by its name. */
function ownColumnFor(wanted: OwnColumn, own: readonly OwnColumn[], isPaid: boolean): OwnColumn | undefined {
  return (
    own.find(({ key }) => key === wanted.key) ??
    own.find(({ kind, name, key }) =>
      isPaid ? kind === wanted.kind : attributeNamed(name || key)?.key === wanted.key,
    )
  );
}

const SORT_COLUMNS = {
  headcount: /employee|headcount|staff|size/,
  founded_year: /found|establish|year/,
  revenue_usd: /revenue|turnover|sales/,
  name: /name|company|security/,
} as const;

function sortOf(
  draft: Draft,
  columns: readonly TableColumn[],
): { sort: TableSort | null; notUnderstood: string[] } {
  if (draft.tableSort) return { sort: draft.tableSort, notUnderstood: [] };
  if (!draft.sort) return { sort: null, notUnderstood: [] };
  const { by, direction } = draft.sort;
  const column = columnNamed(
    columns,
    SORT_COLUMNS[by],
    by === 'name' ? ['text'] : ['number', 'year', 'date'],
  );
  if (!column) return { sort: null, notUnderstood: [`order by ${by.replaceAll('_', ' ')}`] };
  return { sort: { column_key: column.key, direction }, notUnderstood: [] };
}

function notesOn(fitted: readonly Fitted[], columns: readonly TableColumn[]): string[] {
  const years = fitted.find(({ predicate }) => predicate.test.op === 'year');
  const column = columns.find(({ key }) => key === years?.predicate.column_keys[0]);
  const isMixed = column?.values.some((value) => !/^\s*\d{4}\s*$/.test(value)) ?? false;
  return column && isMixed ? [`Of several years in a cell of “${column.name}”, the first one counts.`] : [];
}
