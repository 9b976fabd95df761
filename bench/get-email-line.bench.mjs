import { setTimeout as delay } from 'node:timers/promises';
import { createOrganisation, migratedDatabase } from '@quarry/composition';
import { freePort } from '@quarry/local-postgres';
import { alternate } from './harness/alternation.mjs';
import { ApiClient } from './harness/api-client.mjs';
import { startApp, startScript, untilOk } from './harness/child-process.mjs';
import { quantile, ratioOf, spreadOf } from './harness/figures.mjs';
import { UNREACHABLE_SCALE } from './harness/limits.mjs';
import { hasRedis, openCluster, openRedisServer, openTempDir } from './harness/servers.mjs';

export const says =
  'one getEmail line from POST to completed on an idle machine, against a bare BullMQ message and the bare SQL of its commits';

const LINES_PER_ROUND = 20;
/** Long enough for every part to be idle again. */
const PAUSE_MS = 50;

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
        // One after the other, as the line has to: the message, and the four commits around it.
        const message = latencySample(await bare.ask(question));
        const commits = latencySample(await sql.ask(question));
        return {
          p50Ms: message.p50Ms + commits.p50Ms,
          p99Ms: message.p99Ms + commits.p99Ms,
          messageP50Ms: message.p50Ms,
          commitsP50Ms: commits.p50Ms,
        };
      },
      product: async () => latencySample(await lines(product)),
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
  const { url } = await openCluster(life);
  const dataDir = await openTempDir(life);
  const port = await freePort();
  const env = {
    PORT: String(port),
    DATA_DIR: dataDir,
    DATABASE_URL: url,
    RATE_LIMIT_SCALE: UNREACHABLE_SCALE,
  };
  const queue = redisUrl === null ? {} : { QUEUE_URL: redisUrl };
  await life.open(
    'product',
    () => startApp('local', { ...env, ...queue }),
    (part) => part.close(),
  );
  await untilOk(`http://127.0.0.1:${port}/readyz`);
  const database = await migratedDatabase(url, 'bench');
  const { apiKey } = await createOrganisation(database, { name: 'Bench', credits: 100_000 });
  await database.close();
  // The first start shows a sample run; measuring begins when the machine is quiet.
  await delay(3_000);
  return life.open(
    'client',
    () => new ApiClient(port, apiKey),
    (client) => client.close(),
  );
}

let people = 0;

async function lines(api) {
  const latenciesMs = [];
  for (let i = 0; i < LINES_PER_ROUND; i += 1) {
    people += 1;
    // Nobody twice: an answer that is known would be reused.
    const person = { first_name: `Ada${people}`, last_name: 'Bench', domain: `company${people}.example` };
    const sentAt = performance.now();
    const batch = await api.call('POST', '/v1/services/jobs/batch', {
      service: 'getEmail',
      inputs: [person],
    });
    const ended = await api.call('GET', `${batch.poll_url}?wait_seconds=10`);
    latenciesMs.push(performance.now() - sentAt);
    if (ended.status !== 'completed') throw new Error(`The line did not end: ${JSON.stringify(ended)}`);
    await delay(PAUSE_MS);
  }
  return latenciesMs;
}

function latencySample(latenciesMs) {
  return { p50Ms: quantile(latenciesMs, 0.5), p99Ms: quantile(latenciesMs, 0.99) };
}
