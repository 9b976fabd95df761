import { freePort } from '@quarry/local-postgres';
import { alternate, withCpu } from './harness/alternation.mjs';
import { startApp, startScript, untilOk } from './harness/child-process.mjs';
import { ratioOf } from './harness/figures.mjs';
import { loadInTurn, openLoad } from './harness/http-comparison.mjs';
import { UNREACHABLE_SCALE } from './harness/limits.mjs';
import { APP_URL, seedProduct } from './harness/run.fixture.mjs';
import { openCluster } from './harness/servers.mjs';

export const says =
  'what traces cost a read through gateway and service, and a line, against none: a tenth of them, and all';

const RPC_SECRET = 'r'.repeat(32);
const LINES = 5_000;
/** Part of the requests that are recorded; null: no tracing at all, which is the baseline. */
const SIDES = { none: null, 'a tenth': 0.1, all: 1 };

export async function run({ life, report, settings }) {
  const sink = await openScript(life, 'harness/trace-sink.mjs', {});
  const traces = (ratio) => (ratio === null ? null : { endpoint: sink.facts.url, ratio });
  await reads({ life, report, settings, traces });
  await lines({ life, report, settings, traces });
  const { bytes } = await sink.ask({});
  if (bytes === 0) throw new Error('Nothing was traced.');
}

/** PostgreSQL is not told of traces, so that one serves all sides and its CPU is left out. */
async function reads({ life, report, settings, traces }) {
  const cluster = await openCluster(life);
  const seed = await seedProduct(cluster.url);
  const sides = {};
  for (const [name, ratio] of Object.entries(SIDES))
    sides[name] = { ...(await openReader(life, cluster, traces(ratio))), ...seed };
  const load = await openLoad(life);
  const values = await loadInTurn({ load, settings, sides, connections: 16 });
  report.addTable('a read, 16 connections', values);
  for (const name of ['a tenth', 'all'])
    addGoal(report, 'a read', name, values, { 'a tenth': 1.25, all: 2 }[name]);
}

async function openReader(life, cluster, traces) {
  const options = { url: cluster.workingUrl, appUrl: APP_URL, rpcSecret: RPC_SECRET, traces };
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
    ...(traces && {
      OTEL_EXPORTER_OTLP_ENDPOINT: traces.endpoint,
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: String(traces.ratio),
    }),
  };
  const gateway = await life.open(
    'gateway',
    () => startApp('gateway', env),
    (part) => part.close(),
  );
  await untilOk(`http://127.0.0.1:${port}/readyz`);
  return { port, processes: { gateway: gateway.pid, service: service.pid } };
}

async function lines({ life, report, settings, traces }) {
  const sides = {};
  for (const [name, ratio] of Object.entries(SIDES)) {
    const cluster = await openCluster(life);
    const worker = await openScript(life, 'product/line-worker.mjs', {
      ...{ url: cluster.url, queueUrl: cluster.url, messagesInFlight: 2, traces: traces(ratio) },
    });
    sides[name] = async () => {
      await worker.ask({ prepare: LINES });
      return withCpu({ worker: worker.pid }, async () => ({ operations: LINES, ...(await worker.ask({})) }));
    };
  }
  const values = await alternate(sides, settings.rounds, settings.onRound);
  report.addTable('a line, 50 in flight', values);
  for (const name of ['a tenth', 'all'])
    addGoal(report, 'a line', name, values, { 'a tenth': 1.25, all: 2 }[name]);
}

function addGoal(report, what, name, values, limit) {
  const { median } = ratioOf(values[name].cpuMicros, values.none.cpuMicros);
  report.addGoal(`${what}: CPU with ${name} traced, to none`, median, 'at most', limit);
}

function openScript(life, script, options) {
  return life.open(
    script,
    () => startScript(script, options),
    (part) => part.close(),
  );
}
