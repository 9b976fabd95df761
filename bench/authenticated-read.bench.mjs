import { freePort } from '@quarry/local-postgres';
import { startApp, startScript, untilOk } from './harness/child-process.mjs';
import { UNREACHABLE_SCALE } from './harness/limits.mjs';
import { compareReads } from './harness/http-comparison.mjs';
import { APP_URL, seedBaseline, seedProduct } from './harness/run.fixture.mjs';
import { openCluster } from './harness/servers.mjs';

const RPC_SECRET = 'r'.repeat(32);

export const says =
  'GET /v1/runs/{id} through gateway, TCP and service, against the smallest hand-made Nest pair';

export async function run({ life, report, settings }) {
  const sides = { baseline: await openBaseline(life), product: await openProduct(life) };
  const ratios = await compareReads({ life, report, settings, sides, connectionCounts: [64, 4] });
  for (const [connections, { perSecond, cpuMicros }] of Object.entries(ratios)) {
    const side = `product / baseline, ${connections} connections`;
    report.addGoal(`requests per second, ${side}`, perSecond, 'at least', 0.9);
    if (cpuMicros) report.addGoal(`CPU per request, ${side}`, cpuMicros, 'at most', 1.15);
  }
}

async function openBaseline(life) {
  const cluster = await openCluster(life);
  const seed = await seedBaseline(cluster.url);
  const options = { url: cluster.url, appUrl: APP_URL };
  const service = await openScript(life, 'baselines/nest-runs-service.mjs', options);
  const gateway = await openScript(life, 'baselines/nest-gateway.mjs', {
    ...options,
    servicePort: service.facts.port,
  });
  return {
    port: gateway.facts.port,
    processes: { gateway: gateway.pid, service: service.pid, PostgreSQL: cluster.pid },
    ...seed,
  };
}

async function openProduct(life) {
  const cluster = await openCluster(life);
  const seed = await seedProduct(cluster.url);
  const options = { url: cluster.workingUrl, appUrl: APP_URL, rpcSecret: RPC_SECRET };
  const service = await openScript(life, 'product/runs-service.mjs', options);
  const port = await freePort();
  const rpcUrl = `tcp://127.0.0.1:${service.facts.port}`;
  const env = {
    PORT: String(port),
    METRICS_PORT: '0',
    DATABASE_URL: cluster.servingUrl,
    RATE_LIMIT_SCALE: UNREACHABLE_SCALE,
    SHUTDOWN_DELAY_MS: '0',
    RPC_SECRETS: RPC_SECRET,
    RUNS_RPC_URL: rpcUrl,
    TABLES_RPC_URL: rpcUrl,
    SERVICES_RPC_URL: rpcUrl,
  };
  const gateway = await life.open(
    'gateway',
    () => startApp('gateway', env),
    (part) => part.close(),
  );
  await untilOk(`http://127.0.0.1:${port}/readyz`);
  return {
    port,
    processes: { gateway: gateway.pid, service: service.pid, PostgreSQL: cluster.pid },
    ...seed,
  };
}

function openScript(life, script, options) {
  return life.open(
    script,
    () => startScript(script, options),
    (part) => part.close(),
  );
}
