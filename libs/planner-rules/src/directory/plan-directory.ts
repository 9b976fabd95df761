import { placeContains, type CompanyQuery, type PersonFilters } from '@quarry/directory';
import type { Criterion } from '../../selection/judge-fit.js';
import { notAll, type Predicate } from '../../selection/predicate.js';
import { exclusionGroups, openCriteria, type Draft, type Statement } from '../language/draft.js';
import type { Entity } from '../run-plan.js';
import { companyPredicates, personPredicates } from './directory-predicates.js';
import { mergeConditions } from './merge-conditions.js';

/** What a draft asks of the directory. */
export interface DirectoryRequest {
  readonly companies: CompanyQuery;
  readonly people: PersonFilters & { readonly not?: readonly PersonFilters[] };
  readonly predicates: readonly Predicate[];
  readonly criteria: readonly Criterion[];
  readonly notes: readonly string[];
  readonly notUnderstood: readonly string[];
}

/** Turns the statements of a draft into queries, checks and criteria for rows of an entity. */
export function directoryRequest(draft: Draft, entity: Entity): DirectoryRequest {
  const stated = draft.statements.filter(({ effect }) => effect === null);
  const { statements, origins } = withoutOrigins(stated.filter(({ exclusion }) => exclusion === null));
  const { fitting, strange } = fittingFor(entity, statements);
  const wanted = mergeConditions(fitting);
  const groups = exclusionGroups(stated, (statement) => statement).map((group) => ({
    group,
    merged: mergeConditions(group),
  }));
  const searched = groups.filter(({ merged }) => canRuleOut(merged, entity)).map(({ merged }) => merged);
  const companyNot = searched.map((merged) => merged.companies).filter(isStated);
  const personNot = searched.map((merged) => merged.people).filter(isStated);
  const companies = { ...wanted.companies, ...(companyNot.length > 0 ? { not: companyNot } : {}) };
  const people = { ...wanted.people, ...(personNot.length > 0 ? { not: personNot } : {}) };
  const left = groups.filter(({ merged }) => !canRuleOut(merged, entity));
  return {
    companies,
    people,
    predicates: directoryPredicates({ companies, people }, entity),
    criteria: criteriaOf(draft, entity),
    notes: [wanted, ...searched].flatMap(({ notes }) => notes),
    notUnderstood: [
      ...origins,
      ...strange.map(({ text }) => text),
      ...left.map(({ group }) => `not ${group.map(({ text }) => text).join(' with ')}`),
    ],
  };
}

/** What is said of people finds no companies. */
function fittingFor(
  entity: Entity,
  statements: readonly Statement[],
): { fitting: readonly Statement[]; strange: readonly Statement[] } {
  if (entity === 'person') return { fitting: statements, strange: [] };
  const isStrange = (one: Statement): boolean => isStated(mergeConditions([one]).people);
  return {
    fitting: statements.filter((one) => !isStrange(one)),
    strange: statements.filter(isStrange),
  };
}

/**
 * A query rules companies out, or people. "Excluding CEOs at fintech companies" is both at once: as two exclusions it
 * would leave out all CEOs and everybody in fintech.
 */
function canRuleOut({ companies, people }: ReturnType<typeof mergeConditions>, entity: Entity): boolean {
  return !isStated(people) || (entity === 'person' && !isStated(companies));
}

/** @returns the checks that say of a row of an entity what the queries asked for */
export function directoryPredicates(
  { companies, people }: Pick<DirectoryRequest, 'companies' | 'people'>,
  entity: Entity,
): Predicate[] {
  const { not: companyNot = [], ...company } = companies;
  const { not: personNot = [], ...person } = people;
  return [
    ...companyPredicates(company, entity),
    ...personPredicates(person),
    ...companyNot.map((filters) => notAll(companyPredicates(filters, entity))),
    ...personNot.map((filters) => notAll(personPredicates(filters))),
  ];
}

/**
 * "German companies in Boston" speaks of an origin, which the directory does not hold: where another place is given,
 * an adjective that contradicts it is reported instead of being searched.
 */
function withoutOrigins(statements: readonly Statement[]): { statements: Statement[]; origins: string[] } {
  const isOrigin = (one: Statement): boolean =>
    one.isAdjective &&
    statements.some((other) => contradicts(one, other)) &&
    !statements.some((other) => agrees(one, other));
  const origins = statements.filter(isOrigin);
  return {
    statements: statements.filter((one) => !origins.includes(one)),
    origins: origins.map(({ text }) => text),
  };
}

function contradicts(adjective: Statement, other: Statement): boolean {
  return (
    other.condition.on === 'places' &&
    !other.isAdjective &&
    other.scope === adjective.scope &&
    other.joined !== 'or'
  );
}

function agrees(adjective: Statement, other: Statement): boolean {
  if (adjective.condition.on !== 'places' || other.condition.on !== 'places' || other === adjective)
    return false;
  const outer = adjective.condition.places;
  return other.condition.places.some((inner) => outer.some((place) => placeContains(place, inner)));
}

function isStated(filters: object): boolean {
  return Object.keys(filters).length > 0;
}

/** One criterion per judged statement; alternatives of one kind are one criterion. */
function criteriaOf(draft: Draft, entity: Entity): Criterion[] {
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
  const judged = groups.flatMap((group) => criterionOf(group, entity));
  return [...judged, ...openCriteria(draft)];
}

function criterionOf(group: readonly Statement[], entity: Entity): Criterion[] {
  const [first] = group;
  if (!first?.effect) return [];
  const { companies, people } = mergeConditions(group);
  const [test] = [...companyPredicates(companies, entity), ...personPredicates(people)];
  if (!test) return [];
  const isNegated = first.exclusion !== null;
  const check = isNegated ? notAll([test]) : test;
  return [
    { column_key: test.column_keys[0] ?? '', criterion: check.text, effect: first.effect, test: check },
  ];
}
