import { describe, expect, it } from '@jest/globals';
import { emptyIntent, type PlanIntent, type RunPlan } from '@quarry/plan';
import { compilePlan, estimateOf } from './index.js';

const COUNT = { value: 20, fragments: ['20'], from: 'prompt' } as const;
const paid = (service: 'getEmail' | 'getPhoneNumber'): PlanIntent['columns'][number] => ({
  source: { from: 'service', service },
  required: false,
  fragments: [service],
  from: 'prompt',
});

const by = (service: string, more: object): PlanIntent['columns'][number] => ({
  source: { from: 'service', service, ...more },
  required: false,
  fragments: [],
  from: 'user',
});

/** Compiles the plan of an intent about people. */
function planOf(change: Partial<PlanIntent>): RunPlan {
  const empty = emptyIntent('person', { source: { kind: 'directory' }, output_table: null });
  return compilePlan({ ...empty, ...change }, { output: null, table: null });
}

describe('the cost estimate of plans', () => {
  it.each([
    ['nothing without paid columns', [{ count: COUNT }], { rows: 20, creditsMax: 0 }],
    [
      'the rows by the price of a paid column',
      [{ count: COUNT, columns: [paid('getEmail')] }],
      { rows: 20, creditsMax: 20 },
    ],
    [
      'the rows by the sum of the prices',
      [{ count: COUNT, columns: [paid('getEmail'), paid('getPhoneNumber')] }],
      { rows: 20, creditsMax: 220 },
    ],
    [
      'the rows that a prompt without a number gets',
      [{ columns: [paid('getEmail')] }],
      { rows: 100, creditsMax: 100 },
    ],
    [
      'the rows by what one call costs that fills two columns, with its constants',
      [
        {
          count: COUNT,
          columns: [
            by('enrichCompany', {}),
            by('enrichCompany', { field: 'headcount' }),
            by('webResearch', { inputs: { question: { value: 'Who?' }, effort: { value: 'high' } } }),
          ],
        },
      ],
      { rows: 20, creditsMax: 20 * 13 },
    ],
    [
      'the sum of all tables',
      [{ count: COUNT, columns: [paid('getEmail')] }, { count: { ...COUNT, value: 3 } }],
      { rows: 23, creditsMax: 20 },
    ],
    [
      'nothing where no rows are described',
      [{ source: { kind: 'nothing', reason: 'no_rows_described' }, columns: [paid('getEmail')] }],
      { rows: 0, creditsMax: 0 },
    ],
  ] as const)('is %s', (_what, intents, estimate) => {
    expect(estimateOf(intents.map((each) => planOf(each)))).toEqual(estimate);
  });
});
