import { alternate } from './harness/alternation.mjs';
import { startScript } from './harness/child-process.mjs';
import { ratioOf, spreadOf } from './harness/statistics.mjs';
import { heldLines, latencySample, PAUSE_MS } from './harness/held-lines.mjs';
import { createBenchOrganisation, openClient, openLocal } from './harness/product.mjs';
import { hasRedis, openCluster, openRedisServer } from './harness/servers.mjs';

export const says =
  'one getEmail line from POST to completed on an idle machine, against a bare BullMQ message and the bare SQL of its commits';

const LINES_PER_ROUND = 20;

export async function run({ life, report, settings }) {
  await compare('PostgreSQL', null, { life, report, settings });
  if (hasRedis()) await compare('Redis', (await openRedisServer(life)).url, { life, report, settings });
  else process.stdout.write('\nRedis: redis-server is not on the PATH, so this backend is left out.\n');
}

async function compare(backend, redisUrl, { life, report, settings }) {
  const queueUrl = redisUrl ?? (await openCluster(life)).url;
  const bare = await life.open(
    'baseline',
    () => startScript('baselines/queue-message.mjs', { queueUrl }),
    (part) => part.close(),
  );
  const { url } = await openCluster(life);
  const sql = await life.open(
    'bare SQL',
    () => startScript('baselines/sql-line.mjs', { url }),
    (part) => part.close(),
  );
  const product = await openProduct(life, redisUrl);
  const question = { count: LINES_PER_ROUND, pauseMs: PAUSE_MS };
  const values = await alternate(
    {
      baseline: async () => {
        // One after the other, as for a line: the message, and the four commits around it.
        const message = latencySample(await bare.ask(question));
        const commits = latencySample(await sql.ask(question));
        return {
          p50Ms: message.p50Ms + commits.p50Ms,
          p95Ms: message.p95Ms + commits.p95Ms,
          p99Ms: message.p99Ms + commits.p99Ms,
          messageP50Ms: message.p50Ms,
          commitsP50Ms: commits.p50Ms,
        };
      },
      product: async () => latencySample(await heldLines(product, LINES_PER_ROUND)),
    },
    settings.rounds,
    settings.onRound,
  );
  report.addTable(`queue on ${backend}`, values);
  const ratio = ratioOf(values.product.p50Ms, values.baseline.p50Ms).median;
  report.addGoal(`queue on ${backend}: median, product / (message + commits)`, ratio, 'at most', 3);
  report.addGoal(`queue on ${backend}: median in ms`, spreadOf(values.product.p50Ms).median, 'at most', 50);
}

async function openProduct(life, redisUrl) {
  const cluster = await openCluster(life);
  const { apiKey } = await createBenchOrganisation(cluster.url);
  const { port } = await openLocal(life, cluster, redisUrl === null ? {} : { QUEUE_URL: redisUrl });
  return openClient(life, port, apiKey);
}
