import { join } from 'node:path';
import { freePort, PostgresServer } from '@quarry/local-postgres';
import { UNREACHABLE_SCALE } from './harness/limits.mjs';
import { startScript, startApp, untilOk } from './harness/child-process.mjs';
import { compareReads } from './harness/http-comparison.mjs';
import { APP_URL, seedBaseline, seedProduct } from './harness/run.fixture.mjs';
import { openCluster, openTempDir } from './harness/servers.mjs';

export const says = 'GET /v1/runs/{id} in one process, against the smallest hand-made Fastify program';

export async function run({ life, report, settings }) {
  const sides = { baseline: await openBaseline(life), product: await openProduct(life) };
  const ratios = await compareReads({ life, report, settings, sides, connectionCounts: [64, 4] });
  // See ADR 46 for the work of the product on each read that the baseline does not do.
  for (const [connections, { perSecond }] of Object.entries(ratios))
    report.addGoal(
      `requests per second, product / baseline, ${connections} connections`,
      perSecond,
      'at least',
      0.7,
    );
}

async function openBaseline(life) {
  const cluster = await openCluster(life);
  const seed = await seedBaseline(cluster.url);
  const program = await life.open(
    'baseline',
    () => startScript('baselines/fastify-one-process.mjs', { url: cluster.url, appUrl: APP_URL }),
    (part) => part.close(),
  );
  return { port: program.facts.port, processes: { program: program.pid, PostgreSQL: cluster.pid }, ...seed };
}

/** Starts the product with its own PostgreSQL, and inserts the run while it is running. */
async function openProduct(life) {
  const dataDir = await openTempDir(life);
  const port = await freePort();
  const env = { PORT: String(port), DATA_DIR: dataDir, RATE_LIMIT_SCALE: UNREACHABLE_SCALE };
  const program = await life.open(
    'product',
    () => startApp('local', env),
    (part) => part.close(),
  );
  await untilOk(`http://127.0.0.1:${port}/readyz`);
  const postgres = join(dataDir, 'postgres');
  const seed = await seedProduct(PostgresServer.urlAt(postgres, 'quarry'));
  return { port, processes: { 'all of it': program.pid }, ...seed };
}
