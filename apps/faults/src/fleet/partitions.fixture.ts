import { expect } from '@jest/globals';
import { freePort } from '@quarry/local-postgres';
import { AppProcess } from '@quarry/testing';
import { printMeasurement, NetworkNamespace, TcpFaultProxy, waitFor } from '@quarry/test-servers';
import type { FleetScene } from './spec-kit.js';

/** Ways to disconnect a worker from PostgreSQL only. */
export type Partition = 'a black hole' | 'a network namespace';

const LINES = 10;
/** Milliseconds. Lines wait for the end of a lease and a round of the reconciler, 45 s at most; a lost line waits for ever. */
const AGAIN_WITHIN_MS = 180_000;
/** Fraction of a lease after which its owner stops by itself (docs/reliability.md, Leases). */
const LEASE_VALID = 2 / 3;

/** @returns why no network namespace can be created here; null when one can */
export function withoutNamespaces(): string | null {
  try {
    NetworkNamespace.open().close();
    return null;
  } catch (error) {
    return (error as Error).message.split('\n').slice(0, 2).join(' ');
  }
}

/** A worker with the fleet's secrets and queues whose connection to PostgreSQL can be cut, while others stay open. */
class LonelyWorker {
  private constructor(
    readonly app: AppProcess,
    private readonly space: NetworkNamespace | null,
    private readonly ways: readonly TcpFaultProxy[],
  ) {}

  static async start(scene: FleetScene, partition: Partition): Promise<LonelyWorker> {
    const space = partition === 'a network namespace' ? NetworkNamespace.open() : null;
    // Environment of the fleet's own worker, without the IPC channel to the fleet.
    const {
      NODE_CHANNEL_FD: _fd,
      NODE_CHANNEL_SERIALIZATION_MODE: _mode,
      ...given
    } = scene.processesOf('worker')[0]!.env;
    const to = (url: string, link: 'first' | 'second') => TcpFaultProxy.before(url, space?.addressOf(link));
    const database = scene.server.url('quarry');
    const ways = [
      await to(database, 'first'),
      await to(scene.redis.url, 'second'),
      await to(scene.vendor.url, 'second'),
    ] as const;
    const env = {
      ...given,
      DATABASE_URL: ways[0].through(database),
      QUEUE_URL: ways[1].through(scene.redis.url),
      VENDOR_URL: ways[2].through(scene.vendor.url).replace(/\/$/, ''),
      METRICS_PORT: String(await freePort()),
      LOG_LEVEL: 'info',
    };
    const faults = space ? { networkNamespace: space.name } : {};
    const app = AppProcess.start('jobs-worker', env, faults);
    const lonely = new LonelyWorker(app, space, ways);
    await app.printed('queues are worked on').catch(async (error: Error) => {
      await lonely.stop();
      throw error;
    });
    return lonely;
  }

  async cut(): Promise<void> {
    if (this.space) this.space.cut('first');
    else await this.ways[0]!.set({ kind: 'black-hole' });
  }

  async heal(): Promise<void> {
    if (this.space) this.space.heal('first');
    else await this.ways[0]!.set({ kind: 'pass' });
  }

  async stop(): Promise<void> {
    await this.app.stop('SIGKILL');
    await Promise.all(this.ways.map((way) => way.close()));
    this.space?.close();
  }
}

/**
 * Disconnects a worker from PostgreSQL during vendor calls: it aborts its calls before another worker can take the lines, the
 * other worker ends them, each is charged once, and the worker works again when the connection is back.
 * @param leaseMs lease length of the fleet
 */
export async function survivesPartition(
  scene: FleetScene,
  partition: Partition,
  leaseMs: number,
): Promise<void> {
  const { vendor } = scene;
  const load = scene.load();
  await load.stop();
  vendor.override = null;
  const lonely = await LonelyWorker.start(scene, partition);
  const signalFleets = (signal: 'SIGSTOP' | 'SIGCONT') => {
    for (const { pid } of scene.processesOf('worker')) process.kill(pid, signal);
  };
  try {
    // The fleet's own workers are suspended for a moment, so that the other worker gets all lines.
    const before = vendor.calls.length;
    signalFleets('SIGSTOP');
    await load.sendLines(LINES, 'held');
    await waitFor('the vendor to be asked', async () => vendor.calls.length === before + LINES);
    signalFleets('SIGCONT');
    vendor.override = 'ok';
    await lonely.cut();
    const cutAt = performance.now();
    const isAskedAgain = async () => vendor.calls.length === before + 2 * LINES;
    await waitFor('the lines to be asked for again', isAskedAgain, AGAIN_WITHIN_MS);
    const calls = vendor.calls.slice(before);
    const [own, others] = [calls.slice(0, LINES), calls.slice(LINES)];
    const gaveUpMs = Math.round(Math.max(...own.map(({ endedAt }) => endedAt ?? Infinity)) - cutAt);
    const againMs = Math.round(Math.max(...others.map(({ startedAt }) => startedAt)) - cutAt);
    const isBefore = own.every(({ searchId, endedAt }) =>
      others.some((other) => other.searchId === searchId && endedAt !== null && endedAt < other.startedAt),
    );
    expect(await scene.findings()).toEqual({});
    await lonely.heal();
    vendor.release();
    // The worker does not write dropped lines late. It takes lines again, because the others are suspended.
    signalFleets('SIGSTOP');
    const healedAt = performance.now();
    await load.sendLines(LINES, 'ok');
    const wasAsked = async () => vendor.calls.length === before + 3 * LINES;
    await waitFor('the worker to take lines again', wasAsked, AGAIN_WITHIN_MS);
    const backMs = Math.round(performance.now() - healedAt);
    signalFleets('SIGCONT');
    printMeasurement(
      `fleet, a worker cut off from PostgreSQL by ${partition}: its calls given up within ${gaveUpMs} ms (their lease valid for ${(leaseMs * LEASE_VALID) / 1000} s), asked again by another within ${againMs} ms, takes lines ${backMs} ms after it was healed; stale writes offered ${(await scene.audit.staleWrites()).offered}, accepted ${(await scene.audit.staleWrites()).accepted}`,
    );
    expect(own.map(({ outcome }) => outcome)).toEqual(Array(LINES).fill('left'));
    expect(isBefore).toBe(true);
    expect(await scene.findings()).toEqual({});
  } finally {
    signalFleets('SIGCONT');
    await lonely.stop();
  }
}
