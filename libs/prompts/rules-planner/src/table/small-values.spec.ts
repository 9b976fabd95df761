import { describe, expect, it } from '@jest/globals';
import { profileOf } from './accounts.fixture.js';
import { planOver } from './plan-over.fixture.js';

const leads = profileOf(
  [
    { key: 'company', name: 'Company', kind: 'text' },
    { key: 'city', name: 'City', kind: 'text' },
    { key: 'country', name: 'Country', kind: 'text' },
    { key: 'state', name: 'State', kind: 'text' },
    { key: 'grade', name: 'Grade', kind: 'text' },
    { key: 'newsletter', name: 'Newsletter', kind: 'text' },
    { key: 'type', name: 'Type', kind: 'text' },
    { key: 'status', name: 'Status', kind: 'text' },
    { key: 'employees', name: 'Employees', kind: 'number' },
  ],
  [
    {
      company: 'Oak',
      city: 'Austin',
      country: 'US',
      state: 'TX',
      grade: 'A',
      newsletter: 'Yes',
      type: 'All',
      status: 'Customer',
      employees: 4,
    },
    {
      company: 'Fir',
      city: 'Gary',
      country: 'US',
      state: 'IN',
      grade: 'B',
      newsletter: 'No',
      type: 'New',
      status: 'Active',
      employees: 9,
    },
    {
      company: 'Yew',
      city: 'Salem',
      country: 'IT',
      state: 'OR',
      grade: 'C',
      newsletter: 'No',
      type: 'New',
      status: 'Active',
      employees: 9,
    },
  ],
);

describe('a table value that is also a function word', () => {
  it.each([
    ['companies in Gary', ['City: Gary']],
    ['a customer with more than 100 employees', ['Status: Customer', 'Employees: 101 or more']],
    ['all customers', ['Status: Customer']],
    ['no customers', ['not Status: Customer']],
    ['give us those in Gary or Salem', ['City: Gary or Salem']],
    ['state is IN or TX and a customer', ['State: IN or TX', 'Status: Customer']],
  ])('is read as that word if its column is not named: %s', async (prompt, filters) => {
    const { predicates, notUnderstood } = await planOver(leads, prompt);
    expect(predicates.map(({ text }) => text)).toEqual(filters);
    expect(notUnderstood).toEqual([]);
  });

  it.each([
    ['state is IN', ['State: IN']],
    ['state is IN or OR', ['State: IN or OR']],
    ['state is in TX', ['State: TX']],
    ['grade A', ['Grade: A']],
    ['companies with grade a or b', ['Grade: A or B']],
    ['type is all', ['Type: All']],
    ['companies in IN', ['State: IN']],
    ['companies in TX OR IN', ['State: TX or IN']],
    ['only "All"', ['Type: All']],
    ['active companies', ['Status: Active']],
    ['new companies', ['Type: New']],
  ])('is read as the value if nothing else is possible: %s', async (prompt, filters) => {
    const { predicates, notUnderstood } = await planOver(leads, prompt);
    expect(predicates.map(({ text }) => text)).toEqual(filters);
    expect(notUnderstood).toEqual([]);
  });
});
