import { describe, expect, it } from '@jest/globals';
import { emptyIntent, type ContractTable, type Entity, type PlanIntent } from '@quarry/plan';
import { compilePlan } from './compile-plan.js';
import { intentFilters } from './directory-filters.js';
import { withPeopleOfListed } from './people-by-company.js';

const origin = { fragments: ['so'], from: 'prompt' } as const;
const number = (value: number, of = String(value)) => ({ value, fragments: [of], from: 'prompt' }) as const;
const fintech = intentFilters('company', { industries: ['fintech'] }, () => origin);

/** Compiles a table of an output contract. */
function stored(entity: Entity, change: Partial<PlanIntent> = {}, maxRows: number | null = null) {
  const key = entity === 'company' ? 'companies' : 'people';
  const output: ContractTable = { key, name: null, entity, maxRows, columns: [] };
  const source = { kind: 'directory' } as const;
  const intent = { ...emptyIntent(entity, { source, output_table: key }), filters: fintech, ...change };
  return { intent, plan: compilePlan(intent, { output, table: null }), shape: output };
}

/** Returns what the last table has of its own, without what it would have beside no other. */
function peopleBeside(companies: ReturnType<typeof stored>, people: ReturnType<typeof stored>) {
  const { companies_table, companies_max, limit, per_company, version } = withPeopleOfListed([
    companies,
    people,
  ])[1]!.plan;
  return { companies_table, companies_max, limit, per_company, version };
}

const SEARCHED = { companies_table: undefined, companies_max: undefined, version: 2 };

describe('people beside companies in an output', () => {
  const ten = { count: number(10) };

  it.each([
    ['5 of each', ten, null, ten, null, { companies_max: 10, limit: 50, per_company: 5 }],
    ['as many as the prompt says', ten, null, { ...ten, per_company: number(2) }, null, { limit: 20 }],
    ['as many as the list may have', ten, null, ten, 30, { companies_max: 10, limit: 30 }],
    ['without a number of their own', ten, null, {}, null, { companies_max: 10, limit: 50 }],
    ['of the companies that the list may have', {}, 4, {}, null, { companies_max: 4, limit: 20 }],
    ['of their own number', ten, null, { count: number(30) }, null, { companies_max: undefined, limit: 30 }],
    ['of one company', ten, 1, ten, null, { companies_max: undefined, limit: 10, per_company: null }],
  ] as const)('are those of the companies: %s', (_, companies, companiesMax, people, peopleMax, limits) => {
    const read = peopleBeside(
      stored('company', companies, companiesMax),
      stored('person', people, peopleMax),
    );
    expect(read).toMatchObject({ companies_table: 0, version: 3, ...limits });
  });

  it.each([
    ['all companies', {}, {}],
    ['more companies than a search takes', { count: number(1001) }, {}],
    ['companies of other conditions', { ...ten, filters: [] }, ten],
    ['no companies', { ...ten, source: { kind: 'nothing', reason: 'no_rows_described' } }, ten],
    ['people from the web', ten, { source: { kind: 'web', wanted: 'people', ...origin } }],
  ] as ReadonlyArray<[string, Partial<PlanIntent>, Partial<PlanIntent>]>)(
    'are searched by themselves beside %s',
    (_, companies, people) => {
      const alone = stored('person', people);
      const read = peopleBeside(stored('company', companies), alone);
      expect(read).toEqual({ ...SEARCHED, limit: alone.plan.limit, per_company: alone.plan.per_company });
    },
  );

  it('are searched by themselves beside two tables of the same companies', () => {
    const companies = stored('company', ten);
    const plans = [stored('person', ten), companies, companies];
    expect(withPeopleOfListed(plans)).toEqual(plans);
  });
});
