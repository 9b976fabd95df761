import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, request, type IncomingMessage } from 'node:http';
import { systemCtx } from '@quarry/app';
import { ApiClient, startProduct, type Product } from '@quarry/testing';
import { printMeasurement } from '@quarry/test-servers';

interface Answer {
  status: number;
  body: { id: string; error?: { code: string; message: string; details?: Array<{ path: string }> } };
}

const MIB = 1024 * 1024;
const IMPORT_BYTES_MAX = 64 * MIB;
const ROWS_MAX = 100_000;
const SLOW_MS = 120_000;
const COLUMNS = ['a', 'b', 'c', 'd', 'e'].map((key) => ({ key, name: key.toUpperCase() }));

let product: Product;
let api: ApiClient;
let workspaceId: string;
/** Resident memory of the product before the first request, in megabytes. */
let idleMb = 0;

beforeAll(async () => {
  product = await startProduct({ env: { RATE_LIMIT_SCALE: '10000', LOG_LEVEL: 'error' } });
  api = new ApiClient(product.baseUrl, product.credentials.api_key);
  workspaceId = (await api.post<{ id: string }>('/v1/workspaces', { name: 'Large' })).body.id;
  if (canMeasure) idleMb = statusMb('VmRSS');
}, SLOW_MS);
afterAll(() => product.dispose());

/** Returns a row whose cells are all the same. */
function rowOf(i: number, pad = 0): string {
  const cell = `"${i}${'x'.repeat(pad)}"`;
  return `{${COLUMNS.map(({ key }) => `"${key}":${cell}`).join()}}`;
}

function importBody(name: string, rows: Iterable<string>): Buffer {
  return Buffer.from(`{"name":"${name}","columns":${JSON.stringify(COLUMNS)},"rows":[${[...rows].join()}]}`);
}

function* rowsOf(count: number, pad = 0): Generator<string> {
  for (let i = 0; i < count; i += 1) yield rowOf(i, pad);
}

/** Sends bytes as an import. The server may respond and close before it has read all of them. */
function sendImport(body: Buffer, announced = true): Promise<Answer> {
  const url = new URL(`${product.baseUrl}/v1/workspaces/${workspaceId}/tables`);
  return new Promise((resolve, reject) => {
    let isAnswered = false;
    const sent = request(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${api.apiKey}`,
        'content-type': 'application/json',
        ...(announced ? { 'content-length': body.length } : {}),
      },
    });
    sent.on('error', (error) => (isAnswered ? undefined : reject(error)));
    sent.on('response', (response: IncomingMessage) => {
      isAnswered = true;
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          body: JSON.parse(Buffer.concat(chunks).toString()) as Answer['body'],
        }),
      );
    });
    if (announced) sent.end(body);
    else {
      for (let at = 0; at < body.length; at += MIB) sent.write(body.subarray(at, at + MIB));
      sent.end();
    }
  });
}

const canMeasure = existsSync('/proc/self/clear_refs');
const statusMb = (field: string) =>
  Number(
    new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${product.pid}/status`, 'utf8'))?.[1],
  ) / 1024;

/** @returns the peak resident memory of the product during the work, above its initial memory, in megabytes */
async function peakOf(work: () => Promise<unknown>): Promise<number> {
  if (!canMeasure) return work().then(() => 0);
  // 5 resets the high-water mark. Source: proc_pid_clear_refs(5).
  writeFileSync(`/proc/${product.pid}/clear_refs`, '5');
  await work();
  return statusMb('VmHWM') - idleMb;
}

/** Counts everything that an import could leave: rows, heads, file pages, open transactions. */
function findRemains() {
  return product.database!.database.queryOne(
    systemCtx('spec'),
    `SELECT (SELECT count(*) FROM tables.tables) AS tables, (SELECT count(*) FROM tables.rows) AS rows,
            pg_relation_size('tables.rows') AS bytes, (SELECT count(*) FROM pg_prepared_xacts) AS prepared,
            (SELECT count(*) FROM pg_stat_activity
             WHERE datname = current_database() AND state LIKE 'idle in transaction%') AS open`,
  );
}

/** Makes small reads one after the other during some work. @returns the duration of each in milliseconds */
async function readsDuring(work: () => Promise<unknown>): Promise<number[]> {
  const agent = new Agent({ keepAlive: true });
  const read = () =>
    new Promise<void>((resolve, reject) => {
      request(
        `${product.baseUrl}/v1/workspaces?limit=1`,
        { agent, headers: { authorization: `Bearer ${api.apiKey}` } },
        (answer) => {
          expect(answer.statusCode).toBe(200);
          answer.resume().on('end', resolve).on('error', reject);
        },
      )
        .on('error', reject)
        .end();
    });
  let isDone = false;
  const working = work().finally(() => (isDone = true));
  const tookMs: number[] = [];
  while (!isDone) {
    const from = performance.now();
    await read();
    tookMs.push(performance.now() - from);
    await new Promise((resolve) => setImmediate(resolve));
  }
  agent.destroy();
  await working;
  return tookMs.sort((a, b) => a - b);
}

const quantile = (sorted: number[], part: number) => sorted[Math.floor((sorted.length - 1) * part)]!;

describe('an import of 64 MiB', () => {
  /** Returns an import with the maximum number of bytes and rows, whose last row is invalid. */
  function faulty(letter: string): Buffer {
    const bytesPerRow = Math.floor((IMPORT_BYTES_MAX - 300) / ROWS_MAX) - 1;
    const pad = Math.floor((bytesPerRow - rowOf(ROWS_MAX).length) / COLUMNS.length);
    const rows = [...rowsOf(ROWS_MAX - 1, pad)];
    rows[0] = `{"a":"${letter}"}`;
    const body = importBody('Faulty', [...rows, '{"other":1}']);
    expect(IMPORT_BYTES_MAX - body.length).toBeLessThan(MIB);
    expect(body.length).toBeLessThanOrEqual(IMPORT_BYTES_MAX);
    return body;
  }

  it.each([
    ['text with one byte per character', 'e', 400],
    ['text with several bytes per character', '€', 500],
  ])(
    'with an invalid last row reports it, leaves nothing, and does not block reads: %s',
    async (name, letter, boundMb) => {
      const body = faulty(letter);
      const before = await findRemains();
      let answer: Answer | null = null;
      let took: number[] = [];
      const peak = await peakOf(async () => {
        took = await readsDuring(async () => (answer = await sendImport(body)));
      });
      expect(answer).toMatchObject({
        status: 400,
        body: { error: { code: 'invalid_request', details: [{ path: `rows[${ROWS_MAX - 1}].other` }] } },
      });
      expect(await findRemains()).toEqual(before);
      const [p50, p99, max] = [quantile(took, 0.5), quantile(took, 0.99), took.at(-1)!].map((ms) =>
        ms.toFixed(1),
      );
      printMeasurement(
        `refused import of ${(body.length / MIB).toFixed(1)} MiB (${name}): peak ${peak.toFixed(0)} MB over idle; ${took.length} reads meanwhile, p50 ${p50} ms, p99 ${p99} ms, max ${max} ms`,
      );
      expect(peak).toBeLessThan(boundMb);
      // A blocked process would answer a single read at the end.
      expect(took.length).toBeGreaterThan(1);
    },
    SLOW_MS,
  );

  it(
    'and one byte more is refused with 413, without being read if its length is announced',
    async () => {
      const body = Buffer.alloc(IMPORT_BYTES_MAX + 1, ' ');
      body.write('{');
      for (const announced of [true, false]) {
        let answer: Answer | null = null;
        const peak = await peakOf(async () => (answer = await sendImport(body, announced)));
        expect(answer).toMatchObject({ status: 413, body: { error: { code: 'invalid_request' } } });
        printMeasurement(
          `import over 64 MiB, ${announced ? 'announced' : 'in chunks'}: peak ${peak.toFixed(0)} MB over idle`,
        );
        expect(peak).toBeLessThan(400);
      }
    },
    SLOW_MS,
  );
});
