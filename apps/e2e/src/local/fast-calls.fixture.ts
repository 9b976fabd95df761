import { expect } from '@jest/globals';
import type { ApiClient } from '@quarry/testing';

export type Item = Record<string, any>;
interface FastAnswer {
  ok: boolean;
  service: string;
  output: { items: Item[]; provider: string };
  credits: { charged: number; remaining: number };
}
interface Refusal {
  error: { code: string; message: string; details?: Array<{ path: string[]; message: string }> };
}

/** @param usual returns the default client; called for each request */
export function fastCalls(usual: () => ApiClient) {
  /** Calls a fast service and expects 200. */
  async function find(service: string, input: object, client = usual()): Promise<FastAnswer> {
    const { status, body } = await client.post<FastAnswer>(`/services/${service}`, input);
    expect([status, body]).toEqual([200, expect.anything()]);
    return body;
  }

  async function refused(service: string, input: unknown, client = usual()) {
    const { status, body } = await client.post<Refusal>(`/services/${service}`, input);
    return { status, ...body.error };
  }

  /** Sends a batch to a slow service and waits for its end. @returns the ended batch */
  async function batchOf(service: string, inputs: object[], client = usual()): Promise<Item> {
    const { body: list } = await client.post<Item>('/v1/services/jobs/batch', { service, inputs });
    const { body } = await client.get<Item>(`${list.poll_url}?wait_seconds=60`);
    expect(body).toMatchObject({ status: 'completed' });
    return body;
  }
  return { find, refused, batchOf };
}

/** @returns the credits that the organisation of a client has left */
export async function remaining(client: ApiClient): Promise<number> {
  return (await client.get<{ remaining: number }>('/credits')).body.remaining;
}
