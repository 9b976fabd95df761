import pg from 'pg';
import { alternate, withCpu } from './harness/alternation.mjs';
import { ROOT, startScript } from './harness/child-process.mjs';
import { loadInTurn, openLoad } from './harness/http-comparison.mjs';
import { installPackages } from './harness/peer-packages.mjs';
import { openClient, openLocal } from './harness/product.mjs';
import { openCluster, openTempDir } from './harness/servers.mjs';
import { COLUMNS, importBody, seedTable, seedWorkspace } from './harness/table.fixture.mjs';

export const says =
  'pages, one row, import and export of a table of 100,000 rows × 10 columns over HTTP, against Directus';

/** 12.4.1 depends on @directus/app 18.0.1, which was not in the registry on 28 November 2026. */
const PACKAGES = { directus: '12.4.0' };
const TOKEN = 'bench-token-of-the-administrator';
const ROWS = 100_000;
const IMPORT_ROWS = 10_000;
/** The fastest for Directus, of requests with 100 to 10,000 rows, one to eight at a time, and of files. */
const ROWS_PER_REQUEST = 2_500;
const CONNECTIONS = 4;

export async function run({ life, report, settings }) {
  const sides = { Directus: await openDirectus(life), product: await openProduct(life) };
  const load = await openLoad(life);
  const compareReads = async (title, pathOf) => {
    const reads = Object.fromEntries(
      Object.entries(sides).map(([name, side]) => [name, { ...side, path: pathOf(side) }]),
    );
    report.addTable(title, await loadInTurn({ load, settings, sides: reads, connections: CONNECTIONS }));
  };
  const compareRows = async (title, rows, workOf) => {
    const measured = Object.entries(sides).map(([name, side]) => [
      name,
      () => withCpu(side.processes, () => timed(rows, workOf(side))),
    ]);
    report.addTable(title, await alternate(Object.fromEntries(measured), settings.rounds, settings.onRound));
  };
  for (const limit of [1_000, 100])
    await compareReads(`pages of ${limit} rows, ${CONNECTIONS} connections`, (side) => side.pagePath(limit));
  await compareReads(`one row by its id, ${CONNECTIONS} connections`, (side) => side.rowPath);
  await compareRows(`import, rows of ${IMPORT_ROWS}`, IMPORT_ROWS, (side) => side.importRows);
  await compareRows(`export as CSV, rows of ${ROWS}`, ROWS, (side) => side.exportRows);
}

async function openDirectus(life) {
  const cluster = await openCluster(life);
  const [packages, dir] = [
    await installPackages(life, PACKAGES, ['--ignore-scripts']),
    await openTempDir(life),
  ];
  const script = await life.open(
    'Directus',
    () =>
      startScript('baselines/directus-server.mjs', { packages, dir, url: cluster.url, token: TOKEN }, [
        '--import',
        `${ROOT}bench/baselines/directus.preload.mjs`,
      ]),
    (part) => part.close(),
  );
  const { port } = script.facts;
  const clients = await openClients(life, port, TOKEN);
  for (const name of ['bench_rows', 'bench_imported'])
    await clients[0].call('POST', '/collections', collection(name));
  const middle = await fillDirectus(cluster.url);
  return {
    port,
    apiKey: TOKEN,
    processes: { server: script.pid, PostgreSQL: cluster.pid },
    pagePath: (limit) => `/items/bench_rows?limit=${limit}`,
    rowPath: `/items/bench_rows/${middle}`,
    importRows: async () => {
      const rest = batches();
      const loop = async (client) => {
        for (let rows = rest.pop(); rows; rows = rest.pop())
          await client.call('POST', '/items/bench_imported?fields=id', rows);
      };
      await Promise.all(clients.map(loop));
    },
    exportRows: () => download(port, '/items/bench_rows?export=csv&limit=-1', TOKEN),
  };
}

/** Returns a collection with the column kinds of the product's table, without Directus' history of rows, a row more for each. */
function collection(name) {
  const id = { field: 'id', type: 'integer', schema: { is_primary_key: true, has_auto_increment: true } };
  const columns = COLUMNS.map(({ key }) => ({ field: key, type: key === 'c2' ? 'integer' : 'string' }));
  return { collection: name, schema: {}, meta: { accountability: null }, fields: [id, ...columns] };
}

/** Fills the table by SQL with the rows of the product's table. @returns the id of a row in the middle */
async function fillDirectus(url) {
  const keys = COLUMNS.map(({ key }) => key);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    `INSERT INTO bench_rows (${keys.join(', ')}) SELECT ${keys.join(', ')}
     FROM jsonb_to_recordset($1::jsonb -> 'rows') AS r (${keys.map((key) => `${key} ${key === 'c2' ? 'int' : 'text'}`).join(', ')})`,
    [importBody(ROWS)],
  );
  // As autovacuum would have done on a table of some age.
  await client.query('VACUUM (ANALYZE) bench_rows');
  const { rows } = await client.query(`SELECT id FROM bench_rows ORDER BY id OFFSET ${ROWS / 2} LIMIT 1`);
  await client.end();
  return rows[0].id;
}

async function openProduct(life) {
  const cluster = await openCluster(life);
  const seed = await seedWorkspace(cluster.url);
  const { tableId } = await seedTable(cluster.url, seed, ROWS);
  const local = await openLocal(life, cluster, { DATABASE_URL: cluster.workingUrl });
  const { port } = local;
  const { apiKey, workspaceId } = seed;
  const [client] = await openClients(life, port, apiKey);
  const table = `/v1/tables/${tableId}`;
  const { items } = await client.call('GET', `${table}/rows?limit=1000`);
  const body = JSON.parse(importBody(IMPORT_ROWS));
  return {
    port,
    apiKey,
    processes: { server: local.processes.program, PostgreSQL: cluster.pid },
    pagePath: (limit) => `${table}/rows?limit=${limit}`,
    rowPath: `${table}/rows/${items.at(-1).id}`,
    importRows: () => client.call('POST', `/v1/workspaces/${workspaceId}/tables`, body),
    exportRows: async () => {
      const { id } = await client.call('POST', `${table}/exports`, { format: 'csv' });
      await download(port, `/v1/exports/${id}`, apiKey);
    },
  };
}

const openClients = (life, port, key) =>
  Promise.all(Array.from({ length: CONNECTIONS }, () => openClient(life, port, key)));

function batches() {
  const { rows } = JSON.parse(importBody(IMPORT_ROWS));
  return Array.from({ length: IMPORT_ROWS / ROWS_PER_REQUEST }, (_, i) =>
    rows.slice(i * ROWS_PER_REQUEST, (i + 1) * ROWS_PER_REQUEST),
  );
}

async function timed(operations, work) {
  const startedAt = performance.now();
  await work();
  return { operations, seconds: (performance.now() - startedAt) / 1000 };
}

/** Reads a file to its end. @throws Error unless it has one line for each row and a header */
async function download(port, path, token) {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  const lines = (await answer.text()).trimEnd().split('\n').length;
  if (!answer.ok || lines !== ROWS + 1) throw new Error(`${path} answers ${answer.status}, ${lines} lines.`);
}
