import type { TableProfile } from '@quarry/plan';
import { matchesPredicate } from '@quarry/plan-compiler';
import { describe, expect, it } from '@jest/globals';
import { planBeside } from './plan-over.fixture.js';
import { INDEX_COLUMNS, INDEX_ROWS, type IndexRow } from './index-companies.fixture.js';

const table: TableProfile = {
  id: 'tbl_1',
  name: 'S&P 500',
  rowCount: INDEX_ROWS.length,
  columns: INDEX_COLUMNS.map((key) => ({ key, name: key, kind: 'text' })),
  values: Object.fromEntries(
    INDEX_COLUMNS.map((key) => [
      key,
      { values: [...new Set(INDEX_ROWS.map((row) => row[key]))], isComplete: true },
    ]),
  ),
};

const plan = (prompt: string) => planBeside(table, prompt);

const symbolsOf = (rows: readonly IndexRow[]): string[] => rows.map((row) => row.Symbol);
const firstYear = (row: IndexRow): number => Number(row.Founded.slice(0, 4));
const placesOf = (row: IndexRow): string[] => row['Headquarters Location'].split(/[,;]\s*/);
const isIn = (row: IndexRow, ...places: string[]): boolean =>
  placesOf(row).some((place) => places.includes(place));

/** Prompts with an equivalent hand-written filter, without the planner's code. */
const CASES: ReadonlyArray<readonly [prompt: string, wanted: (row: IndexRow) => boolean]> = [
  [
    'From my table "S&P 500": industrial companies in Minnesota founded before 1950',
    (row) => row['GICS Sector'] === 'Industrials' && isIn(row, 'Minnesota') && firstYear(row) < 1950,
  ],
  [
    'in the S&P 500 table, which semiconductor companies were added after 2000?',
    (row) => row['GICS Sub-Industry'] === 'Semiconductors' && row['Date added'] > '2000-12-31',
  ],
  [
    'Using my table S&P 500, list health care companies in Massachusetts or New Jersey, not biotechnology',
    (row) =>
      row['GICS Sector'] === 'Health Care' &&
      isIn(row, 'Massachusetts', 'New Jersey') &&
      row['GICS Sub-Industry'] !== 'Biotechnology',
  ],
  [
    'from the S&P 500 table: symbol starts with A, CIK above 1000000',
    (row) => row.Symbol.startsWith('A') && Number(row.CIK) > 1_000_000,
  ],
  [
    'From ‘S&P 500’ companies with headquarters in Ireland or the UK, sorted by date added',
    (row) => isIn(row, 'Ireland', 'United Kingdom'),
  ],
  [
    'S&P 500: energy companies in Houston, Texas',
    (row) => row['GICS Sector'] === 'Energy' && isIn(row, 'Houston'),
  ],
  [
    'Companies in my S&P 500 table in the Semiconductors sub-industry headquartered in California founded between 1960 and 2000',
    (row) =>
      row['GICS Sub-Industry'] === 'Semiconductors' &&
      isIn(row, 'California') &&
      firstYear(row) >= 1960 &&
      firstYear(row) <= 2000,
  ],
  [
    'from my S&P 500 list, GICS Sector is Financials and Headquarters Location contains New, added before 1995-01-01',
    (row) =>
      row['GICS Sector'] === 'Financials' &&
      row['Headquarters Location'].includes('New') &&
      row['Date added'] < '1995-01-01',
  ],
  [
    'Take the “S&P 500” list and give me the oldest aerospace & defense firms outside California',
    (row) => row['GICS Sub-Industry'] === 'Aerospace & Defense' && !isIn(row, 'California'),
  ],
  [
    'From my table "S&P 500": REITs founded in the 1990s',
    (row) => / REITs$/.test(row['GICS Sub-Industry']) && firstYear(row) >= 1990 && firstYear(row) < 2000,
  ],
];

describe('prompts over an imported table', () => {
  for (const [prompt, wanted] of CASES)
    it(prompt, async () => {
      const { predicates, notUnderstood, source } = await plan(prompt);
      const selected = INDEX_ROWS.filter((row) =>
        predicates.every((predicate) => matchesPredicate(row, predicate) === true),
      );
      expect(source).toEqual({ kind: 'table', table_id: 'tbl_1', table_name: 'S&P 500' });
      expect(notUnderstood).toEqual([]);
      expect(symbolsOf(selected)).toEqual(symbolsOf(INDEX_ROWS.filter(wanted)));
      expect(selected.length).toBeGreaterThan(0);
    });

  it('match a text inside a named column: security contains "Bio"', async () => {
    const { predicates } = await plan('from table "S&P 500" where security contains "Bio"');
    const selected = INDEX_ROWS.filter((row) =>
      predicates.every((predicate) => matchesPredicate(row, predicate) === true),
    );
    expect(symbolsOf(selected)).toEqual(symbolsOf(INDEX_ROWS.filter((row) => row.Security.includes('Bio'))));
  });

  it('exclude by negation, and treat a double negation as none', async () => {
    const { predicates } = await plan(
      'from my table "S&P 500": exclude those whose GICS Sector is not Financials',
    );
    const selected = INDEX_ROWS.filter((row) =>
      predicates.every((predicate) => matchesPredicate(row, predicate) === true),
    );
    expect(symbolsOf(selected)).toEqual(
      symbolsOf(INDEX_ROWS.filter((row) => row['GICS Sector'] === 'Financials')),
    );
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
