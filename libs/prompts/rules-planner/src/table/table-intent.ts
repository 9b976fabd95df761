import { emptyIntent, type ContractTable, type Entity, type PlanAsk, type PlanIntent } from '@quarry/plan';
import type { Draft } from '../language/draft.js';
import { readPrompt } from '../read-prompt.js';
import { sayIn, type SayIn } from '../prompt-origin.js';
import { contractIntent } from './contract-columns.js';
import type { Fitted } from './fit-condition.js';
import { conditionsOf, criteriaOf, fitDraft } from './fit-draft.js';
import { requestedColumns } from './own-columns.js';
import { tableOrder } from './table-order.js';
import type { TableReference } from './table-reference.js';
import { tableColumns, type TableColumn } from './table-schema.js';
import { tableRecognisers } from './table.recogniser.js';

/** Reads a prompt about a table that it names: conditions become checks on its columns. */
export async function tableIntent(
  { table: { id }, prompt }: Pick<Extract<TableReference, { kind: 'known' }>, 'table' | 'prompt'>,
  ask: PlanAsk,
  output: ContractTable | null,
): Promise<PlanIntent> {
  const table = await ask.tableProfile(id);
  const say = sayIn(ask.prompt);
  const columns = tableColumns(table);
  const draft = readPrompt(prompt, ask.referenceYear, tableRecognisers(columns));
  const { fitted, unfitted } = fitDraft(draft, columns);
  const order = tableOrder(draft, columns);
  const entity = output?.entity ?? entityOf(draft, columns);
  const requested = requestedColumns(table, draft, entity, say);
  const own = { declared: table.columns, spoken: columns };
  const agreed = output && (await contractIntent(output, own, entity, ask.referenceYear));
  // Rows of a table are not grouped by company.
  const cap = draft.perCompany === null ? [] : [`${draft.perCompany} per company`];
  return {
    ...emptyIntent(entity, {
      source: { kind: 'table', table_id: table.id },
      output_table: output?.key ?? null,
    }),
    ...conditionsOf(
      fitted.filter(({ statement }) => statement.effect === null),
      say,
    ),
    ...headOf(draft, say),
    order: order.sort && {
      by: order.sort.column_key,
      direction: order.sort.direction,
      ...say(draft.phrases.order),
    },
    columns: [...(agreed?.columns ?? []), ...requested.columns],
    criteria: [...criteriaOf(fitted, draft, say), ...(agreed?.criteria ?? [])],
    notes: [
      ...draft.notes,
      ...notesOn(fitted, columns),
      ...order.notes,
      ...requested.notes,
      ...(agreed?.notes ?? []),
    ],
    not_understood: [
      ...draft.notUnderstood,
      ...unfitted,
      ...cap,
      ...order.notUnderstood,
      ...requested.notUnderstood,
    ],
  };
}

/** Maximum length of a name in an intent (libs/contracts/plan). */
const NAME_CHARACTERS_MAX = 200;

/** @returns the items that occur once in a prompt: the number of rows, and the name of the table */
export function headOf(draft: Draft, say: SayIn): Pick<PlanIntent, 'count' | 'name'> {
  const { count, tableName, phrases } = draft;
  return {
    count: typeof count === 'number' ? { value: count, ...say(phrases.count) } : null,
    name:
      tableName === null
        ? null
        : { value: tableName.slice(0, NAME_CHARACTERS_MAX), ...say(phrases.tableName) },
  };
}

function entityOf(draft: Draft, columns: readonly TableColumn[]): Entity {
  const isOfPeople = columns.some(({ name }) => /first.?name|last.?name|full.?name|job.?title/i.test(name));
  return isOfPeople ? 'person' : (draft.entities[0] ?? 'company');
}

function notesOn(fitted: readonly Fitted[], columns: readonly TableColumn[]): string[] {
  const years = fitted.find(({ check }) => 'op' in check && check.op === 'year')?.check;
  const column = years && 'op' in years ? columns.find(({ key }) => key === years.column) : undefined;
  const isMixed = column?.values.some((value) => !/^\s*\d{4}\s*$/.test(value)) ?? false;
  const parts = fitted.flatMap(({ note }) => note ?? []);
  return column && isMixed
    ? [...parts, `Of several years in a cell of “${column.name}”, the first one counts.`]
    : parts;
}
