import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOrganisation } from '@quarry/composition';
import { systemCtx } from '@quarry/app';
import { freePort } from '@quarry/local-postgres';
import { ApiClient, AppProcess, createTestDatabase, type TestDatabase } from '@quarry/testing';
import { printMeasurement } from '@quarry/test-servers';

const MIB = 1024 * 1024;
const RPC_SECRETS = 'r'.repeat(32);
const ROWS = 60_000;
/** Megabytes above the memory of each process before the first import. Freed memory shows only in the next peak. */
const MEMORY_MAX_MB = 400;

describe('six imports of 60 MiB at once, through separate processes', () => {
  let test: TestDatabase;
  let tables: AppProcess;
  let gateways: AppProcess[];
  let clients: ApiClient[];
  let workspaceId: string;

  beforeAll(async () => {
    test = await createTestDatabase();
    const { apiKey } = await createOrganisation(test.database, { name: 'Large', credits: 1 });
    const rpc = String(await freePort());
    tables = AppProcess.start('tables', {
      DATABASE_URL: test.url,
      APP_URL: 'http://app.test',
      CURSOR_SECRET: 'x'.repeat(32),
      RPC_PORT: rpc,
      RPC_SECRETS,
    });
    await tables.printed('calls are answered');
    const ports = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
    // Runs and services are not used here.
    const nowhere = `tcp://127.0.0.1:${await freePort()}`;
    gateways = [0, 1].map((n) =>
      AppProcess.start('gateway', {
        DATABASE_URL: test.url,
        PORT: String(ports[n]),
        METRICS_PORT: String(ports[n + 2]),
        TABLES_RPC_URL: `tcp://127.0.0.1:${rpc}`,
        RUNS_RPC_URL: nowhere,
        SERVICES_RPC_URL: nowhere,
        RATE_LIMIT_SCALE: '1000',
        SHUTDOWN_DELAY_MS: '0',
        RPC_SECRETS,
      }),
    );
    for (const gateway of gateways) await gateway.printed('the gateway listens');
    clients = [0, 1].map((n) => new ApiClient(`http://127.0.0.1:${ports[n]}`, apiKey));
    workspaceId = (await clients[0]!.post<{ id: string }>('/v1/workspaces', { name: 'Large' })).body.id;
    // Both gateways have connections and cached keys before the measurement.
    for (const client of clients) expect((await client.get('/v1/workspaces')).status).toBe(200);
  });
  afterAll(async () => {
    await Promise.all([...gateways, tables].map((app) => app.stop()));
    await test.drop();
  });

  const memoryMb = (app: AppProcess, field: 'VmRSS' | 'VmHWM') =>
    Number(
      new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${app.pid}/status`, 'utf8'))?.[1],
    ) / 1024;

  /** Returns a body of a little over 60 MiB, with a letter that makes V8 store the text with two bytes per character. */
  function body(n: number): unknown {
    const pad = 'x'.repeat(Math.floor((60 * MIB) / ROWS / 2) - 12);
    const rows = Array.from({ length: ROWS }, (_, i) => ({
      a: `${i}${pad}`,
      b: `${n === 0 ? 'ł' : ''}${pad}`,
    }));
    return {
      name: `Large ${n}`,
      columns: [
        { key: 'a', name: 'A' },
        { key: 'b', name: 'B' },
      ],
      rows,
    };
  }

  it('keep each process within its memory limit, and reads are answered', async () => {
    const bodies = Array.from({ length: 6 }, (_, n) => body(n));
    const apps = { 'gateway 1': gateways[0]!, 'gateway 2': gateways[1]!, tables };
    const idle = Object.fromEntries(
      Object.entries(apps).map(([name, app]) => [name, memoryMb(app, 'VmRSS')]),
    );
    let isDone = false;
    const sent = Promise.all(
      bodies.map((each, n) =>
        clients[n % 2]!.post<{ error?: { code: string } }>(`/v1/workspaces/${workspaceId}/tables`, each),
      ),
    ).finally(() => (isDone = true));
    let reads = 0;
    for (; !isDone; reads += 1) expect((await clients[reads % 2]!.get('/v1/workspaces')).status).toBe(200);
    const answers = await sent;
    const accepted = answers.filter(({ status }) => status === 201).length;
    for (const { status, body: refusal, headers } of answers.filter((each) => each.status !== 201)) {
      expect([status, refusal.error?.code]).toEqual([429, 'rate_limited']);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    const peaks = Object.entries(apps).map(
      ([name, app]) => [name, memoryMb(app, 'VmHWM') - idle[name]!] as const,
    );
    printMeasurement(
      `six imports of 60 MiB through two gateways: ${accepted} accepted, ${reads} reads; over idle ${peaks.map(([name, mb]) => `${name} ${mb.toFixed(0)} MB`).join(', ')}`,
    );
    expect(accepted).toBeGreaterThan(0);
    expect(reads).toBeGreaterThan(1);
    for (const [name, mb] of peaks) expect([name, mb < MEMORY_MAX_MB]).toEqual([name, true]);
    const rows = await test.database.query<{ n: number }>(
      systemCtx('spec'),
      'SELECT count(*)::int AS n FROM tables.rows',
    );
    expect(rows[0]!.n).toBe(accepted * ROWS);
  });
});
