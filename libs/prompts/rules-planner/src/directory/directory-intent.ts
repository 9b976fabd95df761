import type { CompanyFilters, PersonFilters } from '@quarry/directory';
import { placeContains } from '@quarry/vocabulary';
import type { Conditions, Entity, IntentCriterion, IntentFilter } from '@quarry/plan';
import { intentFilters } from '@quarry/plan-compiler';
import { exclusionGroups, type Draft, type Statement } from '../language/draft.js';
import { allOf, openCriteria } from '../criteria.js';
import type { SayIn } from '../prompt-origin.js';
import { mergeConditions } from './merge-conditions.js';

/** Directory part of a draft's intent. */
export interface DirectoryIntent extends Conditions {
  readonly criteria: readonly IntentCriterion[];
  readonly notes: readonly string[];
  readonly notUnderstood: readonly string[];
}

/** Converts the statements of a draft to filters, exclusions and criteria for rows of an entity. */
export function directoryIntent(draft: Draft, entity: Entity, say: SayIn): DirectoryIntent {
  const stated = draft.statements.filter(({ effect }) => effect === null);
  const { statements, origins } = withoutOrigins(stated.filter(({ exclusion }) => exclusion === null));
  // A statement about people cannot filter companies.
  const isStrange = (one: Statement): boolean =>
    entity === 'company' && isStatedFilter(mergeConditions([one]).people);
  const fitting = statements.filter((one) => !isStrange(one));
  const groups = exclusionGroups(stated, (statement) => statement);
  const searched = groups.filter((group) => canRuleOut(group, entity));
  const left = groups.filter((group) => !canRuleOut(group, entity));
  return {
    filters: filtersOf(fitting, say),
    exclusions: searched.map((group) => filtersOf(group, say)).filter((group) => group.length > 0),
    criteria: [...criteriaOf(draft, say), ...openCriteria(draft, say)],
    notes: [fitting, ...searched].flatMap((group) => mergeConditions(group).notes),
    notUnderstood: [
      ...origins,
      ...statements.filter(isStrange).map(({ text }) => text),
      ...left.map((group) => `not ${group.map(({ text }) => text).join(' with ')}`),
    ],
  };
}

/** @returns the combined filters of statements, those of companies first, each with its words */
export function filtersOf(statements: readonly Statement[], say: SayIn): IntentFilter[] {
  const { companies, people } = mergeConditions(statements);
  const wordsOf = (of: 'companies' | 'people', name: string): string[] =>
    statements.filter((one) => speaksOf(mergeConditions([one])[of], name)).map(({ text }) => text);
  return [
    ...intentFilters('company', companies, (name) => say(...wordsOf('companies', name))),
    ...intentFilters('person', people, (name) => say(...wordsOf('people', name))),
  ];
}

/** Returns whether filters contain a name. Technologies that must all match were stated one by one. */
function speaksOf(filters: CompanyFilters | PersonFilters, name: string): boolean {
  return name in filters || (name === 'all_technologies' && 'technologies' in filters);
}

/**
 * Returns whether a query can express an exclusion: it excludes either companies or people. "Excluding CEOs at fintech
 * companies" needs both at once: as two exclusions it would exclude all CEOs and everybody in fintech.
 */
function canRuleOut(group: readonly Statement[], entity: Entity): boolean {
  const { companies, people } = mergeConditions(group);
  return !isStatedFilter(people) || (entity === 'person' && !isStatedFilter(companies));
}

/**
 * Removes origins. "German companies in Boston" means an origin, which the directory does not contain: if another place is
 * given, an adjective that contradicts it is reported as not understood instead of being searched.
 */
function withoutOrigins(statements: readonly Statement[]): { statements: Statement[]; origins: string[] } {
  const isOrigin = (one: Statement): boolean =>
    one.isAdjective &&
    statements.some((other) => contradictsStatement(one, other)) &&
    !statements.some((other) => agreesWith(one, other));
  const origins = statements.filter(isOrigin);
  return {
    statements: statements.filter((one) => !origins.includes(one)),
    origins: origins.map(({ text }) => text),
  };
}

function contradictsStatement(adjective: Statement, other: Statement): boolean {
  return (
    other.condition.on === 'places' &&
    !other.isAdjective &&
    other.scope === adjective.scope &&
    other.joined !== 'or'
  );
}

function agreesWith(adjective: Statement, other: Statement): boolean {
  if (adjective.condition.on !== 'places' || other.condition.on !== 'places' || other === adjective)
    return false;
  const outer = adjective.condition.places;
  return other.condition.places.some((inner) => outer.some((place) => placeContains(place, inner)));
}

function isStatedFilter(filters: object): boolean {
  return Object.keys(filters).length > 0;
}

/** Creates one criterion per statement that only evaluates rows; alternatives of one kind are one criterion. */
function criteriaOf(draft: Draft, say: SayIn): IntentCriterion[] {
  const groups: Statement[][] = [];
  for (const statement of draft.statements) {
    if (statement.effect === null) continue;
    const last = groups.at(-1)?.at(-1);
    const isAlternative =
      last?.condition.on === statement.condition.on &&
      last.effect === statement.effect &&
      statement.joined !== null;
    if (isAlternative) groups.at(-1)?.push(statement);
    else groups.push([statement]);
  }
  return groups.flatMap((group) => criterionOf(group, say));
}

function criterionOf(group: readonly Statement[], say: SayIn): IntentCriterion[] {
  const [first] = group;
  const [filter] = filtersOf(group, say);
  if (!first?.effect || !filter) return [];
  const conditions = allOf([filter], first.exclusion !== null);
  return [{ effect: first.effect, column: null, conditions, ...say(...group.map(({ text }) => text)) }];
}
