import { excerpt } from '@quarry/error-codes';
import type { RunPlan } from './run-plan.js';

const NOTHING =
  'Nothing in the prompt says which rows are wanted, so nothing was searched and no table was made.';
const EXAMPLES =
  'Prompts that work: “20 fintech companies in Berlin with 50 to 200 employees”, “CTOs at software companies in France, with work email”, “companies in Germany founded after 2015 that are hiring, with website”.';

/**
 * Says in sentences what a plan does: what is searched, what was assumed, what was not understood.
 * @returns text for the run's `message`
 */
export function describePlan(plan: RunPlan): string {
  if (plan.isEmpty) return [NOTHING, open(plan), EXAMPLES].filter(Boolean).join(' ');
  const sentences = [plan.count === 0 ? '' : searched(plan), judged(plan), ...plan.notes, open(plan)];
  return sentences.filter(Boolean).join(' ');
}

function searched(plan: RunPlan): string {
  const what = plan.entity === 'company' ? 'companies' : 'people';
  const number = plan.count === null ? 'all' : `up to ${plan.count}`;
  const where = plan.source.kind === 'table' ? `the table “${plan.source.table_name}”` : 'the directory';
  const filters = plan.predicates.map(({ text }) => text).join('; ');
  const rows = plan.source.kind === 'table' ? 'rows' : what;
  const sorted = sortText(plan);
  return `Searched ${where} for ${number} ${rows}${filters ? ` (${filters})` : ''}${sorted}.`;
}

function sortText({ sort, table_sort }: RunPlan): string {
  if (sort) return `, sorted by ${sort.by.replaceAll('_', ' ')}, ${sort.direction}`;
  return table_sort ? `, sorted by ${table_sort.column_key}, ${table_sort.direction}` : '';
}

function judged({ criteria }: RunPlan): string {
  if (criteria.length === 0) return '';
  return `Each row is judged: ${criteria.map(({ effect, criterion }) => `${effect} ${criterion}`).join('; ')}.`;
}

function open({ notUnderstood }: RunPlan): string {
  if (notUnderstood.length === 0) return '';
  return `Not understood, and so not applied: ${notUnderstood.map((fragment) => `“${excerpt(fragment)}”`).join(', ')}.`;
}
