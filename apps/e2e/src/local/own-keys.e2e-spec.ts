import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOrganisation } from '@quarry/composition';
import { VendorSimulator, waitFor } from '@quarry/test-servers';
import { ApiClient, brokenInvariants, startProduct, type Product } from '@quarry/testing';

interface Batch {
  batch_id: string;
  status: string;
  jobs: Array<{ status: string; result?: Record<string, unknown> }>;
}
interface Provider {
  id: string;
  configured: 'operator' | 'organisation' | null;
  enabled: boolean;
  key_hint: string | null;
}

/** Vendor keys that only the organisation has. */
const OWN = 'own-hunter-k3y-0f-th3-sp3c';
const NEXT = 'next-hunter-k3y-0f-th3-sp3c';

let dir: string;
let hunter: VendorSimulator;
let findymail: VendorSimulator;
let product: Product;
let api: ApiClient;
let others: ApiClient;
const answers: string[] = [];

beforeAll(async () => {
  const refusal = { status: 401 };
  hunter = await VendorSimulator.start({ key: { header: 'X-API-KEY', value: OWN }, refusal });
  findymail = await VendorSimulator.start({
    key: { header: 'Authorization', prefix: 'Bearer ', value: 'operators-findymail-key' },
    refusal,
  });
  dir = mkdtempSync(join(tmpdir(), 'quarry-own-keys-'));
  const file = join(dir, 'providers.yaml');
  writeFileSync(
    file,
    `services: { getEmail: [hunter, findymail] }
providers:
  hunter: { base_url: "${hunter.url}" }
  findymail: { base_url: "${findymail.url}" }
`,
  );
  const play = (): void => {
    hunter.playAlways(({ query }) => ({
      body: { data: { email: `ada@${query.domain}`, score: 95, verification: { status: 'valid' } } },
    }));
    findymail.playAlways(() => ({ body: { contact: null } }));
  };
  play();
  product = await startProduct({
    env: {
      RATE_LIMIT_SCALE: '100',
      LOG_LEVEL: 'debug',
      PROVIDERS_FILE: file,
      FETCH_ALLOW_HOSTS: [hunter.host, findymail.host].join(),
      // The vendor refuses the operator's own key.
      HUNTER_KEY: 'operators-hunter-key',
      FINDYMAIL_KEY: 'operators-findymail-key',
    },
  });
  api = new ApiClient(product.baseUrl, product.credentials.api_key);
  const { apiKey } = await createOrganisation(product.database!.database, { name: 'Others', credits: 10 });
  others = new ApiClient(product.baseUrl, apiKey);
  // The first start has run a prompt: its calls do not belong to these tests.
  play();
});
afterAll(async () => {
  const broken = await brokenInvariants(product.database!.database);
  await product.dispose();
  await Promise.all([hunter.stop(), findymail.stop()]);
  rmSync(dir, { recursive: true });
  expect(broken).toEqual({});
});

/** @returns the provider of a new line, whether it found something, and its cost in credits */
async function lineOf(client: ApiClient, domain: string) {
  const remaining = async () => (await client.get<{ remaining: number }>('/credits')).body.remaining;
  const before = await remaining();
  const inputs = [{ first_name: 'Ada', last_name: 'Okafor', domain }];
  const { body: sent } = await client.post<Batch>('/v1/services/jobs/batch', { service: 'getEmail', inputs });
  const done = await waitFor('the line to end', async () => {
    const { body } = await client.get<Batch>(`/v1/services/jobs/batch/${sent.batch_id}?wait_seconds=10`);
    return body.status === 'completed' && body;
  });
  answers.push(JSON.stringify(done));
  const { found, provider } = done.jobs[0]!.result ?? {};
  return { found, provider, cost: Math.round((before - (await remaining())) * 1000) / 1000 };
}

async function providerOf(client: ApiClient, id: string) {
  const { body } = await client.get<{ items: Provider[] }>('/v1/providers');
  answers.push(JSON.stringify(body));
  return body.items.find((item) => item.id === id);
}

const change = async (id: string, body: object, client = api) => {
  const answer = await client.put<Provider & { error?: { code: string; message: string } }>(
    `/v1/providers/${id}`,
    body,
  );
  answers.push(JSON.stringify(answer.body));
  return answer;
};

describe("an organisation's own vendor key", () => {
  it('is refused with its field if invalid, and unknown vendors and fields are reported', async () => {
    for (const [id, body, status, code, words] of [
      ['hunter', { key: 'short' }, 400, 'invalid_request', /^key must be 8 to 1000/],
      ['hunter', { key: `${OWN} with a blank` }, 400, 'invalid_request', /^key must be 8 to 1000/],
      ['hunter', { key: null }, 400, 'invalid_request', /^key /],
      ['hunter', { enabled: 'yes' }, 400, 'invalid_request', /^enabled must be/],
      ['hunter', {}, 400, 'invalid_request', /key or enabled/],
      ['hunter', { secret: OWN }, 400, 'invalid_request', /secret/],
      ['nobody', { enabled: true }, 404, 'not_found', /Provider not found/],
    ] as const) {
      const answer = await change(id, body);
      expect([body, answer.status, answer.body.error?.code]).toEqual([body, status, code]);
      expect(answer.body.error?.message).toMatch(words);
    }
    expect(await providerOf(api, 'hunter')).toMatchObject({ configured: 'operator', key_hint: null });
  });

  it("answers the lines of its organisation for a tenth of a credit, and nobody else's", async () => {
    const { status, body } = await change('hunter', { key: OWN });
    expect([status, body]).toMatchObject([
      200,
      { id: 'hunter', configured: 'organisation', enabled: true, key_hint: OWN.slice(-4), key_checked: true },
    ]);
    expect(await lineOf(api, 'one.example')).toEqual({ found: true, provider: 'hunter', cost: 0.1 });
    expect(hunter.calls).toMatchObject([
      { path: '/v2/account', hasKey: true, leaksKey: false },
      { path: '/v2/email-finder', hasKey: true, leaksKey: false },
    ]);
    expect(await providerOf(others, 'hunter')).toMatchObject({ configured: 'operator', key_hint: null });
    // The vendor refuses the operator's key, so it is paused for the operator, possibly since the run of the first start.
    expect(await lineOf(others, 'one.example')).toMatchObject({
      found: false,
      provider: 'findymail',
      cost: 0,
    });
    expect(hunter.calls.filter(({ hasKey }) => hasKey)).toHaveLength(2);
    // An organisation with its own key is not affected.
    expect(await lineOf(api, 'two.example')).toMatchObject({ found: true, cost: 0.1 });
  });

  it('is not used while its vendor is switched off, nor after it is deleted', async () => {
    await change('hunter', { enabled: false });
    const callsBefore = hunter.calls.length;
    expect(await lineOf(api, 'three.example')).toMatchObject({ provider: 'findymail' });
    await change('hunter', { enabled: true });
    expect(await lineOf(api, 'four.example')).toMatchObject({ provider: 'hunter', cost: 0.1 });
    const { status, body } = await api.delete<Provider>('/v1/providers/hunter');
    expect([status, body]).toMatchObject([200, { configured: 'operator', key_hint: null }]);
    expect(await lineOf(api, 'five.example')).toMatchObject({ provider: 'findymail', cost: 0 });
    expect(hunter.calls.length).toBe(callsBefore + 1);
  });

  it('is in no response, no output and no row', async () => {
    await change('hunter', { key: OWN });
    expect((await change('hunter', { key: NEXT })).status).toBe(400);
    const rows = await product.database!.database.query(
      { orgId: '', keyId: null, mode: 'live', requestId: 'spec', timeoutMs: null },
      `SELECT v::text AS row FROM identity.vendor_choices v UNION ALL SELECT a::text FROM identity.audit_events a`,
    );
    expect(rows.length).toBeGreaterThan(5);
    for (const text of [...answers, JSON.stringify(rows), product.output()])
      for (const key of [OWN, NEXT]) expect(text.includes(key)).toBe(false);
  });
});
