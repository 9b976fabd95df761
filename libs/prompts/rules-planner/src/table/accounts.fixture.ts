import type { RunPlan, TableProfile } from '@quarry/plan';
import { meetsFilters } from '@quarry/plan-compiler';
import type { Beside } from '../plan-prompt.fixture.js';
import { planOver } from './plan-over.fixture.js';

/** Accounts of a sales team, with empty cells and repeated values. */
export const ACCOUNT_ROWS = [
  {
    company: 'Alder',
    mail: 'info@alder.example',
    phone: '+49 30 1',
    city: 'Berlin',
    country: 'Germany',
    revenue: 9_000_000,
    employees: 120,
    founded: '1990',
    status: 'Customer',
    owner: 'Anna',
    industry: 'Software',
    site: 'alder.example',
  },
  {
    company: 'Birch',
    mail: 'hi@birch.example',
    phone: '+33 1 1',
    city: 'Paris',
    country: 'France',
    revenue: 2_000_000,
    employees: 50,
    founded: '2001',
    status: 'Prospect',
    owner: 'Bob',
    industry: 'Retail',
    site: null,
  },
  {
    company: 'Cedar',
    mail: null,
    phone: '+49 40 1',
    city: 'Hamburg',
    country: 'Germany',
    revenue: 700_000,
    employees: 8,
    founded: '2015',
    status: 'Churned',
    owner: 'Carl Jones',
    industry: 'Software',
    site: null,
  },
  {
    company: 'Dogwood',
    mail: '',
    phone: null,
    city: 'Berlin',
    country: 'Germany',
    revenue: 40_000_000,
    employees: 900,
    founded: '1974',
    status: 'Not interested',
    owner: 'Bob',
    industry: 'Aerospace & Defense',
    site: 'dogwood.example',
  },
  {
    company: 'Elm',
    mail: 'elm@elm.example',
    phone: null,
    city: 'Oslo',
    country: 'Norway',
    revenue: null,
    employees: null,
    founded: null,
    status: 'Prospect',
    owner: null,
    industry: 'Aerospace & Defense',
    site: null,
  },
] as const;
export type AccountRow = (typeof ACCOUNT_ROWS)[number];

const COLUMNS: TableProfile['columns'] = [
  { key: 'company', name: 'Company', kind: 'text' },
  { key: 'mail', name: 'E-mail', kind: 'email' },
  { key: 'phone', name: 'Phone', kind: 'text' },
  { key: 'city', name: 'City', kind: 'text' },
  { key: 'country', name: 'Country', kind: 'text' },
  { key: 'revenue', name: 'Revenue', kind: 'number' },
  { key: 'employees', name: 'Employees', kind: 'number' },
  { key: 'founded', name: 'Founded', kind: 'text' },
  { key: 'status', name: 'Status', kind: 'text' },
  { key: 'owner', name: 'Owner', kind: 'text' },
  { key: 'industry', name: 'Industry', kind: 'text' },
  { key: 'site', name: 'Website', kind: 'url' },
];

/** @returns the profile of a table with these rows; the values of a column come from its cells */
export function profileOf(
  columns: TableProfile['columns'],
  rows: ReadonlyArray<Readonly<Record<string, unknown>>>,
): TableProfile {
  const cellsOf = (key: string): string[] =>
    rows.map((row) => row[key] ?? '').flatMap((cell) => (cell === '' ? [] : [String(cell as string)]));
  const values = columns.map(
    ({ key }) => [key, { values: [...new Set(cellsOf(key))], isComplete: true }] as const,
  );
  return {
    id: 'tbl_1',
    name: 'Accounts',
    rowCount: rows.length,
    columns,
    values: Object.fromEntries(values),
  };
}

const accounts = profileOf(COLUMNS, ACCOUNT_ROWS);

export function accountsPlan(prompt: string, output: Beside['output'] = null): Promise<RunPlan> {
  return planOver(accounts, prompt, output);
}

export function namesOf(rows: readonly AccountRow[]): string[] {
  return rows.map(({ company }) => company);
}

/** @returns names of the accounts that a plan selects */
export function selectedOf({ predicates }: RunPlan): string[] {
  return namesOf(ACCOUNT_ROWS.filter((row) => meetsFilters(row, predicates)));
}
