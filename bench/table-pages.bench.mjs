import { startScript } from './harness/child-process.mjs';
import { compareReads } from './harness/http-comparison.mjs';
import { openClient, openLocal } from './harness/product.mjs';
import { openCluster } from './harness/servers.mjs';
import { seedTable, seedWorkspace } from './harness/table.fixture.mjs';

export const says =
  'pages of 100 and 1,000 rows over HTTP, against bare json_agg; a deep page against the first';

const ROWS = 1_000_000;
/** Number of rows of the baseline, which needs no million because a page is read by position. */
const BASELINE_ROWS = 100_000;
/** Page that starts after 90 % of the rows. */
const DEEP_PAGE = 900;
const CONNECTIONS = 4;
const BARE_PAGE = `SELECT json_build_object('items', coalesce(json_agg(json_build_object('id', r.id, 'values', r.cell_values,
    'cells', r.cells, 'fit', r.fit) ORDER BY r.position), '[]'))::text AS json
  FROM tables.rows r
  WHERE r.org_id = $1 AND r.row_set = $2::bigint AND r.position >= 0 AND r.position < $3::bigint`;

export async function run({ life, report, settings }) {
  const baseline = await openBaseline(life);
  const product = await openProduct(life);
  const compare = (sides, connections) =>
    compareReads({ life, report, settings, sides, connectionCounts: [connections] }).then(
      (ratios) => ratios[connections],
    );
  for (const limit of [100, 1000]) {
    process.stdout.write(`\nPages of ${limit} rows\n`);
    const sides = { baseline: baseline.page(limit), product: product.page(limit) };
    const { perSecond } = await compare(sides, CONNECTIONS);
    // For a short page the request itself is most of the cost, which authenticated-read measures.
    if (limit === 1000)
      report.addGoal(`pages of ${limit} per second, product / baseline`, perSecond, 'at least', 0.7);
  }
  process.stdout.write('\nDeep page (product) against first page (baseline), 1,000 rows\n');
  const cursor = await deepCursor(life, product);
  const { p50Ms } = await compare({ baseline: product.page(1000), product: product.page(1000, cursor) }, 1);
  report.addGoal('median of a page after 90 % of the rows / of the first', p50Ms, 'at most', 1.1);
}

async function openBaseline(life) {
  const cluster = await openCluster(life);
  const seed = await seedWorkspace(cluster.url);
  const { rowSet } = await seedTable(cluster.url, seed, BASELINE_ROWS);
  const server = await life.open(
    'baseline',
    () =>
      startScript('baselines/page-server.mjs', {
        url: cluster.url,
        text: BARE_PAGE,
        values: [seed.orgId, rowSet],
      }),
    (part) => part.close(),
  );
  const processes = { program: server.pid, PostgreSQL: cluster.pid };
  return {
    page: (limit) => ({ port: server.facts.port, path: `/?limit=${limit}`, apiKey: seed.apiKey, processes }),
  };
}

async function openProduct(life) {
  const cluster = await openCluster(life);
  const seed = await seedWorkspace(cluster.url);
  const { tableId } = await seedTable(cluster.url, seed, ROWS);
  const { port, processes } = await openLocal(life, cluster, { DATABASE_URL: cluster.workingUrl });
  const { apiKey } = seed;
  const pathOf = (limit, cursor) =>
    `/v1/tables/${tableId}/rows?limit=${limit}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`;
  return {
    port,
    apiKey,
    pathOf,
    page: (limit, cursor) => ({ port, path: pathOf(limit, cursor), apiKey, processes }),
  };
}

/** Follows the cursors, as a client must. @returns the cursor of the deep page */
async function deepCursor(life, { port, apiKey, pathOf }) {
  const api = await openClient(life, port, apiKey);
  let cursor = null;
  for (let page = 0; page < DEEP_PAGE; page += 1)
    cursor = (await api.call('GET', pathOf(1000, cursor))).next_cursor;
  return cursor;
}
