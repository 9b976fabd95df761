import { describe, expect, it } from '@jest/globals';
import { emptyIntent, type ContractTable } from '@quarry/plan';
import { compilePlan } from './compile/compile-plan.js';
import { intentFilters } from './compile/directory-filters.js';
import { readStoredPlans, UnknownPlanVersionError } from './stored-plans.js';

const origin = { fragments: ['so'], from: 'prompt' } as const;
const intent = {
  ...emptyIntent('person', { source: { kind: 'directory' }, output_table: null }),
  filters: intentFilters('company', { industries: ['fintech'], is_hiring: true }, () => origin),
  exclusions: [
    intentFilters(
      'person',
      { roles: [{ name: 'CTO', seniorities: ['c_level'], departments: [], titleWords: ['cto'] }] },
      () => origin,
    ),
  ],
};
const plan = compilePlan(intent, { output: null, table: null });
const asStored = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('stored plans', () => {
  it('are read as they were written', () => {
    expect(readStoredPlans(asStored([{ intent, plan, shape: null }]))).toEqual([
      { intent, plan, shape: null },
    ]);
  });

  it('are usable even if their intent has words unknown to this version', () => {
    const other = { ...intent, filters: [{ ...intent.filters[0], filter: 'of_another_version' }] };
    expect(readStoredPlans(asStored([{ intent: other, plan, shape: null }]))).toEqual([
      { intent: null, plan, shape: null },
    ]);
  });

  it('of people listed in their companies have a version that agents of before leave to newer ones', () => {
    const output: ContractTable = {
      key: 'companies',
      name: null,
      entity: 'person',
      maxRows: null,
      columns: [],
      byCompany: { companiesMax: null, peopleMax: null },
    };
    const listed = compilePlan(intent, { output, table: null });
    expect([plan.version, listed.version]).toEqual([2, 3]);
    expect(readStoredPlans(asStored([{ intent, plan: listed, shape: output }]))[0]!.plan).toEqual(listed);
  });

  it('of a newer version, or invalid ones, are refused', () => {
    expect(() => readStoredPlans([{ plan: { ...plan, version: 99 } }])).toThrow(UnknownPlanVersionError);
    expect(() => readStoredPlans([{ plan: { version: 2 } }])).toThrow('entity');
    expect(() => readStoredPlans({ plan })).toThrow();
  });
});
