import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  Client,
  StreamableHTTPClientTransport,
  type VersionNegotiationOptions,
} from '@modelcontextprotocol/client';
import { newId, systemCtx } from '@quarry/app';
import { createTestDatabase, type TestDatabase } from '@quarry/testing';
import { waitFor } from '@quarry/test-servers';
import { IdentityStore, type CreatedOrganisation } from '@quarry/identity';
import type { HttpApi } from '@quarry/http';
import { FixedRpc } from '../fixed-rpc.fixture.js';
import { openEdge } from '../open-edge.fixture.js';

const SUMMARY = {
  title: 'Find an e-mail address',
  description: 'By name and company.',
  category: 'contact',
  mode: 'slow',
};

describe('MCP tools over HTTP', () => {
  const rpc = new FixedRpc();
  const clients: Client[] = [];
  let test: TestDatabase;
  let org: CreatedOrganisation;
  let api: HttpApi;
  let url: string;

  beforeAll(async () => {
    test = await createTestDatabase();
    const store = new IdentityStore(test.database);
    org = await store.createOrganisation(systemCtx('spec'), { name: 'Spec' });
    [api, url] = await open();
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
    rpc.reset();
  });
  afterAll(async () => {
    await api.close();
    await test.drop();
  });

  /** @returns a server of the tools, and its address */
  async function open(): Promise<[HttpApi, string]> {
    const opened = await openEdge(test, rpc, {
      allowedOrigins: ['https://app.example'],
      // A thousand clients in one process slow each other down; the time limit of a client is not tested here.
      timeouts: { headersMs: 120_000 },
    });
    return [opened.api, `http://127.0.0.1:${opened.port}/mcp`];
  }

  async function connected(mode: VersionNegotiationOptions['mode']): Promise<Client> {
    const client = new Client({ name: 'spec', version: '1' }, { versionNegotiation: { mode } });
    clients.push(client);
    const requestInit = { headers: { authorization: `Bearer ${org.apiKey}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    return client;
  }

  it.each([
    ['2025-11-25', 'legacy'],
    ['2026-07-28', { pin: '2026-07-28' }],
  ] as const)('answer the official client on %s', async (version, mode) => {
    const client = await connected(mode);
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    expect(client.getInstructions()!.length).toBeLessThanOrEqual(600);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['service_discover', 'table_list']));
    rpc.on('services.catalogue.list', () =>
      JSON.stringify({
        items: [
          { name: 'getEmail', ...SUMMARY },
          { name: 'x', ...SUMMARY, title: 'Other', description: '' },
        ],
        next_offset: null,
      }),
    );
    const found = await client.callTool({ name: 'service_discover', arguments: { query: 'e-mails' } });
    expect(found.structuredContent).toMatchObject({ items: [{ name: 'getEmail' }], next_cursor: null });
    rpc.on('tables.tables.find', () => JSON.stringify({ items: [], next_offset: null }));
    const listed = await client.callTool({ name: 'table_list', arguments: { workspace_id: newId('ws') } });
    expect(listed).toMatchObject({ structuredContent: { items: [], next_cursor: null } });
    expect(rpc.calls.at(-1)!.ctx).toMatchObject({ orgId: org.orgId, mode: 'live' });
  });

  describe('a request', () => {
    const headers = (more: Record<string, string> = {}) => ({
      authorization: `Bearer ${org.apiKey}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...more,
    });
    const post = (body: unknown, more: Record<string, string> = {}) =>
      fetch(url, {
        method: 'POST',
        headers: headers(more),
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
    const call = (name: string, args: unknown, id = 1) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name, arguments: args },
    });
    /** Returns the message of a response, whether it is a single body or a stream with one event. */
    const messageOf = async (response: Response) =>
      JSON.parse(/^data: (.*)$/m.exec(await response.clone().text())?.[1] ?? (await response.text())) as {
        result?: { isError?: boolean; content: Array<{ text: string }>; _meta?: Record<string, unknown> };
        error?: { code: number | string };
      };

    it('that is invalid is refused by the gate, as on every route', async () => {
      const withoutKey = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      });
      expect(withoutKey.status).toBe(401);
      expect(withoutKey.headers.get('www-authenticate')).toBe('Bearer realm="quarry"');
      expect((await post([call('table_list', {}), call('table_list', {})])).status).toBe(400);
      expect((await post(`{"a":${'['.repeat(40)}${']'.repeat(40)}}`)).status).toBe(400);
      expect((await post(call('table_list', { query: 'x'.repeat(1024 * 1024) }))).status).toBe(413);
      expect((await post('{"jsonrpc":"2.0","id":1,"method":"tools/list","id":2}')).status).toBe(400);
      expect(rpc.calls).toEqual([]);
    });

    it.each(['GET', 'DELETE', 'PUT'])('with method %s is refused with an Allow header', async (method) => {
      const answer = await fetch(url, { method, headers: headers() });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
    });

    it.each([
      ['*/*', 200],
      ['application/json, */*;q=0.8', 200],
      ['application/json', 406],
    ])('that accepts %s is answered with status %i', async (accept, status) => {
      const answer = await post({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }, { accept });
      expect(answer.status).toBe(status);
    });

    it.each([
      ['https://evil.example', 403],
      ['null', 403],
      ['http://localhost.evil.example', 403],
      ['https://app.example', 200],
      ['http://localhost:6274', 200],
    ])('from a page of %s is answered with status %i', async (origin, status) => {
      const answer = await post({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }, { origin });
      expect(answer.status).toBe(status);
    });

    it('is refused if its headers contradict the body', async () => {
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      };
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta } };
      const answer = await post(body, { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call' });
      expect(answer.status).toBe(400);
      expect((await messageOf(answer)).error).toMatchObject({ code: -32020 });
    });

    it('with overlong names is refused, and the names are not echoed', async () => {
      const long = 'x'.repeat(100_000);
      const messages = [
        { jsonrpc: '2.0', id: 1, method: long },
        { jsonrpc: '2.0', id: long, method: 'tools/list' },
        call(long, {}),
      ];
      for (const message of messages) {
        const answer = await post(message);
        expect(answer.status).toBe(400);
        expect((await answer.text()).length).toBeLessThan(1_000);
      }
    });

    it('for a tool that does not exist gets a protocol error', async () => {
      expect((await messageOf(await post(call('table_drop', {})))).error).toMatchObject({ code: -32602 });
      expect((await messageOf(await post(call('constructor', {})))).error).toMatchObject({ code: -32602 });
    });

    it.each([5, null, '', 'zzz'])(
      'with the unknown cursor %j for the list of tools is refused',
      async (cursor) => {
        const answer = await post({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { cursor } });
        expect((await messageOf(answer)).error).toEqual({
          code: -32602,
          message: 'cursor is not valid: all tools are on one page.',
        });
      },
    );

    it('with invalid arguments gets a result that names them', async () => {
      const { result } = await messageOf(await post(call('service_estimate', { inputs: [1], who: 'me' })));
      expect(result).toMatchObject({
        isError: true,
        _meta: {
          'quarry/error': {
            code: 'validation_error',
            retryable: false,
            details: [{ path: ['service'] }, { path: ['inputs', '0'] }, { path: [] }],
          },
        },
      });
      expect(result!.content[0]!.text).toContain('Unrecognized key: "who"');
      const { result: both } = await messageOf(await post(call('table_rows_get', {})));
      expect(both!.content[0]!.text).toContain('Give either table_id, or run_id and table_key.');
      expect(rpc.calls).toEqual([]);
    });

    it('gets no details of an unexpected error', async () => {
      const { result } = await messageOf(await post(call('table_list', {})));
      expect(result).toMatchObject({
        isError: true,
        _meta: { 'quarry/error': { code: 'internal_error', retryable: true } },
      });
      expect(JSON.stringify(result)).not.toContain('SELECT');
    });

    it('with a cursor of another tenant or list is refused', async () => {
      const client = await connected('legacy');
      rpc.on('tables.exclusions.list', () =>
        JSON.stringify({ items: [{ domain: 'a.example' }, { domain: 'b.example' }], next_offset: 2 }),
      );
      const use = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args });
      const page = await use('table_exclusions_get', { kind: 'companies', limit: 2 });
      const { next_cursor: cursor } = page.structuredContent as { next_cursor: string };
      expect((await use('table_exclusions_get', { kind: 'companies', cursor })).isError).toBeUndefined();
      for (const args of [
        { kind: 'people', cursor },
        { kind: 'companies', cursor: `${cursor}A` },
      ])
        expect((await use('table_exclusions_get', args))._meta).toMatchObject({
          'quarry/error': { code: 'invalid_cursor' },
        });
    });

    it('that waits ends when its client disconnects', async () => {
      const batch = {
        batch_id: newId('svcbatch'),
        service: 'getEmail',
        size: 1,
        status: 'running',
        jobs: [],
      };
      const counts = { queued: 0, running: 1, completed: 0, failed: 0, cancelled: 0 };
      rpc.on('services.batches.get', async () => {
        await new Promise((resolve) => setImmediate(resolve));
        return JSON.stringify({ ...batch, counts });
      });
      const gone = new AbortController();
      const body = JSON.stringify(call('service_batch_get', { batch_id: batch.batch_id, wait_seconds: 50 }));
      const held = fetch(url, { method: 'POST', headers: headers(), body, signal: gone.signal }).then(
        (answer) => answer.text(),
      );
      held.catch(() => undefined);
      await waitFor('the read to be held', async () => rpc.calls.length > 2);
      gone.abort();
      await expect(held).rejects.toThrow();
      let before = -1;
      await waitFor('the reads to end', async () => {
        const now = rpc.calls.length;
        const hasEnded = now === before;
        before = now;
        return hasEnded;
      });
    });

    it('that waits is answered at once when the process stops', async () => {
      const batch = {
        batch_id: newId('svcbatch'),
        service: 'getEmail',
        size: 1,
        status: 'running',
        counts: { queued: 0, running: 1, completed: 0, failed: 0, cancelled: 0 },
        jobs: [],
      };
      // The service that holds the read does not know that the gateway is stopping.
      rpc.on('services.batches.get', ({ waitSeconds }) =>
        waitSeconds === 0 ? JSON.stringify(batch) : new Promise(() => undefined),
      );
      rpc.on('services.credits.ledger', () => JSON.stringify({ items: [], next_cursor: null }));
      const [stopping, at] = await open();
      try {
        const body = JSON.stringify(
          call('service_batch_get', { batch_id: batch.batch_id, wait_seconds: 50 }),
        );
        const held = fetch(at, { method: 'POST', headers: headers(), body });
        held.catch(() => undefined);
        await waitFor('the read to be held', async () => rpc.calls.length > 0);
        await stopping.close();
        expect((await messageOf(await held)).result).toMatchObject({
          structuredContent: { batch_id: batch.batch_id, status: 'running', charged: 0 },
        });
      } finally {
        await stopping.close();
      }
    });

    it('is answered each time when a thousand arrive at once', async () => {
      rpc.on('tables.tables.find', () => JSON.stringify({ items: [], next_offset: null }));
      const answers = await Promise.all(
        Array.from({ length: 1000 }, async (_, id) => {
          const answer = await post(call('table_list', {}, id));
          return [answer.status, (await messageOf(answer)) as { id?: number }] as const;
        }),
      );
      expect(answers.map(([status, message]) => [status, message.id])).toEqual(
        answers.map((_, id) => [200, id]),
      );
    });
  });
});
