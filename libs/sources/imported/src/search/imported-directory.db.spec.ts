import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type CompanyDirectory,
  companyMatches,
  type CompanyQuery,
  type DirectorySort,
  type PeopleDirectory,
  type PeopleQuery,
} from '@quarry/directory';
import { COUNTRIES, countryPlace, placeNamed, type Place, roleNamed, type Role } from '@quarry/vocabulary';
import { createTestDatabase, testCtx, type TestDatabase } from '@quarry/testing';
import { directoryContract } from '@quarry/testing';
import { SandboxDirectory } from '@quarry/prompt-fixtures';
import { importFile, writeRecords } from '../directories.fixture.js';
import { DirectoryStore } from '../tables/directory.store.js';
import { ImportedCompanies, ImportedPeople } from './imported-directory.js';

const sandbox = new SandboxDirectory();
let test: TestDatabase;
let dir: string;
let companies: ImportedCompanies;
let people: ImportedPeople;

/** Filled in once the rows exist: the contract needs a directory before any hook has run. */
const imported: CompanyDirectory & PeopleDirectory = {
  provider: 'directory:sandbox',
  searchCompanies: (query, options) => companies.searchCompanies(query, options),
  searchPeople: (query, options) => people.searchPeople(query, options),
};

beforeAll(async () => {
  test = await createTestDatabase();
  dir = mkdtempSync(join(tmpdir(), 'quarry-directory-'));
  for (const [kind, records] of [
    ['companies', sandbox.companies()],
    ['people', sandbox.people()],
  ] as const) {
    const path = await writeRecords(join(dir, `${kind}.jsonl`), records);
    const report = await importFile(test.database, kind, 'sandbox', path);
    expect([report.rowCount, report.rejected]).toEqual([records.length, []]);
  }
  const heads = await new DirectoryStore(test.database).listDirectories();
  const numberOf = (kind: string): number => heads.find((head) => head.kind === kind)!.number;
  // All rows are counted exactly, so that totals can be compared.
  const reader = { database: test.database, ctx: testCtx('org_search'), countedMax: 100_000 };
  companies = new ImportedCompanies(reader, 'sandbox', numberOf('companies'));
  people = new ImportedPeople(reader, 'sandbox', numberOf('people'));
});
afterAll(async () => {
  rmSync(dir, { recursive: true, force: true });
  await test.drop();
});

directoryContract('imported', imported, {
  findCompany: (key) => companies.findCompany(key),
  findPerson: (key) => people.findPerson(key),
});

const place = (name: string): Place => placeNamed(name)!;
const role = (name: string): Role => roleNamed(name)!;
const [first, second] = sandbox.companies();
const [someone] = sandbox.people();
const within = (min: number | null, max: number | null) => [{ min, max }];

/** All filters of companies, alone and combined, positive and negated. */
const COMPANY_QUERIES: ReadonlyArray<readonly [string, CompanyQuery]> = [
  ['everything', {}],
  ['nothing', { industries: [] }],
  ['names', { names: [first!.name.toUpperCase(), `${second!.name}!`] }],
  ['names with odd characters', { names: [`'; DROP TABLE x; --`, '\\', '%', '_', '"{}"', '🦄', 'ﬁ'] }],
  ['domains', { domains: [first!.domain.toUpperCase(), 'nobody.invalid'] }],
  ['industries', { industries: ['fintech', 'banking'] }],
  ['countries', { places: [place('Germany'), place('Japan')] }],
  ['a region', { places: COUNTRIES.slice(3, 9).map(countryPlace) }],
  ['cities and a country', { places: [place('Munich'), place('San Francisco'), place('France')] }],
  [
    'several industries in several countries, one of them twice',
    {
      industries: ['software', 'fintech', 'software'],
      places: [place('Germany'), place('France'), place('dach')],
    },
  ],
  [
    'several industries in several cities',
    { industries: ['software', 'retail'], places: [place('Berlin'), place('Paris')] },
  ],
  ['a city and its state', { places: [place('San Francisco'), place('California')] }],
  ['states', { places: [place('California'), place('Bavaria')] }],
  ['no place', { places: [] }],
  ['headcount', { headcount: within(50, 200) }],
  ['several ranges', { headcount: [...within(null, 5), ...within(1000, null)] }],
  ['a range without bounds', { funding_amount_usd: within(null, null) }],
  ['founded', { founded: within(1990, 1999) }],
  ['funding', { funding_amount_usd: within(1_000_000, null), funding_stages: ['seed', 'series_a'] }],
  ['revenue', { revenue_usd: within(5_000_000_000, null) }],
  ['business models and ownerships', { business_models: ['b2b'], ownerships: ['public', 'nonprofit'] }],
  ['technologies', { technologies: ['react', 'go'] }],
  ['all technologies', { all_technologies: ['react', 'aws'] }],
  ['hiring', { is_hiring: true, hiring_departments: ['sales', 'engineering'] }],
  ['not hiring', { is_hiring: false, industries: ['software'] }],
  [
    'much at once',
    { industries: ['software', 'fintech'], places: [place('United States')], headcount: within(11, 500) },
  ],
  [
    'ruled out',
    { places: [place('Germany')], not: [{ industries: ['software'] }, { headcount: within(null, 10) }] },
  ],
  [
    'unknown is not ruled out',
    { not: [{ funding_stages: ['seed'] }, { funding_amount_usd: within(1, null) }] },
  ],
  ['all ruled out', { not: [{}] }],
];

const PEOPLE_QUERIES: ReadonlyArray<readonly [string, PeopleQuery]> = [
  ['everybody', {}],
  ['names', { names: [someone!.full_name.toUpperCase(), `O'Nobody`] }],
  ['roles', { roles: [role('CTO'), role('heads of sales')] }],
  ['a title by its words', { roles: [role('software engineer')] }],
  ['a title with odd characters', { roles: [role(`c++ 'dev' {x} \\ "y"`)] }],
  ['no role', { roles: [] }],
  ['places', { places: [place('Berlin'), place('Texas')] }],
  ['one of each company', { per_company: 1, roles: [role('engineering director'), role('CEO')] }],
  ['two of each company', { per_company: 2, company: { industries: ['banking'] } }],
  [
    'by company',
    { company: { places: [place('Germany')], headcount: within(100, null) }, roles: [role('CFO')] },
  ],
  ['by the name of the company', { company: { names: [someone!.company.name] } }],
  ['of no company ruled out', { company: { not: [{ industries: ['software'] }] }, roles: [role('CMO')] }],
  ['ruled out', { places: [place('France')], not: [{ roles: [role('CEO')] }] }],
];

const SORTS: ReadonlyArray<DirectorySort | undefined> = [
  undefined,
  { by: 'headcount', direction: 'ascending' },
  { by: 'name', direction: 'ascending' },
  { by: 'name', direction: 'descending' },
  { by: 'founded_year', direction: 'ascending' },
  { by: 'revenue_usd', direction: 'descending' },
  { by: 'funding_amount_usd', direction: 'ascending' },
  { by: 'funding_amount_usd', direction: 'descending' },
];

/** Limit and offset: the first page, a later one, and one after the last match of most queries. */
const PAGES = [
  [25, 0],
  [10, 15],
  [5, 4000],
] as const;

const sorted = (sort: DirectorySort | undefined) => (sort ? { sort } : {});

describe('an imported directory matches the one in memory', () => {
  it('for companies: same records, order, pages and total for every filter and sort', async () => {
    for (const [i, [what, query]] of COMPANY_QUERIES.entries())
      for (const [at, sort] of SORTS.entries()) {
        if (at > 0 && (i + at) % 3 > 0) continue;
        const [limit, offset] = PAGES[(i + at) % PAGES.length]!;
        const options = { limit, offset, ...sorted(sort) };
        const wanted = await sandbox.searchCompanies(query, options);
        const found = await companies.searchCompanies(query, options);
        expect({ what, sort, ...found, provider: 'sandbox' }).toEqual({ what, sort, ...wanted });
      }
  });

  it('for people: same records, order, pages and total for every filter and sort', async () => {
    for (const [i, [what, query]] of PEOPLE_QUERIES.entries())
      for (const [at, sort] of [undefined, SORTS[1], SORTS[6]].entries()) {
        const [limit, offset] = PAGES[(i + at) % PAGES.length]!;
        const options = { limit, offset, ...sorted(sort) };
        const wanted = await sandbox.searchPeople(query, options);
        const found = await people.searchPeople(query, options);
        expect({ what, sort, ...found, provider: 'sandbox' }).toEqual({ what, sort, ...wanted });
      }
  });

  it('for excluded records, which are skipped at the same positions', async () => {
    const isOdd = ({ id }: { id: string }): boolean => Number(id.slice(-1)) % 2 === 1;
    const options = { limit: 20, offset: 30, exclude: isOdd };
    const query = { industries: ['software'] };
    const wanted = await sandbox.searchCompanies(query, options);
    expect({ ...(await companies.searchCompanies(query, options)), provider: 'sandbox' }).toEqual(wanted);
    const capped = { company: query, per_company: 1 };
    const wantedPeople = await sandbox.searchPeople(capped, options);
    expect({ ...(await people.searchPeople(capped, options)), provider: 'sandbox' }).toEqual(wantedPeople);
  });

  it('with an exact total up to its limit, and beyond it with no fewer than the page shows', async () => {
    const heads = await new DirectoryStore(test.database).listDirectories();
    const reader = { database: test.database, ctx: testCtx('org_search'), countedMax: 50 };
    const { number } = heads.find(({ kind }) => kind === 'companies')!;
    const bounded = new ImportedCompanies(reader, 'sandbox', number);
    const few = { industries: ['semiconductors'], places: [place('Germany')] };
    const total = (await sandbox.searchCompanies(few, { limit: 1 })).total;
    expect((await bounded.searchCompanies(few, { limit: 1 })).total).toBe(total);
    const many = await bounded.searchCompanies({}, { limit: 100, offset: 4000 });
    expect([many.items.length, many.isTotalEstimated]).toEqual([100, true]);
    expect(many.total).toBeGreaterThan(4100);
    expect((await bounded.searchCompanies({}, { limit: 100, offset: 4950 })).total).toBe(5000);
  });
});

describe('industries outside the vocabulary', () => {
  const query = { industries: ['own:Tidal Energy', 'fintech'] };

  it('are found by their words, next to known ones', async () => {
    const records = sandbox.companies().slice(0, 40);
    const own = { industry_id: null, industry: 'Tidal Energy' };
    const few = records.map((record, i) => (i % 4 === 0 ? { ...record, ...own } : record));
    const path = await writeRecords(join(dir, 'own.jsonl'), few);
    await importFile(test.database, 'companies', 'own', path);
    const heads = await new DirectoryStore(test.database).listDirectories();
    const { number } = heads.find(({ name }) => name === 'own')!;
    const directory = new ImportedCompanies(
      { database: test.database, ctx: testCtx('org_search') },
      'own',
      number,
    );
    const { items } = await directory.searchCompanies(query, { limit: 100 });
    const wanted = few.filter((record) => companyMatches(record, query));
    expect(items.map(({ id }) => id).sort()).toEqual(wanted.map(({ id }) => id).sort());
    expect(items.filter(({ industry }) => industry === 'Tidal Energy')).toHaveLength(10);
  });
});
