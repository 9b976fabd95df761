import { excerpt } from '@quarry/error-codes';
import type { RowsBefore, RunPlan } from '@quarry/plan';
import { formatCount } from '@quarry/service-catalog';
import { paidTexts } from './services/service-calls.js';

/** Maximum length of a run's `message` in characters. Source: docs/contract.md#3-runs. */
export const MESSAGE_CHARACTERS_MAX = 1_500;

const NOTHING = 'The prompt does not say which rows you want, so nothing was searched and no table was made.';
export const EXAMPLES =
  'Examples of prompts: “20 fintech companies in Berlin with 50 to 200 employees”, “CTOs at software companies in France, with work email”, “companies in Germany founded after 2015 that are hiring, with website”.';

const UNSEARCHED = 'Nothing was searched.';
const QUESTION_CHARACTERS_MAX = 600;

/** Limits of the length of each list, and of each of its items: the first pair with which the text fits is used. */
const MEASURES = [
  { items: Infinity, characters: 200 },
  { items: Infinity, characters: 80 },
  { items: 20, characters: 60 },
  { items: 10, characters: 40 },
  { items: 5, characters: 40 },
  { items: 3, characters: 30 },
  { items: 1, characters: 20 },
  { items: 0, characters: 0 },
];

type Measure = (typeof MEASURES)[number];

/**
 * Describes a plan in sentences: what is searched, assumptions, and what was not understood. Long values are truncated and
 * long lists counted, so that the text never exceeds its limit.
 * @param charactersMax limit of the text; 0 for an empty text
 */
export function describePlan(plan: RunPlan, charactersMax = MESSAGE_CHARACTERS_MAX): string {
  for (const measure of MEASURES) {
    const text = describeWithin(plan, measure);
    if (text.length <= charactersMax) return text;
  }
  return shortenText(describeWithin(plan, { items: 0, characters: 0 }), charactersMax);
}

/**
 * Joins the descriptions of several tables.
 * @param tables result of each table, and its plan; the result comes first
 * @param charactersMax limit of the text
 * @returns text for the run's `message`, within its limit
 */
export function describeTables(
  tables: ReadonlyArray<{ readonly plan: RunPlan; readonly summary: string }>,
  charactersMax = MESSAGE_CHARACTERS_MAX,
): string {
  const parting = '\n\n';
  const each = Math.floor(
    (charactersMax - parting.length * (tables.length - 1)) / Math.max(1, tables.length),
  );
  return tables
    .map(({ plan, summary }) => {
      const origin = shortenText(summary, each);
      const left = each - origin.length - 1;
      return [origin, left > 0 ? describePlan(plan, left) : ''].filter(Boolean).join(' ');
    })
    .join(parting);
}

function describeWithin(plan: RunPlan, measure: Measure): string {
  if (plan.isNoRequest) return '';
  if (plan.question !== undefined)
    return [shortenText(plan.question, QUESTION_CHARACTERS_MAX), UNSEARCHED, inForce(plan, measure)]
      .filter(Boolean)
      .join(' ');
  if (plan.isEmpty) return [NOTHING, describeOpen(plan, measure), EXAMPLES].filter(Boolean).join(' ');
  const notes = joinItems(plan.notes, measure, (note) => note, ' ');
  const sentences = [
    plan.count === 0 ? '' : describeSearch(plan, measure),
    describePaid(plan, measure),
    criteriaText(plan, measure),
    notes,
    describeOpen(plan, measure),
  ];
  return sentences.filter(Boolean).join(' ');
}

/** Lists the filters that still apply in a follow-up. */
function inForce({ predicates }: RunPlan, measure: Measure): string {
  const filters = joinItems(predicates, measure, ({ text }) => text, '; ');
  return filters ? `Filters in force: ${filters}.` : '';
}

/** Describes what a follow-up does with the previous rows. */
function describeRefinement(plan: RunPlan, { checks, filled }: RowsBefore, measure: Measure): string {
  const nameOf = (key: string): string => plan.columns.find((column) => column.key === key)?.name ?? key;
  const kept = [
    ...checks.map(({ text }) => text),
    ...filled.map(({ key, is_sure: isSure }) => `${nameOf(key)}: ${isSure ? 'verified' : 'not empty'}`),
  ];
  const rows =
    kept.length > 0
      ? `Kept the earlier rows that meet: ${joinItems(kept, measure, (text) => text, '; ')}`
      : 'Kept all earlier rows';
  return [`${rows}${sortText(plan)}. No new search was made.`, inForce(plan, measure)]
    .filter(Boolean)
    .join(' ');
}

function describeSearch(plan: RunPlan, measure: Measure): string {
  if (plan.within) return describeRefinement(plan, plan.within, measure);
  const what = plan.entity === 'company' ? 'companies' : 'people';
  const isTable = plan.source.kind === 'table';
  const wanted = `${plan.count === null ? 'all' : `up to ${plan.count}`} ${isTable ? 'rows' : what}`;
  const companies =
    plan.companies_table === undefined
      ? plan.companies_max && `up to ${formatCount(plan.companies_max, 'company', 'companies')}`
      : 'the companies listed';
  const rows = companies === undefined ? wanted : `${plan.count === null ? what : wanted} of ${companies}`;
  const cap = plan.per_company === null ? '' : `, at most ${plan.per_company} of each company`;
  const where = placeOf(plan);
  const filters = joinItems(plan.predicates, measure, ({ text }) => text, '; ');
  return `Searched ${where} for ${rows}${cap}${filters ? ` (${filters})` : ''}${sortText(plan)}.`;
}

function placeOf({ source }: RunPlan): string {
  if (source.kind === 'web')
    return `the web (${excerpt(source.wanted)}; at most ${formatCount(source.max_credits, 'credit')})`;
  return source.kind === 'table' ? `the table “${excerpt(source.table_name)}”` : 'the directory';
}

function describePaid({ columns }: RunPlan, measure: Measure): string {
  const texts = paidTexts(columns);
  return texts.length > 0 ? `Paid columns: ${joinItems(texts, measure, (text) => text, '; ')}.` : '';
}

function sortText({ sort, table_sort }: RunPlan): string {
  if (sort) return `, sorted by ${sort.by.replaceAll('_', ' ')}, ${sort.direction}`;
  return table_sort ? `, sorted by ${excerpt(table_sort.column_key)}, ${table_sort.direction}` : '';
}

function criteriaText({ criteria }: RunPlan, measure: Measure): string {
  if (criteria.length === 0) return '';
  return `Rows are judged by: ${joinItems(criteria, measure, ({ effect, criterion }) => `${effect} ${criterion}`, '; ')}.`;
}

function describeOpen({ notUnderstood }: RunPlan, measure: Measure): string {
  if (notUnderstood.length === 0) return '';
  const quoted = joinItems(notUnderstood, measure, (fragment) => fragment, ', ', ['“', '”']);
  return `Not understood and not applied: ${quoted}.`;
}

function joinItems<Item>(
  items: readonly Item[],
  { items: most, characters }: Measure,
  textOf: (item: Item) => string,
  parting: string,
  [opening, closing]: readonly [string, string] = ['', ''],
): string {
  const shownItems = items
    .slice(0, most)
    .map((item) => `${opening}${shortenText(textOf(item), characters)}${closing}`);
  const rest = items.length - shownItems.length;
  if (rest > 0) shownItems.push(shownItems.length > 0 ? `and ${rest} more` : `${rest}`);
  return shownItems.join(parting);
}

/** @returns the text, truncated with an ellipsis to at most `charactersMax` */
function shortenText(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  if (charactersMax <= 0) return '';
  const cut = text.slice(0, charactersMax - 1);
  // Half of a surrogate pair cannot be encoded as UTF-8.
  return `${/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}
