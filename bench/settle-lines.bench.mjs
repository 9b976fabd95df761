import { alternate, withCpu } from './harness/alternation.mjs';
import { startScript } from './harness/child-process.mjs';
import { ratioOf } from './harness/statistics.mjs';
import { hasRedis, openCluster, openRedisServer } from './harness/servers.mjs';

export const says =
  'charged lines settled by one worker process, no-op provider, 50 in flight, against a bare queue and bare SQL';

/** Number of lines. A count instead of a time limit: the same work on both sides. */
const LINES = 5_000;
/** Fewer messages are sufficient for a bare queue on PostgreSQL, because each is expensive. */
const LINES_BARE_POSTGRES = 2_000;
const IN_FLIGHT = 50;
const JOBS_PER_MESSAGE = 25;

export async function run({ life, report, settings }) {
  await compare('PostgreSQL', null, 2.2, { life, report, settings });
  if (hasRedis()) await compare('Redis', await openRedisServer(life), null, { life, report, settings });
  else process.stdout.write('\nRedis: redis-server is not on the PATH, so this backend is left out.\n');
}

async function compare(backend, redis, goal, { life, report, settings }) {
  const open = (script, options) =>
    life.open(
      script,
      () => startScript(script, options),
      (part) => part.close(),
    );
  const [queueCluster, productCluster, sqlCluster] = [
    await openCluster(life),
    await openCluster(life),
    await openCluster(life),
  ];
  // Both sides share one Redis. Its CPU cannot be attributed to one of them, so it affects only the rate.
  const bare = await open('baselines/queue-drain.mjs', {
    queueUrl: redis?.url ?? queueCluster.url,
    concurrency: IN_FLIGHT,
  });
  const queueUrl = redis?.url ?? productCluster.url;
  const messagesInFlight = IN_FLIGHT / JOBS_PER_MESSAGE;
  const product = await open('product/line-worker.mjs', {
    url: productCluster.url,
    queueUrl,
    messagesInFlight,
  });
  const sql = await open('baselines/sql-lines.mjs', { url: sqlCluster.url });

  const bareLines = redis ? LINES : LINES_BARE_POSTGRES;
  const side = (script, cluster, lines) => () => drained(script, cluster, lines);
  const sides = {
    'bare queue': side(bare, redis ? null : queueCluster, bareLines),
    product: side(product, productCluster, LINES),
    'bare SQL': side(sql, sqlCluster, LINES),
  };
  const values = await alternate(sides, settings.rounds, settings.onRound);
  report.addTable(`queue on ${backend}`, values);
  const perSecond = (name) => ratioOf(values.product.perSecond, values[name].perSecond).median;
  // See docs/adr/0008 and 0020 for the reasons of these goals.
  if (goal !== null) {
    const says = `queue on ${backend}: lines per second, product / bare queue`;
    report.addGoal(says, perSecond('bare queue'), 'at least', goal);
  }
  report.addGoal(
    `queue on ${backend}: lines per second, product / bare SQL`,
    perSecond('bare SQL'),
    'at least',
    0.5,
  );
}

async function drained(script, cluster, lines) {
  await script.ask({ prepare: lines });
  const processes = { worker: script.pid, ...(cluster && { PostgreSQL: cluster.pid }) };
  return withCpu(processes, async () => ({ operations: lines, ...(await script.ask({})) }));
}
