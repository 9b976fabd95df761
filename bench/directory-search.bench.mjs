import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { migratedDatabase } from '@quarry/composition';
import { CITIES, COUNTRIES, INDUSTRIES, placeNamed } from '@quarry/vocabulary';
import { systemCtx } from '@quarry/app';
import { createRandom } from '@quarry/sandbox';
import { DirectoryImporter, DirectoryStore, findMapping, ImportedCompanies } from '@quarry/imported';
import { CsvSource } from '@quarry/tables';
import { quantile } from './harness/statistics.mjs';
import { openCluster, openTempDir } from './harness/servers.mjs';

export const says =
  'import of a file of 5,000,000 companies as a directory, and ten searches over it, each with its total';

/** Number of companies. BENCH_COMPANIES=500000 makes a short run. */
const COMPANIES = Number(process.env.BENCH_COMPANIES ?? 5_000_000);
const REPEATS = 15;
/** Page size of a run. */
const PAGE = 500;
const SEARCH_MS = 100;
const SIZES = ['1-10', '11-50', '51-200', '201-500', '501-1000', '1001-5000', '5001-10000', '10001+'];
/** Cumulative shares of the sizes: most companies are small. */
const SIZE_SHARES = [0.68, 0.88, 0.955, 0.975, 0.985, 0.995, 0.998, 1];

const within = (min, max) => [{ min, max }];
const place = (name) => placeNamed(name);

/** Queries as users make them, from rare matches to nearly everything. */
const QUERIES = {
  'everything, largest first': [{}],
  'one country': [{ places: [place('Germany')] }],
  'industry and country': [{ industries: ['fintech'], places: [place('United Kingdom')] }],
  'industry, country and size': [
    { industries: ['software'], places: [place('United States')], headcount: within(51, 200) },
  ],
  'several industries and countries': [
    {
      industries: ['banking', 'insurance', 'investment'],
      places: ['Germany', 'Austria', 'Switzerland'].map(place),
    },
  ],
  'industry in a city': [{ industries: ['hospitals'], places: [place('Berlin')] }],
  'young and small in an industry': [
    { industries: ['biotechnology'], founded: within(2015, null), headcount: within(null, 50) },
  ],
  'size alone': [{ headcount: within(201, 1000) }],
  'all but two industries in a country': [
    { places: [place('Netherlands')], not: [{ industries: ['software'] }, { industries: ['retail'] }] },
  ],
  'by domain': [{ domains: ['firm-1234.com', 'firm-4321.com'] }],
};

export async function run({ life, report }) {
  const cluster = await openCluster(life);
  const dir = await openTempDir(life);
  const database = await life.open(
    'database',
    () => migratedDatabase(cluster.url, 'bench', { workingUrl: cluster.workingUrl }),
    (part) => part.close(),
  );
  const path = join(dir, 'companies.csv');
  await pipeline(Readable.from(csvOf(COMPANIES)), createWriteStream(path));
  const number = await imported(database, path, report);
  for (const [name, [query]] of Object.entries(QUERIES))
    await searched(database, number, name, query, report);
}

async function imported(database, path, report) {
  const file = await CsvSource.open(path);
  const mapping = findMapping('companies', file.header);
  const from = performance.now();
  let readMs = 0;
  const onProgress = (step, part) => {
    if (step === 'reading' && part === 1) readMs = performance.now() - from;
  };
  const order = { kind: 'companies', name: 'bench', file, mapping, source: 'companies.csv' };
  const { rowCount } = await new DirectoryImporter(database).importFile(order, onProgress);
  const seconds = (performance.now() - from) / 1000;
  const [head] = await new DirectoryStore(database).listSummaries();
  const megabytes = Math.round(head.bytes / 1e6);
  process.stdout.write(
    `\n${rowCount} rows in ${seconds.toFixed(0)} s (read and copied in ${(readMs / 1000).toFixed(0)} s), ${Math.round(rowCount / seconds)} a second; ${megabytes} MB with indexes, resident ${Math.round(process.resourceUsage().maxRSS / 1024)} MB at most\n`,
  );
  for (const { name, bytes } of await sizesOf(database, head.number))
    process.stdout.write(`  ${name}: ${Math.round(Number(bytes) / 1e6)} MB\n`);
  report.addGoal('rows that are there, of those in the file', rowCount / COMPANIES, 'at least', 1);
  return head.number;
}

function sizesOf(database, number) {
  return database.withConnection(async (client) => {
    const { rows } = await client.query(
      `SELECT c.relname AS name, pg_relation_size(c.oid) AS bytes FROM pg_class c
       LEFT JOIN pg_index i ON i.indexrelid = c.oid
       WHERE $1::regclass IN (c.oid, i.indrelid) ORDER BY 2 DESC`,
      [`directory.companies_${number}`],
    );
    return rows;
  });
}

async function searched(database, number, name, query, report) {
  const lines = [];
  const watched = {
    query: (ctx, statement, params, kind) => {
      lines.push({ text: statement.text, params });
      return database.query(ctx, statement, params, kind);
    },
  };
  const directory = new ImportedCompanies(
    { database: watched, ctx: systemCtx('bench', 'org_bench') },
    'bench',
    number,
  );
  const tookMs = [];
  let answer;
  for (let i = 0; i < REPEATS; i += 1) {
    lines.length = 0;
    const from = performance.now();
    answer = await directory.searchCompanies(query, { limit: PAGE });
    tookMs.push(performance.now() - from);
  }
  const [first, p50] = [tookMs[0], quantile(tookMs, 0.5)];
  const plans = await plansOf(
    database,
    lines.filter(({ text }) => !text.startsWith('EXPLAIN')),
  );
  process.stdout.write(
    `\n${name}: ${answer.items.length} of ${answer.total}; first ${first.toFixed(1)} ms, p50 ${p50.toFixed(1)} ms\n${plans.map((plan) => `  ${plan}\n`).join('')}`,
  );
  report.addGoal(`p50 of a search in ms: ${name}`, p50, 'at most', SEARCH_MS);
}

/** @returns the nodes of each plan, the outermost first */
function plansOf(database, statements) {
  return database.withConnection(async (client) => {
    const plans = [];
    for (const { text, params } of statements) {
      const { rows } = await client.query(`EXPLAIN (FORMAT JSON) ${text}`, params);
      plans.push(nodesOf(rows[0]['QUERY PLAN'][0].Plan).join(' < '));
    }
    return plans;
  });
}

function nodesOf({ 'Node Type': type, 'Index Name': index, Plans: plans = [] }) {
  return [index ? `${type} (${index.replace(/^companies_\d+_/, '')})` : type, ...plans.flatMap(nodesOf)];
}

/** Generates a file like the free data set of People Data Labs: sizes as ranges, lower case, some cells empty. */
async function* csvOf(count) {
  const random = createRandom(7);
  const pick = (list) => list[Math.floor(random.next() ** 2 * list.length)];
  const countries = new Map(COUNTRIES.map((country) => [country.code, country.name.toLowerCase()]));
  let chunk = 'country,founded,id,industry,linkedin_url,locality,name,region,size,website\n';
  for (let i = 0; i < count; i += 1) {
    const city = pick(CITIES);
    const industry = pick(INDUSTRIES).name.toLowerCase();
    const share = random.next();
    const size = SIZES[SIZE_SHARES.findIndex((limit) => share < limit)];
    const founded = random.next() < 0.3 ? '' : 2025 - Math.floor(random.next() ** 3 * 120);
    const website = random.next() < 0.2 ? '' : `firm-${i}.com`;
    chunk += `${countries.get(city.countryCode)},${founded},${hashOf(i)},"${industry}",linkedin.com/company/firm-${i},${city.name.toLowerCase()},"firm ${i}, inc.",${(city.state ?? '').toLowerCase()},${size},${website}\n`;
    if (chunk.length < 262_144) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

function hashOf(i) {
  return `${Math.imul(i, 2_654_435_761) >>> 0}-${i}`;
}
