import { describe, expect, it } from '@jest/globals';
import { planPrompt } from './plan-prompt.fixture.js';

describe('a follow-up', () => {
  it.each(['and the CFOs there', 'the CFOs there', 'CFOs of these', 'CFOs at them please'])(
    'that refers back keeps the filters of the previous companies: %s',
    async (prompt) => {
      const previousPlan = await planPrompt('fintech companies in the UK with 50 to 500 employees');
      const plan = await planPrompt(prompt, { previousPlan });
      const filters = plan.predicates.map(({ text }) => text);
      expect(plan.entity).toBe('person');
      expect(filters).toEqual(
        expect.arrayContaining([
          'industry: Fintech',
          'place: United Kingdom',
          'headcount: 50 to 500',
          'role: CFO',
        ]),
      );
    },
  );

  it('with a condition "if there are" is a search of its own', async () => {
    const previousPlan = await planPrompt('fintech companies in the UK');
    const plan = await planPrompt('Find 10 insurers, if there are any in Norway', { previousPlan });
    expect(plan.predicates.map(({ text }) => text)).not.toContain('industry: Fintech');
  });
});
