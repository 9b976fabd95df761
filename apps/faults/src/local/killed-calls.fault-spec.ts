import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { systemCtx } from '@quarry/app';
import { printMeasurement, TcpFaultProxy, VendorSimulator, waitFor } from '@quarry/test-servers';
import {
  ApiClient,
  brokenInvariants,
  createTestDatabase,
  startProduct,
  type ApiAnswer,
  type Product,
  type TestDatabase,
} from '@quarry/testing';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface CallAnswer {
  output: { items: Array<{ url: string }> };
  credits: { charged: number };
}
interface Entry {
  id: string;
  kind: string;
  amount: number;
  service: string | null;
}

const SERPER_KEY = 'serper-0f-th3-sp3c';
const CALLS = 200;
const AT_ONCE = 8;
/** Numbers of vendor responses after which the process is killed. */
const KILLED_AFTER = [40, 90, 150];
const COMMITS_LOST = 10;

let dir: string;
let vendor: VendorSimulator;
let test: TestDatabase;
let proxy: TcpFaultProxy;
let product: Product;

const api = () => new ApiClient(product.baseUrl, product.credentials.api_key);
const start = (before?: Product): Promise<Product> =>
  startProduct({
    database: test,
    ...(before ? { dataDir: before.dataDir } : {}),
    env: {
      DATABASE_URL: proxy.through(test.url),
      PROVIDERS_FILE: join(dir, 'providers.json'),
      SERPER_KEY,
      LOG_LEVEL: 'error',
      RATE_LIMIT_SCALE: '1000',
      FETCH_ALLOW_HOSTS: vendor.host,
    },
  });

beforeAll(async () => {
  vendor = await VendorSimulator.start({
    key: { header: 'X-API-KEY', value: SERPER_KEY },
    refusal: { status: 401 },
  });
  vendor.playAlways(({ body }) => ({
    body: {
      organic: [{ link: `https://a.example/${(body as { q: string }).q.replace(/\W/g, '-')}`, title: 'A' }],
      searchParameters: {},
      credits: 1,
    },
  }));
  dir = mkdtempSync(join(tmpdir(), 'quarry-killed-calls-'));
  const providers = { services: { webSearch: ['serper'] }, providers: { serper: { base_url: vendor.url } } };
  writeFileSync(join(dir, 'providers.json'), JSON.stringify(providers));
  test = await createTestDatabase();
  proxy = await TcpFaultProxy.before(test.url);
  product = await start();
});
afterAll(async () => {
  await product.dispose();
  await proxy.close();
  await vendor.stop();
  rmSync(dir, { recursive: true });
});

const call = (name: string): Promise<ApiAnswer<CallAnswer>> =>
  api().post<CallAnswer>('/services/webSearch', { query: name }, { 'idempotency-key': name });

/** Repeats a call with the same key until it is answered, like a client that needs the answer. */
async function insist(name: string, statuses: Map<number, number>): Promise<CallAnswer> {
  return waitFor(
    `an answer to ${name}`,
    async () => {
      const { status, body } = await call(name).catch(() => ({ status: 0, body: null }));
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      return status === 200 && body;
    },
    120_000,
  );
}

/** Ends the leases of calls whose process died: without this, they would be in progress for another minute. */
const endLeases = () =>
  test.database.query(
    systemCtx('spec'),
    "UPDATE requests.keys SET lease_until = clock_timestamp() - interval '1 second' WHERE answer IS NULL",
  );

async function charges(): Promise<Entry[]> {
  const { body } = await api().get<{ items: Entry[] }>('/credits/ledger?limit=1000');
  return body.items.filter(({ service }) => service === 'webSearch');
}

/** Compares the vendor's calls, the charges and the stored answer of each call, and repeats all calls once more. */
async function isPaidOnce(
  names: readonly string[],
  before: readonly Entry[],
  answers: Map<string, CallAnswer>,
) {
  const seen = new Set(before.map(({ id }) => id));
  const made = (await charges()).filter(({ id }) => !seen.has(id));
  const kept = await test.database.query<{ key: string }>(
    systemCtx('spec'),
    'SELECT key FROM requests.keys WHERE key = ANY ($1) AND answer IS NOT NULL',
    [names],
  );
  expect(kept).toHaveLength(names.length);
  expect(made.map(({ amount }) => amount)).toEqual(names.map(() => -answers.get(names[0]!)!.credits.charged));
  const callsBefore = vendor.calls.length;
  for (const name of names) {
    const again = await call(name);
    expect([again.status, again.body]).toEqual([200, answers.get(name)]);
    expect(again.body.output.items[0]!.url).toContain(name);
  }
  expect([vendor.calls.length, (await charges()).length]).toEqual([
    callsBefore,
    before.length + names.length,
  ]);
  expect(await brokenInvariants(test.database)).toEqual({});
}

const askedFor = () =>
  Map.groupBy(
    vendor.calls.filter(({ outcome }) => outcome === 'answered'),
    ({ body }) => (body as { q: string }).q,
  );

describe('fast calls with an Idempotency-Key', () => {
  it('are charged once each and always replayed, however often the process is killed', async () => {
    const before = await charges();
    const names = Array.from({ length: CALLS }, (_, at) => `killed-${at}`);
    const answers = new Map<string, CallAnswer>();
    const statuses = new Map<number, number>();
    let next = 0;
    const work = async (): Promise<void> => {
      for (let at = next++; at < CALLS; at = next++)
        answers.set(names[at]!, await insist(names[at]!, statuses));
    };
    const working = Promise.all(Array.from({ length: AT_ONCE }, work));
    for (const after of KILLED_AFTER) {
      await waitFor(
        'the vendor to have answered',
        () => Promise.resolve(vendor.calls.length >= after),
        120_000,
      );
      await product.kill9();
      await endLeases();
      product = await start(product);
    }
    await working;
    const twice = [...askedFor().values()].filter((calls) => calls.length > 1).length;
    printMeasurement(
      `${CALLS} calls under ${KILLED_AFTER.length} kills: ${vendor.calls.length} at the vendor, ${twice} asked for twice, answers ` +
        [...statuses].map(([status, count]) => `${count} × ${status}`).join(', '),
    );
    expect(statuses.get(500) ?? 0).toBe(0);
    await isPaidOnce(names, before, answers);
  });

  it('are charged once each if the acknowledgement of a commit is lost', async () => {
    const before = await charges();
    const [answers, statuses] = [new Map<string, CallAnswer>(), new Map<number, number>()];
    const names: string[] = [];
    const dropped = proxy.answersDropped;
    while (proxy.answersDropped - dropped < COMMITS_LOST) {
      const name = `lost-${names.length}`;
      names.push(name);
      await proxy.set({ kind: 'drop-answer', to: 'COMMIT' });
      const first = await call(name).catch(() => ({ status: 0 }));
      statuses.set(first.status, (statuses.get(first.status) ?? 0) + 1);
      await proxy.set({ kind: 'pass' });
      await endLeases();
      answers.set(name, await insist(name, statuses));
    }
    printMeasurement(
      `${names.length} calls, ${COMMITS_LOST} lost acknowledgements: answers ` +
        [...statuses].map(([status, count]) => `${count} × ${status}`).join(', '),
    );
    expect(statuses.get(500) ?? 0).toBe(0);
    await isPaidOnce(names, before, answers);
  });
});
