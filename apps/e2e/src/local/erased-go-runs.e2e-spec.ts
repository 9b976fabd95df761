import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createOrganisation } from '@quarry/composition';
import { systemCtx } from '@quarry/app';
import { FactSites, waitFor } from '@quarry/test-servers';
import { ApiClient, startProduct, type Product } from '@quarry/testing';

interface GoRun {
  id: string;
  completed_at: string | null;
  output: { email?: string };
}

let sites: FactSites;
let product: Product;
const page = () => sites.pages[0]!;

beforeAll(async () => {
  sites = await FactSites.start();
  product = await startProduct({
    env: { RATE_LIMIT_SCALE: '100', LOG_LEVEL: 'error', FETCH_ALLOW_HOSTS: `${page().host}:${sites.port}` },
  });
});
afterAll(async () => {
  await product.dispose();
  await sites.stop();
});

async function organisation(): Promise<{ orgId: string; api: ApiClient }> {
  const { orgId, apiKey } = await createOrganisation(product.database!.database, {
    name: 'Go',
    credits: 100,
  });
  return { orgId, api: new ApiClient(product.baseUrl, apiKey) };
}

async function begin(api: ApiClient, prompt: string): Promise<string> {
  const { status, body } = await api.post<GoRun>('/v1/go/runs', {
    prompt,
    urls: [sites.url(page().host)],
    schema: { type: 'object', properties: { email: { type: 'string', format: 'email' } } },
  });
  expect(status).toBe(202);
  return body.id;
}

/** Returns everything that is stored about an organisation's Go runs and erasures. */
async function keptOf(orgId: string): Promise<string> {
  const ctx = systemCtx('spec');
  const { database } = product.database!;
  const rows = await database.query(
    ctx,
    `SELECT r::text FROM go.runs r WHERE org_id = $1 UNION ALL SELECT s::text FROM go.steps s WHERE org_id = $1
     UNION ALL SELECT k::text FROM requests.keys k WHERE org_id = $1 UNION ALL SELECT e::text FROM erasure.receipts e WHERE org_id = $1
     UNION ALL SELECT a::text FROM identity.audit_events a WHERE org_id = $1`,
    [orgId],
  );
  const texts = await database.query<{ text: Buffer }>(ctx, 'SELECT text FROM go.pages WHERE org_id = $1', [
    orgId,
  ]);
  return JSON.stringify([rows, texts.map(({ text }) => gunzipSync(text).toString('utf8'))]);
}

it('erasing a person while Go runs read about them leaves nothing of them after the runs have ended', async () => {
  const { email } = page().facts;
  const [own, other] = [await organisation(), await organisation()];
  const release = sites.hold(page().host, '/');
  const [named, unnamed] = [
    await begin(own.api, `Who reads ${email}?`),
    await begin(own.api, 'Who can be written to?'),
  ];
  const others = await begin(other.api, 'Who can be written to?');
  await waitFor('all three to wait for the page', () =>
    Promise.resolve(sites.waitingFor(page().host, '/') > 0),
  );
  const receipt = await own.api.post<{ erased: { in_work: number } }>('/v1/erasures', { email });
  expect([receipt.status, receipt.body.erased.in_work]).toEqual([201, 1]);
  release();
  await waitFor(
    'the run of the other organisation to end',
    async () =>
      (await other.api.get<GoRun>(`/v1/go/runs/${others}?wait_seconds=10`)).body.completed_at !== null,
  );
  // In the other organisation, which has erased nothing, the value of the page is still in answers, steps and pages.
  expect((await other.api.get<GoRun>(`/v1/go/runs/${others}`)).body.output.email).toBe(email);
  expect((await keptOf(other.orgId)).split(email).length).toBeGreaterThan(3);
  for (const id of [named, unnamed])
    await waitFor(
      `the run ${id} to end, and to be erased`,
      async () => (await own.api.get<GoRun>(`/v1/go/runs/${id}?wait_seconds=5`)).status === 404,
    );
  await waitFor('the erasure to be completed', async () => !(await keptOf(own.orgId)).includes(email));
  expect(JSON.stringify((await own.api.get('/v1/go/runs')).body)).not.toContain(email);
});
