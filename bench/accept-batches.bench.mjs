import pg from 'pg';
import { alternate, withCpu } from './harness/alternation.mjs';
import { startScript } from './harness/child-process.mjs';
import { ratioOf } from './harness/statistics.mjs';
import { newPeople } from './harness/held-lines.mjs';
import { createBenchOrganisation, openClient, openServices } from './harness/product.mjs';
import { hasRedis, openCluster, openRedisServer } from './harness/servers.mjs';

export const says =
  'batches of 100 new lines accepted over HTTP by gateway and services, against one bare transaction and a bare addBulk';

const LINES = 100;
const BATCHES = 100;
const CLIENTS = 4;

export async function run({ life, report, settings }) {
  await compare('PostgreSQL', null, { life, report, settings });
  if (hasRedis()) await compare('Redis', (await openRedisServer(life)).url, { life, report, settings });
  else process.stdout.write('\nRedis: redis-server is not on the PATH, so this backend is left out.\n');
}

async function compare(backend, redisUrl, { life, report, settings }) {
  const cluster = await openCluster(life);
  const bare = await life.open(
    'baseline',
    () =>
      startScript('baselines/sql-batches.mjs', {
        url: cluster.url,
        queueUrl: redisUrl ?? cluster.url,
        clients: CLIENTS,
      }),
    (part) => part.close(),
  );
  const [product, spread] = [await openProduct(life, redisUrl, 1), await openProduct(life, redisUrl, 2)];
  const side = (of) => async () => {
    await analyze(of.url);
    return withCpu(of.processes, async () => ({
      operations: BATCHES,
      seconds: await send(of.clients, lists()),
    }));
  };
  const values = await alternate(
    {
      baseline: async () => {
        await analyze(cluster.url);
        return withCpu({ program: bare.pid, PostgreSQL: cluster.pid }, async () => ({
          operations: BATCHES,
          ...(await bare.ask({ lists: lists() })),
        }));
      },
      product: side(product),
      'two gateways': side(spread),
    },
    settings.rounds,
    settings.onRound,
  );
  report.addTable(`queue on ${backend}, ${CLIENTS} clients`, values);
  const ratio = ratioOf(values.product.perSecond, values.baseline.perSecond).median;
  report.addGoal(`queue on ${backend}: batches per second, product / baseline`, ratio, 'at least', 0.6);
  // A second gateway cannot be faster on a machine whose cores one already uses. Equal CPU shows that it can scale elsewhere.
  const more = ratioOf(values['two gateways'].cpuMicros, values.product.cpuMicros).median;
  report.addGoal(`queue on ${backend}: CPU per batch, two gateways / one`, more, 'at most', 1.15);
}

/** Analyzes the database, as autovacuum would have done on a database of some age. */
async function analyze(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('ANALYZE');
  await client.end();
}

/** Starts the edge and the services side without a worker: only acceptance is measured. */
async function openProduct(life, redisUrl, gateways) {
  const cluster = await openCluster(life);
  const { apiKey } = await createBenchOrganisation(cluster.url);
  const { ports, processes } = await openServices(life, cluster, {
    ...(redisUrl && { queueUrl: redisUrl }),
    gateways,
  });
  const clients = await Promise.all(
    Array.from({ length: CLIENTS }, (_, nth) => openClient(life, ports[nth % gateways], apiKey)),
  );
  return { url: cluster.url, clients, processes };
}

async function send(clients, rest) {
  const startedAt = performance.now();
  const loop = async (client) => {
    for (let inputs = rest.pop(); inputs; inputs = rest.pop())
      await client.call('POST', '/v1/services/jobs/batch', { service: 'getEmail', inputs });
  };
  await Promise.all(clients.map(loop));
  return (performance.now() - startedAt) / 1000;
}

function lists() {
  return Array.from({ length: BATCHES }, () => newPeople(LINES));
}
