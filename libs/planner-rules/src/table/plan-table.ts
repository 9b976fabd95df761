import { contractTables } from '../columns/output-contract.js';
import type { Draft } from '../language/draft.js';
import type { PlannerKnowledge } from '../planner.port.js';
import { readPrompt } from '../read-prompt.js';
import { RUN_PLAN_VERSION, type Entity, type PlanColumn, type RunPlan } from '../run-plan.js';
import { contractPlan } from './contract-plan.js';
import type { Fitted } from './fit-condition.js';
import { criteriaOf, fitDraft, predicatesOf } from './fit-draft.js';
import { chooseTableColumns } from './own-columns.js';
import { tableOrder } from './table-order.js';
import type { TableReference } from './table-reference.js';
import { tableColumns, type TableColumn } from './table-schema.js';
import { tableRecognisers } from './table.recogniser.js';

/** Plans a run over a table that the prompt names: conditions become checks on its columns. */
export async function planTable(
  { table: { id }, prompt }: Extract<TableReference, { kind: 'known' }>,
  knowledge: PlannerKnowledge,
): Promise<RunPlan> {
  const table = await knowledge.tableProfile(id);
  const columns = tableColumns(table);
  const draft = readPrompt(prompt, knowledge.referenceYear, tableRecognisers(columns));
  const { fitted, unfitted } = fitDraft(draft, columns);
  const order = tableOrder(draft, columns);
  const [contract, ...others] = contractTables(knowledge.output ?? {});
  const entity = contract?.entity ?? entityOf(draft, columns);
  const chosen = chooseTableColumns(table.columns, draft, entity);
  const own = { declared: table.columns, spoken: columns };
  const agreed =
    contract && contract.columns.length > 0
      ? contractPlan(contract, own, entity, knowledge.referenceYear)
      : { columns: chosen.columns, criteria: [], notes: [], notUnderstood: [] };
  // Rows of a table are not grouped by company.
  const cap = draft.perCompany === null ? [] : [`${draft.perCompany} per company`];
  return {
    version: RUN_PLAN_VERSION,
    source: { kind: 'table', table_id: table.id, table_name: table.name },
    entity,
    count: draft.count ?? contract?.maxRows ?? null,
    companies: {},
    people: {},
    per_company: null,
    predicates: predicatesOf(fitted.filter(({ statement }) => statement.effect === null)),
    sort: null,
    table_sort: order.sort,
    columns: agreed.columns,
    criteria: [...criteriaOf(fitted, draft), ...agreed.criteria],
    table: {
      key: contract?.key ?? 'rows',
      name: draft.tableName ?? contract?.name ?? `${table.name} (selection)`,
    },
    notes: [
      ...new Set([
        ...draft.notes,
        ...notesOn(fitted, columns),
        ...order.notes,
        ...chosen.notes,
        ...agreed.notes,
      ]),
    ],
    notUnderstood: [
      ...new Set([
        ...draft.notUnderstood,
        ...unfitted,
        ...cap,
        ...order.notUnderstood,
        ...chosen.notUnderstood,
        ...leftOut(chosen.columns, agreed.columns),
        ...agreed.notUnderstood,
        ...others.map(({ key }) => `output table ${key}`),
      ]),
    ],
  };
}

/** What the prompt asks to look up and the output contract has no column for. */
function leftOut(chosen: readonly PlanColumn[], agreed: readonly PlanColumn[]): string[] {
  const services = agreed.flatMap(({ source }) => (source.from === 'service' ? [source.service] : []));
  return chosen.flatMap(({ key, source }) =>
    source.from === 'service' && !services.includes(source.service) ? [`column ${key}`] : [],
  );
}

function entityOf(draft: Draft, columns: readonly TableColumn[]): Entity {
  const isOfPeople = columns.some(({ name }) => /first.?name|last.?name|full.?name|job.?title/i.test(name));
  return isOfPeople ? 'person' : (draft.entities[0] ?? 'company');
}

function notesOn(fitted: readonly Fitted[], columns: readonly TableColumn[]): string[] {
  const years = fitted.find(({ predicate }) => predicate.test.op === 'year');
  const column = columns.find(({ key }) => key === years?.predicate.column_keys[0]);
  const isMixed = column?.values.some((value) => !/^\s*\d{4}\s*$/.test(value)) ?? false;
  const parts = fitted.flatMap(({ note }) => note ?? []);
  return column && isMixed
    ? [...parts, `Of several years in a cell of “${column.name}”, the first one counts.`]
    : parts;
}
