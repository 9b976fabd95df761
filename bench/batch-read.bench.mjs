import pg from 'pg';
import { startScript } from './harness/child-process.mjs';
import { spreadOf } from './harness/statistics.mjs';
import { endedBatch, newPeople } from './harness/held-lines.mjs';
import { loadInTurn, openLoad } from './harness/http-comparison.mjs';
import { createBenchOrganisation, openClient, openLocal } from './harness/product.mjs';
import { openCluster } from './harness/servers.mjs';

export const says = 'an ended list of 100 lines read over HTTP, against bare json_agg of the same lines';

const LINES = 100;
const CONNECTIONS = 4;
const TABLE = `CREATE TABLE lines (batch_id text, input_index integer, job_id text, service text, status text, attempt integer,
  reused boolean, result jsonb, created_at timestamptz, started_at timestamptz, completed_at timestamptz, PRIMARY KEY (batch_id, input_index))`;
const FILL = `INSERT INTO lines SELECT 'batch', n.* FROM jsonb_to_recordset($1) AS n (input_index integer, job_id text, service text,
  status text, attempt integer, reused boolean, result jsonb, created_at timestamptz, started_at timestamptz, completed_at timestamptz)`;
const BARE_BATCH = `SELECT json_build_object('batch_id', $1::text, 'size', count(*), 'jobs', json_agg(json_build_object('job_id', job_id,
    'input_index', input_index, 'service', service, 'status', status, 'attempt', attempt, 'reused', reused, 'result', result,
    'created_at', created_at, 'started_at', started_at, 'completed_at', completed_at) ORDER BY input_index))::text AS json
  FROM lines WHERE batch_id = $1`;

export async function run({ life, report, settings }) {
  const cluster = await openCluster(life);
  const { apiKey } = await createBenchOrganisation(cluster.url);
  const { port, processes } = await openLocal(life, cluster);
  const client = await openClient(life, port, apiKey);
  const { jobs, poll_url: path } = await endedBatch(client, newPeople(LINES));
  const sides = {
    baseline: { ...(await openBaseline(life, jobs)), apiKey },
    product: { port, path, apiKey, processes },
  };
  const load = await openLoad(life);
  const values = await loadInTurn({ load, settings, sides, connections: CONNECTIONS });
  report.addTable(`${CONNECTIONS} connections`, values);
  if (values.product.cpuMicros)
    report.addGoal('CPU of a read in ms', spreadOf(values.product.cpuMicros).median / 1000, 'at most', 0.8);
}

async function openBaseline(life, jobs) {
  const cluster = await openCluster(life);
  const client = new pg.Client({ connectionString: cluster.url });
  await client.connect();
  await client.query(TABLE);
  await client.query(FILL, [JSON.stringify(jobs)]);
  await client.query('VACUUM (ANALYZE) lines');
  await client.end();
  const server = await life.open(
    'baseline',
    () => startScript('baselines/page-server.mjs', { url: cluster.url, text: BARE_BATCH, values: ['batch'] }),
    (part) => part.close(),
  );
  const processes = { program: server.pid, PostgreSQL: cluster.pid };
  return { port: server.facts.port, path: '/', processes };
}
