import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { freePort } from '@quarry/local-postgres';
import { type AppProcess } from '@quarry/testing';
import { printMeasurement, waitFor } from '@quarry/test-servers';
import { FaultScene } from './spec-kit.js';

const DEADLINE_MS = 4000;
/** Milliseconds. Usually the deadline and a tenth of a second; otherwise the service's own deadline, which is minutes. */
const HUNG_UP_WITHIN_MS = 30_000;
/**
 * Maximum number of calls for 300 lookups. Twenty failures open the circuit breaker, calls in progress end, each may have been
 * retried, and one call is tried every ten seconds: 39 are usual. Without the breaker each lookup would make at least one call.
 */
const CALLS_WHILE_DOWN_MAX = 160;
/** Megabytes. Memory grows by 80 MB; keeping twenty responses of more than 50 MB would take 1,000 MB. */
const GROWTH_MAX_MB = 350;

interface Line {
  status: string;
  result?: Record<string, unknown>;
  error?: { code: string; message: string; retryable: boolean };
  started_at: string;
  completed_at: string;
}
type Input = Record<string, unknown>;
interface Worker {
  process: AppProcess;
  metricsUrl: string;
}

let scene: FaultScene;
/** Number of lines that a test expects to end without a call: with an open breaker, or during a pause. */
let withoutCall = 0;

async function startWorker(env: Record<string, string> = {}): Promise<Worker> {
  const metricsPort = await freePort();
  const process = await scene.startWorker({
    env: { VENDOR_CONCURRENCY: '20', METRICS_PORT: String(metricsPort), ...env },
  });
  return { process, metricsUrl: `http://127.0.0.1:${metricsPort}/metrics` };
}

const input = (word: string) => scene.person(word);
const inputs = (word: string, count: number) => Array.from({ length: count }, () => input(word));

/** Sends batches of at most a hundred inputs. @returns the ids of the batches */
async function send(service: string, all: Input[]): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < all.length; i += 100) ids.push(await scene.send(all.slice(i, i + 100), service));
  return ids;
}

/** Waits for the end of the batches. @returns their lines in the order in which they were sent */
async function ended(ids: string[]): Promise<Line[]> {
  const lines: Line[] = [];
  for (const id of ids) {
    const list = await waitFor('the list to end', async () => {
      const path = `/v1/services/jobs/batch/${id}?wait_seconds=10`;
      const { text: body } = await scene.watch.own.call('GET', path, 200);
      const { jobs } = JSON.parse(body) as { jobs: Line[] };
      return jobs.every(({ status }) => !['queued', 'running'].includes(status)) && jobs;
    });
    lines.push(...list);
  }
  return lines;
}

const lookUp = async (all: Input[]) => ended(await send('getEmail', all));
const ends = (lines: Line[]) =>
  Object.fromEntries(
    Object.entries(Object.groupBy(lines, ({ status, error }) => error?.code ?? status)).map(([end, some]) => [
      end,
      some!.length,
    ]),
  );
const areRetryable = (lines: Line[]) => lines.every(({ error }) => error?.retryable !== false);

const spent = async () => (await scene.account()).spent / 1000;

/** @returns the 99th percentile of the milliseconds from acceptance to end, for the lines of a service */
async function p99(service: string, since: Date): Promise<number> {
  const { ms } = await scene.one<{ ms: number }>(
    `SELECT percentile_disc(0.99) WITHIN GROUP (ORDER BY extract(epoch FROM completed_at - created_at) * 1000)::float8 AS ms
     FROM audit.own_lines WHERE service = $1 AND created_at >= $2`,
    [service, since],
  );
  return ms;
}

const databaseTime = async () => (await scene.one<{ now: Date }>('SELECT clock_timestamp() AS now')).now;

async function metric(url: string, name: string): Promise<number> {
  const [response] = (await once(get(url, { agent: false }), 'response')) as [IncomingMessage];
  return (await text(response))
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

// There is no queue between a worker and its vendor, so one backend is enough.
describe('vendor failures', () => {
  beforeEach(async () => {
    withoutCall = 0;
    scene = await FaultScene.open({ backend: 'postgres' });
  });

  afterEach(async () => {
    expect(await scene.close({ attemptsWithoutCall: withoutCall })).toEqual({});
  });

  it('a vendor that never answers gets no more calls at once, and slows no other service', async () => {
    await startWorker({ VENDOR_CONCURRENCY: '10' });
    const phones = () => Array.from({ length: 50 }, () => ({ ...input('x'), domain: 'ok.sandbox.test' }));
    const phonesFourTimes = async (check: () => void) => {
      const since = await databaseTime();
      for (let i = 0; i < 4; i += 1) {
        expect(ends(await ended(await send('getPhoneNumber', phones())))).toEqual({ completed: 50 });
        check();
      }
      return p99('getPhoneNumber', since);
    };
    expect(ends(await lookUp(inputs('ok', 100)))).toEqual({ completed: 100 });
    const normal = await phonesFourTimes(() => undefined);

    const slow = await send('getEmail', inputs('held', 100));
    await waitFor('all places to be taken', () => Promise.resolve(scene.vendor.openCalls === 10));
    // If they waited behind the vendor's calls, they would end after them.
    const beside = await phonesFourTimes(() => expect(scene.vendor.openCalls).toBe(10));
    scene.vendor.override = 'ok';
    scene.vendor.release();
    expect(ends(await ended(slow))).toEqual({ completed: 100 });
    printMeasurement(
      `F17 vendor answers nobody: ${scene.vendor.openMost} calls at once (limit 10); ` +
        `another service's p99 ${normal.toFixed(0)} ms before, ${beside.toFixed(0)} ms beside it`,
    );
    expect(scene.vendor.openMost).toBe(10);
  });

  it('failures are retried within a tenth of all calls, end with their codes, and cost nothing', async () => {
    await startWorker();
    const words = ['status-500', 'reset', 'drop', 'busy-1s'].flatMap((word) => inputs(word, 8));
    // The breaker opens when half of the calls have failed. The first finds outweigh all failures and their retries.
    const lines = [
      ...(await lookUp(inputs('ok', 36))),
      ...(await lookUp(words.flatMap((word) => [word, ...inputs('ok', 1)]))),
    ];
    expect(ends(lines)).toEqual({ completed: 68, provider_error: 8, provider_unavailable: 16, capacity: 8 });
    expect(areRetryable(lines)).toBe(true);
    expect(JSON.stringify(lines)).not.toMatch(/secret|127\.0\.0\.1|ECONN/);
    printMeasurement(
      `F18 32 of 100 lookups fail: ${scene.vendor.calls.length} calls, ` +
        `${(scene.vendor.calls.length / lines.length).toFixed(2)} per lookup; ${await spent()} credits for 68 finds`,
    );
    expect(scene.vendor.calls.length).toBeGreaterThan(100);
    expect(scene.vendor.calls.length).toBeLessThanOrEqual(110);
    expect(await spent()).toBe(68);
  });

  it('no call is made during a pause that the vendor requested', async () => {
    await startWorker();
    const busy = await send('getEmail', inputs('busy-2s', 1));
    await waitFor('the vendor to ask for it', () =>
      Promise.resolve(scene.vendor.callsOf('busy-2s')[0]?.outcome === 'answered'),
    );
    expect(ends(await lookUp(inputs('ok', 10)))).toEqual({ completed: 10 });
    const [first] = scene.vendor.callsOf('busy-2s');
    const gaps = scene.vendor.calls
      .filter((call) => call !== first)
      .map((call) => call.startedAt - first!.endedAt!);
    printMeasurement(
      `F18 Retry-After: 2 keeps everybody away for ${(Math.min(...gaps) / 1000).toFixed(2)} s`,
    );
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1990);
    await ended(busy);
    scene.vendor.override = 'busy-600s';
    withoutCall = 30;
    expect(ends(await lookUp(inputs('ok', 30)))).toEqual({ capacity: 30 });
    expect(scene.vendor.callsOf('busy-600s').length).toBeLessThanOrEqual(20);
  });

  it('a vendor that is down is not called, and is called again when it is up', async () => {
    const { metricsUrl } = await startWorker();
    scene.vendor.override = 'status-503';
    const lines = await lookUp(inputs('ok', 300));
    const callsWhileDown = scene.vendor.calls.length;
    expect(Object.keys(ends(lines)).sort()).toEqual(['provider_error', 'provider_unavailable']);
    expect(areRetryable(lines)).toBe(true);
    expect(await metric(metricsUrl, 'quarry_provider_breaker_open')).toBe(1);
    scene.vendor.override = null;
    const upAt = performance.now();
    await waitFor('a lookup to be found', async () => ends(await lookUp(inputs('ok', 1))).completed === 1);
    printMeasurement(
      `F18 vendor down: 300 lookups made ${callsWhileDown} calls; found again ${((performance.now() - upAt) / 1000).toFixed(1)} s after it was up`,
    );
    expect(callsWhileDown).toBeLessThanOrEqual(CALLS_WHILE_DOWN_MAX);
    expect(ends(await lookUp(inputs('ok', 50)))).toEqual({ completed: 50 });
    // With the breaker open, no vendor was called.
    withoutCall = await scene.count("error ->> 'code' = 'provider_unavailable'");
    expect(await spent()).toBe(51);
  });

  it('a vendor that hangs is disconnected at the deadline', async () => {
    await startWorker({ SEARCH_DEADLINE_MS: String(DEADLINE_MS) });
    const lines = await lookUp(inputs('hang', 20));
    expect(ends(lines)).toEqual({ timeout: 20 });
    expect(areRetryable(lines)).toBe(true);
    await waitFor('the vendor to see it', () => Promise.resolve(scene.vendor.openCalls === 0));
    const tookMs = lines.map((line) => Date.parse(line.completed_at) - Date.parse(line.started_at));
    const openMs = scene.vendor.calls.map((call) => call.endedAt! - call.startedAt);
    printMeasurement(
      `F19 vendor hangs, deadline ${DEADLINE_MS / 1000} s: lines ended after ${(Math.max(...tookMs) / 1000).toFixed(2)} s, ` +
        `its connections after ${(Math.max(...openMs) / 1000).toFixed(2)} s at the most`,
    );
    expect(scene.vendor.calls.map(({ outcome }) => outcome)).toEqual(Array(20).fill('left'));
    expect(Math.max(...tookMs, ...openMs)).toBeLessThanOrEqual(HUNG_UP_WITHIN_MS);
    expect(await spent()).toBe(0);
  });

  it('invalid responses cost neither credits nor memory', async () => {
    const { process: worker, metricsUrl } = await startWorker();
    expect(ends(await lookUp(inputs('ok', 100)))).toEqual({ completed: 100 });
    const before = memory(worker.pid, 'VmRSS');
    // Resets the peak memory.
    writeFileSync(`/proc/${worker.pid}/clear_refs`, '5');
    const words = ['garbage', 'binary', 'no-http', 'schema', 'nested', 'bad-gzip', 'large-50m', 'bomb'];
    const lines = await lookUp([...words.flatMap((word) => inputs(word, 10)), ...inputs('nul', 5)]);
    const grownMb = (memory(worker.pid, 'VmHWM') - before) / 1024;
    printMeasurement(
      `F20 80 answers of nonsense, 20 of them of 50 MB and more: the worker grew by ${grownMb.toFixed(0)} MB at its peak`,
    );
    expect(ends(lines)).toEqual({ invalid_output: 80, completed: 5 });
    expect(lines.filter(({ error }) => error?.retryable)).toEqual([]);
    expect(lines.at(-1)?.result?.email).toMatch(/^p\d+\.ownlastname\ufffd\ufffd@nul\.vendor\.test$/);
    expect(await metric(metricsUrl, 'quarry_provider_cleaned_strings_total')).toBe(5);
    expect(grownMb).toBeLessThan(GROWTH_MAX_MB);
    expect(scene.vendor.calls).toHaveLength(100 + lines.length);
    expect(await spent()).toBe(105);
  });
});

/** @returns memory in kilobytes */
function memory(pid: number, name: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)![1]);
}
