import { describe, expect, it } from '@jest/globals';
import type { RunPlan, TableProfile } from '@quarry/plan';
import { planPrompt, type Beside } from './plan-prompt.fixture.js';

const accounts: TableProfile = {
  id: 'tbl_1',
  name: 'Accounts',
  rowCount: 3,
  columns: [
    { key: 'company', name: 'Company', kind: 'text' },
    { key: 'country', name: 'Country', kind: 'text' },
    { key: 'domain', name: 'Domain', kind: 'text' },
  ],
  values: { country: { values: ['Germany', 'France'], isComplete: true } },
};

const keysOf = ({ columns }: RunPlan): string[] => columns.map(({ key }) => key);
const contract = (key: string, columns: string[], more: object = {}): Beside['output'] => ({
  tables: [{ key, ...more, columns: columns.map((each) => ({ key: each })) }],
});

/** Says one prompt after the other; the contract is that of the first. */
async function converse(prompts: readonly string[], output: Beside['output'] = null): Promise<RunPlan> {
  let plan: RunPlan | null = null;
  for (const [i, prompt] of prompts.entries())
    plan = await planPrompt(prompt, {
      tables: [accounts],
      previousPlan: plan,
      output: i === 0 ? output : null,
    });
  return plan as RunPlan;
}

// Each intent is judged by the fixture, as a run judges it.
describe('a conversation with follow-ups', () => {
  it('keeps the columns of an earlier contract over a table', async () => {
    const prompts = ['From my table "Accounts": all rows', 'only those in Germany'];
    const plan = await converse(prompts, contract('accounts', ['company', 'country', 'domain']));
    expect(keysOf(plan)).toEqual(['company', 'country', 'domain']);
  });

  it('over a table continues with people if it began with them', async () => {
    const plan = await converse(['People from my table "Accounts" with work email', 'only those in Germany']);
    expect([plan.entity, keysOf(plan)]).toEqual(['person', expect.arrayContaining(['email'])]);
  });

  it.each([
    [['people in Berlin with email and phone', 'without phone', 'only those in Munich'], 'phone'],
    [['fintech companies in Germany', 'drop the headcount', 'only those that are hiring'], 'headcount'],
  ])('keeps columns removed: %j', async (prompts, key) => {
    expect(keysOf(await converse(prompts.slice(0, 1)))).toContain(key);
    expect(keysOf(await converse(prompts))).not.toContain(key);
  });

  it('restores a removed column when it is requested again', async () => {
    const prompts = ['people in Berlin with email and phone', 'without phone', 'also add their phone'];
    expect(keysOf(await converse(prompts))).toContain('phone');
  });

  it('keeps the row limit of an earlier contract until another number is given', async () => {
    const output = contract('rows', ['name'], { max_rows: 5 });
    const { limit } = await converse(['fintech companies in Germany', 'also in France'], output);
    expect(limit).toBe(5);
    const more = await converse(['fintech companies in Germany', 'also in France, 20 of them'], output);
    expect([more.count, more.limit]).toEqual([20, 20]);
  });
});

describe('unusual sizes in a prompt', () => {
  it.each([
    ['2.5 people per company at fintech companies in Germany'],
    ['0 people per company at fintech companies in Germany'],
    [`fintech companies in Germany, call the table ${'very '.repeat(60)}long`],
    [`people at "${'x'.repeat(300)}"`],
    [`companies with more than ${'9'.repeat(400)} employees`],
  ])('give a valid intent: %.60s', async (prompt) => {
    expect((await planPrompt(prompt)).entity).toMatch(/company|person/);
  });

  it('are accepted as a table key in a JSON Schema', async () => {
    const rows = { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } };
    const properties = { ['k'.repeat(300)]: rows };
    const plan = await planPrompt('fintech companies', {
      output: { schema: { type: 'object', properties } },
    });
    expect(plan.table.key).toBe('k'.repeat(300));
  });
});
