import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { WEBHOOK_TYPES } from '@quarry/dto';
import { verifyWebhook } from '@quarry/sdk';
import { NameServer, status, waitFor, WebhookReceiver, type ReceivedWebhook } from '@quarry/test-servers';
import { ApiClient, startProduct, type Product } from '@quarry/testing';

interface WebhookJson {
  id: string;
  url: string;
  types: string[];
  status: string;
  reason: string | null;
  secret: string;
}
interface DeliveryJson {
  id: string;
  event_id: string;
  type: string;
  status: string;
  next_attempt_at: string | null;
  attempts: Array<{
    number: number;
    status_code: number | null;
    error: string | null;
    answer: string | null;
  }>;
}
interface Refusal {
  error: { code: string; message: string; details?: Array<{ path: string }> };
}

describe('webhooks', () => {
  let receiver: WebhookReceiver;
  let names: NameServer;
  let product: Product;
  let api: ApiClient;
  let paths = 0;
  const made: string[] = [];

  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    names = await NameServer.start(({ type }) => (type === 'A' ? ['10.0.0.1'] : []));
    product = await startProduct({
      env: {
        RATE_LIMIT_SCALE: '1000',
        LOG_LEVEL: 'error',
        FETCH_ALLOW_HOSTS: receiver.host,
        DNS_SERVERS: names.address,
      },
    });
    api = new ApiClient(product.baseUrl, product.credentials.api_key);
  }, 120_000);
  afterAll(async () => {
    await product.dispose();
    await receiver.stop();
    names.stop();
  });
  afterEach(async () => {
    receiver.reply = status(204);
    for (const id of made.splice(0)) await api.delete(`/v1/webhooks/${id}`);
  });

  /** Creates a webhook with its own path. */
  async function webhookFor(types: readonly string[], url?: string) {
    const path = `/hook-${++paths}`;
    const body = { url: url ?? receiver.url(path), types };
    const answer = await api.post<WebhookJson>('/v1/webhooks', body);
    expect(answer.status).toBe(201);
    made.push(answer.body.id);
    return { ...answer.body, path };
  }

  const messagesAt = (path: string): ReceivedWebhook[] =>
    receiver.received.filter((message) => message.path === path);
  const arrived = (path: string, count = 1): Promise<ReceivedWebhook[]> =>
    waitFor(`${count} messages at ${path}`, () => {
      const messages = messagesAt(path);
      return Promise.resolve(messages.length >= count && messages);
    });
  const test = async (id: string): Promise<DeliveryJson> =>
    (await api.post<DeliveryJson>(`/v1/webhooks/${id}/test`, undefined)).body;
  const deliveriesOf = async (id: string): Promise<DeliveryJson[]> =>
    (await api.get<{ items: DeliveryJson[] }>(`/v1/webhooks/${id}/deliveries`)).body.items;
  const settled = (id: string, wanted: (delivery: DeliveryJson) => boolean): Promise<DeliveryJson> =>
    waitFor('a delivery to be settled', async () => (await deliveriesOf(id)).find(wanted));
  const exportsLogged = async (): Promise<Array<{ id: string }>> =>
    (await api.get<{ items: Array<{ id: string }> }>('/v1/events?types=export.created&limit=1000')).body
      .items;
  const loggedOnce = (id: string) =>
    waitFor('the event in the feed', async () => (await exportsLogged()).some((event) => event.id === id));
  const makeExport = async (): Promise<void> => {
    const workspace = await api.post<{ id: string }>('/v1/workspaces', { name: 'Hooks' });
    const table = await api.post<{ id: string }>(`/v1/workspaces/${workspace.body.id}/tables`, {
      name: 'x',
      columns: [{ key: 'a', name: 'A' }],
      rows: [{ a: 1 }],
    });
    expect((await api.post(`/v1/tables/${table.body.id}/exports`, { format: 'csv' })).status).toBe(201);
  };

  it('receive signed events, and only those they subscribe to', async () => {
    const listening = await webhookFor(['export.created']);
    const other = await webhookFor(['run.completed']);
    await makeExport();
    const [message] = await arrived(listening.path);
    const event = await verifyWebhook(message!.body, message!.headers, listening.secret);
    expect(event).toMatchObject({ type: 'export.created', id: message!.headers['webhook-id'], seq: 1 });
    // A feed ends at the oldest open transaction of the server, so an event may appear there later than at its webhook.
    await loggedOnce(event.id);
    expect(await exportsLogged()).toContainEqual(event);
    const tampered = message!.body.replace('export.created', 'run.completed');
    for (const [body, secret] of [
      [tampered, listening.secret],
      [message!.body, other.secret],
    ] as const)
      await expect(verifyWebhook(body, message!.headers, secret)).rejects.toThrow('signature');
    await test(other.id);
    await arrived(other.path);
    expect(messagesAt(other.path).map(({ body }) => (JSON.parse(body) as { type: string }).type)).toEqual([
      'webhook.test',
    ]);
  });

  it('receive a requested test event alone, even while disabled', async () => {
    const one = await webhookFor(['run.completed']);
    const other = await webhookFor(WEBHOOK_TYPES);
    expect(await test(one.id)).toMatchObject({ type: 'webhook.test', status: 'pending', attempts: [] });
    await settled(one.id, ({ status }) => status === 'delivered');
    const off = await api.patch<WebhookJson>(`/v1/webhooks/${one.id}`, { status: 'disabled' });
    expect(off.body).toMatchObject({ status: 'disabled', reason: 'requested' });
    // The other webhook receives that event, but no test message.
    await arrived(other.path);
    await test(one.id);
    const [first, second] = await arrived(one.path, 2);
    expect(first!.headers['webhook-id']).not.toBe(second!.headers['webhook-id']);
    expect(messagesAt(other.path).map(({ body }) => (JSON.parse(body) as { type: string }).type)).toEqual([
      'webhook.disabled',
    ]);
  });

  it('reach no internal address, even by a name that leads there', async () => {
    const { id } = await webhookFor(['run.completed'], 'https://inside.example/hook');
    await test(id);
    const { attempts } = await settled(id, (delivery) => delivery.attempts.length > 0);
    expect(attempts[0]!.error).toMatch('is not on the public Internet');
    expect(JSON.stringify(attempts)).not.toContain('10.0.0.1');
  });

  it.each([
    ['http://example.com/', 'https://'],
    ['https://10.0.0.1/', 'public Internet'],
    ['https://[::1]/', 'public Internet'],
    ['https://169.254.169.254/latest', 'public Internet'],
    ['https://example.com:22/', 'ports'],
    ['https://me:secret@example.com/', 'user name'],
    ['ftp://example.com/', 'http'],
    ['no address', 'not a web address'],
  ])('do not accept %s', async (url, says) => {
    const { status: code, body } = await api.post<Refusal>('/v1/webhooks', { url, types: ['run.completed'] });
    expect([code, body.error.code, body.error.details?.[0]?.path]).toEqual([400, 'invalid_request', 'url']);
    expect(body.error.message).toContain(says);
    expect(body.error.message).toContain('FETCH_ALLOW_HOSTS');
    const { id, url: before } = await webhookFor(['run.completed']);
    expect((await api.patch(`/v1/webhooks/${id}`, { url })).status).toBe(400);
    expect((await api.get<WebhookJson>(`/v1/webhooks/${id}`)).body.url).toBe(before);
  });

  it.each([
    ['no types', 'types', { types: [] }],
    ['an unknown type', 'types[0]', { types: ['run.done'] }],
    ['the type of test events', 'types[0]', { types: ['webhook.test'] }],
    ['types that are not a list', 'types', { types: 'run.completed' }],
    ['a number', 'url', { url: 3 }],
    ['a long description', 'description', { description: 'x'.repeat(501) }],
    ['a secret', '', { secret: 'x' }],
  ])('refuse %s, naming the field %j', async (_what, path, fault) => {
    const { status: code, body } = await api.post<Refusal>('/v1/webhooks', {
      url: 'https://example.com/',
      types: ['run.completed'],
      ...fault,
    });
    expect([code, body.error.code]).toEqual([400, 'invalid_request']);
    expect(body.error.details?.map((detail) => detail.path)).toContain(path);
  });

  it('that are dead do not delay others', async () => {
    const dead = await webhookFor(['export.created']);
    const alive = await webhookFor(['export.created']);
    receiver.reply = (response, message) => {
      if (message.path !== dead.path) response.writeHead(204).end();
    };
    await makeExport();
    await arrived(dead.path);
    // An attempt stays open for 15 seconds; later messages take two seconds and do not wait for it.
    for (let i = 2; i <= 4; i += 1) {
      await makeExport();
      await arrived(alive.path, i);
    }
    expect(messagesAt(dead.path)).toHaveLength(1);
    expect(await deliveriesOf(dead.id)).toMatchObject(Array(4).fill({ status: 'pending', attempts: [] }));
  });

  it('receive events again from a given time, and refuse an unknown one', async () => {
    const { id } = await webhookFor(['export.created']);
    const replay = (body: object) => api.post(`/v1/webhooks/${id}/replay`, body);
    await makeExport();
    const since = new Date(Date.now() - 3_600_000).toISOString();
    await settled(id, ({ status }) => status === 'delivered');
    const { status: code, body } = await replay({ since, only_failed: false });
    expect([code, body]).toEqual([200, { deliveries: expect.any(Number), next_since: null }]);
    for (const wrong of [{}, { since: 'yesterday' }, { since, until: '2026-13-01T00:00:00Z' }])
      expect((await replay(wrong)).status).toBe(400);
  });

  it('are shown as the contract says, with their secret only once', async () => {
    const body = { url: receiver.url(), types: ['run.failed', 'run.failed'], description: 'CRM' };
    const first = await api.post<WebhookJson>('/v1/webhooks', body, { 'idempotency-key': 'hook-1' });
    expect(await api.post('/v1/webhooks', body, { 'idempotency-key': 'hook-1' })).toMatchObject({
      status: 201,
      body: first.body,
    });
    made.push(first.body.id);
    const fields = ['id', 'url', 'types', 'status', 'reason', 'created_at'];
    expect(Object.keys(first.body)).toEqual([...fields, 'secret']);
    expect(first.body).toMatchObject({ types: ['run.failed'], status: 'active', reason: null });
    const read = await api.get(`/v1/webhooks/${first.body.id}`);
    expect(Object.keys(read.body)).toEqual([...fields, 'description']);
    expect((await api.get<{ items: unknown[] }>('/v1/webhooks')).body.items).toContainEqual(read.body);
    expect((await api.delete(`/v1/webhooks/${first.body.id}`)).status).toBe(204);
    expect((await api.get(`/v1/webhooks/${first.body.id}`)).status).toBe(404);
  });

  it('have their deliveries in pages', async () => {
    const [{ id }, other] = [await webhookFor(['run.completed']), await webhookFor(['run.completed'])];
    const [a, b, c] = [await test(id), await test(id), await test(id)];
    const first = await api.get<{ items: DeliveryJson[]; next_cursor: string }>(
      `/v1/webhooks/${id}/deliveries?limit=2`,
    );
    const last = await api.get<{ items: DeliveryJson[]; next_cursor: string | null }>(
      `/v1/webhooks/${id}/deliveries?limit=2&cursor=${first.body.next_cursor}`,
    );
    expect([...first.body.items, ...last.body.items].map((delivery) => delivery.id)).toEqual([
      c.id,
      b.id,
      a.id,
    ]);
    expect(last.body.next_cursor).toBeNull();
    const foreign = await api.get<Refusal>(
      `/v1/webhooks/${other.id}/deliveries?cursor=${first.body.next_cursor}`,
    );
    expect([foreign.status, foreign.body.error.code]).toEqual([400, 'invalid_cursor']);
  });
});
