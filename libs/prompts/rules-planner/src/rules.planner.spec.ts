import { describe, expect, it } from '@jest/globals';
import type { PlanAsk, PlanIntent } from '@quarry/plan';
import { plannerContract } from '@quarry/prompt-fixtures';
import { RulesPlanner } from './rules.planner.js';

async function intentOf(prompt: string): Promise<PlanIntent> {
  const ask: PlanAsk = {
    prompt,
    output: [],
    previous: null,
    tables: [],
    tableProfile: () => Promise.reject(new Error('No table is named.')),
    referenceYear: 2025,
  };
  const limits = { signal: new AbortController().signal, deadlineMs: Infinity };
  const { intents } = await new RulesPlanner().createPlan(
    ask,
    { orgId: 'org_1', mode: 'live', requestId: 'spec' },
    limits,
  );
  return intents[0] as PlanIntent;
}

describe('the rules planner', () => {
  for (const { name, isKept } of plannerContract(() => new RulesPlanner())) it(name, isKept);

  it('cites the words of the prompt for every item of its intent', async () => {
    const intent = await intentOf(
      'Find 7 CTOs at fintech or insurtech firms in Berlin, not in Munich, largest first, with phone, 2 per company, ideally B2B',
    );
    const phrases = [
      ...intent.filters,
      ...intent.exclusions.flat(),
      ...intent.columns,
      ...intent.criteria,
    ].map(({ fragments }) => fragments.join(' + '));
    expect(phrases).toEqual(['fintech + insurtech', 'Berlin', 'CTOs', 'Munich', 'phone', 'B2B']);
    expect([intent.count, intent.order, intent.per_company].map((one) => one?.fragments)).toEqual([
      ['7'],
      ['largest first'],
      ['2 per company'],
    ]);
  });

  it('adds nothing that another item already implies', async () => {
    const { filters, columns, exclusions } = await intentOf('CTOs at companies with 50+ staff in Germany');
    expect(filters).toEqual([
      expect.objectContaining({
        of: 'company',
        filter: 'places',
        op: 'in',
        value: [{ kind: 'country', id: 'DE' }],
      }),
      expect.objectContaining({
        of: 'company',
        filter: 'headcount',
        op: 'between',
        value: [{ min: 50, max: null }],
      }),
      expect.objectContaining({ of: 'person', filter: 'roles', op: 'any_of' }),
    ]);
    expect([columns, exclusions]).toEqual([[], []]);
  });
});
