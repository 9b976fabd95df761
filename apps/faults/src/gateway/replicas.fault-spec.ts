import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOrganisation } from '@quarry/composition';
import { systemCtx } from '@quarry/app';
import { freePort } from '@quarry/local-postgres';
import {
  ApiClient,
  AppProcess,
  createTestDatabase,
  dropWhenLeft,
  mainOf,
  type TestDatabase,
} from '@quarry/testing';
import { printMeasurement, waitFor } from '@quarry/test-servers';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const NAME = 'tables.replicas.test';
const RPC_SECRETS = 'r'.repeat(32);

/** @returns whether a process here can have its own /etc/hosts, which the system's resolver reads */
function hasNamespaces(): boolean {
  try {
    execFileSync('unshare', ['--mount', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/**
 * A gateway whose tables service is a name with several addresses, like a headless Service in Kubernetes. The system resolves
 * the name: the gateway runs with its own /etc/hosts, which the test writes.
 */
(hasNamespaces() ? describe : describe.skip)('replicas behind one host name', () => {
  const replicas = new Map<string, AppProcess>();
  let test: TestDatabase;
  let gateway: ChildProcess;
  let log = '';
  let api: ApiClient;
  let dir: string;
  let rpcPort: number;

  beforeAll(async () => {
    test = await createTestDatabase();
    const { apiKey } = await createOrganisation(test.database, { name: 'Replicas', credits: 10 });
    dir = mkdtempSync(join(tmpdir(), 'quarry-hosts-'));
    rpcPort = await freePort();
    await add('127.0.0.2');
    await add('127.0.0.3');
    name('127.0.0.2', '127.0.0.3');
    const [port, metrics] = [await freePort(), await freePort()];
    const script = `mount --bind '${join(dir, 'hosts')}' /etc/hosts && exec "$0" "$1"`;
    gateway = spawn('unshare', ['--mount', 'sh', '-c', script, process.execPath, mainOf('gateway')], {
      env: {
        PATH: process.env.PATH,
        DATABASE_URL: test.servingUrl,
        PORT: String(port),
        METRICS_PORT: String(metrics),
        TABLES_RPC_URL: `tcp://${NAME}:${rpcPort}`,
        RUNS_RPC_URL: 'tcp://127.0.0.1:1',
        SERVICES_RPC_URL: 'tcp://127.0.0.1:1',
        RATE_LIMIT_SCALE: '1000',
        RPC_SECRETS,
        SHUTDOWN_DELAY_MS: '0',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    gateway.stdout!.setEncoding('utf8').on('data', (chunk: string) => (log += chunk));
    await waitFor('the gateway to listen', async () => log.includes('the gateway listens'));
    api = new ApiClient(`http://127.0.0.1:${port}`, apiKey);
  });
  afterAll(async () => {
    const ended = new Promise((resolve) => gateway.once('exit', resolve));
    gateway.kill('SIGTERM');
    await ended;
    await Promise.all([...replicas.values()].map((app) => app.stop('SIGKILL')));
    rmSync(dir, { recursive: true, force: true });
    await dropWhenLeft(test);
  });

  async function add(host: string): Promise<void> {
    const app = AppProcess.start('tables', {
      DATABASE_URL: test.url,
      CURSOR_SECRET: 'c'.repeat(32),
      APP_URL: 'http://app.test',
      RPC_HOST: host,
      RPC_PORT: String(rpcPort),
      RPC_SECRETS,
    });
    replicas.set(host, app);
    await app.printed('calls are answered');
  }

  /** Writes the addresses of the name in place, because the gateway's /etc/hosts is mounted from this file. */
  function name(...hosts: string[]): void {
    const lines = ['127.0.0.1 localhost', ...hosts.map((host) => `${host} ${NAME}`)];
    writeFileSync(join(dir, 'hosts'), `${lines.join('\n')}\n`);
  }

  /** @returns the replicas that connections lead to now, from /proc/net/tcp of Linux */
  function connected(): string[] {
    const table = execFileSync('cat', ['/proc/net/tcp'], { encoding: 'utf8' }).split('\n').slice(1);
    const port = rpcPort.toString(16).toUpperCase().padStart(4, '0');
    return table
      .map((row) => row.trim().split(/\s+/))
      .filter(([, , remote, state]) => remote?.endsWith(`:${port}`) && state === '01')
      .map(([, , remote]) => `127.0.0.${Number.parseInt(remote!.slice(0, 2), 16)}`)
      .sort();
  }

  it('share the calls, a new one too; killing one loses no read and no accepted write', async () => {
    const faults: string[] = [];
    const made: string[] = [];
    let isOver = false;
    let calls = 0;
    const { id } = (await api.post<{ id: string }>('/v1/workspaces', { name: 'Read' })).body;
    const readers = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        const { status, body } = await api.get(`/v1/workspaces/${id}`);
        if (status !== 200) faults.push(`read ${status} ${JSON.stringify(body)}`);
        calls += 1;
      }
    });
    const unsure: string[] = [];
    const writer = (async () => {
      for (let n = 0; !isOver; n += 1) {
        // Without a key, the caller would not know the outcome of a write whose replica was killed.
        const headers = { 'idempotency-key': `w${n}` };
        const write = () => api.post<{ id: string }>('/v1/workspaces', { name: `W${n}` }, headers);
        let answer = await write();
        if (answer.status !== 201) unsure.push(`W${n}`);
        for (let again = 0; answer.status !== 201 && again < 100; again += 1) {
          await new Promise((resolve) => setTimeout(resolve, 50));
          answer = await write();
        }
        if (answer.status === 201) made.push(answer.body.id);
        else faults.push(`write ${answer.status}`);
        calls += 1;
      }
    })();
    const isShared = async (...hosts: string[]) => String(connected()) === String(hosts);
    await waitFor('both to have their share', () =>
      isShared('127.0.0.2', '127.0.0.2', '127.0.0.3', '127.0.0.3'),
    );

    await add('127.0.0.4');
    name('127.0.0.2', '127.0.0.3', '127.0.0.4');
    const joinedAt = performance.now();
    const shares = ['127.0.0.2', '127.0.0.3', '127.0.0.4'].flatMap((host) => [host, host]);
    await waitFor('the new one to have its share', () => isShared(...shares));
    printMeasurement(
      `a replica that joined had its share after ${Math.round(performance.now() - joinedAt)} ms`,
    );

    const before = calls;
    await replicas.get('127.0.0.2')!.stop('SIGKILL');
    await waitFor('calls to go on', async () => calls > before + 500);
    // No connection to the removed replica is left.
    expect(connected()).not.toContain('127.0.0.2');
    isOver = true;
    await Promise.all([...readers, writer]);
    printMeasurement(`${calls} calls, ${made.length} writes, of them asked again: ${unsure.length}`);
    expect(faults).toEqual([]);
    // At most the write in progress on the killed replica: there is one write at a time.
    expect(unsure.length).toBeLessThanOrEqual(1);
    const kept = 'SELECT count(*)::int AS n FROM tables.workspaces WHERE id = ANY ($1)';
    const row = await test.database.queryOne<{ n: number }>(systemCtx('spec'), kept, [made]);
    expect(row!.n).toBe(made.length);
    expect(new Set(made).size).toBe(made.length);
  });
});
