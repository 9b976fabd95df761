import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { WEBHOOK_TYPES } from '@quarry/dto';
import { verifyWebhook } from '@quarry/sdk';
import { status, waitFor, WebhookReceiver, type ReceivedWebhook } from '@quarry/test-servers';
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
  attempts: Array<{ number: number; status_code: number | null; error: string | null; answer: string | null }>;
}
interface Refusal {
  error: { code: string; message: string; details?: Array<{ path: string }> };
}

describe('webhooks', () => {
  let receiver: WebhookReceiver;
  let product: Product;
  let api: ApiClient;
  let paths = 0;
  const made: string[] = [];

  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    product = await startProduct({
      env: { RATE_LIMIT_SCALE: '1000', LOG_LEVEL: 'error', FETCH_ALLOW_HOSTS: receiver.host },
    });
    api = new ApiClient(product.baseUrl, product.credentials.api_key);
  }, 120_000);
  afterAll(async () => {
    await product.dispose();
    await receiver.stop();
  });
  afterEach(async () => {
    receiver.reply = status(204);
    for (const id of made.splice(0)) await api.delete(`/v1/webhooks/${id}`);
  });

  /** A webhook at a path of its own. */
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
  const makeExport = async (): Promise<void> => {
    const workspace = await api.post<{ id: string }>('/v1/workspaces', { name: 'Hooks' });
    const table = await api.post<{ id: string }>(`/v1/workspaces/${workspace.body.id}/tables`, {
      name: 'x',
      columns: [{ key: 'a', name: 'A' }],
      rows: [{ a: 1 }],
    });
    expect((await api.post(`/v1/tables/${table.body.id}/exports`, { format: 'csv' })).status).toBe(201);
  };

  it('are sent what happens, signed, and only what they listen to', async () => {
    const listening = await webhookFor(['export.created']);
    const other = await webhookFor(['run.completed']);
    await makeExport();
    const [message] = await arrived(listening.path);
    const event = await verifyWebhook(message!.body, message!.headers, listening.secret);
    expect(event).toMatchObject({ type: 'export.created', id: message!.headers['webhook-id'], seq: 1 });
    const logged = await api.get<{ items: unknown[] }>('/v1/events?types=export.created&limit=1000');
    expect(logged.body.items).toContainEqual(event);
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
});
