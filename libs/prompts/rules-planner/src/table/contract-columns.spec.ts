import { evaluateFit } from '@quarry/plan-compiler';
import { describe, expect, it } from '@jest/globals';
import { ACCOUNT_ROWS, accountsPlan, profileOf } from './accounts.fixture.js';
import { planTables } from '../plan-prompt.fixture.js';
import { planOver } from './plan-over.fixture.js';

const contract = (columns: ReadonlyArray<Readonly<Record<string, unknown>>>, entity?: string) => ({
  tables: [{ key: 'list', name: 'My list', max_rows: 5, entity, columns }],
});
const FITS = {
  key: 'fits',
  kind: 'text',
  qualification: { criterion: 'Has 50 to 200 staff', effect: 'require' },
};

describe('an output contract over a table', () => {
  it('is filled from table columns by meaning, and by verdicts; unfilled columns are reported', async () => {
    const output = contract([
      { key: 'name', required: true },
      { key: 'firm' },
      { key: 'mailAddress', name: 'E-mail' },
      { key: 'staff_count', name: 'Number of employees' },
      FITS,
      { key: 'shoe' },
    ]);
    const plan = await accountsPlan('customers', output);
    expect(plan.columns.map(({ key, required, source }) => [key, required, source])).toEqual([
      ['name', true, { from: 'table', column_key: 'company' }],
      ['firm', false, { from: 'table', column_key: 'company' }],
      ['mailAddress', false, { from: 'table', column_key: 'mail' }],
      ['staff_count', false, { from: 'table', column_key: 'employees' }],
      ['fits', false, { from: 'criterion' }],
      ['shoe', false, { from: 'nothing' }],
    ]);
    expect(plan.notUnderstood).toEqual(['column shoe']);
    expect(plan).toMatchObject({ count: 5, table: { key: 'list', name: 'My list' } });
  });

  it("judges rows by its criteria, applied to the table's columns", async () => {
    const { criteria } = await accountsPlan('customers', contract([{ key: 'name' }, FITS]));
    expect(ACCOUNT_ROWS.map((row) => evaluateFit(row, criteria).status)).toEqual([
      'qualified',
      'qualified',
      'disqualified',
      'disqualified',
      'unknown',
    ]);
  });

  it('reports a criterion without a column, and gives each further table its own plan', async () => {
    const vague = { ...FITS, qualification: { criterion: 'Has a blue logo', effect: 'prefer' } };
    const { tables } = contract([vague]);
    const [first, second] = await planTables('From my table "Accounts": customers', {
      tables: [profileOf([{ key: 'status', name: 'Status', kind: 'text' }], ACCOUNT_ROWS)],
      output: { tables: [...tables, { key: 'second', max_rows: 2, columns: [{ key: 'status' }] }] },
    });
    expect(first?.notUnderstood).toEqual(['Has a blue logo']);
    expect(second).toMatchObject({ table: { key: 'second' }, limit: 2, criteria: [], notUnderstood: [] });
  });

  it('pays only for what the table lacks', async () => {
    const output = contract(
      [{ key: 'email' }, { key: 'phone' }, { key: 'industry' }, { key: 'website' }],
      'person',
    );
    const { columns, notUnderstood } = await accountsPlan('customers', output);
    expect(columns.map(({ key, source }) => [key, source.from])).toEqual([
      ['email', 'table'],
      ['phone', 'table'],
      ['industry', 'table'],
      ['website', 'table'],
    ]);
    expect(notUnderstood).toEqual([]);
  });

  it('uses the number of rows in the prompt first', async () => {
    expect((await accountsPlan('2 customers', contract([{ key: 'name' }]))).count).toBe(2);
  });

  it('reports a requested lookup for which it has no column', async () => {
    const table = profileOf([{ key: 'company', name: 'Company', kind: 'text' }], ACCOUNT_ROWS);
    const output = contract([{ key: 'name' }], 'person');
    const { notUnderstood } = await planOver(table, 'everybody with phone number', output);
    expect(notUnderstood).toEqual(['column phone']);
  });
});
