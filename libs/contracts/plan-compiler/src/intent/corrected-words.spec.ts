import { describe, expect, it } from '@jest/globals';
import { emptyIntent, type PlanIntent } from '@quarry/plan';
import { withoutCorrected } from './corrected-words.js';

const BEFORE: PlanIntent = {
  ...emptyIntent('company', { source: { kind: 'directory' }, output_table: null }),
  count: { value: 3, fragments: ['3'], from: 'prompt' },
  not_understood: ['scale-ups (50-250 ppl)', 'a blue logo'],
};
const headcount = (fragment: string): PlanIntent['filters'][number] => ({
  of: 'company',
  filter: 'headcount',
  op: 'between',
  value: [{ min: 50, max: 250 }],
  fragments: [fragment],
  from: 'prompt',
});

function openAfter(change: Partial<PlanIntent>, before: PlanIntent | null = BEFORE): readonly string[] {
  return (withoutCorrected({ ...BEFORE, ...change }, before) as PlanIntent).not_understood;
}

describe('words that were not understood', () => {
  it('are resolved by a correction that names them or a part of them', () => {
    for (const fragment of ['50-250 ppl', 'Scale-ups (50-250 ppl)', 'the scale-ups (50-250 ppl) of Spain'])
      expect(openAfter({ filters: [headcount(fragment)] })).toEqual(['a blue logo']);
  });

  it('stay unresolved if nothing new names them', () => {
    expect(openAfter({})).toEqual(BEFORE.not_understood);
    expect(openAfter({ filters: [headcount('250 seats')] })).toEqual(BEFORE.not_understood);
    // An item that existed before the correction does not explain them.
    const known = { ...BEFORE, filters: [headcount('50-250 ppl')] };
    expect(openAfter({ filters: known.filters }, known)).toEqual(BEFORE.not_understood);
    expect(openAfter({ filters: [headcount('50-250 ppl')] }, null)).toEqual(BEFORE.not_understood);
  });
});
