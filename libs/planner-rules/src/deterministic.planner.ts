import type { DirectorySort } from '@quarry/directory';
import { contractColumn, contractCriteria } from './columns/contract-columns.js';
import { contractTables, type ContractTable } from './columns/output-contract.js';
import { chooseColumns } from './columns/plan-columns.js';
import { criterionTest } from './criterion-test.js';
import { directoryRequest } from './directory/plan-directory.js';
import { atTheirCompanies, continued, continuedOverTable, isChange, saysNothing } from './follow-up.js';
import type { Draft } from './language/draft.js';
import type { Planner, PlannerKnowledge } from './planner.port.js';
import { readPrompt } from './read-prompt.js';
import { RUN_PLAN_VERSION, type Entity, type RunPlan } from './run-plan.js';
import { planTable } from './table/plan-table.js';
import { tableReference } from './table/table-reference.js';

/**
 * Plans without a language model: it understands the usual shapes of a prospecting prompt and names what it did not
 * understand. What it reads is frozen: a prompt that needs more is for a planner with a language model. Needs no key, no network and no clock, and gives the same plan for the same prompt.
 */
export class DeterministicPlanner implements Planner {
  async plan(prompt: string, knowledge: PlannerKnowledge): Promise<RunPlan> {
    const hasMeaning = (name: string) => readPrompt(name, knowledge.referenceYear).notUnderstood.length === 0;
    const reference = tableReference(prompt, knowledge.tables, hasMeaning);
    const draft = readPrompt(reference?.prompt ?? prompt, knowledge.referenceYear);
    if (reference?.kind === 'known') return withOpenReference(await planTable(reference, knowledge), draft);
    const { previousPlan } = knowledge;
    // Where nothing was searched there is nothing to change.
    const previous = previousPlan?.count === 0 || previousPlan?.isEmpty ? null : previousPlan;
    if (!reference && previous?.source.kind === 'table' && isChange(prompt, draft)) {
      const table = { id: previous.source.table_id, name: previous.source.table_name };
      const next = await planTable({ kind: 'known', table, prompt }, knowledge);
      return continuedOverTable(previous, next, { prompt, draft, hasContract: knowledge.output !== null });
    }
    const before = previous?.source.kind === 'directory' ? previous : null;
    const plan = planFromDirectory(reference?.prompt ?? prompt, draft, {
      ...knowledge,
      previousPlan: before,
    });
    if (reference?.kind === 'unknown') return withoutTable(plan, reference.text);
    if (saysNothing(prompt, draft, before)) return withoutRows(plan, knowledge.output !== null);
    return reference ? withFragment(plan, reference.text) : plan;
  }
}

/** A table that does not exist gives no rows: companies from elsewhere would answer another question. */
function withoutTable(plan: RunPlan, text: string): RunPlan {
  const note = `There is no table of that name: ${text}. Nothing was searched.`;
  return withFragment({ ...plan, count: 0, notes: [note, ...plan.notes] }, text);
}

/** An output contract wants its tables all the same, without a row. */
function withoutRows(plan: RunPlan, hasContract: boolean): RunPlan {
  if (!hasContract) return { ...plan, isEmpty: true };
  const note = 'Nothing in the prompt says which rows are wanted, so nothing was searched.';
  return { ...plan, count: 0, notes: [note, ...plan.notes] };
}

function planFromDirectory(prompt: string, draft: Draft, knowledge: PlannerKnowledge): RunPlan {
  const contract = contractTables(knowledge.output ?? {});
  const previous = knowledge.previousPlan;
  // "Only the CEOs" after companies asks for people, who are no companies.
  const asksPeople = previous?.entity === 'company' && namesRole(draft);
  const isChanged = previous !== null && isChange(prompt, draft) && !asksPeople;
  const plan = freshPlan(draft, entityOf(draft, contract, isChanged ? previous : null), contract, knowledge);
  if (!previous) return withOpenReference(plan, draft);
  const { backReference } = draft;
  const isOfTheSame = backReference?.entity === previous.entity;
  // A contract that wants other rows asks something new.
  const mayContinue = contract.length === 0 || plan.entity === previous.entity;
  if (mayContinue && (isChanged || (isOfTheSame && plan.entity === previous.entity)))
    return continued(previous, plan, { prompt, draft, hasContract: contract.length > 0 });
  if (isOfTheSame && backReference.entity === 'company')
    return atTheirCompanies(previous, plan, backReference.text);
  if (asksPeople && isChange(prompt, draft)) return atTheirCompanies(previous, plan, prompt.trim());
  return withOpenReference(plan, draft);
}

/** "These companies" where there is nothing before that could be meant, or nothing that a search can take up. */
function withOpenReference(plan: RunPlan, { backReference }: Draft): RunPlan {
  // "Those companies that …" describes what it speaks of.
  if (!backReference || /^those /i.test(backReference.text)) return plan;
  return withFragment(plan, backReference.text);
}

function withFragment(plan: RunPlan, text: string): RunPlan {
  return { ...plan, notUnderstood: unique([text, ...plan.notUnderstood]) };
}

function freshPlan(
  draft: Draft,
  entity: Entity,
  contract: readonly ContractTable[],
  knowledge: PlannerKnowledge,
): RunPlan {
  const request = directoryRequest(draft, entity);
  const table = contract.find((candidate) => candidate.entity === entity) ?? contract[0];
  const filterKeys = request.predicates.flatMap(({ column_keys }) => column_keys);
  const chosen = chooseColumns(entity, filterKeys, draft.wanted);
  const columns =
    table && table.columns.length > 0
      ? table.columns.map((column) => contractColumn(column, entity))
      : chosen.columns;
  const judged = contractCriteria(columns, (criterion) =>
    criterionTest(criterion, entity, knowledge.referenceYear),
  );
  const others = contract.filter((candidate) => candidate !== table).map(({ key }) => `output table ${key}`);
  return {
    version: RUN_PLAN_VERSION,
    source: { kind: 'directory' },
    entity,
    count: countOf(draft, table),
    companies: request.companies,
    people: request.people,
    per_company: draft.perCompany,
    predicates: request.predicates,
    sort: sortOf(draft),
    table_sort: null,
    columns,
    criteria: [...request.criteria, ...judged.criteria],
    table: {
      key: table?.key ?? (entity === 'company' ? 'companies' : 'people'),
      name: draft.tableName ?? table?.name ?? defaultName(entity),
    },
    notes: unique([...draft.notes, ...request.notes, ...assumptions(draft, entity)]),
    notUnderstood: unique([
      ...request.notUnderstood,
      ...draft.notUnderstood,
      ...chosen.notUnderstood,
      ...judged.notUnderstood,
      ...others,
    ]),
  };
}

/** A role or a noun for people makes rows people; an output contract that says otherwise wins. */
function entityOf(draft: Draft, contract: readonly ContractTable[], changed: RunPlan | null): Entity {
  const declared = contract.find(({ entity }) => entity !== null)?.entity;
  if (contract.length === 1 && declared) return declared;
  if (changed) return changed.entity;
  if (namesRole(draft)) return 'person';
  return draft.entities[0] ?? declared ?? 'company';
}

function namesRole({ statements }: Draft): boolean {
  return statements.some(
    ({ condition, effect, exclusion }) => condition.on === 'roles' && effect === null && exclusion === null,
  );
}

function countOf(draft: Draft, table: ContractTable | undefined): number | null {
  return draft.count ?? table?.maxRows ?? null;
}

function sortOf(draft: Draft): DirectorySort | null {
  return draft.sort ?? (draft.isTop ? { by: 'headcount', direction: 'descending' } : null);
}

function defaultName(entity: Entity): string {
  return entity === 'company' ? 'Companies' : 'People';
}

function assumptions(draft: Draft, entity: Entity): string[] {
  const notes: string[] = [];
  if (draft.isTop && !draft.sort) notes.push('“Top” was read as the largest by headcount.');
  if (entity === 'person' && draft.entities[0] === 'company')
    notes.push('A role was named, so each row is a person.');
  const place = draft.statements.find(
    ({ condition, scope }) => condition.on === 'places' && scope === 'person',
  );
  if (place) notes.push(`“${place.text}” was read as the place of the person, not of the company.`);
  if (entity === 'company' && draft.wanted.some(({ attribute }) => attribute === 'email'))
    notes.push('Rows are companies; an e-mail address is found for a person.');
  if (entity === 'company' && draft.wanted.some(({ attribute }) => attribute === 'phone'))
    notes.push('The phone number is the switchboard of the company.');
  return notes;
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
