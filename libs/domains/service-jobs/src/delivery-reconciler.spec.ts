import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Logger, WorkMetrics } from '@quarry/app';
import type { Database } from '@quarry/postgres';
import { DeliveryReconciler } from './delivery-reconciler.js';

type Row = { id: string; was_leased: boolean };
const rowsOf = (count: number, from = 0): Row[] =>
  Array.from({ length: count }, (_, i) => ({ id: `job_${from + i}`, was_leased: false }));

/** Undelivered rows in the database, by service. Each round takes as many as its limit allows. */
let silent: Record<string, Row[]>;
let calls: Array<{ service: string; most: number; next: unknown }>;
let delivered: Array<[string, string[]]>;
let isQueueAway: boolean;
let metrics: Array<[string, number]>;
let warnings: string[];
/** Work on jobs that was started without the queue, with functions that end it. */
let begun: Array<{ ids: string[]; end: () => void; fail: (error: Error) => void }>;
let reconciler: DeliveryReconciler;

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  [silent, calls, delivered, isQueueAway, metrics, warnings, begun] = [{}, [], [], false, [], [], []];
  const database = {
    query: async (
      _ctx: unknown,
      _sql: unknown,
      [service, , most, next]: [string, number, number, unknown],
    ) => {
      calls.push({ service, most, next });
      return (silent[service] ?? []).splice(0, most);
    },
  } as unknown as Database;
  const log = (_facts: unknown, sentence: string) => void warnings.push(sentence);
  reconciler = new DeliveryReconciler(database, {
    services: ['getEmail', 'webResearch', 'noService'],
    deliver: async (queue, ids) => {
      if (isQueueAway) throw new Error('queue is away');
      delivered.push([queue, ids]);
    },
    work: (ids) => new Promise<void>((end, fail) => begun.push({ ids, end, fail })),
    nextLine: async (queue) => {
      if (isQueueAway) throw new Error('queue is away');
      return `next of ${queue}`;
    },
    logger: { info: () => undefined, warn: log } as unknown as Logger,
    metrics: {
      countLease: (_kind: string, what: string, count: number) => void metrics.push([what, count]),
    } as unknown as WorkMetrics,
  });
});
afterEach(() => void jest.useRealTimers());

describe('lines without a live delivery', () => {
  it('are delivered again to the queue of their service; lines of a lost worker are counted separately', async () => {
    silent = { getEmail: [{ id: 'a', was_leased: true }, ...rowsOf(2)], webResearch: rowsOf(1, 9) };
    await reconciler.reconcileDeliveries();
    expect(delivered).toEqual([
      ['service-get-email', ['a', 'job_0', 'job_1']],
      ['service-web-research', ['job_9']],
    ]);
    expect(metrics).toEqual([
      ['reaped', 1],
      ['delivered_again', 2],
      ['reaped', 0],
      ['delivered_again', 1],
    ]);
    expect(calls).toEqual([
      { service: 'getEmail', most: 1250, next: 'next of service-get-email' },
      { service: 'webResearch', most: 1250, next: 'next of service-web-research' },
    ]);
  });

  it('cause no metric and no warning if there are none', async () => {
    await reconciler.reconcileDeliveries();
    expect([delivered, metrics, warnings]).toEqual([[], [], []]);
  });

  it('run in this process while the queue is down, as many as fit, and the next ones when these end', async () => {
    isQueueAway = true;
    silent = { getEmail: rowsOf(4_000) };
    reconciler.start();
    await jest.advanceTimersByTimeAsync(3_000);
    expect([begun.length, begun[0]!.ids.length, calls[0]!.next]).toEqual([1, 1_250, null]);
    // No capacity for more while these are in progress.
    await jest.advanceTimersByTimeAsync(3_000);
    expect([begun.length, calls.at(-1)!.most]).toEqual([1, 0]);
    begun[0]!.end();
    await jest.advanceTimersByTimeAsync(0);
    expect([begun.length, begun[1]!.ids[0], begun[1]!.ids.length]).toEqual([2, 'job_1250', 1_250]);
    // A later round takes jobs again whose work has failed: they have no live delivery.
    begun[1]!.fail(new Error('storage is away'));
    await jest.advanceTimersByTimeAsync(0);
    expect([begun.length, begun[2]!.ids.length, warnings]).toEqual([
      3,
      1_250,
      ['lines without a queue could not be worked on'],
    ]);
    await reconciler.stop();
    // The other rows wait for another process.
    begun[2]!.end();
    await jest.advanceTimersByTimeAsync(10_000);
    expect(begun).toHaveLength(3);
  });

  it('of one service are delivered even if those of another cannot be read, and later rounds continue', async () => {
    silent = { webResearch: rowsOf(1) };
    const broken = Object.defineProperty({ ...silent }, 'getEmail', {
      get: () => {
        throw new Error('connection lost');
      },
    });
    silent = broken;
    reconciler.start();
    await jest.advanceTimersByTimeAsync(3_000);
    expect(delivered).toEqual([['service-web-research', ['job_0']]]);
    silent = { getEmail: rowsOf(1, 5) };
    await jest.advanceTimersByTimeAsync(3_000);
    expect(delivered.at(-1)).toEqual(['service-get-email', ['job_5']]);
    expect(warnings).toEqual(['lines could not be delivered again']);
    await reconciler.stop();
    const before = delivered.length;
    await jest.advanceTimersByTimeAsync(10_000);
    expect(delivered).toHaveLength(before);
  });
});
