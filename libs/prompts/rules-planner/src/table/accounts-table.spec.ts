import { meetsFilters } from '@quarry/plan-compiler';
import { describe, expect, it } from '@jest/globals';
import {
  accountsPlan,
  ACCOUNT_ROWS,
  namesOf,
  profileOf,
  selectedOf,
  type AccountRow,
} from './accounts.fixture.js';
import { planOver } from './plan-over.fixture.js';

/** Prompts with an equivalent hand-written filter. An empty cell is not excluded by "not". */
type Cases = ReadonlyArray<readonly [prompt: string, wanted: (row: AccountRow) => boolean]>;

function selects(cases: Cases): void {
  for (const [prompt, wanted] of cases)
    it(prompt, async () => {
      const plan = await accountsPlan(prompt);
      expect(plan.notUnderstood).toEqual([]);
      expect(selectedOf(plan)).toEqual(namesOf(ACCOUNT_ROWS.filter(wanted)));
    });
}

describe('values listed after their column', () => {
  selects([
    ['status is not Customer or Prospect', ({ status }) => !['Customer', 'Prospect'].includes(status)],
    ['status not customer, prospect', ({ status }) => !['Customer', 'Prospect'].includes(status)],
    ['owner is not Anna, Bob or Carl Jones', ({ owner }) => owner === null],
    ['owner is not Anna and not Bob', ({ owner }) => owner !== 'Anna' && owner !== 'Bob'],
    ['industry is not Software or Retail', ({ industry }) => !['Software', 'Retail'].includes(industry)],
    ['status is Customer or Prospect', ({ status }) => ['Customer', 'Prospect'].includes(status)],
    ['status is "Customer", "Churned"', ({ status }) => ['Customer', 'Churned'].includes(status)],
    [
      'status is not Customer and owner is Bob',
      ({ status, owner }) => status !== 'Customer' && owner === 'Bob',
    ],
    ['excluding status Customer or Prospect', ({ status }) => !['Customer', 'Prospect'].includes(status)],
  ]);

  it('become one filter', async () => {
    const { predicates } = await accountsPlan('status is Customer or Prospect');
    expect(predicates).toMatchObject([{ test: { op: 'one_of', values: ['Customer', 'Prospect'] } }]);
  });
});

describe('an "and" next to a value', () => {
  selects([
    ['not in Berlin and Paris', ({ city }) => city !== 'Berlin' && city !== 'Paris'],
    ['owner is not Anna and Bob', ({ owner }) => owner !== 'Anna' && owner !== 'Bob'],
    ['not software and retail', ({ industry }) => industry !== 'Software' && industry !== 'Retail'],
    ['aerospace and defense in Berlin', ({ industry, city }) => /^Aero/.test(industry) && city === 'Berlin'],
    ['Aerospace & Defense companies', ({ industry }) => /^Aero/.test(industry)],
  ]);
});

describe('a negated filter', () => {
  selects([
    ['owner != Anna', ({ owner }) => owner !== 'Anna'],
    ['owner !Anna', ({ owner }) => owner !== 'Anna'],
    ['status <> Customer', ({ status }) => status !== 'Customer'],
    ['status not equal to Customer', ({ status }) => status !== 'Customer'],
    ['status is not equal to Customer', ({ status }) => status !== 'Customer'],
    ['status does not equal Customer', ({ status }) => status !== 'Customer'],
    ['status is no customer', ({ status }) => status !== 'Customer'],
    ['status is not one of Customer, Prospect', ({ status }) => !['Customer', 'Prospect'].includes(status)],
    ['status not in (Customer, Prospect)', ({ status }) => !['Customer', 'Prospect'].includes(status)],
    ['status is neither Customer nor Prospect', ({ status }) => !['Customer', 'Prospect'].includes(status)],
    ['e-mail does not contain alder', ({ mail }) => !mail?.includes('alder')],
    ['phone does not start with +49', ({ phone }) => !phone?.startsWith('+49')],
    ["phone doesn't start with +49", ({ phone }) => !phone?.startsWith('+49')],
    ['employees != 50', ({ employees }) => employees !== 50],
  ]);
  selects([
    ['status is not interested', ({ status }) => status === 'Not interested'],
    ['employees is not 50 or 120', ({ employees }) => ![50, 120].includes(employees ?? 0)],
    ['founded is 1990 or 2001', ({ founded }) => ['1990', '2001'].includes(founded ?? '')],
    ['employees is no more than 50', ({ employees }) => employees !== null && employees <= 50],
    ['employees not fewer than 50', ({ employees }) => employees !== null && employees >= 50],
    ['sort by status! Bob only', ({ owner }) => owner === 'Bob'],
  ]);
});

describe('the order of a table', () => {
  it.each([
    ['top 3 by revenue', 'revenue', 'descending'],
    ['the 3 largest by revenue', 'revenue', 'descending'],
    ['top 3 customers by founded', 'founded', 'descending'],
    ['top 3 by revenue, lowest first', 'revenue', 'ascending'],
    ['top 3 by owner', 'owner', 'ascending'],
    ['employees descending', 'employees', 'descending'],
    ['customers, revenue ascending', 'revenue', 'ascending'],
    ['sorted by employees', 'employees', 'ascending'],
    ['top 5', 'employees', 'descending'],
  ])('%s', async (prompt, column_key, direction) => {
    const { table_sort, notUnderstood } = await accountsPlan(prompt);
    expect({ table_sort, notUnderstood }).toEqual({
      table_sort: { column_key, direction },
      notUnderstood: [],
    });
  });

  it('is reported if no column can decide the top', async () => {
    const table = profileOf([{ key: 'owner', name: 'Owner', kind: 'text' }], ACCOUNT_ROWS);
    expect((await planOver(table, 'top 5')).notUnderstood).toEqual(['top']);
  });

  it('has no cap per company, and reports that', async () => {
    const { notUnderstood } = await accountsPlan('2 people per company');
    expect(notUnderstood).toEqual(['2 per company']);
  });
});

describe('filters for empty cells', () => {
  selects([
    ['that have a phone but no e-mail', ({ phone, mail }) => Boolean(phone) && !mail],
    ['that have a phone and no e-mail', ({ phone, mail }) => Boolean(phone) && !mail],
    ['without a phone but with an e-mail', ({ phone, mail }) => !phone && Boolean(mail)],
    ['no phone but an e-mail', ({ phone, mail }) => !phone && Boolean(mail)],
    ['who have neither e-mail nor website', ({ site, mail }) => !site && !mail],
    [
      'companies that have an e-mail in Germany',
      ({ mail, country }) => Boolean(mail) && country === 'Germany',
    ],
    ['must have an e-mail', ({ mail }) => Boolean(mail)],
    ['that have a phone, owner is Bob', ({ phone, owner }) => Boolean(phone) && owner === 'Bob'],
    ['without a website, owner is Bob', ({ site, owner }) => !site && owner === 'Bob'],
    ['who have a phone or an e-mail', ({ phone, mail }) => Boolean(phone) || Boolean(mail)],
    ['phone is set', ({ phone }) => Boolean(phone)],
    ['phone is not set', ({ phone }) => !phone],
    ['that have employees above 50', ({ employees }) => employees !== null && employees > 50],
  ]);
});

describe('a yes-or-no column', () => {
  const rows = [
    { company: 'Ash', active: true, news: 'Yes' },
    { company: 'Bay', active: false, news: 'No' },
    { company: 'Fig', active: true, news: 'No' },
  ];
  const table = profileOf(
    [
      { key: 'company', name: 'Company', kind: 'text' },
      { key: 'active', name: 'Active', kind: 'boolean' },
      { key: 'news', name: 'Newsletter', kind: 'text' },
    ],
    rows,
  );

  it.each([
    ['active companies', ['Ash', 'Fig']],
    ['not active', ['Bay']],
    ['active, without newsletter', ['Fig']],
    ['active is no', ['Bay']],
    ['newsletter is yes', ['Ash']],
    ['no newsletter', ['Bay', 'Fig']],
    ['show company and active', ['Ash', 'Bay', 'Fig']],
  ])('%s', async (prompt, names) => {
    const { predicates, notUnderstood } = await planOver(table, prompt);
    expect(notUnderstood).toEqual([]);
    expect(rows.filter((row) => meetsFilters(row, predicates)).map(({ company }) => company)).toEqual(names);
  });

  it('is shown if columns are listed', async () => {
    const { columns } = await planOver(table, 'show company and active');
    expect(columns.map(({ key }) => key)).toEqual(['company', 'active']);
  });
});

describe('numbers with a fraction', () => {
  const rows = [3.2, 4, 4.2, 4.5, 4.8, 5].map((rating) => ({ rating, staff: rating * 10 }));
  const table = profileOf(
    [
      { key: 'rating', name: 'Rating', kind: 'number' },
      { key: 'staff', name: 'Staff', kind: 'number' },
    ],
    rows,
  );

  it.each([
    ['rating above 4', 'Rating: above 4', [4.2, 4.5, 4.8, 5]],
    ['rating above 4.5', 'Rating: above 4.5', [4.8, 5]],
    ['rating below 4.5', 'Rating: below 4.5', [3.2, 4, 4.2]],
    ['rating at least 4.5', 'Rating: 4.5 or more', [4.5, 4.8, 5]],
    ['more than 4 rating', 'Rating: above 4', [4.2, 4.5, 4.8, 5]],
    ['rating between 4.2 and 4.8', 'Rating: 4.2 to 4.8', [4.2, 4.5, 4.8]],
    ['rating is not above 4', 'Rating: not above 4', [3.2, 4]],
    ['rating around 4.2', 'Rating: 3.36 to 5.04', [4, 4.2, 4.5, 4.8, 5]],
    ['staff above 45.5', 'Staff: above 45.5', [4.8, 5]],
    ['staff above 45', 'Staff: 46 or more', [4.8, 5]],
  ])('%s', async (prompt, filter, ratings) => {
    const { predicates, notUnderstood } = await planOver(table, prompt);
    expect(predicates.map(({ text }) => text)).toEqual([filter]);
    expect(notUnderstood).toEqual([]);
    expect(rows.filter((row) => meetsFilters(row, predicates)).map(({ rating }) => rating)).toEqual(ratings);
  });
});
