import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunJson } from '@quarry/dto';
import { ApiClient, startProduct, type Product } from '@quarry/testing';
import { waitFor } from '@quarry/test-servers';

interface EventJson {
  id: string;
  type: string;
  subject: string;
  seq: number;
}

describe('events of the product', () => {
  let product: Product;
  let api: ApiClient;

  beforeAll(async () => {
    product = await startProduct({ env: { RATE_LIMIT_SCALE: '1000', LOG_LEVEL: 'error' } });
    api = new ApiClient(product.baseUrl, product.credentials.api_key);
  }, 120_000);
  afterAll(() => product.dispose());

  /** Returns a whole stream, which ends by itself. */
  async function streamOf(path: string, lastEventId?: string) {
    const answer = await fetch(`${product.baseUrl}${path}`, {
      headers: {
        authorization: `Bearer ${api.apiKey}`,
        accept: 'text/event-stream',
        ...(lastEventId ? { 'last-event-id': lastEventId } : {}),
      },
    });
    const text = await answer.text();
    const events = [...text.matchAll(/^data: (\{"id".*)$/gm)].map(
      ([, json]) => JSON.parse(json!) as EventJson,
    );
    return { status: answer.status, text, events };
  }

  it('report a run from its start to its end, and the file made of it', async () => {
    const columns = [{ key: 'name' }];
    const run = await api.post<RunJson>('/v1/runs', {
      prompt: '3 banks in Germany',
      output: { tables: [{ key: 'firms', entity: 'company', columns }] },
    });
    const path = `/v1/runs/${run.body.id}/events`;
    const { events, text } = await streamOf(path);
    expect(events.at(0)?.type).toBe('run.started');
    expect(events.at(-1)?.type).toBe('run.completed');
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(text.endsWith('event: end\ndata: {}\n\n')).toBe(true);
    expect(await streamOf(path, events.at(-1)!.id)).toMatchObject({ status: 204, text: '' });
    const resumed = await streamOf(path, events[0]!.id);
    expect(resumed.events).toEqual(events.slice(1));
    const file = await api.post<{ id: string }>(`/v1/runs/${run.body.id}/exports`, {
      table_key: 'firms',
      format: 'csv',
    });
    await waitFor('the file in the feed', async () => {
      const feed = await api.get<{ items: EventJson[] }>('/v1/events?types=export.created&limit=1000');
      return feed.body.items.some(({ subject }) => subject === file.body.id);
    });
  });
});
