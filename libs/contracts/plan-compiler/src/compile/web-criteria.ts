import type { Conditions, PlanIntent, PlanColumn, Criterion, Predicate } from '@quarry/plan';
import { allOf } from '../selection/join-predicates.js';
import type { PlanCriteria } from './plan-criteria.js';

/** Maximum length of a column key derived from the text of its criterion. */
const KEY_CHARACTERS_MAX = 40;

/**
 * Creates the criteria of rows from the web: pages about a row are the evidence for its conditions, so filters become
 * criteria as text. Without any condition, the description of the rows is the criterion.
 * @param wanted description of the rows
 * @param predicatesOf returns conditions with their text
 */
export function webCriteria(
  { filters, exclusions, criteria }: PlanIntent,
  wanted: string,
  columns: readonly PlanColumn[],
  predicatesOf: (conditions: Conditions) => readonly Predicate[],
): PlanCriteria {
  const inWords = (conditions: Conditions): string | null => allOf(predicatesOf(conditions))?.text ?? null;
  const ofFilters = filters.flatMap((filter) => inWords({ filters: [filter], exclusions: [] }) ?? []);
  const ofExclusions = exclusions.flatMap((group) => inWords({ filters: group, exclusions: [] }) ?? []);
  const ofPrompt = criteria
    .filter(({ column }) => column === null)
    .map(({ effect, conditions, fragments }) => ({
      effect,
      criterion: (conditions && inWords(conditions)) || fragments.join(' '),
    }));
  const origin = [
    ...ofFilters.map((criterion) => ({ criterion, effect: 'require' as const })),
    ...ofPrompt,
    ...ofExclusions.map((criterion) => ({ criterion, effect: 'exclude' as const })),
  ];
  const ofColumns = columns.flatMap(({ key, qualification }): Criterion[] =>
    'criterion' in qualification && typeof qualification.criterion === 'string'
      ? [{ column_key: key, criterion: qualification.criterion, effect: qualification.effect, test: null }]
      : [],
  );
  const isNothing = origin.length + ofColumns.length === 0;
  const own = isNothing ? [{ criterion: wanted, effect: 'require' as const }] : origin;
  const taken = new Set(columns.map(({ key }) => key));
  const ofRows = own.map((each): Criterion => ({
    ...each,
    column_key: keyOf(each.criterion, taken),
    test: null,
  }));
  const unfilled = columns.flatMap(({ key, source }) => (source.from === 'nothing' ? `column ${key}` : []));
  return { criteria: [...ofRows, ...ofColumns], notUnderstood: unfilled };
}

/**
 * Adds a column per criterion, whose cell contains the decisive quote from a page. With an output contract, which defines
 * the columns, the verdict is only part of the fit.
 */
export function withCriterionColumns(
  columns: readonly PlanColumn[],
  criteria: readonly Criterion[],
  isOfContract: boolean,
): PlanColumn[] {
  if (isOfContract) return [...columns];
  const known = new Set(columns.map(({ key }) => key));
  const own = criteria
    .filter(({ column_key: key }) => !known.has(key))
    .map(({ column_key: key, criterion, effect }): PlanColumn => ({
      key,
      name: criterion,
      kind: 'boolean',
      required: false,
      qualification: { criterion, effect },
      source: { from: 'criterion' },
    }));
  return [...columns, ...own];
}

/**
 * Returns a key from the words of a criterion, as far as their letters are allowed in keys; with a number if it is taken.
 */
function keyOf(criterion: string, taken: Set<string>): string {
  const words = criterion
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '_')
    .slice(0, KEY_CHARACTERS_MAX)
    .replace(/^_+|_+$/g, '');
  const base = words === '' ? 'criterion' : words;
  let key = base;
  for (let n = 2; taken.has(key); n += 1) key = `${base}_${n}`;
  taken.add(key);
  return key;
}
