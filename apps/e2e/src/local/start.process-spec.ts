import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ApiClient, appEnv, AppProcess, createTestDatabase, mainOf } from '@quarry/testing';
import { waitFor } from '@quarry/test-servers';

/** A folder whose path has spaces and non-ASCII letters, below one that only its owner may enter. */
const root = mkdtempSync(join(tmpdir(), 'quarry-start-'));
const dataDir = join(root, 'my dätä');
let otherServer: Server;
let otherPort: number;

beforeAll(async () => {
  // Listens, but is neither PostgreSQL nor Redis nor our product.
  otherServer = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  await new Promise<void>((resolve) => otherServer.listen(0, '127.0.0.1', resolve));
  otherPort = (otherServer.address() as AddressInfo).port;
});

afterAll(() => {
  otherServer.close();
  rmSync(root, { recursive: true, force: true });
});

function startWith(env: Record<string, string>): AppProcess {
  return AppProcess.start('local', { DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'error', ...env });
}

async function started(env: Record<string, string> = {}): Promise<AppProcess> {
  const product = startWith(env);
  await product.printed('Press Ctrl-C to stop', 60_000);
  return product;
}

/** Starts the product and expects it to fail. @returns its output */
async function refused(env: Record<string, string>): Promise<string> {
  const product = startWith(env);
  expect(await product.ended()).toBe(1);
  expect(product.output).not.toMatch(/\n\s+at /);
  return product.output;
}

function client(): ApiClient {
  const { base_url: url, api_key: key } = JSON.parse(
    readFileSync(join(dataDir, 'credentials.json'), 'utf8'),
  ) as { base_url: string; api_key: string };
  return new ApiClient(url, key);
}

interface Answer {
  code: number;
  stdout: string;
  stderr: string;
}

function admin(...args: string[]): Promise<Answer> {
  const env = { ...appEnv(), DATA_DIR: dataDir };
  return new Promise((resolve) =>
    execFile(process.execPath, [mainOf('admin'), ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    ),
  );
}

const MAIN = mainOf('local');
/** User that starts the product: root can write everywhere, so root becomes another user, called nobody on most systems. */
const USER = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** @returns why a folder without write permission cannot be tested here; null when it can */
function whyNotUnwritable(): string | null {
  if (process.getuid === undefined) return 'this system has no such folders';
  const read = `for (const file of ${JSON.stringify([MAIN, tmpdir()])}) require('node:fs').accessSync(file, 4)`;
  const { status } = spawnSync(process.execPath, ['-e', read], { ...USER, env: {}, cwd: '/' });
  return status === 0 ? null : 'another user than root cannot read this checkout';
}

/** Starts the product as {@link USER} and expects it to fail. @returns its output */
async function refusedToUser(dir: string): Promise<string> {
  const env = { PATH: process.env.PATH ?? '', HOME: tmpdir(), DATA_DIR: dir, PORT: '0', LOG_LEVEL: 'error' };
  const child = spawn(process.execPath, [MAIN], {
    ...USER,
    env,
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  expect(await once(child, 'close')).toEqual([1, null]);
  return output;
}

function serverPid(): number | null {
  const file = join(dataDir, 'postgres', 'postmaster.pid');
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : null;
}

describe('a failing start says what is wrong and what to do', () => {
  it('when environment variables are invalid: all at once', async () => {
    const output = await refused({
      PORT: 'x',
      DATABASE_URL: 'postgres://x:%zz@[/x',
      TRUSTED_PROXIES: '300.1.1.1/8',
      SANDBOX: 'perhaps',
    });
    for (const name of ['PORT', 'DATABASE_URL', 'TRUSTED_PROXIES', 'SANDBOX'])
      expect(output).toContain(`- ${name}:`);
  });

  it('when DATA_DIR is a file', async () => {
    writeFileSync(join(root, 'file'), '');
    expect(await refused({ DATA_DIR: join(root, 'file') })).toContain('a file has its name');
  });

  const reason = whyNotUnwritable();
  (reason === null ? it : it.skip)(
    `when the user may not write in DATA_DIR, or not make it${reason === null ? '' : ` (skipped: ${reason})`}`,
    async () => {
      const locked = mkdtempSync(join(tmpdir(), 'quarry-locked-'));
      try {
        if (USER.uid !== undefined) chownSync(locked, USER.uid, USER.gid);
        chmodSync(locked, 0o500);
        for (const dir of [locked, join(locked, 'new')])
          expect(await refusedToUser(dir)).toBe(
            `\nThe folder ${dir} cannot be written (EACCES). Set DATA_DIR to a folder that you own.\n`,
          );
        expect(readdirSync(locked)).toEqual([]);
      } finally {
        rmSync(locked, { recursive: true, force: true });
      }
    },
  );

  it('when nothing listens at DATABASE_URL', async () => {
    expect(await refused({ DATABASE_URL: 'postgres://x@127.0.0.1:1/x' })).toContain('nothing listens there');
  });

  it.each(['DATABASE_URL', 'QUEUE_URL'])(
    'when the host in %s does not exist: a message without a stack',
    async (name) => {
      const scheme = name === 'QUEUE_URL' ? 'redis' : 'postgres';
      const output = await refused({ [name]: `${scheme}://x@nowhere.invalid:5432/x` });
      expect(output).toContain('the host name is unknown');
      expect(output).not.toMatch(/^\s+at .*:\d+:\d+\)?$/m);
    },
  );

  it('when the database has schemas with our names that Quarry did not make', async () => {
    const database = await createTestDatabase();
    await database.asOwner('DROP TABLE quarry_migrations');
    expect(await refused({ DATABASE_URL: database.url })).toContain('schemas that Quarry did not create');
    await database.drop();
  });
});

describe('the embedded product', () => {
  it('reports a used port and an unreachable queue, and leaves no server behind', async () => {
    expect(await refused({ PORT: String(otherPort) })).toContain(
      `Port ${otherPort} on 127.0.0.1 is already in use`,
    );
    expect(await refused({ QUEUE_URL: 'redis://127.0.0.1:1' })).toContain('Redis at 127.0.0.1:1');
    expect(await refused({ QUEUE_URL: `redis://127.0.0.1:${otherPort}` })).toContain('QUEUE_URL');
    expect(serverPid()).toBeNull();
  });

  it('answers waiting reads at once when it is stopped, and stops its server', async () => {
    const product = await started();
    const api = client();
    const batch = await api.post<{ batch_id: string }>('/v1/services/jobs/batch', {
      service: 'getEmail',
      inputs: [{ first_name: 'Ada', last_name: 'Held', domain: 'slow-60s.sandbox.test' }],
    });
    const path = `/v1/services/jobs/batch/${batch.body.batch_id}`;
    const held = api.get(`${path}?wait_seconds=60`);
    await waitFor(
      'the line to run',
      async () => (await api.get<{ counts: { running: number } }>(path)).body.counts.running === 1,
    );
    const ended = product.stop('SIGTERM');
    const answered = held.then(({ status }) => status);
    // The line, and so the read, would take a minute: an answer before the end of the process was caused by the stop.
    expect(await Promise.race([answered, ended.then(() => 'ended')])).toBe(200);
    expect(await ended).toBe(0);
    // A search that the stop has aborted is not logged as an error.
    expect(product.output).not.toContain('"level":50');
    expect(serverPid()).toBeNull();
  });

  it('prints commands that lead from a prompt to the rows of its table, and to a batch', async () => {
    const product = await started();
    const script = product.output.split('Try it:\n')[1]!.split('More:')[0]!;
    const { stdout } = await promisify(execFile)('bash', ['-c', `set -euo pipefail\n${script}`], {
      timeout: 60_000,
    });
    const [rows, batch] = stdout
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text));
    expect(rows.items).toHaveLength(3);
    expect(rows.items[0].values).toMatchObject({ country: 'United States' });
    expect(batch).toMatchObject({ ok: true, service: 'getEmail', size: 1 });
    expect(await product.stop('SIGINT')).toBe(0);
  });

  it('locks its folder, shares its database with the admin command, and exits if it loses the database', async () => {
    const product = await started();
    expect(await refused({})).toContain(`Quarry is already running on ${dataDir} (process ${product.pid})`);
    const made = await admin('org:create', '--name', 'Beside', '--credits', '5');
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const { org_id: org } = JSON.parse(made.stdout) as { org_id: string };
    const excluded = await admin(
      'exclusions:add',
      '--org',
      org,
      '--kind',
      'companies',
      '--domain',
      'acme.com',
      '--domain',
      'globex.com',
      '--linkedin-url',
      'https://linkedin.com/company/x',
    );
    expect(JSON.parse(excluded.stdout)).toEqual({ created: 3, updated: 0, unchanged: 0, rejected: [] });
    process.kill(serverPid()!, 'SIGKILL');
    expect(await product.ended()).toBe(1);
    expect(product.output).toContain('PostgreSQL ended unexpectedly (SIGKILL)');
  });

  it('starts again after a kill -9 despite the old lock and server, and does not show the key again', async () => {
    await (await started()).stop('SIGKILL');
    expect(serverPid()).not.toBeNull();
    const again = await started();
    expect(await again.stop('SIGINT')).toBe(0);
    expect(again.output).not.toContain(client().apiKey);
    expect(serverPid()).toBeNull();
  });
});

describe('the admin command', () => {
  it('works while the product is stopped, several times at once', async () => {
    const answers = await Promise.all(
      ['A', 'B', 'C'].map((name) => admin('org:create', '--name', name, '--credits', '1')),
    );
    for (const { code, stdout, stderr } of answers) {
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(Object.keys(JSON.parse(stdout) as object)).toContain('org_id');
    }
    expect(serverPid()).toBeNull();
  });

  it('refuses with a message on standard error and code 1', async () => {
    for (const args of [
      [],
      ['org:destroy'],
      ['org:create', '--name', 'x'],
      ['key:create', '--org', 'org_0'],
    ]) {
      const { code, stdout, stderr } = await admin(...args);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).not.toBe('');
      expect(stderr).not.toMatch(/^\s+at .*:\d+:\d+\)?$/m);
    }
  });
});
