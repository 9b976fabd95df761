import { afterEach, describe, expect, it } from '@jest/globals';
import { createOrganisation } from '@quarry/composition';
import { freePort } from '@quarry/local-postgres';
import { ApiClient, AppProcess, createTestDatabase, type TestDatabase } from '@quarry/testing';
import { printMeasurement } from '@quarry/test-servers';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';

const RPC_SECRETS = 'r'.repeat(32);
const CHUNK = Buffer.alloc(64 * 1024, 'x');
/** Bytes that each of four unknown callers tries to send, over as many connections as it gets. */
const BYTES_EACH = 100 * 1024 * 1024;
const CONNECTIONS_EACH = 50;
const SOCKET_TIMEOUT_MS = 10_000;
/** Megabytes. Memory grows by 25 MB at most; buffering everything would take 400 MB. */
const GROWTH_MAX_MB = 120;

const started: AppProcess[] = [];
let test: TestDatabase | null = null;
afterEach(async () => {
  await Promise.all(started.splice(0).map((app) => app.stop('SIGKILL')));
  await test?.drop();
  test = null;
});

/** Sends bytes continuously, and reconnects when it is disconnected. @returns the number of bytes accepted by the socket */
async function flood(port: number): Promise<number> {
  let taken = 0;
  for (let i = 0; i < CONNECTIONS_EACH && taken < BYTES_EACH; i += 1) {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    await new Promise<void>((resolve) => {
      const send = (): void => {
        while (!socket.destroyed && socket.bytesWritten < BYTES_EACH - taken)
          if (!socket.write(CHUNK)) return;
        socket.end();
      };
      socket.once('connect', send).on('drain', send).resume();
      // A server that buffers everything without answering is detected by its memory.
      const timer = setTimeout(() => socket.destroy(), SOCKET_TIMEOUT_MS);
      socket.once('close', () => {
        clearTimeout(timer);
        resolve();
      });
    });
    taken += socket.bytesWritten;
  }
  return taken;
}

/** @returns current and peak memory of a process in megabytes, from /proc of Linux */
function memoryOf(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const megabytes = (name: string): number =>
    Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)![1]) / 1024;
  return { now: megabytes('VmRSS'), peak: megabytes('VmHWM') };
}

describe("unauthenticated peers on a service's port", () => {
  it('that send endlessly are disconnected, and delay nobody', async () => {
    test = await createTestDatabase();
    const { apiKey } = await createOrganisation(test.database, { name: 'Own', credits: 10 });
    const [rpc, port] = [await freePort(), await freePort()];
    const common = { DATABASE_URL: test.url, RPC_SECRETS };
    const tables = AppProcess.start('tables', {
      ...common,
      CURSOR_SECRET: 'c'.repeat(32),
      APP_URL: 'http://app.test',
      RPC_PORT: String(rpc),
    });
    started.push(tables);
    await tables.printed('calls are answered');
    const url = `tcp://127.0.0.1:${rpc}`;
    const gateway = AppProcess.start('gateway', {
      ...common,
      PORT: String(port),
      METRICS_PORT: '0',
      TABLES_RPC_URL: url,
      RUNS_RPC_URL: url,
      SERVICES_RPC_URL: url,
    });
    started.push(gateway);
    await gateway.printed('the gateway listens');
    const api = new ApiClient(`http://127.0.0.1:${port}`, apiKey);
    const make = () => api.post('/v1/workspaces', { name: 'Own' });
    // The first calls have additional costs.
    for (let i = 0; i < 50; i += 1) expect((await make()).status).toBe(201);
    const before = memoryOf(tables.pid);
    const flooding = Promise.all(Array.from({ length: 4 }, () => flood(rpc)));
    let isOver = false;
    const statuses = new Set<number>();
    const ask = async (): Promise<void> => {
      while (!isOver) statuses.add((await make()).status);
    };
    const asking = ask();
    const taken = await flooding.finally(() => (isOver = true));
    await asking;
    const after = memoryOf(tables.pid);
    const growthMb = Math.round(after.peak - Math.max(before.now, before.peak));
    printMeasurement(
      `unauthenticated peers: four sent ${Math.round(taken.reduce((sum, each) => sum + each, 0) / 1024 / 1024)} MB, memory ${Math.round(before.now)} MB before, ${Math.round(after.peak)} MB at most`,
    );
    expect([...statuses]).toEqual([201]);
    expect(growthMb).toBeLessThan(GROWTH_MAX_MB);
  });
});
