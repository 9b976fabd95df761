import pg from 'pg';
import { alternate, withCpu } from './harness/alternation.mjs';
import { spreadOf } from './harness/statistics.mjs';
import { createBenchOrganisation, openClient, openLocal } from './harness/product.mjs';
import { openCluster } from './harness/servers.mjs';

export const says =
  'a prompt to a table of 1,000 rows on a new database without statistics, against one INSERT … SELECT of the same rows';

const ROWS = 1_000;
const PROMPT = `${ROWS} people at software companies`;
/** Maximum number of rounds, because each has its own database and process. */
const ROUNDS_MAX = 5;

export async function run({ life, report, settings }) {
  let cluster;
  const values = await alternate(
    {
      product: async () => {
        cluster = await openCluster(life);
        return promptRows(life, cluster);
      },
      // Uses the database into which the product has just written, which has no statistics either.
      baseline: () => insertRows(cluster),
    },
    Math.min(settings.rounds, ROUNDS_MAX),
    settings.onRound,
  );
  const { baseline, product } = values;
  report.addTable(`a table of ${ROWS.toLocaleString('en')} rows`, { baseline, product });
  report.addGoal('ms from POST to completed', spreadOf(product.tookMs).median, 'at most', 150);
}

async function promptRows(life, cluster) {
  await withClient(cluster, async (client) => {
    await client.query('ALTER SYSTEM SET autovacuum = off');
    await client.query('SELECT pg_reload_conf()');
  });
  const { apiKey } = await createBenchOrganisation(cluster.url);
  const { port, processes, close } = await openLocal(life, cluster);
  const api = await openClient(life, port, apiKey);
  // The process has performed a prompt before, but the database still has no statistics.
  await finishedRun(api, '5 people at software companies');
  const sample = await timed(processes, () => finishedRun(api, PROMPT));
  await close();
  return sample;
}

async function finishedRun(api, prompt) {
  const { id } = await api.call('POST', '/v1/runs', { prompt });
  const ended = await api.call('GET', `/v1/runs/${id}?wait_seconds=60`);
  if (ended.status !== 'completed')
    throw new Error(`The run has not made its table: ${JSON.stringify(ended)}`);
}

/** Inserts the rows of the run again, as JSON in one parameter. */
function insertRows(cluster) {
  return withClient(cluster, async (client) => {
    const { rows } = await client.query(
      `SELECT org_id, json_agg(json_build_object('id', id, 'position', position, 'cell_values', cell_values, 'cells', cells, 'fit', fit))::text AS packed
       FROM tables.rows WHERE row_set = (SELECT row_set FROM tables.rows GROUP BY row_set HAVING count(*) = $1 LIMIT 1) GROUP BY org_id`,
      [ROWS],
    );
    const [{ org_id: orgId, packed }] = rows;
    return timed({ PostgreSQL: cluster.pid }, () =>
      client.query(
        `INSERT INTO tables.rows (org_id, row_set, position, id, cell_values, cells, fit)
         SELECT $1, 1000000, n.position, n.id, n.cell_values, n.cells, n.fit
         FROM jsonb_to_recordset($2) AS n (id text, position bigint, cell_values jsonb, cells jsonb, fit jsonb)`,
        [orgId, packed],
      ),
    );
  });
}

async function timed(processes, work) {
  const startedAt = performance.now();
  const { perSecond: _, ...cpu } = await withCpu(processes, async () => {
    await work();
    return { operations: 1, seconds: 1 };
  });
  return { tookMs: performance.now() - startedAt, ...cpu };
}

async function withClient({ url }, work) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
