import { directoryPredicates } from './directory/plan-directory.js';
import { filterNamed } from './language/condition.js';
import { attributeNamed } from './language/recognisers/column.recogniser.js';
import type { Draft } from './language/draft.js';
import type { RunPlan } from './run-plan.js';

const OPENING = String.raw`^\s*(?:(?:and|but|ok|okay|now|please|then)\b[\s,]*)*`;
/** "Only those …", "also in France": words with which nobody begins a question of its own. */
const CHANGE = new RegExp(
  String.raw`${OPENING}(?:(?:show|give)\s+(?:me\s+)?)?(?:only|just|keep|narrow|filter|drop|remove|exclude|excluding|without|sort|order|also|plus|add|instead|those|these|them|the ones)\b`,
  'iu',
);
/** "At fintech companies", "founded after 2010": a part of a question. */
const FRAGMENT = new RegExp(
  String.raw`${OPENING}(?:at|in|from|with|founded|based|located|that|who|which|whose|over|under|more than|less than|not|sorted|ordered)\b`,
  'iu',
);
const ASKS = /\b(?:find|list|show|get|give|need|want|search|looking)\b/iu;
const ADDITION = new RegExp(
  String.raw`${OPENING}(?:also|plus|add)\b|^\s*and\s+(?!with\b|founded\b|over\b|under\b|more\b|less\b)`,
  'iu',
);
const MORE_ROWS = /\b(?:\d+|some|a few|any)\s+more\b/iu;
const HIDDEN = new RegExp(
  String.raw`${OPENING}(?:without|remove|drop|hide)\s+(?:the\s+|their\s+|any\s+)?([\p{L}\p{N} -]{2,40})`,
  'iu',
);

/**
 * Says whether a prompt is to be read as a change to the one before it, by its first words and by what it leaves open.
 * @param draft the prompt as read by itself
 */
export function isChange(prompt: string, draft: Draft): boolean {
  if (CHANGE.test(prompt)) return true;
  if (FRAGMENT.test(prompt) && !ASKS.test(prompt)) return true;
  return (
    draft.entities.length === 0 &&
    (draft.isFollowUp || draft.statements.length === 0 || draft.count === undefined)
  );
}

/**
 * Says whether nothing of a prompt was understood: it describes no rows, and changes nothing of the search before.
 * Columns or a number alone say nothing about which rows are meant.
 */
export function saysNothing(prompt: string, draft: Draft, previous: RunPlan | null): boolean {
  const { statements, openCriteria, entities, sort, isTop, wanted, count, perCompany, isFollowUp } = draft;
  if (statements.length + openCriteria.length + entities.length > 0 || sort !== null || isTop) return false;
  const isMore = wanted.length > 0 || count !== undefined || perCompany !== null || isFollowUp;
  return previous === null || !(isMore || CHANGE.test(prompt));
}

/**
 * Carries a conversation over the directory on: what the new prompt says replaces what the last plan said of the same
 * attribute ("also" adds to it), what it rules out comes on top, and everything else stays.
 * @param hasContract whether the new run says itself which columns it wants
 */
export function continued(
  previous: RunPlan,
  next: RunPlan,
  { prompt, draft, hasContract }: { prompt: string; draft: Draft; hasContract: boolean },
): RunPlan {
  const isAddition = ADDITION.test(prompt);
  const asked = {
    companies: merged(previous.companies, next.companies, isAddition),
    people: merged(previous.people, next.people, isAddition),
  };
  const { shown, hidden } = hiddenColumns(previous.columns, prompt);
  const known = new Set(previous.columns.map(({ key }) => key));
  const columns = [...shown, ...next.columns.filter(({ key }) => !known.has(key))];
  return {
    ...next,
    ...asked,
    entity: previous.entity,
    count: draft.count === undefined ? previous.count : next.count,
    per_company: next.per_company ?? previous.per_company,
    predicates: directoryPredicates(asked, previous.entity),
    sort: next.sort ?? previous.sort,
    columns: hasContract ? next.columns : columns,
    criteria: [...previous.criteria, ...next.criteria],
    table: draft.tableName === null && !hasContract ? previous.table : next.table,
    ...spoken(prompt, next, hidden),
  };
}

/**
 * Carries a conversation over a table on: all checks of the last plan stay, and those of the new one join them. "Without
 * phone" asks for rows whose cell is empty where the table has such a column, and else takes the paid one away again.
 */
export function continuedOverTable(
  previous: RunPlan,
  next: RunPlan,
  { prompt, draft, hasContract }: { prompt: string; draft: Draft; hasContract: boolean },
): RunPlan {
  const own = previous.columns.filter(({ source }) => source.from !== 'service');
  const looked = previous.columns.filter(({ source }) => source.from === 'service');
  const { shown, hidden } = hiddenColumns(looked, prompt);
  const known = new Set(previous.columns.map(({ key }) => key));
  const paid = next.columns.filter(({ key, source }) => source.from === 'service' && !known.has(key));
  return {
    ...next,
    count: draft.count === undefined ? previous.count : next.count,
    predicates: [...previous.predicates, ...next.predicates],
    table_sort: next.table_sort ?? previous.table_sort,
    columns: hasContract ? next.columns : [...own, ...shown, ...paid],
    table: hasContract ? next.table : previous.table,
    criteria: [...previous.criteria, ...next.criteria],
    ...spoken(prompt, next, hidden),
  };
}

/** "The CEOs of these companies": people at the companies that the filters of the last plan describe. */
export function atTheirCompanies(previous: RunPlan, next: RunPlan, text: string): RunPlan {
  const companies = merged(previous.companies, next.companies, false);
  const isMore = previous.criteria.length > 0 || previous.count !== null || previous.sort !== null;
  const rest = isMore ? ' Its number of rows, its order and its criteria do not count here.' : '';
  return {
    ...next,
    companies,
    predicates: directoryPredicates({ companies, people: next.people }, next.entity),
    notes: [
      `“${text}” was read as all companies that the filters of the search before find.${rest}`,
      ...next.notes,
    ],
  };
}

function spoken(
  prompt: string,
  next: RunPlan,
  hidden: HiddenColumn | null,
): Pick<RunPlan, 'notes' | 'notUnderstood'> {
  const more = MORE_ROWS.test(prompt) ? ['Rows that were shown before may be among these.'] : [];
  const away = hidden ? [`The column “${hidden.name}” was taken away.`] : [];
  return {
    notes: ['The request was read as a change to the one before it.', ...away, ...more, ...next.notes],
    notUnderstood: next.notUnderstood.filter((fragment) => !hidden || !fragment.includes(hidden.said)),
  };
}

interface HiddenColumn {
  readonly name: string;
  /** The words of the prompt that name it. */
  readonly said: string;
}

/** "Without phone" where a prompt begins: takes a column away again. Further in it would speak of rows. */
function hiddenColumns(
  columns: RunPlan['columns'],
  prompt: string,
): { readonly shown: RunPlan['columns']; readonly hidden: HiddenColumn | null } {
  const words = (HIDDEN.exec(prompt)?.[1] ?? '').trim().split(/\s+/);
  for (let length = words.length; length > 0; length -= 1) {
    const said = words.slice(0, length).join(' ');
    const key = attributeNamed(said)?.key;
    const found = columns.find((column) => column.key === key);
    if (found)
      return { shown: columns.filter((column) => column !== found), hidden: { name: found.name, said } };
  }
  return { shown: columns, hidden: null };
}

type Filters = Readonly<Record<string, unknown>>;

/**
 * Joins what was asked with what is asked now. The newer word wins: a wish takes back the exclusion of the same
 * attribute, and an exclusion the very wish that it rules out.
 */
function merged<T extends { readonly not?: readonly object[] }>(before: T, now: T, isAddition: boolean): T {
  const { not: notNow = [], ...wanted } = now as Filters & { not?: readonly Filters[] };
  const { not: notBefore = [], ...had } = before as Filters & { not?: readonly Filters[] };
  const isRestated = (group: Filters): boolean =>
    Object.keys(group).every((key) => wanted[key] !== undefined);
  const not = [...notBefore.filter((group) => !isRestated(group)), ...notNow];
  const isRuledOut = ([key, value]: [string, unknown]): boolean =>
    notNow.some((group) => Object.keys(group).length === 1 && isSame(group[key], value));
  const kept = Object.fromEntries(Object.entries(had).filter((entry) => !isRuledOut(entry)));
  const stated = Object.entries(wanted).filter(([, value]) => value !== undefined);
  const joined = stated.map(([key, value]) => [key, isAddition ? union(key, kept[key], value) : value]);
  return { ...kept, ...Object.fromEntries(joined), ...(not.length > 0 ? { not } : {}) } as T;
}

function union(key: string, before: unknown, now: unknown): unknown {
  // Ranges: another one in their place narrows, two beside each other would widen.
  const isRange = filterNamed(key)?.type === 'range';
  if (isRange || !Array.isArray(before) || !Array.isArray(now)) return now;
  const known: readonly unknown[] = before;
  const added: readonly unknown[] = now;
  return [...known, ...added.filter((value) => !known.some((one) => isSame(one, value)))];
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
