import pg from 'pg';
import { alternate, withCpu } from './harness/alternation.mjs';
import { startScript } from './harness/child-process.mjs';
import { ratioOf } from './harness/statistics.mjs';
import { endedBatch, newPeople } from './harness/held-lines.mjs';
import { installPackages } from './harness/peer-packages.mjs';
import { createBenchOrganisation, openClient, openLocal, vendorEnv } from './harness/product.mjs';
import { hasRedis, openCluster, openRedisServer } from './harness/servers.mjs';

export const says =
  'lists of 100 lines with an HTTP vendor, from acceptance to their answers, against pg-boss, graphile-worker and BullMQ with the same bookkeeping';

/** Packages to compare with. The benchmark runs only by name, because it installs them. */
export const PACKAGES = { 'pg-boss': '12.38.0', 'graphile-worker': '0.18.0', undici: '8.12.4' };
const LINES = 100;
const LISTS = 20;
const CLIENTS = 4;

export async function run({ life, report, settings }) {
  const packages = await installPackages(life, PACKAGES);
  const open = (script, options) =>
    life.open(
      script,
      () => startScript(script, options),
      (part) => part.close(),
    );
  const vendor = await open('harness/vendor-server.mjs');
  const vendorUrl = vendor.facts.url;
  const redis = hasRedis() ? await openRedisServer(life) : null;

  const peerSide = async (peer, queue) => {
    const cluster = await openCluster(life);
    const queueUrl = queue?.url ?? cluster.url;
    const script = await open('baselines/peer-lines.mjs', {
      peer,
      packages,
      queueUrl,
      vendorUrl,
      url: cluster.url,
    });
    const processes = { program: script.pid, PostgreSQL: cluster.pid, ...(queue && { Redis: queue.pid }) };
    return async () => {
      await analyze(cluster.url);
      return withCpu(processes, async () => {
        const { seconds } = await script.ask({ lists: lists(), clients: CLIENTS });
        return { operations: LISTS * LINES, seconds };
      });
    };
  };
  const sides = {
    'pg-boss': await peerSide('pg-boss'),
    'graphile-worker': await peerSide('graphile-worker'),
    // Only BullMQ uses this Redis, so its CPU is counted for BullMQ.
    ...(redis && { 'BullMQ on Redis': await peerSide('BullMQ', redis) }),
    product: await productSide(life, vendorUrl),
  };
  const values = await alternate(sides, settings.rounds, settings.onRound);
  report.addTable(`lines of lists of ${LINES}, ${CLIENTS} clients`, values);
  for (const peer of ['pg-boss', 'graphile-worker']) {
    const ratio = ratioOf(values.product.perSecond, values[peer].perSecond).median;
    report.addGoal(`lines per second, product / ${peer}`, ratio, 'at least', 3);
  }
  if (values.product.cpuMicros)
    report.addGoal(
      'CPU of a line, product / pg-boss',
      ratioOf(values.product.cpuMicros, values['pg-boss'].cpuMicros).median,
      'at most',
      0.5,
    );
}

async function productSide(life, vendorUrl) {
  const cluster = await openCluster(life);
  const { apiKey } = await createBenchOrganisation(cluster.url);
  const { port, processes } = await openLocal(life, cluster, vendorEnv(vendorUrl));
  const clients = await Promise.all(Array.from({ length: CLIENTS }, () => openClient(life, port, apiKey)));
  return async () => {
    await analyze(cluster.url);
    const rest = lists();
    return withCpu(processes, async () => {
      const startedAt = performance.now();
      const loop = async (client) => {
        for (let inputs = rest.pop(); inputs; inputs = rest.pop()) await endedBatch(client, inputs);
      };
      await Promise.all(clients.map(loop));
      return { operations: LISTS * LINES, seconds: (performance.now() - startedAt) / 1000 };
    });
  };
}

const lists = () => Array.from({ length: LISTS }, () => newPeople(LINES));

/** Analyzes the database, as autovacuum would have done on a database of some age. */
async function analyze(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('ANALYZE');
  await client.end();
}
