import { PERSON_FILTERS } from '@quarry/directory';
import type {
  DirectoryFilter,
  IntentPlace,
  IntentColumn,
  IntentFilter,
  PlanIntent,
  PromptOrigin,
  PreviousPlan,
  RowsBefore,
  Predicate,
} from '@quarry/plan';
import { placeOf } from '@quarry/vocabulary';
import { compilePlan } from './compile/compile-plan.js';
import { keyOfSource } from './compile/directory-columns.js';
import { isOfDirectory } from './compile/directory-filters.js';
import { directoryPredicates } from './compile/directory-predicates.js';
import type { StoredPlan } from './stored-plans.js';

/** Rows that the previous run found, as far as a follow-up can work on them. */
export interface FoundRows extends Pick<RowsBefore, 'table_id' | 'run_id'> {
  /** Known attributes of each row. */
  readonly keys: readonly string[];
}

const ONLY = /\bonly\b|^\W*(?:(?:and|but|ok|okay|now|please|then)\b[\s,]*)*just (?:the|those|these)\b/iu;
const SURE = /\b(?:verified|valid|validated|confirmed|sure)\b/iu;
const FRAGMENTS_SHOWN = 5;

/**
 * Adapts the plan of a follow-up to the rows that the previous run found, for any planner. A follow-up that only narrows,
 * sorts or adds columns that are paid for or known works on the rows of the previous table; one that refers to a column
 * that these rows do not have, or that was not understood at all, becomes a question; any other one remains a search with
 * all its filters.
 * @param stored the plan of a prompt without an output contract
 * @param found null when there are no rows to work on
 */
export function fittedFollowUp(
  stored: StoredPlan,
  { prompt, previous, found }: { prompt: string; previous: PreviousPlan; found: FoundRows | null },
): StoredPlan {
  const { intent } = stored;
  if (!intent?.continues || intent.entity !== previous.intent.entity) return stored;
  const wanted = wantedOf(intent, previous, prompt);
  const question = questionOf(intent, wanted);
  if (question !== null) return withQuestion(stored, question);
  const within = found && withinOf(intent, previous, found, wanted, prompt);
  if (!within) return stored;
  const { plan } = stored;
  // The table is reused, with its name.
  const table = { ...plan.table, name: intent.name?.value ?? previous.plan.table.name };
  return { ...stored, plan: { ...plan, within, table } };
}

/** Changes of a follow-up relative to the previous prompts. */
interface Wanted {
  readonly filters: readonly IntentFilter[];
  readonly exclusions: ReadonlyArray<readonly IntentFilter[]>;
  /** Columns that the table already has. */
  readonly shown: readonly IntentColumn[];
  readonly added: readonly IntentColumn[];
  /** True when only rows with a value in these columns are requested. */
  readonly isOnly: boolean;
  /** True when it requests anything else: a number, an order, a criterion, the removal of a column. */
  readonly isMore: boolean;
}

function wantedOf(intent: PlanIntent, previous: PreviousPlan, prompt: string): Wanted {
  const { count, per_company, order, hidden, criteria, name } = intent;
  const columns = intent.columns.filter(isNew);
  const isShown = ({ source }: IntentColumn): boolean =>
    previous.plan.columns.some(({ key }) => key === keyOfSource(source));
  return {
    filters: intent.filters.filter(isNew),
    exclusions: intent.exclusions.filter((group) => group.some(isNew)),
    shown: columns.filter(isShown),
    added: columns.filter((column) => !isShown(column)),
    isOnly: ONLY.test(prompt),
    isMore: [count, per_company, order, name, ...hidden, ...criteria].some(
      (origin) => origin && isNew(origin),
    ),
  };
}

function isNew({ from }: PromptOrigin): boolean {
  return from === 'prompt' || from === 'user';
}

/** @returns a question to the user as sentences; null when the follow-up can be executed */
function questionOf(intent: PlanIntent, wanted: Wanted): string | null {
  const { filters, exclusions, shown, added, isOnly, isMore } = wanted;
  const paid = added.filter(({ source }) => source.from === 'service');
  if (paid.length > 0 && isOnly) {
    const names = compilePlan(intent, { output: null, table: null }).columns.flatMap(({ key, name }) =>
      paid.some(({ source }) => keyOfSource(source) === key) ? `“${name}”` : [],
    );
    return `The earlier rows have no column ${names.join(', ')} to filter by. Should it be looked up for all of them first? Then write “also add” and its name.`;
  }
  const isNothing = filters.length + exclusions.length + shown.length + added.length === 0 && !isMore;
  if (!isNothing || intent.not_understood.length === 0) return null;
  const words = intent.not_understood.slice(0, FRAGMENTS_SHOWN).map((word) => `“${word}”`);
  return `${words.join(', ')} was not understood, and nothing else says what is to change. Which of the earlier rows do you mean?`;
}

function withQuestion(stored: StoredPlan, question: string): StoredPlan {
  const intent: PlanIntent = {
    ...stored.intent!,
    source: { kind: 'nothing', reason: 'unclear' },
    notes: [question],
    not_understood: [],
  };
  return { ...stored, intent, plan: compilePlan(intent, { output: null, table: null }) };
}

/** @returns the rows to work on; null when the follow-up requests others, or unknown data of them */
function withinOf(
  intent: PlanIntent,
  { intent: before, plan: planBefore }: PreviousPlan,
  found: FoundRows,
  wanted: Wanted,
  prompt: string,
): RowsBefore | null {
  if (intent.source.kind !== 'directory' || before.source.kind !== 'directory') return null;
  const { filters, exclusions, shown, added, isOnly } = wanted;
  const single = [intent.count, intent.per_company, intent.name, ...intent.hidden, ...intent.criteria];
  if (single.some((origin) => origin && isNew(origin))) return null;
  if (!isNarrower(intent, before)) return null;
  const isFree = ({ source }: IntentColumn): boolean => source.from === 'directory';
  if (!added.every((column) => isFree(column) || column.source.from === 'service')) return null;
  const isPlaced = /\b(?:compan|firm|business|employer|headquarter|based)/iu.test(prompt);
  const checks = directoryPredicates({ filters, exclusions }, intent.entity).map((check) =>
    intent.entity === 'person' && !isPlaced ? ofEither(check, filters) : check,
  );
  const order = intent.order && isNew(intent.order) ? [orderKey(intent.order.by, intent.entity)] : [];
  const isKnown = (key: string): boolean => found.keys.includes(key);
  const free = added.filter(isFree).map(({ source }) => keyOfSource(source));
  if (![...checks.flatMap(({ column_keys: keys }) => keys), ...order, ...free].every(isKnown)) return null;
  const isOwn = (key: string): boolean => planBefore.columns.some((column) => column.key === key);
  return {
    table_id: found.table_id,
    run_id: found.run_id,
    checks,
    filled: shown.flatMap(({ source, required, fragments }) => {
      const key = keyOfSource(source);
      return isOwn(key) && (isOnly || required)
        ? [{ key, is_sure: fragments.some((fragment) => SURE.test(fragment)) }]
        : [];
    }),
  };
}

/** Returns the key of the value by which rows are sorted. */
export function orderKey(by: string, entity: PlanIntent['entity']): string {
  return entity === 'person' ? `company_${by}` : by;
}

/** Returns whether every previous filter still applies, or was replaced by a narrower one. */
function isNarrower(intent: PlanIntent, before: PlanIntent): boolean {
  const isKept = before.filters.every((old) => {
    if (!isOfDirectory(old)) return false;
    const now = intent.filters.find(
      (each): each is DirectoryFilter =>
        isOfDirectory(each) && each.of === old.of && each.filter === old.filter,
    );
    return now !== undefined && narrowsFilter(old, now);
  });
  const groups = new Set(intent.exclusions.map(meaningOf));
  return isKept && before.exclusions.every((group) => groups.has(meaningOf(group)));
}

function meaningOf(group: readonly IntentFilter[]): string {
  return JSON.stringify(group.map(({ from: _from, fragments: _fragments, ...meaning }) => meaning));
}

function narrowsFilter(old: DirectoryFilter, now: DirectoryFilter): boolean {
  const [before, after] = [JSON.stringify(old.value), JSON.stringify(now.value)];
  if (before === after) return true;
  if (!Array.isArray(old.value) || !Array.isArray(now.value)) return false;
  const [had, has] = [old.value as readonly unknown[], now.value as readonly unknown[]];
  const isAmong = (value: unknown, values: readonly unknown[]): boolean =>
    values.some((one) => JSON.stringify(one) === JSON.stringify(value));
  if (old.op === 'all_of') return had.every((value) => isAmong(value, has));
  if (old.op === 'in')
    return has.every((place) => had.some((wider) => isPlaceIn(place as IntentPlace, wider as IntentPlace)));
  if (old.op === 'between')
    return has.every((range) => had.some((wider) => isRangeIn(range as Range, wider as Range)));
  return has.every((value) => isAmong(value, had));
}

function isPlaceIn(place: IntentPlace, wider: IntentPlace): boolean {
  if (JSON.stringify(place) === JSON.stringify(wider)) return true;
  // Ids of cities and states start with their country: DE-berlin.
  return wider.kind === 'country' && placeOf(place) !== null && place.id.startsWith(`${wider.id}-`);
}

interface Range {
  readonly min: number | null;
  readonly max: number | null;
}

function isRangeIn({ min, max }: Range, wider: Range): boolean {
  return (min ?? -Infinity) >= (wider.min ?? -Infinity) && (max ?? Infinity) <= (wider.max ?? Infinity);
}

/**
 * Returns a check for "Only those in Berlin" that matches the place of either the people or their companies, if the
 * previous filter was about the other one.
 */
function ofEither(check: Predicate, filters: readonly IntentFilter[]): Predicate {
  const filter = filters.find(
    (each): each is DirectoryFilter => isOfDirectory(each) && each.of === 'company' && each.op === 'in',
  );
  const isOfPeople = PERSON_FILTERS.some(({ name }) => name === filter?.filter);
  if (!filter || !isOfPeople || check.negate || check.test.op !== 'place') return check;
  const own = directoryPredicates(
    { filters: [{ ...filter, of: 'person' } as DirectoryFilter], exclusions: [] },
    'person',
  );
  return {
    column_keys: [...check.column_keys, ...own.flatMap(({ column_keys: keys }) => keys)],
    negate: false,
    test: { op: 'any', parts: [check, ...own] },
    text: `${check.text} (the company or the person)`,
  };
}
