import type { TableProfile } from '@quarry/plan';
import { describe, expect, it } from '@jest/globals';
import { planOver } from '../../table/plan-over.fixture.js';

const table: TableProfile = {
  id: 'tbl_1',
  name: 'Contacts',
  rowCount: 3,
  columns: [
    { key: 'company', name: 'Company', kind: 'text' },
    { key: 'kind', name: 'Type', kind: 'text' },
    { key: 'owner', name: 'Owner', kind: 'text' },
    { key: 'tel', name: 'Phone', kind: 'text' },
    { key: 'town', name: 'City', kind: 'text' },
    { key: 'seats', name: 'Seats', kind: 'number' },
  ],
  values: {
    kind: { values: ['Customers', 'Prospects'], isComplete: true },
    town: { values: ['Berlin', 'Oslo'], isComplete: true },
    seats: { values: ['45', '12', '300'], isComplete: true },
  },
};
const ALL = table.columns.map(({ key }) => key);

const plan = (prompt: string) => planOver(table, prompt);

describe('the columns of an imported table', () => {
  it.each([
    ['show company, phone and city for customers', ['company', 'tel', 'town']],
    ['customers, include only phone', ['tel']],
    ['customers, include phone', ALL],
    ['customers with their phone', ALL],
    ['companies in Berlin', ALL],
    ['customers with city in Berlin', ALL],
  ])('are hidden only if a list says so: %s', async (prompt, shown) => {
    const { columns, notUnderstood } = await plan(prompt);
    expect(columns.map(({ key }) => key)).toEqual(shown);
    expect(notUnderstood).toEqual([]);
  });

  it.each([
    ['all columns except owner', ['except owner']],
    ['all columns but owner', ['owner']],
    ['companies owner in Berlin', ['owner']],
  ])('are reported if they have no meaning: %s', async (prompt, lost) => {
    const { columns, notUnderstood } = await plan(prompt);
    expect(columns.map(({ key }) => key)).toEqual(ALL);
    expect(notUnderstood).toEqual(lost);
  });

  it.each(['customers with an owner', 'customers with a phone in Berlin'])(
    'named by a bare “with” are noted as no condition: %s',
    async (prompt) => {
      const { columns, notes } = await plan(prompt);
      expect(columns.map(({ key }) => key)).toEqual(ALL);
      expect(notes.join()).toContain('was read as a column to show, not as a condition');
    },
  );

  it('of excluded rows are read as a condition', async () => {
    const { predicates } = await plan('exclude those with phone in Berlin');
    expect(predicates.map(({ text }) => text)).toEqual(['not Phone: not empty with City: Berlin']);
  });

  it('after an excluded noun are read with it, even if the noun is a value', async () => {
    const { predicates } = await plan('exclude customers with over 100 seats');
    expect(predicates.map(({ text }) => text)).toEqual(['not Type: Customers with Seats: 101 or more']);
  });

  it.each([
    ['everyone sorted by seats from largest to smallest', 'seats', 'descending'],
    ['everyone sorted by seats, biggest first', 'seats', 'descending'],
    ['sort by owner, descending', 'owner', 'descending'],
    ['everyone sorted by owner from z to a', 'owner', 'descending'],
  ])('are sorted in the direction that follows: %s', async (prompt, column_key, direction) => {
    expect(await plan(prompt)).toMatchObject({ notUnderstood: [], table_sort: { column_key, direction } });
  });
});
