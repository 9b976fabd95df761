import { toCredits } from '@quarry/credit-ledger';
import type { FitJson } from '@quarry/dto';
import { excerpt } from '@quarry/error-codes';
import type { RunPlan } from '@quarry/plan';
import { priceOf, serviceCalls, type Unconfirmed } from '@quarry/plan-compiler';
import { formatCount } from '@quarry/service-catalog';
import type { SeenRow } from '../ports/monitor-items.port.js';
import type { EnrichRequest, RowToEnrich } from '../columns/enrich-request.js';

/** Rows that a run has found, with the counts for its summary. */
export interface SourcedRows {
  rows: Array<RowToEnrich & Partial<SeenRow> & { isUpdated?: boolean }>;
  total: number;
  isEstimated?: true;
  isFromSandbox?: true;
  excluded: number;
  /** Rows that the monitor knows already. */
  known?: number;
  /** Matches without a value that the output requires. */
  lacking?: number;
  /** Rows of earlier runs that stay in the table and were not found again. */
  others?: number;
  /** Rows that the table had before a follow-up. */
  before?: number;
  /** Counts by fit, when rows were evaluated as they were found. */
  fits?: FitCounts;
}

/** Number of rows by fit. */
export type FitCounts = Record<FitJson['status'], number>;

export const noFits = (): FitCounts => ({ qualified: 0, disqualified: 0, unknown: 0 });

/** The most words that a message lists. */
const WORDS_SHOWN = 5;

/** @returns why paid columns wait, what they would cost and how to confirm, as a sentence; null when nothing would be paid */
export function waitingText(
  { columns, rows }: Pick<EnrichRequest, 'columns' | 'rows'>,
  { words, plan_id: planId }: Unconfirmed,
): string | null {
  const calls = serviceCalls(columns).flat();
  if (calls.length === 0 || planId === null) return null;
  const names = calls.flatMap((call) => call.columns.map(({ name }) => name)).join(', ');
  const price = calls.reduce((sum, call) => {
    const open = rows.filter(({ settled = [] }) => !call.columns.every(({ key }) => settled.includes(key)));
    return sum + open.length * priceOf(call);
  }, 0);
  const named = words.slice(0, WORDS_SHOWN).map((word) => `“${excerpt(word)}”`);
  const more = words.length > WORDS_SHOWN ? ` and ${words.length - WORDS_SHOWN} more` : '';
  return (
    `Not looked up: ${names}, because ${named.join(', ')}${more} was not understood. ` +
    `A run of the plan ${planId} looks them up for at most ${formatCount(toCredits(price), 'credit')} (POST /v1/plans/${planId}/runs; over MCP, its plan_id).`
  );
}

/** Returns the note on a monitor's first run, which only stores what exists; null when nothing would be paid anyway. */
export function baselineText({ columns }: Pick<EnrichRequest, 'columns'>): string | null {
  const names = serviceCalls(columns)
    .flat()
    .flatMap((call) => call.columns.map(({ name }) => name));
  return names.length === 0
    ? null
    : `Not looked up, because the first run of the monitor is silent: ${names.join(', ')}.`;
}

/** @returns a sentence: how many of the matching rows are in the table */
export function countedText(plan: RunPlan, sourced: SourcedRows): string {
  const entities = plan.entity === 'company' ? 'companies' : 'people';
  const noun = plan.source.kind === 'table' ? 'rows' : entities;
  const { name } = plan.table;
  if (sourced.before !== undefined)
    return `${sourced.rows.length} of the ${formatCount(sourced.before, 'earlier row')} are in the table “${name}”.`;
  const beside = sourced.others ? `, next to ${sourced.others} from earlier runs` : '';
  if (sourced.total > 0)
    return `${sourced.rows.length} of ${sourced.isEstimated ? 'about ' : ''}${sourced.total} matching ${noun} are in the table “${name}”${beside}.`;
  if (sourced.known) return `Nothing is new: the table “${name}” is empty.`;
  const others =
    (sourced.lacking ? ' with the required values' : '') +
    (sourced.excluded > 0 ? ' outside your exclusion lists' : '');
  const where = sourced.isFromSandbox ? ' in the fictional demonstration data' : '';
  return `There are no matching ${noun}${where}${others}: the table “${name}” is empty.`;
}

/**
 * @param columns the result of each column, in sentences
 * @returns sentences about rows that were left out, filled and found to fit
 */
export function summaryOf(
  plan: RunPlan,
  sourced: SourcedRows,
  columns: readonly string[],
  fits: Record<FitJson['status'], number>,
): string {
  const sentences: string[] = [];
  if (sourced.isFromSandbox && sourced.total > 0) sentences.push('They are fictional demonstration data.');
  const isSearched = sourced.before === undefined;
  if (isSearched && plan.count !== null && sourced.total > 0 && sourced.total < plan.count)
    sentences.push(`You asked for ${plan.count}; no more match.`);
  const companies = new Set(sourced.rows.map(({ subject }) => subject?.domain));
  if (isSearched && plan.companies_max !== undefined && companies.size < plan.companies_max)
    sentences.push(
      plan.companies_table === undefined
        ? `You asked for ${plan.companies_max} companies; no more have matching people.`
        : `${formatCount(companies.size, 'of the companies listed has', 'of the companies listed have')} matching people.`,
    );
  if (sourced.excluded > 0) sentences.push(`${sourced.excluded} left out by your exclusion lists.`);
  if (sourced.lacking) sentences.push(`${sourced.lacking} without a required value left out.`);
  const updated = sourced.rows.filter(({ isUpdated }) => isUpdated).length;
  if (updated > 0) sentences.push(`${updated} known to the monitor changed.`);
  if (sourced.known) sentences.push(`${sourced.known} known to the monitor left out.`);
  if (sourced.rows.length > 0) sentences.push(...columns);
  if (plan.criteria.length > 0)
    sentences.push(
      `Fit: ${fits.qualified} qualified, ${fits.disqualified} disqualified, ${fits.unknown} unknown.`,
    );
  return sentences.join(' ');
}
