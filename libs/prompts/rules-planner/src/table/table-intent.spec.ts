import type { RunPlan } from '@quarry/plan';
import { meetsFilters } from '@quarry/plan-compiler';
import { CELLS, readConstituents, type Constituent } from '@quarry/prompt-fixtures';
import { describe, expect, it } from '@jest/globals';
import { profileOf } from './accounts.fixture.js';
import { planBeside } from './plan-over.fixture.js';

/** A prompt with an equivalent hand-written filter, without the planner's code. */
interface Case {
  readonly prompt: string;
  readonly wanted: (company: Constituent) => boolean;
  readonly sort?: RunPlan['table_sort'];
  readonly count?: number;
}

const COMPANIES = readConstituents();
const table = {
  ...profileOf(
    Object.keys(COMPANIES[0]!).map((key) => ({ key, name: key, kind: 'text' })),
    COMPANIES,
  ),
  name: 'S&P 500',
};

const plan = (prompt: string) => planBeside(table, prompt);
const selectedOf = ({ predicates }: RunPlan) => COMPANIES.filter((row) => meetsFilters(row, predicates));

const { sector, branch, added, founded, isIn } = CELLS;

const CASES: Case[] = [
  {
    prompt: 'From my table "S&P 500": industrial companies in Minnesota founded before 1950',
    wanted: (c) => sector(c) === 'Industrials' && isIn(c, 'Minnesota') && founded(c) < 1950,
  },
  {
    prompt: 'in the S&P 500 table, which semiconductor companies were added after 2000?',
    wanted: (c) => branch(c) === 'Semiconductors' && added(c) > '2000-12-31',
  },
  {
    prompt:
      'Using my table S&P 500, list health care companies in Massachusetts or New Jersey, not biotechnology',
    wanted: (c) =>
      sector(c) === 'Health Care' && isIn(c, 'Massachusetts', 'New Jersey') && branch(c) !== 'Biotechnology',
  },
  {
    prompt: 'from the S&P 500 table: symbol starts with A, CIK above 1000000',
    wanted: (c) => c.Symbol.startsWith('A') && Number(c.CIK) > 1_000_000,
  },
  {
    prompt: 'From ‘S&P 500’ companies with headquarters in Ireland or the UK, sorted by date added',
    wanted: (c) => isIn(c, 'Ireland', 'United Kingdom'),
    sort: { column_key: 'Date added', direction: 'ascending' },
  },
  {
    prompt: 'S&P 500: energy companies in Houston, Texas',
    wanted: (c) => sector(c) === 'Energy' && isIn(c, 'Houston'),
  },
  {
    prompt:
      'Companies in my S&P 500 table in the Semiconductors sub-industry headquartered in California founded between 1960 and 2000',
    wanted: (c) =>
      branch(c) === 'Semiconductors' && isIn(c, 'California') && founded(c) >= 1960 && founded(c) <= 2000,
  },
  {
    prompt:
      'from my S&P 500 list, GICS Sector is Financials and Headquarters Location contains New, added before 1995-01-01',
    wanted: (c) =>
      sector(c) === 'Financials' && c['Headquarters Location'].includes('New') && added(c) < '1995-01-01',
  },
  {
    prompt: 'Take the “S&P 500” list and give me the oldest aerospace & defense firms outside California',
    wanted: (c) => branch(c) === 'Aerospace & Defense' && !isIn(c, 'California'),
    sort: { column_key: 'Founded', direction: 'ascending' },
  },
  {
    prompt: 'From my table "S&P 500": REITs founded in the 1990s',
    wanted: (c) => / REITs$/.test(branch(c)) && founded(c) >= 1990 && founded(c) < 2000,
  },
  { prompt: 'from table "S&P 500" where security contains "Bio"', wanted: (c) => c.Security.includes('Bio') },
  {
    prompt: 'From my table "S&P 500": utilities not in Texas, California or New York',
    wanted: (c) => sector(c) === 'Utilities' && !isIn(c, 'Texas', 'California', 'New York'),
  },
  {
    prompt: 'From my table "S&P 500": companies in Florida or Virginia founded after 1980',
    wanted: (c) => isIn(c, 'Florida', 'Virginia') && founded(c) > 1980,
  },
  {
    prompt: 'From my table "S&P 500": software companies in Washington',
    wanted: (c) => / Software$/.test(branch(c)) && isIn(c, 'Washington') && !isIn(c, 'D.C.'),
  },
  {
    prompt: 'From my table "S&P 500": regional banks, except those in Ohio and Alabama',
    wanted: (c) => branch(c) === 'Regional Banks' && !isIn(c, 'Ohio', 'Alabama'),
  },
  {
    prompt:
      'From my table "S&P 500": companies whose GICS Sector is not Industrials and whose symbol ends with X',
    wanted: (c) => sector(c) !== 'Industrials' && c.Symbol.endsWith('X'),
  },
  {
    prompt: 'From my table "S&P 500": companies added between 2010-01-01 and 2014-12-31 in Illinois or Ohio',
    wanted: (c) => added(c) >= '2010-01-01' && added(c) <= '2014-12-31' && isIn(c, 'Illinois', 'Ohio'),
  },
  { prompt: 'How many companies in my S&P 500 table are based in Texas?', wanted: (c) => isIn(c, 'Texas') },
  { prompt: 'From my table "S&P 500": companies founded in 1998', wanted: (c) => founded(c) === 1998 },
  {
    prompt: 'From my table "S&P 500": biotech companies added since 2015-01-01, order by security',
    wanted: (c) => branch(c) === 'Biotechnology' && added(c) >= '2015-01-01',
    sort: { column_key: 'Security', direction: 'ascending' },
  },
  { prompt: 'From my table "S&P 500": companies in New York', wanted: (c) => isIn(c, 'New York') },
  { prompt: 'From my table "S&P 500": companies added in 1997', wanted: (c) => added(c).startsWith('1997') },
  {
    prompt: 'From my table "S&P 500": companies founded between 1900 and 1910 in Ohio, Michigan or Wisconsin',
    wanted: (c) => founded(c) >= 1900 && founded(c) <= 1910 && isIn(c, 'Ohio', 'Michigan', 'Wisconsin'),
  },
  {
    prompt:
      'From my table "S&P 500": 5 real estate companies not in Maryland, sorted by date added descending',
    wanted: (c) => sector(c) === 'Real Estate' && !isIn(c, 'Maryland'),
    sort: { column_key: 'Date added', direction: 'descending' },
    count: 5,
  },
  {
    prompt: 'From my table "S&P 500": software companies excluding California and Washington',
    wanted: (c) => / Software$/.test(branch(c)) && !isIn(c, 'California', 'Washington'),
  },
  { prompt: 'From my table "S&P 500": all companies', wanted: () => true },
  {
    prompt: 'From my table "S&P 500": the first 7 financial companies, sorted by date added, newest first',
    wanted: (c) => sector(c) === 'Financials',
    sort: { column_key: 'Date added', direction: 'descending' },
    count: 7,
  },
  {
    prompt:
      'Companies from the "S&P 500" table not in the Financials or Health Care sector, founded in 2012 or later',
    wanted: (c) => !['Financials', 'Health Care'].includes(sector(c)) && founded(c) >= 2012,
  },
  { prompt: 'From my table "S&P 500": companies in Washington, D.C.', wanted: (c) => isIn(c, 'D.C.') },
  { prompt: 'From my table "S&P 500": companies in New York City', wanted: (c) => isIn(c, 'New York City') },
];

describe('prompts over an imported table', () => {
  it.each(CASES)('$prompt', async ({ prompt, wanted, sort = null, count = null }) => {
    const read = await plan(prompt);
    expect(read).toMatchObject({ source: { kind: 'table', table_id: 'tbl_1' }, notUnderstood: [] });
    expect({ sort: read.table_sort, count: read.count }).toEqual({ sort, count });
    expect(selectedOf(read)).toEqual(COMPANIES.filter(wanted));
    expect(COMPANIES.filter(wanted)).not.toEqual([]);
  });

  it('exclude by negation, and treat a double negation as none', async () => {
    const read = await plan('from my table "S&P 500": exclude those whose GICS Sector is not Financials');
    expect(selectedOf(read)).toEqual(COMPANIES.filter((company) => sector(company) === 'Financials'));
  });

  it('report a filter without a column instead of dropping it', async () => {
    const { notUnderstood, predicates } = await plan(
      'from my table "S&P 500" utilities with more than 500 employees',
    );
    expect(notUnderstood).toEqual(['more than 500 employees']);
    expect(predicates).toHaveLength(1);
  });

  it('search nothing if there is no table of that name', async () => {
    const { count, notUnderstood } = await plan('from my table "S&P 400": industrial companies');
    expect(count).toBe(0);
    expect(notUnderstood).toContain('from my table "S&P 400"');
  });

  it('note how a cell with several years is read', async () => {
    const { notes } = await plan('from my table "S&P 500" companies founded before 1900');
    expect(notes.join(' ')).toContain('the first one counts');
  });

  it('sort by a column and show only the listed columns', async () => {
    const made = await plan(
      'from my table "S&P 500" show only symbol and security, sorted by date added descending',
    );
    expect(made.table_sort).toEqual({ column_key: 'Date added', direction: 'descending' });
    expect(made.columns.map(({ key }) => key)).toEqual(['Symbol', 'Security']);
  });
});
