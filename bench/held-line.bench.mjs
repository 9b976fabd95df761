import { alternate } from './harness/alternation.mjs';
import { startScript } from './harness/child-process.mjs';
import { ratioOf, spreadOf } from './harness/statistics.mjs';
import { heldLines, latencySample, newPeople, PAUSE_MS } from './harness/held-lines.mjs';
import { installPackages } from './harness/peer-packages.mjs';
import {
  createBenchOrganisation,
  openClient,
  openLocal,
  openServices,
  vendorEnv,
} from './harness/product.mjs';
import { hasRedis, openCluster, openRedisServer } from './harness/servers.mjs';
import { PACKAGES } from './peers.bench.mjs';

export const says =
  'one idle line from POST to completed, through one process and through gateway, services and worker, against pg-boss with the same bookkeeping';

const LINES_PER_ROUND = 20;

export async function run({ life, report, settings }) {
  const packages = await installPackages(life, PACKAGES);
  const open = (script, options) =>
    life.open(
      script,
      () => startScript(script, options),
      (part) => part.close(),
    );
  const vendorUrl = (await open('harness/vendor-server.mjs')).facts.url;
  const cluster = await openCluster(life);
  const boss = await open('baselines/peer-lines.mjs', {
    peer: 'pg-boss',
    packages,
    vendorUrl,
    url: cluster.url,
  });
  const peer = async () => {
    const lists = Array.from({ length: LINES_PER_ROUND }, () => newPeople(1));
    return latencySample((await boss.ask({ lists, pauseMs: PAUSE_MS })).latenciesMs);
  };
  const held = (client) => async () => latencySample(await heldLines(client, LINES_PER_ROUND));
  const redisUrl = hasRedis() ? (await openRedisServer(life)).url : null;
  const sides = {
    'pg-boss': peer,
    'one process': held(await openOneProcess(life, vendorUrl)),
    'apart, queue on PostgreSQL': held(await openApart(life, vendorUrl)),
    ...(redisUrl && { 'apart, queue on Redis': held(await openApart(life, vendorUrl, redisUrl)) }),
  };
  const values = await alternate(sides, settings.rounds, settings.onRound);
  report.addTable('one line at a time', values);
  const ratio = ratioOf(values['one process'].p50Ms, values['pg-boss'].p50Ms).median;
  report.addGoal('one process: median, product / pg-boss', ratio, 'at most', 1.5);
  for (const side of Object.keys(values).filter((name) => name.startsWith('apart')))
    report.addGoal(`${side}: median in ms`, spreadOf(values[side].p50Ms).median, 'at most', 60);
}

async function openOneProcess(life, vendorUrl) {
  const cluster = await openCluster(life);
  const { apiKey } = await createBenchOrganisation(cluster.url);
  return openClient(life, (await openLocal(life, cluster, vendorEnv(vendorUrl))).port, apiKey);
}

async function openApart(life, vendorUrl, queueUrl) {
  const cluster = await openCluster(life);
  const { apiKey } = await createBenchOrganisation(cluster.url);
  const { ports } = await openServices(life, cluster, {
    queueUrl,
    workerQueues: 'service-get-email',
    env: vendorEnv(vendorUrl),
  });
  return openClient(life, ports[0], apiKey);
}
