import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RowJson, RunJson } from '@quarry/dto';
import { waitFor } from '@quarry/test-servers';
import { ApiClient, brokenInvariants, runAdmin, startProduct, type Product } from '@quarry/testing';

let dir: string;
let product: Product;
let api: ApiClient;

const FIELDS = ['Chemistry', 'Physics', 'Peace'];
/** Fifty people as in a list of prizes: with unusual titles, without a state or the size of their companies. */
const LAUREATES = Array.from({ length: 50 }, (_, i) => {
  const country = i % 2 === 0 ? 'Germany' : 'France';
  const [year, title] = [1950 + i, i % 5 === 0 ? 'Co-Founder' : 'Laureate'];
  return `Ada${i} Zahl${i},${title},${country},University ${i % 7},Prize Research ${FIELDS[i % 3]},${year}`;
});
const COMPANIES = Array.from(
  { length: 20 },
  (_, i) =>
    `Firm ${i},firm-${i}.example,${i % 2 === 0 ? 'Tidal Energy' : 'Fintech'},Berlin,Germany,${i < 4 ? 'Kelp OS; Stripe' : 'Stripe'}`,
);

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'quarry-own-directories-'));
  product = await startProduct({ env: { RATE_LIMIT_SCALE: '100' } });
  api = new ApiClient(product.baseUrl, product.credentials.api_key);
  await imported('people', 'full_name,title,country,company_name,company_industry,year', LAUREATES);
  await imported('companies', 'name,domain,industry,city,country,technologies', COMPANIES);
  await waitFor(
    'the import to be seen',
    async () => (await search('searchCompanies', BERLIN)).body.output?.provider === 'directory:companies',
  );
});
afterAll(async () => {
  const broken = await brokenInvariants(product.database!.database);
  await product.dispose();
  rmSync(dir, { recursive: true });
  expect(broken).toEqual({});
});

const BERLIN = { cities: ['Berlin'], limit: 1 };
interface Found {
  output: { items: Array<Record<string, unknown>>; provider: string };
  credits: { charged: number };
  error: { code: string; message: string };
}
const search = (service: string, input: object) => api.post<Found>(`/services/${service}`, input);

async function imported(kind: string, header: string, lines: readonly string[]): Promise<void> {
  const file = join(dir, `${kind}.csv`);
  writeFileSync(file, `${header}\n${lines.join('\n')}\n`);
  const env = { DATABASE_URL: product.database!.url, DATA_DIR: product.dataDir };
  const { code } = await runAdmin(env, ['directory:import', '--kind', kind, '--file', file, '--name', kind]);
  expect(code).toBe(0);
}

async function rowsOf(prompt: string): Promise<{ run: RunJson; rows: Array<Record<string, unknown>> }> {
  const { body: started } = await api.post<RunJson>('/v1/runs', { prompt });
  const run = await api.runEnd(started);
  const [table] = run.artifacts;
  const rows = table ? (await api.get<{ items: RowJson[] }>(`${table.links.rows}?limit=100`)).body.items : [];
  return { run, rows: rows.map(({ values }) => values) };
}

describe('an imported directory, over HTTP', () => {
  it('is searched by industries that only its rows have', async () => {
    const found = await search('searchCompanies', { industries: ['tidal energy'], limit: 100 });
    expect([found.status, found.body.output.items.length]).toEqual([200, 10]);
    const { run, rows } = await rowsOf('companies in Tidal Energy');
    expect(run.message).toContain('10 of 10 matching');
    expect(run.message).not.toContain('ot understood');
    expect(new Set(rows.map(({ industry }) => industry))).toEqual(new Set(['Tidal Energy']));
    const people = await rowsOf('people at prize research chemistry companies');
    expect(people.rows).toHaveLength(17);
  });

  it('is searched by technologies that only its rows have', async () => {
    const { run, rows } = await rowsOf('companies using Kelp OS with their technologies');
    expect(run.message).toContain('4 of 4 matching');
    expect(run.message).not.toContain('ot understood');
    expect(rows.map(({ technologies }) => technologies)).toEqual(Array(4).fill(['kelp os', 'Stripe']));
    expect((await rowsOf('companies using Stripe in Berlin')).run.message).toContain('20 of 20 matching');
  });

  it('is searched by titles that only its rows have, and by the roles they imply', async () => {
    const laureates = await rowsOf('laureates in Germany');
    expect(laureates.rows).toHaveLength(20);
    expect(laureates.run.message).not.toContain('ot understood');
    const founders = await rowsOf('founders in France');
    expect(founders.rows.map(({ title }) => title)).toEqual(Array(5).fill('Co-Founder'));
    expect(founders.run.message).not.toContain('unknown');
  });

  it.each([
    ['companies in California', 'a state'],
    ['companies in Germany, not in California', 'a state'],
    ['the newest companies in Germany', 'a founding year'],
    ['laureates in Berlin', 'a city'],
  ])('reports in a run an attribute that none of its rows has: %s', async (prompt, lacking) => {
    const { run, rows } = await rowsOf(prompt);
    expect([run.status, rows]).toEqual(['failed', []]);
    expect(run.message).toContain(`No row of the directory has ${lacking}`);
  });

  it.each<[string, object, string]>([
    ['searchCompanies', { headcount_min: 50 }, 'a headcount'],
    ['searchPeople', { cities: ['Berlin'] }, 'a city'],
  ])('reports in %s an attribute that none of its rows has: %j', async (service, input, lacking) => {
    const { status, body } = await search(service, input);
    expect([status, body.error.code]).toEqual([400, 'validation_error']);
    expect(body.error.message).toContain(`No row of the directory has ${lacking}`);
  });
});
