import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@quarry/local-postgres';
import { Redis } from 'ioredis';
import { installDebianPackages } from './debian-packages.js';
import { waitFor } from './wait-for.js';

export interface TestRedis {
  url: string;
  /** Stops the server if it was started here. */
  stop(): Promise<void>;
}

/**
 * Starts a Redis for one spec file: the one at REDIS_URL, else a temporary server. As root on Debian a missing server is
 * installed.
 * @throws Error saying in one sentence what to install or set
 */
export async function startTestRedis(): Promise<TestRedis> {
  const given = process.env.REDIS_URL;
  if (given) return { url: given, stop: () => Promise.resolve() };
  return OwnRedis.start([], true);
}

/** A Redis without persistence that a spec may break: kill it, restart it empty, or freeze it. */
export class OwnRedis implements TestRedis {
  private server: ChildProcess | null = null;

  private constructor(
    private readonly port: number,
    private readonly dir: string,
    private readonly settings: readonly string[],
  ) {}

  /**
   * @param settings additional command-line options of the server
   * @param mayBeGiven whether a server at REDIS_URL would also do, for the error message
   */
  static async start(settings: readonly string[] = [], mayBeGiven = false): Promise<OwnRedis> {
    installIfMissing(mayBeGiven);
    const redis = new OwnRedis(await freePort(), mkdtempSync(join(tmpdir(), 'quarry-redis-')), settings);
    await redis.begin();
    return redis;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}/0`;
  }

  /** Starts it empty on the same port. */
  async begin(): Promise<void> {
    const own = ['--port', `${this.port}`, '--bind', '127.0.0.1', '--dir', this.dir];
    const memoryOnly = ['--save', '', '--appendonly', 'no'];
    this.server = spawn('redis-server', [...own, ...memoryOnly, ...this.settings], { stdio: 'ignore' });
    await waitFor('Redis to answer', () => answers(this.url));
  }

  /** Kills it with all its data. */
  async end(): Promise<void> {
    const { server } = this;
    if (!server) return;
    this.server = null;
    const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
    server.kill('SIGKILL');
    await ended;
  }

  /** Freezes it: its port stays open, but it does not respond until {@link resume}. */
  freeze(): void {
    this.server?.kill('SIGSTOP');
  }

  resume(): void {
    this.server?.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    await this.end();
    rmSync(this.dir, { recursive: true, force: true });
  }
}

function installIfMissing(mayBeGiven: boolean): void {
  if (isInstalled()) return;
  installDebianPackages('redis-server');
  if (isInstalled()) return;
  throw new Error(
    mayBeGiven
      ? 'These specs need Redis: install "redis-server" or set REDIS_URL to a Redis that may be filled.'
      : 'These specs end and stop their own Redis, so that "redis-server" must be installed; REDIS_URL does not help.',
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
  const client = new Redis(url, { commandTimeout: 500, connectTimeout: 2_000, retryStrategy: null });
  client.on('error', () => undefined);
  try {
    await new Promise<void>((resolve, reject) => client.once('ready', resolve).once('error', reject));
    return (await client.ping()) === 'PONG';
  } catch {
    return false;
  } finally {
    client.disconnect();
  }
}
