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

  it('works on the rows before it, which have its values', () => {
    expect(rowsOf('company', { columns }, ['name', 'description'])).toBe('tbl_1');
  });

  it('searches where they are not known of the rows', () => {
    expect(rowsOf('company', { columns }, ['name'])).toBeUndefined();
  });
});

describe('a follow-up that sorts', () => {
  it('works on the rows before it, which have what they are put in order by', () => {
    expect(rowsOf('company', { order: ORDER }, ['name', 'headcount'])).toBe('tbl_1');
    expect(rowsOf('person', { order: ORDER }, ['company_headcount'])).toBe('tbl_1');
  });

  it('searches where that is not known of the rows, or other rows are asked for', () => {
    expect(rowsOf('company', { order: ORDER }, ['name'])).toBeUndefined();
    const count = { value: 5, fragments: ['5'], from: 'prompt' } as const;
    expect(rowsOf('company', { order: ORDER, count }, ['headcount'])).toBeUndefined();
  });
});
