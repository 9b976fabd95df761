import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RowJson, RunJson, TableJson } from '@quarry/dto';
import { CELLS, readConstituents, type Constituent } from '@quarry/prompt-fixtures';
import { ApiClient, startProduct, type Product } from '@quarry/testing';

type Page<T> = { items: T[]; next_cursor: string | null };

interface Case {
  prompt: string;
  /** Written by hand over the records of the file, independent of the product's reading of prompts and cells. */
  wanted: (company: Constituent) => boolean;
  /** Sort key; companies with equal keys keep the order of the table. */
  by?: (company: Constituent) => string | number;
  isDescending?: boolean;
  limit?: number;
  /** The only requested columns. */
  columns?: ReadonlyArray<keyof Constituent>;
}

/** Page size, small enough that most results take several pages. */
const PAGE_ROWS = 40;

const COMPANIES = readConstituents();

const { sector, branch, added, founded, isIn } = CELLS;

const ABROAD = ['Ireland', 'United Kingdom', 'Switzerland', 'Bermuda', 'Netherlands', 'Canada'];

/** Orders, counts and columns: the planner's table-intent.spec.ts holds how filters are read. */
const CASES: Case[] = [
  {
    prompt: 'From my table "S&P 500": companies in Pennsylvania, sorted by security descending',
    wanted: (c) => isIn(c, 'Pennsylvania'),
    by: (c) => c.Security.toLowerCase(),
    isDescending: true,
  },
  {
    prompt: 'From my table "S&P 500": the first 7 financial companies, sorted by date added newest first',
    wanted: (c) => sector(c) === 'Financials',
    by: added,
    isDescending: true,
    limit: 7,
  },
  {
    prompt: 'From my table "S&P 500": the 10 oldest companies in Massachusetts',
    wanted: (c) => isIn(c, 'Massachusetts'),
    by: founded,
    limit: 10,
  },
  {
    prompt: 'From my table "S&P 500": companies outside the United States founded after 1950',
    // The company without headquarters ("none") is in no country.
    wanted: (c) => isIn(c, ...ABROAD, 'none') && founded(c) > 1950,
  },
  {
    prompt: 'From my table "S&P 500": materials companies, sorted by security',
    wanted: (c) => sector(c) === 'Materials',
    by: (c) => c.Security.toLowerCase(),
  },
  {
    prompt: 'From my table "S&P 500": 12 companies in Texas sorted by CIK',
    wanted: (c) => isIn(c, 'Texas'),
    by: (c) => Number(c.CIK),
    limit: 12,
  },
  {
    prompt: 'from my table "S&P 500" show only symbol and security, sorted by date added descending',
    wanted: () => true,
    by: added,
    isDescending: true,
    columns: ['Symbol', 'Security'],
  },
  {
    prompt: 'From my table "S&P 500": tobacco companies in Montana',
    wanted: (c) => branch(c) === 'Tobacco' && isIn(c, 'Montana'),
  },
];

function answerOf({ wanted, by, isDescending = false, limit, columns }: Case): {
  rows: object[];
  matching: number;
} {
  const found = COMPANIES.filter(wanted);
  if (by) {
    const sign = isDescending ? -1 : 1;
    found.sort((a, b) => (by(a) < by(b) ? -sign : by(a) > by(b) ? sign : 0));
  }
  const given = found.slice(0, limit);
  const rows = columns
    ? given.map((company) => Object.fromEntries(columns.map((key) => [key, company[key]])))
    : given;
  return { rows, matching: found.length };
}

describe('a prompt over an imported table of 503 companies', () => {
  let product: Product;
  let api: ApiClient;
  let tableId: string;
  let balance: number;

  beforeAll(async () => {
    product = await startProduct({ env: { RATE_LIMIT_SCALE: '100', LOG_LEVEL: 'error' } });
    api = new ApiClient(product.baseUrl, product.credentials.api_key);
    const workspace = (await api.post<{ id: string }>('/v1/workspaces', { name: 'Index' })).body;
    const columns = Object.keys(COMPANIES[0]!).map((key) => ({ key, name: key }));
    const body = { name: 'S&P 500', columns, rows: COMPANIES };
    const made = await api.post<TableJson>(`/v1/workspaces/${workspace.id}/tables`, body);
    expect(made).toMatchObject({ status: 201, body: { row_count: COMPANIES.length } });
    expect(COMPANIES).toHaveLength(503);
    tableId = made.body.id;
    balance = await credits();
  });
  afterAll(() => product.dispose());

  const credits = async () => (await api.get<{ balance: number }>('/credits')).body.balance;

  async function completed(prompt: string): Promise<RunJson> {
    const { status, body } = await api.post<RunJson>('/v1/runs', { prompt });
    expect(status).toBe(202);
    const run = await api.runEnd(body);
    expect(run).toMatchObject({ status: 'completed', error: null });
    return run;
  }

  async function valuesOf(path: string): Promise<RowJson['values'][]> {
    const values: RowJson['values'][] = [];
    for (let cursor: string | null = null; ;) {
      const more: string = cursor === null ? '' : `&cursor=${cursor}`;
      const { body } = await api.get<Page<RowJson>>(`${path}?limit=${PAGE_ROWS}${more}`);
      values.push(...body.items.map((row) => row.values));
      if (body.next_cursor === null) return values;
      cursor = body.next_cursor;
    }
  }

  async function givesTheAnswer(one: Case): Promise<void> {
    const { rows, matching } = answerOf(one);
    const { artifacts, message } = await completed(one.prompt);
    const table = (await api.get<TableJson>(artifacts[0]!.links.self)).body;
    expect(await valuesOf(artifacts[0]!.links.rows)).toEqual(rows);
    expect(table.row_count).toBe(rows.length);
    expect(message).toContain(
      matching === 0 ? 'There are no matching rows: ' : `${rows.length} of ${matching} matching rows `,
    );
    expect(message).not.toContain('Not understood');
  }

  it.each(CASES)('selects the same rows as a filter by hand: $prompt', givesTheAnswer);

  it('gets a plan that names the table, even before there is a workspace', async () => {
    const { body } = await api.post('/v1/plans', { prompt: CASES[0]!.prompt });
    expect(body).toMatchObject({ intent: { source: { kind: 'table', table_id: tableId } } });
  });

  it('reports a filter without a column, instead of dropping it', async () => {
    const run = await completed('From my table "S&P 500": utilities with more than 500 employees');
    expect(run.message).toContain('Not understood and not applied: “more than 500 employees”');
    expect(await valuesOf(run.artifacts[0]!.links.rows)).toEqual(
      COMPANIES.filter((company) => sector(company) === 'Utilities'),
    );
  });

  it.each([
    ['the oldest company in each GICS Sector', 'in each GICS'],
    ['one company per GICS Sector', 'per GICS'],
  ])('reports a grouping, instead of returning all rows: %s', async (prompt, words) => {
    const run = await completed(`From my table "S&P 500": ${prompt}`);
    expect(/Not understood and not applied: ([^.]*)/.exec(run.message)?.[1]).toContain(words);
  });

  it('changes neither the table nor the credits', async () => {
    expect(await valuesOf(`/v1/tables/${tableId}/rows`)).toEqual(COMPANIES);
    expect(await credits()).toBe(balance);
  });
});
