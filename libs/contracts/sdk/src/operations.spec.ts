import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Quarry } from './index.js';
import { json, ScriptedServer } from './scripted-server.fixture.js';

type Operations = Record<string, Record<string, { 'x-internal'?: true; 'x-quarry'?: { sdk?: string } }>>;
const { paths } = JSON.parse(
  readFileSync(new URL('../../../../docs/openapi.json', import.meta.url), 'utf8'),
) as { paths: Operations };
/** Public operations, such as `GET /v1/runs/{id}`. */
const PUBLIC = Object.entries(paths).flatMap(([path, operations]) =>
  Object.entries(operations)
    .filter(([, operation]) => !operation['x-internal'])
    .map(([method, { 'x-quarry': traits }]) => ({
      name: `${method.toUpperCase()} ${path}`,
      sdk: traits?.sdk ?? '',
    })),
);
/** Operations that a method covers with another one, and those for which the SDK has no room. */
const WITHOUT_METHOD = [
  'DELETE /v1/exclusions/{kind}',
  'GET /v1/tables/{id}/columns/{key}',
  'PATCH /v1/tables/{id}/columns/{key}',
  'DELETE /v1/tables/{id}/columns/{key}',
];
const SERVICE = /^POST \/services\/(\w+)$/;

describe('API operations of the SDK', () => {
  let server: ScriptedServer;
  beforeAll(async () => {
    server = await ScriptedServer.start();
  });
  afterAll(() => server.stop());

  it('have exactly the methods of the OpenAPI description', async () => {
    server.play((response, { headers }) => {
      // A stream that has ended.
      if (headers.accept === 'text/event-stream') return void response.writeHead(204).end();
      json({ status: 'completed', items: [], jobs: [], next_cursor: null })(response, {} as never);
    });
    const resources = resourcesOf(server);
    const wrong = [];
    for (const { name, sdk } of PUBLIC) {
      if (WITHOUT_METHOD.includes(name)) continue;
      const [, resource, method] = /^(\w+)\.(\w+)/.exec(sdk) ?? [];
      const before = server.requests.length;
      const service = SERVICE.exec(name)?.[1];
      await finish(resources[resource!]?.[method!]?.(service ?? 'x', 'x', 'x', {}));
      const called = server.requests.slice(before).map((each) => `${each.method} ${each.url.split('?')[0]}`);
      const pattern = new RegExp(`^${name.replace(/\{\w+\}/g, 'x')}$`);
      if (!called.some((each) => pattern.test(each))) wrong.push({ name, sdk, called });
    }
    expect(wrong).toEqual([]);
  });

  it.each(['', '.', '..', undefined])('are refused without a request if an id is %p', async (id) => {
    const resources = resourcesOf(server);
    const before = server.requests.length;
    for (const { name, sdk } of PUBLIC) {
      if (WITHOUT_METHOD.includes(name) || !name.includes('{')) continue;
      const [, resource, method] = /^(\w+)\.(\w+)/.exec(sdk)!;
      const [path] = name.replace(/^\w+ /, '').split('{');
      const call = async () => finish(resources[resource!]![method!]!(id, id, {}));
      await expect(call()).rejects.toThrow(`id is missing after ${path}`);
    }
    expect(server.requests.length).toBe(before);
  });
});

/** Returns the resources of a client by name, with their methods. */
function resourcesOf({
  url,
}: ScriptedServer): Record<string, Record<string, (...args: unknown[]) => unknown>> {
  return new Quarry({ apiKey: 'key', baseUrl: url }) as never;
}

async function finish(work: unknown): Promise<void> {
  if (work && typeof work === 'object' && Symbol.asyncIterator in work)
    for await (const _item of work as AsyncIterable<unknown>);
  else await work;
}
