import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, openRedis } from '@quarry/platform';
import { waitFor } from './test-database.js';

export interface TestRedis {
  url: string;
  /** Ends the server if it was started here. */
  stop(): Promise<void>;
}

/**
 * A Redis for one spec file: the one at REDIS_URL, else a throw-away server of its own. As root on Debian a missing
 * server is installed.
 * @throws Error saying in one sentence what to install or set
 */
export async function startTestRedis(): Promise<TestRedis> {
  const given = process.env.REDIS_URL;
  if (given) return { url: given, stop: () => Promise.resolve() };
  installIfMissing();
  const port = await freePort();
  const dir = mkdtempSync(join(tmpdir(), 'quarry-redis-'));
  const settings = [
    '--port',
    `${port}`,
    '--bind',
    '127.0.0.1',
    '--dir',
    dir,
    '--save',
    '',
    '--appendonly',
    'no',
  ];
  const server = spawn('redis-server', settings, { stdio: 'ignore' });
  const url = `redis://127.0.0.1:${port}/0`;
  await waitFor('Redis to answer', () => answers(url));
  return { url, stop: () => stop(server, dir) };
}

function installIfMissing(): void {
  if (isInstalled()) return;
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    try {
      execFileSync('apt-get', ['update', '-qq'], { stdio: 'ignore' });
      execFileSync('apt-get', ['install', '-y', '-qq', 'redis-server'], { stdio: 'ignore' });
    } catch {
      // The sentence below says what is missing, whatever apt found wrong.
    }
  }
  if (isInstalled()) return;
  throw new Error(
    'These specs need Redis: install "redis-server" or set REDIS_URL to a Redis that may be filled.',
  );
}

function isInstalled(): boolean {
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

async function answers(url: string): Promise<boolean> {
  const client = openRedis(url, 500);
  try {
    await new Promise<void>((resolve, reject) => client.once('ready', resolve).once('error', reject));
    return (await client.ping()) === 'PONG';
  } catch {
    return false;
  } finally {
    client.disconnect();
  }
}

async function stop(server: ChildProcess, dir: string): Promise<void> {
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  server.kill('SIGTERM');
  await ended;
  rmSync(dir, { recursive: true, force: true });
}
