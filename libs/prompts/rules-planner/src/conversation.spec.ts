import type { RunPlan, TableProfile } from '@quarry/plan';
import { describePlan } from '@quarry/plan-compiler';
import { describe, expect, it } from '@jest/globals';
import { planPrompt, type Beside } from './plan-prompt.fixture.js';

const leads: TableProfile = {
  id: 'tbl_1',
  name: 'Leads',
  rowCount: 4,
  columns: [
    { key: 'name', name: 'Full name', kind: 'text' },
    { key: 'tel', name: 'Phone', kind: 'text' },
    { key: 'town', name: 'City', kind: 'text' },
  ],
  values: { town: { values: ['Berlin', 'Munich'], isComplete: true } },
};

async function converse(prompts: readonly string[], more: Beside = {}): Promise<RunPlan> {
  let plan: RunPlan | null = null;
  for (const [index, prompt] of prompts.entries())
    plan = await planPrompt(prompt, {
      tables: [leads],
      previousPlan: plan,
      ...(index === prompts.length - 1 ? more : {}),
    });
  return plan as RunPlan;
}

/** Prompts of a conversation in order, and the filters of the last. */
const DIRECTORY: ReadonlyArray<readonly [prompts: string[], entity: RunPlan['entity'], filters: string[]]> = [
  [['fintech in Germany', 'also in France'], 'company', ['industry: Fintech', 'place: Germany or France']],
  [['fintech in Germany', 'and France'], 'company', ['industry: Fintech', 'place: Germany or France']],
  [['fintech in Germany', 'add Austria'], 'company', ['industry: Fintech', 'place: Germany or Austria']],
  [['fintech in Germany', 'now in France'], 'company', ['industry: Fintech', 'place: France']],
  [['fintech in Germany, excluding Berlin', 'in Berlin'], 'company', ['industry: Fintech', 'place: Berlin']],
  [
    ['fintech companies that are hiring', 'that are not hiring'],
    'company',
    ['industry: Fintech', 'not is hiring'],
  ],
  [
    ['CTOs in Berlin', 'only those at companies with 50+ staff'],
    'person',
    ['headcount: 50 or more', 'role: CTO', 'lives in: Berlin'],
  ],
  [['CTOs in Berlin', 'also CEOs'], 'person', ['role: CTO or CEO', 'lives in: Berlin']],
  [
    ['CTOs in Berlin', 'at fintech companies'],
    'person',
    ['industry: Fintech', 'role: CTO', 'lives in: Berlin'],
  ],
  [
    ['fintech companies in Berlin', 'only the CTOs'],
    'person',
    ['industry: Fintech', 'place: Berlin', 'role: CTO'],
  ],
  [
    ['fintech companies in Berlin', '20 biotech companies in Spain'],
    'company',
    ['industry: Biotechnology', 'place: Spain'],
  ],
];

describe('a conversation over the directory', () => {
  for (const [prompts, entity, filters] of DIRECTORY)
    it(prompts.join(' → '), async () => {
      const plan = await converse(prompts);
      expect(plan.entity).toBe(entity);
      expect(plan.predicates.map(({ text }) => text)).toEqual(filters);
      expect(plan.notUnderstood).toEqual([]);
    });

  it('removes a column', async () => {
    const plan = await converse(['CTOs in Berlin with phone and email', 'without phone']);
    const keys = plan.columns.map(({ key }) => key);
    expect([keys.includes('phone'), keys.includes('email')]).toEqual([false, true]);
    expect(plan.notUnderstood).toEqual([]);
  });

  it('removes no column for words in the middle, which refer to rows', async () => {
    const plan = await converse(['fintech companies with website', 'only those with no website']);
    expect(plan.columns.map(({ key }) => key)).toContain('website');
    expect(plan.notUnderstood.join()).toContain('website');
  });

  it('adds requested rows to the previous number, even if that was the default', async () => {
    const limitOf = async (...prompts: string[]) => (await converse(prompts)).limit;
    expect(await limitOf('10 fintech companies', 'show 5 more')).toBe(15);
    expect(await limitOf('10 fintech companies', '5 more', '20 more please')).toBe(35);
    expect(await limitOf('CTOs in Berlin with work email', '5 more')).toBe(105);
    expect(await limitOf('10 fintech companies', 'only 5')).toBe(5);
  });

  it('says that rows may repeat, and which parts of the previous search are ignored', async () => {
    expect((await converse(['10 fintech companies', 'show some more'])).notes.join()).toContain(
      'shown before',
    );
    const people = await converse(['top 5 fintech companies in Germany', 'their CEOs']);
    expect(people.notes.join()).toContain('Its number of rows, its order and its criteria do not count here');
  });

  it('does not continue a search that was not performed', async () => {
    const plan = await converse(['From my table "Nope": CTOs', 'only those in Paris']);
    expect(plan.count).toBeNull();
    expect(describePlan(plan)).toContain('Paris');
  });

  it('has the columns of the output contract, and other rows if it requires them', async () => {
    const columns = [{ key: 'firm', name: 'Company name', required: true }];
    const ask = (entity: string) =>
      converse(['fintech companies in Germany', 'only those in Berlin'], {
        output: { tables: [{ key: 'out', entity, columns }] },
      });
    const same = await ask('company');
    expect(same.columns.map(({ key, required }) => [key, required])).toEqual([['firm', true]]);
    expect(same.companies.industries).toEqual(['fintech']);
    expect((await ask('person')).entity).toBe('person');
  });
});

describe('a conversation over a table', () => {
  it.each([
    [
      ['From my table "Leads": those in Berlin', 'only those with a phone'],
      ['City: Berlin', 'Phone: not empty'],
    ],
    [
      ['From my table "Leads": those without a phone', 'in Berlin'],
      ['Phone: empty', 'City: Berlin'],
    ],
  ])('stays with the table: %j', async (prompts, filters) => {
    const plan = await converse(prompts);
    expect(plan.source).toMatchObject({ kind: 'table', table_id: 'tbl_1' });
    expect(plan.predicates.map(({ text }) => text)).toEqual(filters);
  });

  it('has the columns of the output contract, too', async () => {
    const tables = [{ key: 'out', columns: [{ key: 'name', name: 'Full name' }] }];
    const plan = await converse(['From my table "Leads": those in Berlin', 'only those with a phone'], {
      output: { tables },
    });
    expect(plan.columns.map(({ key }) => key)).toEqual(['name']);
    expect(plan.predicates).toHaveLength(2);
  });

  it('leaves the table for an independent question, and reports references to rows elsewhere', async () => {
    const own = await converse(['From my table "Leads": those in Berlin', '20 fintech companies in Paris']);
    expect(own.source.kind).toBe('directory');
    const elsewhere = await converse([
      'fintech companies',
      'From my table "Leads": those at these companies',
    ]);
    expect(elsewhere.notUnderstood).toContain('these companies');
  });
});

it('a search cannot exclude the rows of a table, and says so', async () => {
  const plan = await converse(['CTOs in Berlin that are not in my table "Leads"']);
  expect(plan.source.kind).toBe('directory');
  expect(plan.notUnderstood).toEqual(['not in my table "Leads"']);
});
