import { setTimeout as delay } from 'node:timers/promises';
import { endedBatch, newPeople } from './harness/held-lines.mjs';
import { idleMemoryMb } from './harness/peak-memory.mjs';
import { createBenchOrganisation, openClient, openServices } from './harness/product.mjs';
import { CAN_MEASURE_PROCESSES } from './harness/process-tree.mjs';
import { openCluster } from './harness/servers.mjs';

export const says =
  'memory of gateway, services and worker at rest, after 6,000 lines and after pages of their jobs';

const LINES = 100;
const LISTS = 60;
const PAGES = 200;
/** Milliseconds until the garbage of the work is collected. */
const REST_MS = 10_000;
const AT_REST_MB = 250;

export async function run({ life, report }) {
  if (!CAN_MEASURE_PROCESSES) return;
  const cluster = await openCluster(life);
  const { apiKey } = await createBenchOrganisation(cluster.url);
  const { ports, processes } = await openServices(life, cluster, { workerQueues: 'service-get-email' });
  const client = await openClient(life, ports[0], apiKey);
  const { PostgreSQL: _, ...programs } = processes;
  const atRest = async () => {
    await delay(REST_MS);
    return Object.fromEntries(
      Object.entries(programs).map(([name, pid]) => [`${name}, RSS MB`, [idleMemoryMb(pid)]]),
    );
  };
  const started = await atRest();
  for (let i = 0; i < LISTS; i += 1) await endedBatch(client, newPeople(LINES));
  const afterLines = await atRest();
  for (let i = 0; i < PAGES; i += 1)
    await client.call('GET', `/v1/services/jobs?limit=100&offset=${(i * 25) % (LISTS * LINES - LINES)}`);
  const afterPages = await atRest();
  report.addTable('at rest', { started, 'after 6,000 lines': afterLines, 'after pages of jobs': afterPages });
  for (const [name, [mb]] of Object.entries(afterPages))
    report.addGoal(`${name} at rest`, Math.max(mb, afterLines[name][0]), 'at most', AT_REST_MB);
}
