import { attributeNamed } from '@quarry/directory';
import type { IntentColumn, IntentFilter, PlanColumn, PlanIntent, PreviousPlan, RunPlan } from '@quarry/plan';
import { keyOfSource } from '@quarry/plan-compiler';
import type { Draft } from './language/draft.js';
import { COUNT_MAX } from './language/recognisers/count.recogniser.js';
import { mergedConditions } from './merged-conditions.js';
import { asEarlier, earlierCriterion, type SayIn } from './prompt-origin.js';

const OPENING = String.raw`^\s*(?:(?:and|but|ok|okay|now|please|then)\b[\s,]*)*`;
/** Words that never start a request of its own: "Only those …", "also in France". */
const CHANGE = new RegExp(
  String.raw`${OPENING}(?:(?:show|give)\s+(?:me\s+)?)?(?:only|just|keep|narrow|filter|drop|remove|exclude|excluding|without|sort|order|also|plus|add|instead|those|these|them|the ones)\b`,
  'iu',
);
/** Part of a request: "At fintech companies", "founded after 2010". */
const FRAGMENT = new RegExp(
  String.raw`${OPENING}(?:at|in|from|with|founded|based|located|that|who (?:are|is|have|has|do|does|work|works|live|lives|use|uses|sit|sits)|which|whose|over|under|more than|less than|not|sorted|ordered)\b`,
  'iu',
);
/** Phrases in which "there" refers to nothing: "Are there any …", "out there". */
const THERE_IS = /\b(?:are|is|were|was|out|over|hi|hello|hey) there\b|\bthere (?:are|is|were|was)\b/iu;
const ASKS = /\b(?:find|list|show|get|give|need|want|search|looking)\b/iu;
const ADDITION = new RegExp(
  String.raw`${OPENING}(?:also|plus|add)\b|^\s*and\s+(?!with\b|founded\b|over\b|under\b|more\b|less\b)`,
  'iu',
);
/**
 * Words for the rows, or the companies, of the previous prompt: "The CFOs there". With a following noun they are read
 * elsewhere.
 */
const POINTS_BACK =
  /\b(?:there|at them|of (?:them|these|those)(?!\s+(?:people|persons|contacts|leads|companies|firms|businesses))|from (?:them|that list)|in (?:that|this|the same) (?:list|table))\b/iu;
const MORE_ROWS = /\b(?:\d+|some|a few|any)\s+more\b/iu;
const HIDDEN = new RegExp(
  String.raw`${OPENING}(?:without|remove|drop|hide)\s+(?:the\s+|their\s+|any\s+)?([\p{L}\p{N} -]{2,40})`,
  'iu',
);

/**
 * Returns whether a prompt changes the previous one, by its first words and by what it does not specify.
 * @param draft the prompt, read by itself
 */
export function isChange(prompt: string, draft: Draft): boolean {
  if (CHANGE.test(prompt)) return true;
  if (pointsBack(prompt)) return true;
  if (FRAGMENT.test(prompt) && !ASKS.test(prompt)) return true;
  // "Who runs finance at retailers" is a request of its own.
  if (/^\W*who\b/iu.test(prompt)) return false;
  return (
    draft.entities.length === 0 &&
    (draft.isFollowUp || draft.statements.length === 0 || draft.count === undefined)
  );
}

/** Returns whether a prompt refers to previous rows. */
export function pointsBack(prompt: string): boolean {
  return POINTS_BACK.test(prompt) && !THERE_IS.test(prompt);
}

/**
 * Returns whether nothing of a prompt was understood: it describes no rows, and changes nothing of the previous search.
 * Columns or a number alone do not describe rows.
 */
export function saysNothing(prompt: string, draft: Draft, previous: RunPlan | null): boolean {
  const { statements, openCriteria, entities, sort, isTop, wanted, count, perCompany, isFollowUp } = draft;
  if (statements.length + openCriteria.length + entities.length > 0 || sort !== null || isTop) return false;
  const isMore = wanted.length > 0 || count !== undefined || perCompany !== null || isFollowUp;
  return previous === null || !(isMore || CHANGE.test(prompt));
}

/** Change of a prompt relative to the previous one. */
export interface Change {
  readonly prompt: string;
  readonly draft: Draft;
  /** True when the new run defines its own columns. */
  readonly hasContract: boolean;
  readonly say: SayIn;
}

/**
 * Continues a conversation about the directory: the new prompt replaces the last one's filters on the same attribute
 * ("also" adds to them), its exclusions are added, and everything else stays.
 */
export function continuePlan(
  { intent, plan }: PreviousPlan,
  intentRead: PlanIntent,
  change: Change,
): PlanIntent {
  const next = ofThePeople(intent, intentRead, change.prompt);
  const hidden = hiddenColumn(plan.columns, change.prompt);
  return {
    ...carriedOn({ intent, plan }, next, change),
    ...mergedConditions(intent, next, ADDITION.test(change.prompt)),
    entity: intent.entity,
    per_company: next.per_company ?? (intent.per_company && asEarlier(intent.per_company)),
    ...columnsOf(intent, next, { ...change, hidden, plan }),
    ...mergeNotes(change.prompt, next, { hidden, plan }),
  };
}

const SAYS_COMPANY = /\b(?:compan|firm|business|employer|headquarter|based)/iu;

/**
 * Reads "Only those in Berlin" about people as their place, unless the companies had a place before or the prompt mentions
 * them.
 */
function ofThePeople(before: PlanIntent, next: PlanIntent, prompt: string): PlanIntent {
  const isPlaced = (filter: IntentFilter, of: 'company' | 'person'): boolean =>
    'of' in filter && filter.of === of && filter.filter === 'places';
  const isOther =
    before.entity !== 'person' ||
    SAYS_COMPANY.test(prompt) ||
    before.filters.some((filter) => isPlaced(filter, 'company')) ||
    next.filters.some((filter) => isPlaced(filter, 'person'));
  if (isOther) return next;
  const moved = (filter: IntentFilter): IntentFilter =>
    isPlaced(filter, 'company') ? ({ ...filter, of: 'person' } as IntentFilter) : filter;
  const groups = next.exclusions.map((group) =>
    group.every((filter) => isPlaced(filter, 'company')) ? group.map(moved) : group,
  );
  return { ...next, filters: next.filters.map(moved), exclusions: groups };
}

/**
 * Continues a conversation about a table: all checks of the last prompt stay, and those of the new one are added. "Without
 * phone" selects rows whose cell is empty if the table has such a column, and otherwise removes the paid column again.
 */
export function continuedOverTable(
  { intent, plan }: PreviousPlan,
  next: PlanIntent,
  change: Change,
): PlanIntent {
  const looked = plan.columns.filter(({ source }) => source.from === 'service');
  const hidden = hiddenColumn(looked, change.prompt);
  const servicesOnly = change.hasContract
    ? next
    : { ...next, columns: next.columns.filter(({ source }) => source.from === 'service') };
  return {
    ...carriedOn({ intent, plan }, next, change),
    entity: change.hasContract ? next.entity : intent.entity,
    filters: [...intent.filters.map(asEarlier), ...next.filters],
    exclusions: [...intent.exclusions.map((group) => group.map(asEarlier)), ...next.exclusions],
    ...columnsOf(intent, servicesOnly, { ...change, hidden, plan }),
    ...mergeNotes(change.prompt, next, { hidden, plan }),
  };
}

/** Reads "The CEOs of these companies": people at the companies that the filters of the last plan describe. */
export function atTheirCompanies({ intent, plan }: PreviousPlan, next: PlanIntent, text: string): PlanIntent {
  const isMore = plan.criteria.length > 0 || plan.count !== null || plan.sort !== null;
  const rest = isMore ? ' Its number of rows, its order and its criteria do not count here.' : '';
  return {
    ...next,
    ...mergedConditions(intent, next, false),
    notes: [
      `“${text}” was read as all companies that the filters of the search before find.${rest}`,
      ...next.notes,
    ],
  };
}

/** Returns the items of the last intent that the new prompt does not replace. */
function carriedOn(
  { intent, plan }: PreviousPlan,
  next: PlanIntent,
  { prompt, draft, hasContract }: Change,
): PlanIntent {
  // The criteria of another output contract refer to columns that this run does not have.
  const criteria = intent.criteria.filter(({ column }) => column === null || !hasContract);
  const isNamed = draft.tableName !== null || hasContract;
  return {
    ...next,
    continues: true,
    count:
      draft.count === undefined
        ? intent.count && asEarlier(intent.count)
        : (countOnTop(next, plan, prompt) ?? next.count),
    order: next.order ?? (intent.order && asEarlier(intent.order)),
    criteria: [...criteria.map(earlierCriterion), ...next.criteria],
    name: isNamed ? next.name : intent.name && asEarlier(intent.name),
  };
}

/**
 * Reads "5 more": this number in addition to the previous rows, which stay. A search of the web starts again, so its number
 * is used unchanged.
 * @returns null when a prompt does not request additional rows
 */
function countOnTop({ count }: PlanIntent, before: RunPlan, prompt: string): PlanIntent['count'] {
  const isOnTop = count?.fragments.some((number) => {
    const [, behind = ''] = prompt.split(number, 2);
    return /^\s+more\b(?!\s+than)/iu.test(behind);
  });
  return count && isOnTop && before.source.kind !== 'web'
    ? { ...count, value: Math.min(before.limit + count.value, COUNT_MAX) }
    : null;
}

function mergeNotes(
  prompt: string,
  next: PlanIntent,
  { hidden, plan }: { hidden: HiddenColumn | null; plan: RunPlan },
): Pick<PlanIntent, 'notes' | 'not_understood'> {
  const isRepeated = MORE_ROWS.test(prompt) && countOnTop(next, plan, prompt) === null;
  const more = isRepeated ? ['Rows that were shown before may be among these.'] : [];
  const away = hidden ? [`The column “${hidden.name}” was taken away.`] : [];
  return {
    notes: ['The request was read as a change to the one before it.', ...away, ...more, ...next.notes],
    not_understood: next.not_understood.filter((fragment) => !hidden || !fragment.includes(hidden.phrase)),
  };
}

/**
 * Returns the columns. An output contract defines its own; otherwise the shown ones stay, without those that are or were
 * removed and not requested again.
 */
function columnsOf(
  before: PlanIntent,
  next: PlanIntent,
  {
    hasContract,
    say,
    hidden,
    plan,
  }: Change & { readonly hidden: HiddenColumn | null; readonly plan: RunPlan },
): Pick<PlanIntent, 'columns' | 'hidden'> {
  if (hasContract) return { columns: next.columns, hidden: [] };
  const isShown = (column: IntentColumn): boolean =>
    plan.columns.some(({ key, source }) => isSameSource(source, column.source) && key !== hidden?.key);
  const isAskedAgain = (key: string): boolean =>
    next.columns.some(({ source }) => keyOfSource(source) === key);
  return {
    columns: [...before.columns.filter(isShown).map(asEarlier), ...next.columns],
    hidden: [
      ...before.hidden.filter(({ key }) => !isAskedAgain(key)).map(asEarlier),
      ...(hidden ? [{ key: hidden.key, ...say(hidden.phrase) }] : []),
    ],
  };
}

function isSameSource(source: PlanColumn['source'], requested: IntentColumn['source']): boolean {
  if (requested.from === 'table') return source.from === 'table' && source.column_key === requested.column;
  return JSON.stringify(source) === JSON.stringify(requested);
}

interface HiddenColumn {
  readonly key: string;
  readonly name: string;
  /** Words of the prompt that name it. */
  readonly phrase: string;
}

/** Reads "Without phone" at the start of a prompt, which removes a column. Elsewhere it would describe rows. */
function hiddenColumn(columns: RunPlan['columns'], prompt: string): HiddenColumn | null {
  const words = (HIDDEN.exec(prompt)?.[1] ?? '').trim().split(/\s+/);
  for (let length = words.length; length > 0; length -= 1) {
    const phrase = words.slice(0, length).join(' ');
    const key = attributeNamed(phrase)?.key;
    const found = columns.find((column) => column.key === key);
    if (found) return { key: found.key, name: found.name, phrase };
  }
  return null;
}
