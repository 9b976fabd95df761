// Shows where the time of a line or a page is spent: `node bench/profile.mjs line` or `page` (docs/performance.md).
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { Lifecycle } from '@quarry/app';

const SECONDS = 10;
const WARM_UP_SECONDS = 5;
const CLIENTS = 4;
const LINES = 100;
const ROWS = 100_000;
const PLACES_SHOWN = 25;
// The module reads this when it is loaded: from here on every process of the product writes a profile at its end.
process.env.BENCH_PROFILE = '1';
const { ROOT, startScript } = await import('./harness/child-process.mjs');
const { endedBatch, newPeople } = await import('./harness/held-lines.mjs');
const { sumProfile } = await import('./harness/cpu-profile.mjs');
const product = await import('./harness/product.mjs');
const { openCluster } = await import('./harness/servers.mjs');
const { seedTable, seedWorkspace } = await import('./harness/table.fixture.mjs');

const JSON_FRAMES = { NODE_OPTIONS: `--import=file://${ROOT}bench/harness/json-frames.preload.mjs` };
const monotonicMicros = () => Number(process.hrtime.bigint() / 1000n);

/** Scenes by name. Each returns the process to profile, and a function that loads it for some seconds and counts operations. */
const SCENES = {
  line: async (life) => {
    const vendor = await openScript(life, 'harness/vendor-server.mjs');
    const cluster = await openCluster(life);
    const { apiKey } = await product.createBenchOrganisation(cluster.url);
    const { ports, processes } = await product.openServices(life, cluster, {
      workerQueues: 'service-get-email',
      env: { ...product.vendorEnv(vendor.facts.url), ...JSON_FRAMES },
    });
    const open = () => product.openClient(life, ports[0], apiKey);
    const clients = await Promise.all(Array.from({ length: CLIENTS }, open));
    const load = async (seconds) => {
      const until = performance.now() + seconds * 1000;
      let lines = 0;
      const loop = async (client) => {
        for (; performance.now() < until; lines += LINES) await endedBatch(client, newPeople(LINES));
      };
      await Promise.all(clients.map(loop));
      return lines;
    };
    return { pid: processes.worker, load };
  },
  page: async (life) => {
    const cluster = await openCluster(life);
    const seed = await seedWorkspace(cluster.url);
    const { tableId } = await seedTable(cluster.url, seed, ROWS);
    const { port, processes } = await product.openLocal(life, cluster, {
      DATABASE_URL: cluster.workingUrl,
      ...JSON_FRAMES,
    });
    const generator = await openScript(life, 'harness/http-load.mjs');
    const load = async (seconds) => {
      const headers = { Authorization: `Bearer ${seed.apiKey}` };
      const path = `/v1/tables/${tableId}/rows?limit=1000`;
      const asked = { port, path, headers, connections: CLIENTS, ms: seconds * 1000 };
      return (await generator.ask(asked)).operations;
    };
    return { pid: processes.program, load };
  },
};

function openScript(life, script) {
  return life.open(
    script,
    () => startScript(script),
    (part) => part.close(),
  );
}

/**
 * Returns the CPU time of a process's main thread. Samples count elapsed time, which is more on a busy machine.
 * Source: proc_pid_schedstat
 */
function mainThreadMicros(pid) {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1000;
}

const scene = SCENES[process.argv[2]];
if (!scene) throw new Error(`Say one of ${Object.keys(SCENES).join(', ')}.`);
mkdirSync(`${ROOT}.bench`, { recursive: true });
const life = new Lifecycle((part, error) => console.error(`${part} did not close:`, error));
life.closeOnSignals((code) => process.exit(code));
let profiled;
try {
  const { pid, load } = await scene(life);
  await load(WARM_UP_SECONDS);
  const [fromMicros, cpuBefore] = [monotonicMicros(), mainThreadMicros(pid)];
  const operations = await load(SECONDS);
  const cpuMicros = (mainThreadMicros(pid) - cpuBefore) / operations;
  profiled = { pid, operations, cpuMicros, window: { fromMicros, untilMicros: monotonicMicros() } };
} finally {
  await life.close();
}
const { pid, operations, cpuMicros, window } = profiled;
// File of the main thread: CPU.<date>.<time>.<process>.<thread>.<number>.cpuprofile
const file = readdirSync(`${ROOT}.bench`).find(
  (name) => name.startsWith('CPU.') && name.includes(`.${pid}.0.`),
);
const { busyMicros, areas, places } = sumProfile(`${ROOT}.bench/${file}`, window);
const print = (sums) => {
  for (const [name, micros] of sums) {
    const share = micros / busyMicros;
    const [percent, spent] = [
      (100 * share).toFixed(1).padStart(5),
      (share * cpuMicros).toFixed(1).padStart(7),
    ];
    console.log(`${percent} % ${spent} µs  ${name}`);
  }
};
const byTime = (sums) => [...sums].sort(([, a], [, b]) => b - a);
const seconds = (window.untilMicros - window.fromMicros) / 1e6;
console.log(`${operations} × ${process.argv[2]} in ${seconds.toFixed(1)} s, .bench/${file}`);
console.log(`${cpuMicros.toFixed(1)} µs of CPU of the main thread each, divided as the samples are`);
print(byTime(areas));
console.log('\nWhere most of it is:');
print(byTime(places).slice(0, PLACES_SHOWN));
process.exit();
