import type { FitJson, FitStatus } from '@quarry/dto';
import type { Criterion, Predicate, RunPlan } from '@quarry/plan';
import { matchesPredicate, type RowValues } from './matches-predicate.js';

/** Further data for the evaluation of a row. */
export interface FitContext {
  readonly filters: readonly Predicate[];
  /** Fragments of the prompt that no item uses: if there are any, no row counts as qualified. */
  readonly notUnderstood: readonly string[];
}

/**
 * Evaluates a row. A failed `require` or a met `exclude` disqualifies; if all `require` are met, the row is qualified;
 * without evidence it is unknown. `prefer` only changes the score. Without criteria, a row that meets all requested filters
 * is qualified. Source: docs/contract.md#4-tables.
 */
export function evaluateFit(
  values: RowValues,
  criteria: readonly Criterion[],
  context: FitContext = { filters: [], notUnderstood: [] },
): FitJson {
  if (criteria.length === 0) return evaluateFilters(values, context);
  const evaluated = criteria.map((criterion) => evaluateCriterion(values, criterion));
  const { status, reason } = overallFit(criteria, evaluated);
  return { status, score: scoreOf(evaluated), reason, criteria: evaluated };
}

/**
 * @param values of the row by attribute and column key
 * @returns for columns of a criterion whether the row meets it; nothing where no check can tell
 */
export function criterionValues(
  { columns, criteria }: Pick<RunPlan, 'columns' | 'criteria'>,
  values: RowValues,
): Record<string, boolean | string> {
  const found = columns.flatMap(({ key, kind, source }): Array<[string, boolean | string]> => {
    if (source.from !== 'criterion' || (kind !== 'boolean' && kind !== 'text')) return [];
    const { test = null } = criteria.find(({ column_key: column }) => column === key) ?? {};
    const holds = test && matchesPredicate(values, test);
    return holds === null ? [] : [[key, kind === 'text' ? String(holds) : holds]];
  });
  return Object.fromEntries(found);
}

type CriterionFit = FitJson['criteria'][number];

function evaluateCriterion(
  values: RowValues,
  { column_key, criterion, effect, test }: Criterion,
): CriterionFit {
  const holds = test === null ? null : matchesPredicate(values, test);
  if (holds === null) {
    const why = test === null ? 'The criterion could not be turned into a check' : 'No evidence';
    return { column_key, verdict: 'unknown', reason: `${why}: ${criterion}` };
  }
  const speaksFor = effect === 'exclude' ? !holds : holds;
  return {
    column_key,
    verdict: speaksFor ? 'qualified' : 'disqualified',
    reason: `${holds ? 'Met' : 'Not met'}: ${criterion}`,
  };
}

/** External verdict on a criterion that no check can evaluate. */
export interface FoundVerdict {
  /** Null when nothing is proved. */
  readonly holds: boolean | null;
  /** Proof of the verdict, or the reason why there is none, as a sentence. */
  readonly why: string;
}

/**
 * Evaluates a row with external verdicts on its criteria, in order.
 * @returns the fit, as {@link evaluateFit} returns it for checks
 */
export function fitOfVerdicts(criteria: readonly Criterion[], found: readonly FoundVerdict[]): FitJson {
  const evaluated = criteria.map(({ column_key, criterion, effect }, i): CriterionFit => {
    const { holds, why } = found[i]!;
    if (holds === null)
      return { column_key, verdict: 'unknown', reason: `No evidence: ${criterion}. ${why}` };
    const speaksFor = effect === 'exclude' ? !holds : holds;
    return {
      column_key,
      verdict: speaksFor ? 'qualified' : 'disqualified',
      reason: `${holds ? 'Met' : 'Not met'}: ${criterion}. ${why}`,
    };
  });
  const { status, reason } = overallFit(criteria, evaluated);
  return { status, score: scoreOf(evaluated), reason, criteria: evaluated };
}

function overallFit(
  criteria: readonly Criterion[],
  evaluated: readonly CriterionFit[],
): { status: FitStatus; reason: string } {
  const binding = evaluated.filter((_, index) => criteria[index]?.effect !== 'prefer');
  const against = binding.find(({ verdict }) => verdict === 'disqualified');
  if (against) return { status: 'disqualified', reason: against.reason };
  const open = binding.find(({ verdict }) => verdict === 'unknown');
  if (open) return { status: 'unknown', reason: open.reason };
  return {
    status: 'qualified',
    reason: binding.length > 0 ? 'Meets every required criterion.' : 'Nothing is required of it.',
  };
}

function scoreOf(evaluated: readonly CriterionFit[]): number | null {
  const known = evaluated.filter(({ verdict }) => verdict !== 'unknown');
  return known.length === 0
    ? null
    : known.filter(({ verdict }) => verdict === 'qualified').length / known.length;
}

function evaluateFilters(values: RowValues, { filters, notUnderstood }: FitContext): FitJson {
  const verdicts = filters.map((filter) => matchesPredicate(values, filter));
  const fit = (status: FitStatus, reason: string): FitJson => ({ status, score: null, reason, criteria: [] });
  const broken = filters[verdicts.indexOf(false)];
  if (broken) return fit('disqualified', `Does not meet the filter: ${broken.text}`);
  const open = filters[verdicts.indexOf(null)];
  if (open) return fit('unknown', `No evidence: ${open.text}`);
  const [fragment] = notUnderstood;
  if (fragment !== undefined)
    return fit('unknown', `Not checked, because it was not understood: ${fragment}`);
  return fit('qualified', 'Meets every stated filter.');
}
