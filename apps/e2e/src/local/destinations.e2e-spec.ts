import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DESTINATION_KINDS, type DestinationKind } from '@quarry/dto';
import { verifyWebhook } from '@quarry/sdk';
import { waitFor, WebhookReceiver } from '@quarry/test-servers';
import { ApiClient, startProduct, type Product } from '@quarry/testing';

interface PushJson {
  id: string;
  destination_id: string;
  status: string;
  reason: string | null;
  counts: Record<string, number>;
}
interface Refusal {
  error: { code: string; message: string; details?: Array<{ path: string }> };
}
type Json = Record<string, unknown>;
type Row = Record<string, string | null>;

const KEY = 'key-of-the-customer';
const SIGNING = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const COLUMNS = [
  { key: 'full_name', name: 'Name', kind: 'text' },
  { key: 'work_email', name: 'E-mail', kind: 'email' },
  { key: 'company_name', name: 'Company', kind: 'text' },
  { key: 'company_domain', name: 'Domain', kind: 'domain' },
];
const rowOf = (name: string, domain = `${name.toLowerCase()}-widgets.com`): Row => ({
  full_name: name,
  work_email: `${name.toLowerCase()}@${domain}`,
  company_name: `${name} Ltd`,
  company_domain: domain,
});

/** Contacts of a fake HubSpot by e-mail address. Specs of the library hold what is sent to each vendor. */
class Contacts {
  readonly kept = new Map<string, Json>();

  /** @returns the body of the response to an upsert */
  upsert({ inputs }: { inputs: Array<{ id: string; properties: Json }> }): Json {
    for (const { id, properties } of inputs) this.kept.set(id, properties);
    return { results: inputs.map(({ id, properties }) => ({ id: `${id}'s`, properties })) };
  }
}

describe('destinations', () => {
  let receiver: WebhookReceiver;
  let product: Product;
  let api: ApiClient;
  let contacts: Contacts;

  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    product = await startProduct({
      env: {
        RATE_LIMIT_SCALE: '1000',
        LOG_LEVEL: 'error',
        FETCH_ALLOW_HOSTS: receiver.host,
        DESTINATION_URLS: DESTINATION_KINDS.map((kind) => `${kind}=http://${receiver.host}`).join(),
      },
    });
    api = new ApiClient(product.baseUrl, product.credentials.api_key);
  }, 120_000);
  afterAll(async () => {
    await product.dispose();
    await receiver.stop();
  });
  beforeEach(async () => {
    contacts = new Contacts();
    receiver.received.length = 0;
    const { body } = await api.get<{ items: Array<{ id: string }> }>('/v1/destinations');
    for (const { id } of body.items) await api.delete(`/v1/destinations/${id}`);
    receiver.reply = (response, { headers, body: sent }) => {
      const isAuthorised = headers.authorization === `Bearer ${KEY}`;
      const answer = isAuthorised
        ? contacts.upsert(JSON.parse(sent) as Parameters<Contacts['upsert']>[0])
        : {};
      response
        .writeHead(isAuthorised ? 200 : 401, { 'content-type': 'application/json' })
        .end(JSON.stringify(answer));
    };
  });

  async function tableOf(rows: Row[], client = api): Promise<string> {
    const workspace = await client.post<{ id: string }>('/v1/workspaces', { name: 'Leads' });
    const path = `/v1/workspaces/${workspace.body.id}/tables`;
    return (await client.post<{ id: string }>(path, { name: 'People', columns: COLUMNS, rows })).body.id;
  }
  async function destinationOf(kind: DestinationKind, more: Json = {}): Promise<string> {
    const settings =
      kind === 'webhook'
        ? { url: receiver.url('/hook') }
        : kind === 'hubspot_contacts'
          ? { overwrite: true }
          : { campaign_id: 'c1' };
    const secret = kind === 'webhook' ? SIGNING : KEY;
    const made = await api.post<{ id: string }>('/v1/destinations', {
      kind,
      name: kind,
      secret,
      settings,
      ...more,
    });
    expect([made.status, made.body]).toMatchObject([201, { kind }]);
    expect(JSON.stringify(made.body)).not.toContain(secret);
    return made.body.id;
  }
  async function push(id: string, tableId: string, more: Json = {}): Promise<PushJson> {
    const begun = await api.post<PushJson>(`/v1/destinations/${id}/pushes`, { table_id: tableId, ...more });
    expect([begun.status, begun.body.status]).toEqual([202, 'queued']);
    return waitFor('the push to end', async () => {
      const { body } = await api.get<PushJson>(`/v1/destinations/${id}/pushes/${begun.body.id}`);
      return ['completed', 'failed'].includes(body.status) && body;
    });
  }

  it('receive rows once, and then their changes', async () => {
    const rows = [rowOf('Ann'), rowOf('Bob')];
    const id = await destinationOf('hubspot_contacts');
    const first = await tableOf(rows);
    expect(await push(id, first)).toMatchObject({ status: 'completed', counts: { new: 2, failed: 0 } });
    expect([...contacts.kept.keys()]).toEqual(rows.map((row) => row['work_email']));
    const callsBefore = receiver.received.length;
    expect((await push(id, first)).counts).toMatchObject({ new: 0, unchanged: 2 });
    expect(receiver.received).toHaveLength(callsBefore);
    // The same people in another table; one of them has another company.
    const second = await tableOf([rows[0]!, { ...rows[1]!, company_name: 'New Ltd' }]);
    expect((await push(id, second)).counts).toMatchObject({ new: 0, changed: 1, unchanged: 1 });
    expect([...contacts.kept.values()].map(({ company }) => company)).toEqual(['Ann Ltd', 'New Ltd']);
  });

  it('of your own receive signed rows, as many per request as configured', async () => {
    receiver.reply = (response) => void response.writeHead(204).end();
    const settings = { url: receiver.url('/hook'), rows_per_request: 2 };
    const id = await destinationOf('webhook', { settings });
    await push(id, await tableOf([rowOf('Ann'), rowOf('Bob'), rowOf('Cy')]));
    const bodies = await Promise.all(
      receiver.received.map(({ body, headers }) => verifyWebhook(body, headers, SIGNING)),
    );
    expect(bodies).toMatchObject([
      { rows: [{ values: rowOf('Ann') }, { values: rowOf('Bob') }] },
      { rows: [{ values: rowOf('Cy') }] },
    ]);
  });

  it('receive nobody who is excluded, erased or fictional', async () => {
    const excluded = { items: [{ domain: 'rival-widgets.com' }] };
    expect((await api.post('/v1/exclusions/companies', excluded)).status).toBe(200);
    const tableId = await tableOf([
      rowOf('Ann'),
      rowOf('Rick', 'rival-widgets.com'),
      rowOf('Fay', 'fay.sandbox.test'),
      rowOf('Eve'),
    ]);
    const id = await destinationOf('hubspot_contacts');
    const erased = await api.post<{ erased: Json }>('/v1/erasures', { email: 'eve@eve-widgets.com' });
    expect(erased.body.erased).toMatchObject({ rows: 1, sent_rows: 0 });
    expect((await push(id, tableId)).counts).toMatchObject({
      new: 1,
      excluded: 1,
      sandbox: 1,
      without_key: 1,
    });
    expect([...contacts.kept.keys()]).toEqual(['ann@ann-widgets.com']);
    const again = await api.post<{ erased: Json }>('/v1/erasures', { email: 'ann@ann-widgets.com' });
    expect(again.body.erased).toMatchObject({ sent_rows: 1 });
    await api.delete('/v1/exclusions/companies');
  });

  it('receive the rows of a view in its order', async () => {
    const tableId = await tableOf([rowOf('Ann'), rowOf('Bob'), rowOf('Cy')]);
    const view = await api.post<{ id: string }>(`/v1/tables/${tableId}/views`, {
      filter: [{ key: 'full_name', op: 'ne', value: 'Bob' }],
      sort: [{ key: 'full_name', direction: 'desc' }],
    });
    const id = await destinationOf('hubspot_contacts');
    expect((await push(id, tableId, { view: view.body.id })).counts).toMatchObject({ new: 2 });
    expect([...contacts.kept.keys()]).toEqual(['cy@cy-widgets.com', 'ann@ann-widgets.com']);
    const other = await api.post<Refusal>(`/v1/destinations/${id}/pushes`, {
      table_id: tableId,
      view: 'view_none',
    });
    expect([other.status, other.body.error.code]).toEqual([404, 'not_found']);
  });

  it('are previewed: what would be sent, with stars for the secret, and nothing is sent', async () => {
    const id = await destinationOf('smartlead_leads');
    const { status, body } = await api.post<{ payloads: Array<{ url: string; body: unknown }> }>(
      `/v1/destinations/${id}/preview`,
      { table_id: await tableOf([rowOf('Ann')]) },
    );
    expect([status, body]).toMatchObject([
      200,
      { row_count: 1, counts: { new: 1 }, mapping: { email: 'work_email' } },
    ]);
    expect(body.payloads).toHaveLength(1);
    expect(body.payloads[0]!.url).toBe(receiver.url('/api/v1/campaigns/c1/leads?api_key=********'));
    expect(JSON.stringify(body)).not.toContain(KEY);
    expect(receiver.received).toEqual([]);
  });

  it('with a refused key report that', async () => {
    const id = await destinationOf('hubspot_contacts', { secret: 'wrong', settings: { overwrite: false } });
    const tableId = await tableOf([rowOf('Ann')]);
    expect(await push(id, tableId)).toMatchObject({
      status: 'failed',
      reason: 'The destination rejects the key (401).',
    });
    const changed = await api.patch<Json>(`/v1/destinations/${id}`, { secret: KEY, overwrite: true });
    expect(changed.body['settings']).toEqual({ overwrite: true });
    expect(await push(id, tableId)).toMatchObject({ status: 'completed', counts: { new: 1 } });
    const { body } = await api.get<{ items: PushJson[] }>(`/v1/destinations/${id}/pushes`);
    expect(body.items.map((each) => each.status)).toEqual(['completed', 'failed']);
  });

  it('of a test key are webhooks, and receive fictional rows', async () => {
    receiver.reply = (response) => void response.writeHead(204).end();
    const tester = new ApiClient(product.baseUrl, product.credentials.test_key);
    const refused = await tester.post<Refusal>('/v1/destinations', {
      kind: 'hubspot_contacts',
      name: 'x',
      secret: KEY,
    });
    expect([refused.status, refused.body.error.details?.[0]?.path]).toEqual([400, 'kind']);
    const made = await tester.post<{ id: string }>('/v1/destinations', {
      kind: 'webhook',
      name: 'x',
      secret: SIGNING,
      settings: { url: receiver.url('/test') },
    });
    const table_id = await tableOf([rowOf('Fay', 'fay.sandbox.test')], tester);
    await tester.post(`/v1/destinations/${made.body.id}/pushes`, { table_id });
    await waitFor('the row', () => Promise.resolve(receiver.received.length === 1));
  });

  it.each<[string, string, Json]>([
    ['an unknown kind', 'kind', { kind: 'salesforce' }],
    ['no secret', 'secret', { secret: '' }],
    ['a secret of two lines', 'secret', { secret: 'a\nb' }],
    [
      'a webhook with a plain word as signing secret',
      'secret',
      { kind: 'webhook', settings: { url: 'https://example.com/' } },
    ],
    ['a sequencer without a campaign', 'settings.campaign_id', { kind: 'lemlist_leads' }],
    ['a campaign for a kind without campaigns', 'settings.campaign_id', { settings: { campaign_id: 'x' } }],
    [
      'keeping existing values in a sequencer',
      'settings.overwrite',
      { kind: 'lemlist_leads', settings: { campaign_id: 'c1', overwrite: false } },
    ],
    ['a mapping that is a number', 'mapping.email', { mapping: { email: 3 } }],
  ])('refuse %s, naming the field %s', async (_what, path, fault) => {
    const { status, body } = await api.post<Refusal>('/v1/destinations', {
      kind: 'hubspot_contacts',
      name: 'x',
      secret: KEY,
      ...fault,
    });
    expect([status, body.error.code]).toEqual([400, 'invalid_request']);
    expect(body.error.details?.map((detail) => detail.path)).toContain(path);
    expect(JSON.stringify(body)).not.toContain(KEY);
  });
});
