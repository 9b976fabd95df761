import { isDeepStrictEqual } from 'node:util';
import { ROWS_MAX, type RunPlan } from '@quarry/plan';
import type { StoredPlan } from '../stored-plans.js';
import { limitOf } from './row-limit.js';

type PeopleLimits = Pick<RunPlan, 'count' | 'limit' | 'per_company' | 'companies_max'>;

/** People of each company where neither the prompt nor the output contract says how many. Our choice. */
const PEOPLE_OF_COMPANY = 5;
/** Companies whose people are searched by the domains of the companies: a search of Apollo takes no more domains. */
const LISTED_MAX = 1000;

/**
 * Returns the limits of people of a number of companies: the number in a prompt for companies and their people is that of the
 * companies.
 * @param companies the number of companies; null for all
 * @param cap the number of people of each company; null for the default
 * @param limitTo the row limit for a number of people; null for no number
 */
export function peopleByCompany(
  companies: number | null,
  cap: number | null,
  limitTo: (people: number | null) => number,
): PeopleLimits {
  const perCompany = cap ?? PEOPLE_OF_COMPANY;
  if (companies === null || companies === 0)
    return { count: companies, limit: limitTo(companies), per_company: perCompany };
  const limit = limitTo(Math.min(companies * perCompany, ROWS_MAX));
  return { count: null, limit, per_company: perCompany, companies_max: companies };
}

/**
 * Makes tables of people show those of the companies beside them, where an output contract has a table of each and the prompt says
 * the same of their companies. Otherwise each would be the first matches of its own search, and the people those of companies that
 * the output does not have. A table of all matching companies leaves nobody out.
 * @param plans one for each table of the output contract
 */
export function withPeopleOfListed(plans: readonly StoredPlan[]): StoredPlan[] {
  return plans.map((stored): StoredPlan => {
    const [listed, ...others] = plans.flatMap((other, table) =>
      isOfSameCompanies(stored.plan, other.plan) ? { ...other, table } : [],
    );
    if (!listed || others.length > 0) return stored;
    return { ...stored, plan: { ...stored.plan, ...peopleOf(stored, listed), version: 3 } };
  });
}

function isOfSameCompanies(people: RunPlan, companies: RunPlan): boolean {
  const isSearched = [people, companies].every(
    ({ source, limit }) => source.kind === 'directory' && limit > 0,
  );
  return (
    isSearched &&
    [people.entity, companies.entity].join() === 'person,company' &&
    people.companies_max === undefined &&
    companies.count !== null &&
    companies.limit <= LISTED_MAX &&
    isDeepStrictEqual(people.companies, companies.companies)
  );
}

/** @returns the limits of people that have a number of their own; else of as many companies as the prompt wants */
function peopleOf(
  { intent, plan, shape }: StoredPlan,
  { table, ...companies }: StoredPlan & { readonly table: number },
): Partial<PeopleLimits> & Pick<RunPlan, 'companies_table'> {
  const own = intent?.count?.value ?? null;
  const ofCompanies = companies.intent?.count?.value ?? null;
  // A number that the list of companies has no room for is one of people, as in “the company and its 20 engineers”.
  const countsPeople = own !== null && (own !== ofCompanies || own > companies.plan.limit);
  if (countsPeople) return { companies_table: table };
  const limits = peopleByCompany(companies.plan.limit, plan.per_company, (people) =>
    limitOf(people, shape?.maxRows ?? null, plan.columns),
  );
  return { ...limits, companies_table: table };
}
