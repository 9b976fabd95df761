import { describe, expect, it } from '@jest/globals';
import { emptyIntent, type RunPlan } from '@quarry/plan';
import fc from 'fast-check';
import { compilePlan } from './compile/compile-plan.js';
import { describePlan, describeTables, MESSAGE_CHARACTERS_MAX } from './describe-plan.js';

const plan = compilePlan(emptyIntent('company', { source: { kind: 'directory' }, output_table: null }), {
  output: null,
  table: null,
});
const text = fc.string({ maxLength: 5000, unit: 'grapheme' });
const plans: fc.Arbitrary<RunPlan> = fc
  .record({ texts: fc.array(text, { maxLength: 60 }), isEmpty: fc.boolean(), tableName: text })
  .map(({ texts, isEmpty, tableName }) => ({
    ...plan,
    ...(isEmpty ? { isEmpty: true as const } : {}),
    source: { kind: 'table', table_id: 'tbl_1', table_name: tableName },
    predicates: texts.map((each) => ({
      column_keys: [each],
      negate: false,
      test: { op: 'filled' },
      text: each,
    })),
    criteria: texts.map((each) => ({ column_key: each, criterion: each, effect: 'require', test: null })),
    notes: texts,
    notUnderstood: texts,
  }));

describe('the description of a plan', () => {
  it('stays within its limit for any plan', () => {
    fc.assert(
      fc.property(plans, fc.integer({ min: 0, max: MESSAGE_CHARACTERS_MAX }), (made, max) => {
        expect(describePlan(made, max).length).toBeLessThanOrEqual(max);
      }),
      { numRuns: 50 },
    );
  });

  it('stays within it for all tables of a run, and keeps the summary of each', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ plan: plans, summary: text }), { maxLength: 10 }), (tables) => {
        expect(describeTables(tables).length).toBeLessThanOrEqual(MESSAGE_CHARACTERS_MAX);
      }),
      { numRuns: 30 },
    );
    const long = { ...plan, notes: Array.from({ length: 40 }, (_, i) => `note ${i} `.repeat(20)) };
    const tables = [1, 2].map((n) => ({ plan: long, summary: `${n} of 9 matching companies.` }));
    for (const { summary } of tables) expect(describeTables(tables)).toContain(summary);
  });

  it('shortens long values before it omits any', () => {
    const predicates = Array.from({ length: 12 }, (_, i) => ({
      column_keys: ['x'],
      negate: false,
      test: { op: 'filled' } as const,
      text: `column ${i}: ${'long '.repeat(80)}`,
    }));
    const origin = describePlan({ ...plan, predicates });
    for (let i = 0; i < 12; i += 1) expect(origin).toContain(`column ${i}: long`);
    expect(origin).not.toContain('long '.repeat(30));
  });
});
