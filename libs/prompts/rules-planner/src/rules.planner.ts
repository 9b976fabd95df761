import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  checkLimits,
  emptyIntent,
  type ContractTable,
  type Entity,
  type IntentColumn,
  type PlanAsk,
  type PlanIntent,
  type PlannedPrompt,
  type Planner,
  type PlannerCtx,
  type PlannerLimits,
  type PreviousPlan,
} from '@quarry/plan';
import { resolveAttribute } from '@quarry/plan-compiler';
import { contractCriteria } from './criteria.js';
import { criterionConditions } from './directory/criterion-conditions.js';
import { directoryIntent } from './directory/directory-intent.js';
import {
  atTheirCompanies,
  continuePlan,
  continuedOverTable,
  isChange,
  pointsBack,
  saysNothing,
} from './follow-up.js';
import { withNearestHints } from './nearest-hints.js';
import { orderOf, type Draft } from './language/draft.js';
import { readPrompt } from './read-prompt.js';
import { readablePart } from './readable-part.js';
import { sayIn, type SayIn } from './prompt-origin.js';
import { headOf, tableIntent } from './table/table-intent.js';
import { tableReference, type TableReference } from './table/table-reference.js';

/**
 * Number of characters of the unread rest of a long prompt that are shown in its note and among the words not understood.
 */
const REST_SHOWN = 40;
const REST_CHARACTERS_MAX = 500;

/**
 * Plans without a language model: it understands the usual forms of prospecting prompts and lists what it did not
 * understand. Its grammar is frozen: a prompt that needs more is for a planner with a language model. Needs no key, no
 * network and no clock, and creates the same intent for the same prompt.
 */
export class RulesPlanner implements Planner {
  async createPlan(whole: PlanAsk, _ctx: PlannerCtx, limits: PlannerLimits): Promise<PlannedPrompt> {
    const { head: prompt, rest } = readablePart(whole.prompt);
    const ask = { ...whole, prompt };
    const { tables, referenceYear } = ask;
    const hasMeaning = (name: string) => readPrompt(name, referenceYear).notUnderstood.length === 0;
    const reference = tableReference(prompt, tables, hasMeaning);
    const draft = readPrompt(reference?.prompt ?? prompt, referenceYear);
    const wanted = ask.output.length > 0 ? ask.output : [null];
    const intents: PlanIntent[] = [];
    for (const output of wanted) {
      await nextTurn();
      checkLimits(limits);
      intents.push(await intentOf(ask, { reference, draft, output, say: sayIn(prompt) }));
    }
    const hinted = intents.map((intent) => withNearestHints(intent, prompt));
    return { planner: 'rules', intents: hinted.map((intent) => withRest(intent, rest.trim())) };
  }
}

/** Adds the unread rest of a long prompt, which is only read up to a limit, to the notes and the words not understood. */
function withRest(intent: PlanIntent, rest: string): PlanIntent {
  if (rest === '') return intent;
  const note = `The prompt is too long: it was not read from “${rest.slice(0, REST_SHOWN)}” on.`;
  return {
    ...intent,
    notes: [...intent.notes, note],
    not_understood: [...intent.not_understood, rest.slice(0, REST_CHARACTERS_MAX)],
  };
}

/** A prompt as it was read, and the table that an intent is for. */
interface Read {
  readonly reference: TableReference | null;
  readonly draft: Draft;
  readonly output: ContractTable | null;
  readonly say: SayIn;
}

async function intentOf(ask: PlanAsk, read: Read): Promise<PlanIntent> {
  const { reference, draft, output, say } = read;
  const { prompt } = ask;
  if (reference?.kind === 'known') return withOpenReference(await tableIntent(reference, ask, output), draft);
  const previous = changeablePlan(ask.previous);
  const source = previous?.plan.source;
  if (!reference && previous && source?.kind === 'table' && isChange(prompt, draft)) {
    const next = await tableIntent(
      { table: { id: source.table_id, name: source.table_name }, prompt },
      ask,
      output,
    );
    return continuedOverTable(previous, next, { prompt, draft, hasContract: output !== null, say });
  }
  const before = source?.kind === 'directory' ? previous : null;
  const intent = await intentOfDirectory(reference?.prompt ?? prompt, ask, read, before);
  if (intent.source.kind === 'nothing') return intent;
  if (reference?.kind === 'unknown') return withoutTable(intent, reference.text);
  if (saysNothing(prompt, draft, before?.plan ?? null))
    return { ...intent, source: { kind: 'nothing', reason: 'no_rows_described' } };
  return reference ? withFragment(intent, reference.text) : intent;
}

/** Returns the previous plan if it can be changed: not if nothing was searched. */
function changeablePlan(previous: PreviousPlan | null): PreviousPlan | null {
  return previous?.plan.count === 0 || previous?.plan.isEmpty ? null : previous;
}

/**
 * Returns an intent without rows for a table that does not exist: companies from elsewhere would answer a different
 * question.
 */
function withoutTable(intent: PlanIntent, text: string): PlanIntent {
  const note = `There is no table of that name: ${text}. Nothing was searched.`;
  const source = { kind: 'nothing', reason: 'unknown_table' } as const;
  return withFragment({ ...intent, source, notes: [note, ...intent.notes] }, text);
}

async function intentOfDirectory(
  prompt: string,
  ask: PlanAsk,
  { draft, output, say }: Read,
  previous: PreviousPlan | null,
): Promise<PlanIntent> {
  const last = previous?.intent ?? null;
  // "Only the CEOs" after companies asks for people, who are no companies.
  const asksPeople = last?.entity === 'company' && namesRole(draft);
  const isChanged = last !== null && isChange(prompt, draft) && !asksPeople;
  const entity = entityOf(draft, output, isChanged ? last : null);
  const intent = await freshIntent(draft, entity, output, say, ask.referenceYear);
  if (!previous || !last)
    return refersToNothing(prompt, ask, draft, output) ?? withOpenReference(intent, draft);
  const { backReference } = draft;
  const isOfTheSame = backReference?.entity === last.entity;
  // A contract that wants other rows asks something new.
  const mayContinue = output === null || entity === last.entity;
  if (mayContinue && (isChanged || (isOfTheSame && entity === last.entity)))
    return continuePlan(previous, intent, { prompt, draft, hasContract: output !== null, say });
  if (isOfTheSame && backReference.entity === 'company')
    return atTheirCompanies(previous, intent, backReference.text);
  if (asksPeople && isChange(prompt, draft)) return atTheirCompanies(previous, intent, prompt.trim());
  return withOpenReference(intent, draft);
}

/** Returns whether a prompt such as "And the CFOs there" has no previous rows to refer to, so that a question is needed. */
function refersToNothing(
  prompt: string,
  { previous }: PlanAsk,
  draft: Draft,
  output: ContractTable | null,
): PlanIntent | null {
  if (previous !== null || output !== null || !pointsBack(prompt)) return null;
  const source = { kind: 'nothing', reason: 'unclear' } as const;
  return {
    ...emptyIntent(entityOf(draft, null, null), { source, output_table: null }),
    notes: [
      'The request refers to rows before it, and there are none in this conversation. Which are meant?',
    ],
  };
}

/** Reports "These companies" as not understood when there are no previous rows that a search can use. */
function withOpenReference(intent: PlanIntent, { backReference }: Draft): PlanIntent {
  // "Those companies that …" describes what it speaks of.
  if (!backReference || /^those /i.test(backReference.text)) return intent;
  return withFragment(intent, backReference.text);
}

function withFragment(intent: PlanIntent, text: string): PlanIntent {
  return { ...intent, not_understood: [text, ...intent.not_understood] };
}

async function freshIntent(
  draft: Draft,
  entity: Entity,
  output: ContractTable | null,
  say: SayIn,
  referenceYear: number,
): Promise<PlanIntent> {
  const { filters, exclusions, criteria, notes, notUnderstood } = directoryIntent(draft, entity, say);
  const order = orderOf(draft);
  const open = draft.wanted.filter(({ attribute }) => !resolveAttribute(attribute, entity));
  return {
    ...emptyIntent(entity, { source: { kind: 'directory' }, output_table: output?.key ?? null }),
    filters,
    exclusions,
    ...headOf(draft, say),
    per_company:
      draft.perCompany === null ? null : { value: draft.perCompany, ...say(draft.phrases.perCompany) },
    order: order && { ...order, ...say(draft.phrases.order) },
    columns: columnsOf(draft, entity, say),
    criteria: [
      ...criteria,
      ...(await contractCriteria(output?.columns ?? [], (words) =>
        criterionConditions(words, entity, referenceYear),
      )),
    ],
    notes: [...draft.notes, ...notes, ...listAssumptions(draft, entity, output)],
    not_understood: [...notUnderstood, ...draft.notUnderstood, ...open.map(({ text }) => text)],
  };
}

function columnsOf({ wanted }: Draft, entity: Entity, say: SayIn): IntentColumn[] {
  return wanted.flatMap(({ attribute, isRequired, text }): IntentColumn[] => {
    const resolved = resolveAttribute(attribute, entity);
    return resolved ? [{ source: resolved.source, required: isRequired, ...say(text) }] : [];
  });
}

/** Returns the entity: people with a role or a noun for people; an output contract takes precedence. */
function entityOf(draft: Draft, output: ContractTable | null, changed: PlanIntent | null): Entity {
  if (output?.entity) return output.entity;
  if (changed) return changed.entity;
  if (namesRole(draft)) return 'person';
  return draft.entities[0] ?? 'company';
}

function namesRole({ statements }: Draft): boolean {
  return statements.some(
    ({ condition, effect, exclusion }) => condition.on === 'roles' && effect === null && exclusion === null,
  );
}

function listAssumptions(draft: Draft, entity: Entity, output: ContractTable | null): string[] {
  const notes: string[] = [];
  if (draft.isTop && !draft.sort) notes.push('“Top” was read as the largest by headcount.');
  if (entity === 'person' && draft.entities[0] === 'company' && !output?.entity)
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
