import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonText, ResourceOf, RunJson, Trail as TrailResource } from '@quarry/dto';
import {
  printMeasurement,
  VendorSimulator,
  type SimulatedVendorCall,
  type VendorReply,
} from '@quarry/test-servers';
import { ApiClient, brokenInvariants, startProduct, type Product } from '@quarry/testing';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type Trail = ResourceOf<JsonText<typeof TrailResource>>;
type Step = [provider: string, outcome: string];
interface Row {
  values: { email: string | null; first_name: string };
  cells: { email: { status: string; source: { provider: string; job_id: string } } };
}
interface Entry {
  kind: string;
  amount: number;
  service: string | null;
  job_id: string | null;
  run_id: string | null;
}

const ORDER = ['hunter', 'findymail', 'prospeo', 'people-data-labs'] as const;
type Vendor = (typeof ORDER)[number];
/** Header in which each vendor expects its key, and the variable that holds the key. */
const KEYS: Readonly<Record<Vendor | 'serper', { header: string; prefix?: string; env: string }>> = {
  hunter: { header: 'X-API-KEY', env: 'HUNTER_KEY' },
  findymail: { header: 'Authorization', prefix: 'Bearer ', env: 'FINDYMAIL_KEY' },
  prospeo: { header: 'X-KEY', env: 'PROSPEO_KEY' },
  'people-data-labs': { header: 'X-Api-Key', env: 'PEOPLE_DATA_LABS_KEY' },
  serper: { header: 'X-API-KEY', env: 'SERPER_KEY' },
};
const keyOf = (vendor: string) => `${vendor}-0f-th3-sp3c`;

const PEOPLE = 200;
const nameOf = (i: number) => `P${String(i).padStart(3, '0')}`;
const GARBAGE: VendorReply = { text: 'no JSON' };
const BUSY: VendorReply = { status: 503, body: {} };

/** Knowledge of a vendor about a person, from which a test computes the expected outcome. */
type Knowledge = 'hit' | 'miss' | 'failed';
function knows(vendor: Vendor, i: number): Knowledge {
  // For the last ten people, no vendor's response can be parsed.
  if (i >= PEOPLE - 10) return 'failed';
  if (i % 6 === 5 && vendor === 'hunter') return 'failed';
  return ORDER[i % 6] === vendor ? 'hit' : 'miss';
}

/** Response of each vendor that knows an address. */
const FOUND: Readonly<Record<Vendor, (email: string) => VendorReply>> = {
  hunter: (email) => ({ body: { data: { email, score: 95, verification: { status: 'valid' } } } }),
  findymail: (email) => ({ body: { contact: { email } } }),
  prospeo: (email) => ({
    body: { free_enrichment: false, person: { email: { email, status: 'VERIFIED' } } },
  }),
  'people-data-labs': (email) => ({ body: { status: 200, likelihood: 8, data: { work_email: email } } }),
};
const MISSED: Readonly<Record<Vendor, VendorReply>> = {
  hunter: { body: { data: { email: null } } },
  findymail: { body: { contact: null } },
  prospeo: { status: 400, body: { error: true, error_code: 'NO_MATCH' } },
  'people-data-labs': { status: 404, body: {} },
};
/** Returns the person that a call is about, wherever the vendor expects the name. */
const personIn = ({ query, body }: SimulatedVendorCall) =>
  Number(/\bP(\d{3})\b/.exec(JSON.stringify([query, body]))![1]);

let dir: string;
let product: Product;
let api: ApiClient;
const simulators = new Map<string, VendorSimulator>();
/** Responses of each vendor about each person, in order. */
const reported = new Map<string, string[]>();

beforeAll(async () => {
  for (const [vendor, { header, prefix }] of Object.entries(KEYS))
    simulators.set(
      vendor,
      await VendorSimulator.start({
        key: { header, prefix, value: keyOf(vendor) },
        refusal: { status: 401 },
      }),
    );
  for (const vendor of ORDER)
    simulators.get(vendor)!.playAlways((call) => {
      const i = personIn(call);
      const answers = reported.get(`${vendor} ${i}`) ?? [];
      reported.set(`${vendor} ${i}`, answers);
      // Occasionally a vendor is busy, and is called again within the same step.
      const isBusy = answers.length === 0 && i % 25 === ORDER.indexOf(vendor);
      answers.push(isBusy ? 'busy' : knows(vendor, i));
      if (isBusy) return BUSY;
      if (knows(vendor, i) === 'failed') return GARBAGE;
      return knows(vendor, i) === 'hit'
        ? FOUND[vendor](`${nameOf(i)}@${vendor}.example`.toLowerCase())
        : MISSED[vendor];
    });
  dir = mkdtempSync(join(tmpdir(), 'quarry-accounts-'));
  const file = join(dir, 'providers.json');
  const base = [...simulators].map(([id, { url }]) => [id, { base_url: url }]);
  writeFileSync(
    file,
    JSON.stringify({
      services: { getEmail: ORDER, webSearch: ['serper'], enrichCompany: ['people-data-labs'] },
      providers: Object.fromEntries(base) as object,
      accept: { getEmail: ['verified', 'unverified'] },
    }),
  );
  product = await startProduct({
    env: {
      RATE_LIMIT_SCALE: '1000',
      PROVIDERS_FILE: file,
      FETCH_ALLOW_HOSTS: [...simulators.values()].map(({ host }) => host).join(),
      ...Object.fromEntries(Object.entries(KEYS).map(([vendor, { env }]) => [env, keyOf(vendor)])),
    },
  });
  api = new ApiClient(product.baseUrl, product.credentials.api_key);
});
afterAll(async () => {
  const broken = await brokenInvariants(product.database!.database);
  await product.dispose();
  for (const each of simulators.values()) await each.stop();
  rmSync(dir, { recursive: true });
  expect(broken).toEqual({});
});

const balance = async () => (await api.get<{ balance: number }>('/credits')).body.balance;
const thousandths = (amounts: readonly number[]) =>
  amounts.reduce((sum, amount) => sum + Math.round(amount * 1000), 0);

async function ledger(query: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (let cursor = ''; ;) {
    const { body } = await api.get<{ items: Entry[]; next_cursor: string | null }>(
      `/credits/ledger?limit=1000${query}${cursor && `&cursor=${cursor}`}`,
    );
    entries.push(...body.items);
    if (body.next_cursor === null) return entries;
    cursor = body.next_cursor;
  }
}

describe('vendor accounts', () => {
  it("agree call by call for a run of 200 people through four vendors: ledger, trails, and vendors' records", async () => {
    const before = await balance();
    const columns = ['first_name', 'last_name', 'domain'].map((key) => ({
      key,
      name: key.replace('_', ' '),
    }));
    const rows = Array.from({ length: PEOPLE }, (_, i) => ({
      first_name: nameOf(i),
      last_name: 'Okafor',
      domain: 'halbrook.example',
    }));
    const { body: workspace } = await api.post<{ id: string }>('/v1/workspaces', { name: 'Accounts' });
    const table = { name: 'Everybody', columns, rows };
    expect((await api.post(`/v1/workspaces/${workspace.id}/tables`, table)).status).toBe(201);
    const { body: started } = await api.post<RunJson>('/v1/runs', {
      prompt: 'From my table "Everybody": 200 people, with work email',
      workspace_id: workspace.id,
    });
    const run = await api.runEnd(started, 150_000);
    const found: Row[] = [];
    for (let cursor = ''; ;) {
      const { body } = await api.get<{ items: Row[]; next_cursor: string | null }>(
        `${run.artifacts[0]!.links.rows}?limit=100${cursor && `&cursor=${cursor}`}`,
      );
      found.push(...body.items);
      if (body.next_cursor === null) break;
      cursor = body.next_cursor;
    }
    expect(found).toHaveLength(PEOPLE);
    const charged = new Map((await ledger(`&run_id=${run.id}`)).map((entry) => [entry.job_id, entry.amount]));
    let hits = 0;
    let calls = 0;
    for (const { values, cells } of found) {
      const i = Number(values.first_name.slice(1));
      const at = ORDER.findIndex((vendor) => knows(vendor, i) === 'hit');
      const calledVendors = at < 0 ? ORDER : ORDER.slice(0, at + 1);
      const { job_id: jobId, provider } = cells.email.source;
      const { body: trail } = await api.get<Trail>(`/v1/services/jobs/${jobId}/trail`);
      const expected = calledVendors.map((vendor): Step => [vendor, knows(vendor, i)]);
      expect(trail.steps.map((step): Step => [step.provider, step.outcome])).toEqual(expected);
      // The vendors received exactly the calls of the trail, and one more for each busy response.
      for (const vendor of ORDER) {
        const answers = reported.get(`${vendor} ${i}`) ?? [];
        calls += answers.length;
        const seen = calledVendors.includes(vendor) ? [knows(vendor, i)] : [];
        expect([vendor, i, answers.filter((each) => each !== 'busy')]).toEqual([vendor, i, seen]);
      }
      if (at >= 0) {
        hits += 1;
        const email = `${nameOf(i)}@${ORDER[at]}.example`.toLowerCase();
        expect([values.email, cells.email.status, provider]).toEqual([email, 'filled', ORDER[at]]);
        expect([i, charged.get(jobId)]).toEqual([i, -1]);
      } else {
        const status = i >= PEOPLE - 10 ? 'failed' : 'empty';
        expect([i, values.email, cells.email.status]).toEqual([i, null, status]);
        expect([i, charged.get(jobId)]).toEqual([i, undefined]);
      }
    }
    expect(charged.size).toBe(hits);
    expect(thousandths([before, -(await balance())])).toBe(hits * 1000);
    expect(calls).toBe(ORDER.reduce((sum, vendor) => sum + simulators.get(vendor)!.calls.length, 0));
    printMeasurement(
      `200 people through four vendors: ${hits} found and charged, ${calls} calls at the vendors`,
    );
  }, 200_000);

  it('match what callers were told after 1,000 direct calls, many of which fail', async () => {
    simulators.get('serper')!.playAlways(({ body }) => {
      const n = Number((body as { q: string }).q.split(' ')[1]);
      if (n % 10 === 3) return GARBAGE;
      if (n % 50 === 7) return BUSY;
      return {
        body: { searchParameters: {}, organic: [{ link: `https://a.example/${n}`, title: 'A' }], credits: 1 },
      };
    });
    simulators.get('people-data-labs')!.playAlways(({ query }) => {
      const n = Number(/c(\d+)/.exec(query.website!)![1]);
      if (n % 3 === 0) return { status: 404, body: {} };
      if (n % 11 === 5) return GARBAGE;
      return { body: { status: 200, likelihood: 9, name: `c${n}`, website: query.website } };
    });
    /** Returns service, body and headers of a call. Every tenth is sent twice with one key, and a few are invalid. */
    const callOf = (n: number): [string, object, Record<string, string>] => {
      const key = { 'idempotency-key': `call-${n - (n % 10 === 1 ? 1 : 0)}` };
      const same = n % 10 === 1 ? n - 1 : n;
      if (n % 40 === 2) return ['webSearch', { query: '' }, {}];
      switch (Math.floor(n / 10) % 3) {
        case 0:
          return ['webSearch', { query: `q ${same}` }, key];
        case 1:
          return ['enrichCompany', { domain: `c${same}.example` }, key];
        default:
          return ['validatePhone', { phone: n % 2 === 0 ? '+12125550143' : 'none' }, {}];
      }
    };
    const before = { balance: await balance(), entries: (await ledger('')).length };
    const reported: Array<{ n: number; status: number; service: string; charged: number }> = [];
    let next = 0;
    const work = async (): Promise<void> => {
      for (let n = next++; n < 1_000; n = next++) {
        const [service, input, headers] = callOf(n);
        let answer = await api.post<{ credits?: { charged: number } }>(
          `/services/${service}`,
          input,
          headers,
        );
        // The equal call is still in progress, so the client retries.
        while (answer.status === 409) answer = await api.post(`/services/${service}`, input, headers);
        reported.push({ n, status: answer.status, service, charged: answer.body.credits?.charged ?? 0 });
      }
    };
    await Promise.all(Array.from({ length: 8 }, work));
    // The second of two equal calls gets the answer of the first one, and costs nothing more.
    const paid = reported.filter(
      ({ n, charged, service }) => charged > 0 && !(n % 10 === 1 && service !== 'validatePhone'),
    );
    const entries = (await ledger('')).slice(0, -before.entries || undefined);
    const inWords = (each: { service: string | null; amount: number }) => `${each.service} ${each.amount}`;
    expect(entries.map(inWords).sort()).toEqual(
      paid.map(({ service, charged }) => inWords({ service, amount: -charged })).sort(),
    );
    expect(thousandths([before.balance, -(await balance())])).toBe(
      thousandths(paid.map(({ charged }) => charged)),
    );
    const by = (status: number) => reported.filter((each) => each.status === status).length;
    const statuses = [...new Set(reported.map(({ status }) => status))].sort();
    expect(statuses).toEqual([200, 400, 502]);
    expect(by(502)).toBeGreaterThan(50);
    printMeasurement(
      `1,000 direct calls: ${statuses.map((each) => `${by(each)} answered ${each}`).join(', ')}; ${paid.length} charged`,
    );
  }, 200_000);
});
