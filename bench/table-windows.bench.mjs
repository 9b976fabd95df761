import { freePort } from '@quarry/local-postgres';
import { alternate } from './harness/alternation.mjs';
import { ApiClient } from './harness/api-client.mjs';
import { startApp, untilOk } from './harness/child-process.mjs';
import { quantile, ratioOf, spreadOf } from './harness/figures.mjs';
import { UNREACHABLE_SCALE } from './harness/limits.mjs';
import { openCluster, openTempDir } from './harness/servers.mjs';
import { seedTable, seedWorkspace } from './harness/table.fixture.mjs';

export const says =
  'windows of 200 rows anywhere in a table and in a view; views that sort and filter 100,000 rows';

/** Large enough for a hundred thousand windows of a screen. */
const LONG = 1_000_000;
const ROWS = 100_000;
const COUNT = 200;
const WINDOWS = 40;

/** Views of a table of 100,000 rows that people open; `c2` holds numbers, the others text. */
const VIEWS = {
  'sort by text': { sort: [{ key: 'c0', direction: 'desc' }] },
  'sort by number': { sort: [{ key: 'c2', direction: 'desc' }] },
  'filter, few rows': { filter: [{ key: 'c1', op: 'contains', value: 'company1000' }] },
  'filter, all rows': { filter: [{ key: 'c2', op: 'gte', value: 0 }] },
  'filter and sort': {
    filter: [{ key: 'c3', op: 'contains', value: 'oslo' }],
    sort: [{ key: 'c2', direction: 'desc' }],
  },
};

export async function run({ life, report, settings }) {
  const { api, long, table } = await openProduct(life);
  const view = await api.call('POST', `/v1/tables/${table}/views`, VIEWS['sort by number']);
  const places = {
    table: [`/v1/tables/${long}/window?`, LONG - COUNT],
    view: [`/v1/tables/${table}/window?view=${view.id}&`, ROWS - COUNT],
  };
  for (const [name, [path, last]] of Object.entries(places)) {
    const windows = await alternate(
      {
        first: () => timed(WINDOWS, (i) => readWindow(api, path, i)),
        last: () => timed(WINDOWS, (i) => readWindow(api, path, last - i)),
      },
      settings.rounds,
      settings.onRound,
    );
    report.addTable(`windows of ${COUNT} rows of a ${name}`, windows);
    const ratio = ratioOf(windows.last.p50Ms, windows.first.p50Ms).median;
    report.addGoal(`window of a ${name}: median of the last / of the first`, ratio, 'at most', 1.25);
  }
  const views = await alternate(
    Object.fromEntries(
      Object.entries(VIEWS).map(([name, body]) => [
        name,
        () => timed(3, () => api.call('POST', `/v1/tables/${table}/views`, body)),
      ]),
    ),
    settings.rounds,
    settings.onRound,
  );
  report.addTable(`views of ${ROWS.toLocaleString('en')} rows`, views);
  for (const [name, { p50Ms }] of Object.entries(views))
    report.addGoal(`${name}: ms`, spreadOf(p50Ms).median, 'at most', 300);
}

async function readWindow(api, path, from) {
  const { items } = await api.call('GET', `${path}from=${from}&count=${COUNT}`);
  if (items.length !== COUNT) throw new Error(`${items.length} rows from ${from} on`);
}

async function timed(times, work) {
  const tookMs = [];
  for (let i = 0; i < times; i += 1) {
    const startedAt = performance.now();
    await work(i);
    tookMs.push(performance.now() - startedAt);
  }
  return { p50Ms: quantile(tookMs, 0.5) };
}

async function openProduct(life) {
  const cluster = await openCluster(life);
  const seed = await seedWorkspace(cluster.url);
  const { tableId: long } = await seedTable(cluster.url, seed, LONG);
  const { tableId: table } = await seedTable(cluster.url, seed, ROWS);
  const port = await freePort();
  const env = {
    PORT: String(port),
    DATA_DIR: await openTempDir(life),
    DATABASE_URL: cluster.workingUrl,
    RATE_LIMIT_SCALE: UNREACHABLE_SCALE,
  };
  await life.open(
    'product',
    () => startApp('local', env),
    (part) => part.close(),
  );
  await untilOk(`http://127.0.0.1:${port}/readyz`);
  const api = await life.open(
    'client',
    () => new ApiClient(port, seed.apiKey),
    (client) => client.close(),
  );
  return { api, long, table };
}
