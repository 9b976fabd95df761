import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { createOrganisation, migratedDatabase } from '@quarry/composition';
import { alternate } from './harness/alternation.mjs';
import { spreadOf } from './harness/statistics.mjs';
import { cpuMicrosOf, memoryOf } from './harness/process-tree.mjs';
import { openLocal } from './harness/product.mjs';
import { openCluster } from './harness/servers.mjs';

export const says =
  '2,000 idle streams of events in one process: memory and CPU, against the process without them';

const ORGANISATIONS = 200;
/** Maximum number of streams of one key. */
const STREAMS_EACH = 10;
const STREAMS = ORGANISATIONS * STREAMS_EACH;
const WATCHED_MS = 20_000;

export async function run({ life, report, settings }) {
  const product = await openProduct(life);
  const values = await alternate(
    { 'no streams': () => idle(product, 0), streams: () => idle(product, STREAMS_EACH) },
    settings.rounds,
    settings.onRound,
  );
  report.addTable(`${STREAMS.toLocaleString('en')} idle streams`, values);
  if (!values.streams.memoryMb) return;
  const median = (of, name) => spreadOf(values[of][name]).median;
  const kbEach = ((median('streams', 'memoryMb') - median('no streams', 'memoryMb')) * 1024) / STREAMS;
  report.addGoal('memory of a stream in kB', kbEach, 'at most', 50);
  report.addGoal('CPU of a core, percent', median('streams', 'cpuPercent'), 'at most', 25);
}

async function openProduct(life) {
  const cluster = await openCluster(life);
  const { port, processes } = await openLocal(life, cluster);
  const database = await life.open(
    'database',
    () => migratedDatabase(cluster.url, 'bench'),
    (part) => part.close(),
  );
  const keys = [];
  for (let i = 0; i < ORGANISATIONS; i += 1)
    keys.push((await createOrganisation(database, { name: `Bench ${i}`, credits: 1 })).apiKey);
  return { port, keys, pid: processes.program };
}

/** Opens a number of streams for each key, and measures the process while they are idle. */
async function idle({ port, keys, pid }, each) {
  const streams = [];
  for (const key of keys)
    streams.push(...(await Promise.all(Array.from({ length: each }, () => openStream(port, key)))));
  // The cost of opening the streams is over.
  await delay(3_000);
  const before = cpuMicrosOf([pid]);
  await delay(WATCHED_MS);
  const cpuMicros = before === null ? null : cpuMicrosOf([pid]) - before;
  const memory = memoryOf([pid]);
  const lost = streams.filter((stream) => stream.destroyed).length;
  for (const stream of streams) stream.destroy();
  await delay(2_000);
  if (lost > 0) throw new Error(`${lost} streams were closed while they were watched.`);
  return memory && { memoryMb: memory.pssMb, cpuPercent: cpuMicros / WATCHED_MS / 10 };
}

/** @returns the connection, when the stream is open */
function openStream(port, key) {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' }, () =>
      socket.write(
        `GET /v1/events HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${key}\r\nAccept: text/event-stream\r\n\r\n`,
      ),
    );
    socket.setEncoding('latin1').once('error', reject);
    socket.once('data', (text) =>
      text.startsWith('HTTP/1.1 200 ') ? resolve(socket) : reject(new Error(text.slice(0, 300))),
    );
    socket.on('data', () => undefined);
  });
}
