import { describe, expect, it } from '@jest/globals';
import { emptyIntent, type PlanIntent } from '@quarry/plan';
import { compilePlan, fittedFollowUp, type StoredPlan } from './index.js';

const ORDER = { by: 'headcount', direction: 'descending', fragments: ['headcount'], from: 'prompt' } as const;

function storedPlan(entity: PlanIntent['entity'], change: Partial<PlanIntent>): StoredPlan {
  const empty = emptyIntent(entity, { source: { kind: 'directory' }, output_table: null });
  const intent = { ...empty, ...change };
  return { intent, plan: compilePlan(intent, { output: null, table: null }), shape: null };
}

/** Returns the rows that a follow-up works on, if the previous rows have these attributes; undefined for a new search. */
function rowsOf(entity: PlanIntent['entity'], change: Partial<PlanIntent>, keys: readonly string[]) {
  const { intent, plan } = storedPlan(entity, {});
  const fitted = fittedFollowUp(storedPlan(entity, { continues: true, ...change }), {
    prompt: 'sort by headcount',
    previous: { intent: intent!, plan },
    found: { table_id: 'tbl_1', run_id: 'run_1', keys },
  });
  return fitted.plan.within?.table_id;
}

describe('a follow-up that adds a column', () => {
  const source = { from: 'directory', attribute: 'description' } as const;
  const columns = [{ source, required: false, fragments: ['description'], from: 'prompt' } as const];

  it('reuses the previous rows if they have its values', () => {
    expect(rowsOf('company', { columns }, ['name', 'description'])).toBe('tbl_1');
  });

  it('searches again if they lack the values', () => {
    expect(rowsOf('company', { columns }, ['name'])).toBeUndefined();
  });
});

describe('a follow-up that sorts', () => {
  it('reuses the previous rows if they have the values to sort by', () => {
    expect(rowsOf('company', { order: ORDER }, ['name', 'headcount'])).toBe('tbl_1');
    expect(rowsOf('person', { order: ORDER }, ['company_headcount'])).toBe('tbl_1');
  });

  it('searches again if they lack the values, or if other rows are requested', () => {
    expect(rowsOf('company', { order: ORDER }, ['name'])).toBeUndefined();
    const count = { value: 5, fragments: ['5'], from: 'prompt' } as const;
    expect(rowsOf('company', { order: ORDER, count }, ['headcount'])).toBeUndefined();
  });
});
