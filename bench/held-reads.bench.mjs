import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { createOrganisation, migratedDatabase } from '@quarry/composition';
import { systemCtx } from '@quarry/app';
import { alternate } from './harness/alternation.mjs';
import { quantile, spreadOf } from './harness/statistics.mjs';
import { memoryOf } from './harness/process-tree.mjs';
import { openClient, openLocal } from './harness/product.mjs';
import { openCluster } from './harness/servers.mjs';

export const says =
  '2,000 held reads of one batch: memory while they are held, and how soon they are woken by its end';

const READS = 2_000;
/** A sandbox domain whose lines take long enough for all reads to be held before they end. */
const SLOW_DOMAIN = 'slow-12s.sandbox.test';

export async function run({ life, report, settings }) {
  const product = await openProduct(life);
  const values = await alternate({ product: () => round(product) }, settings.rounds, settings.onRound);
  report.addTable(`${READS.toLocaleString('en')} held reads`, values);
  report.addGoal(
    'p99 of the answers after the end of the batch, ms',
    spreadOf(values.product.p99Ms).median,
    'at most',
    1000,
  );
  if (!values.product.kbPerRead) return;
  report.addGoal('memory of a held read in kB', spreadOf(values.product.kbPerRead).median, 'at most', 50);
  // A few connections of the process itself are opened only when they are first needed.
  report.addGoal(
    'database connections more than before',
    spreadOf(values.product.connections).max,
    'at most',
    2,
  );
}

async function openProduct(life) {
  const cluster = await openCluster(life);
  const { port, processes } = await openLocal(life, cluster);
  const database = await life.open(
    'database',
    () => migratedDatabase(cluster.url, 'bench'),
    (part) => part.close(),
  );
  const { apiKey } = await createOrganisation(database, { name: 'Bench', credits: 100_000 });
  const api = await openClient(life, port, apiKey);
  return { port, apiKey, api, database, pid: processes.program };
}

let people = 0;

async function round({ port, apiKey, api, database, pid }) {
  people += 1;
  const person = { first_name: `Ada${people}`, last_name: 'Bench', domain: SLOW_DOMAIN };
  // After this pause the memory of the idle process no longer grows.
  await delay(2_000);
  const [idleMemory, idleConnections] = [memoryOf([pid]), await connections(database)];
  const batch = await api.call('POST', '/v1/services/jobs/batch', { service: 'getEmail', inputs: [person] });
  const head = `GET ${batch.poll_url}?wait_seconds=30 HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`;
  const reads = Array.from({ length: READS }, () => heldRead(port, head));
  const answers = Promise.all(reads.map(({ answered }) => answered));
  await Promise.all(reads.map(({ sent }) => sent));
  await delay(2_000);
  const [heldMemory, heldConnections] = [memoryOf([pid]), await connections(database)];
  const arrivals = await answers;
  const endedAt = Date.parse((await api.call('GET', batch.poll_url)).jobs[0].completed_at);
  const latenciesMs = arrivals.map(({ at, status }) => {
    if (status !== 'completed') throw new Error(`A read was answered too early: ${status}`);
    return at - endedAt;
  });
  return {
    p50Ms: quantile(latenciesMs, 0.5),
    p99Ms: quantile(latenciesMs, 0.99),
    ...(idleMemory && { kbPerRead: ((heldMemory.pssMb - idleMemory.pssMb) * 1024) / READS }),
    connections: heldConnections - idleConnections,
  };
}

async function connections(database) {
  const sql = 'SELECT count(*)::int AS open FROM pg_stat_activity WHERE datname = current_database()';
  return (await database.queryOne(systemCtx('bench'), sql)).open;
}

/** Sends a read on a separate connection. Returns the time of the response, and the status of the batch. */
function heldRead(port, head) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const sent = new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('connect', () => socket.write(head, resolve));
  });
  const answered = new Promise((resolve, reject) => {
    let text = '';
    socket.setEncoding('latin1');
    socket.once('error', reject);
    socket.on('data', (chunk) => {
      text += chunk;
      const bodyAt = text.indexOf('\r\n\r\n') + 4;
      if (bodyAt < 4) return;
      if (text.length < bodyAt + Number(/\r\ncontent-length: (\d+)/i.exec(text.slice(0, bodyAt))?.[1] ?? 0))
        return;
      const at = Date.now();
      socket.destroy();
      if (!text.startsWith('HTTP/1.1 200 ')) return reject(new Error(text.slice(0, 300)));
      resolve({ at, status: JSON.parse(text.slice(bodyAt)).status });
    });
  });
  return { sent, answered };
}
