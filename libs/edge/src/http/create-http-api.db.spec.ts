import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { AppError, type ErrorEnvelope } from '@quarry/error-codes';
import { newId, systemCtx, type Ctx, type RpcCall, type RpcTransport } from '@quarry/platform';
import { createTestDatabase, waitFor, type TestDatabase } from '@quarry/testing';
import { pino } from 'pino';
import { IdentityStore, type CreatedOrganisation } from '../identity/identity.store.js';
import { identityKeySource } from '../keys/identity-key-source.js';
import { MemoryRateLimitStore } from '../limits/memory-rate-limit.store.js';
import { createHttpApi, type HttpApi, type HttpApiOptions } from './create-http-api.js';

type Answer = (request: Record<string, unknown>, ctx: Ctx) => unknown;

/** Stands behind the edge's only seam: answers fixed values by pattern, and remembers what it was asked. */
class FixedRpc implements RpcTransport {
  readonly calls: Array<{ pattern: string; request: Record<string, unknown>; ctx: Ctx }> = [];
  private answers = new Map<string, Answer>();

  on(pattern: string, answer: Answer): void {
    this.answers.set(pattern, answer);
  }

  reset(): void {
    this.calls.length = 0;
    this.answers.clear();
  }

  async call<Request, Response>(
    ctx: Ctx,
    call: RpcCall<Request, Response>,
    request: Request,
  ): Promise<Response> {
    const plain = request as Record<string, unknown>;
    this.calls.push({ pattern: call.pattern, request: plain, ctx });
    const answer = this.answers.get(call.pattern);
    if (!answer) throw new Error(`SELECT secret FROM nowhere: nothing answers ${call.pattern}`);
    return (await answer(plain, ctx)) as Response;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

interface Started {
  api: HttpApi;
  port: number;
  log: string[];
}

describe('the public HTTP API', () => {
  const rpc = new FixedRpc();
  const running: Started[] = [];
  let test: TestDatabase;
  let org: CreatedOrganisation;
  let port: number;
  let log: string[];

  async function start(overrides: Partial<HttpApiOptions> = {}): Promise<Started> {
    const lines: string[] = [];
    const store = new IdentityStore(test.database);
    const api = await createHttpApi({
      rpc,
      keys: identityKeySource(store, () => undefined),
      rateLimits: new MemoryRateLimitStore(),
      rateLimitScale: 1000,
      trustedProxies: [],
      readiness: { database: () => test.database.query(systemCtx('ready'), 'SELECT 1') },
      logger: pino({ level: 'info' }, { write: (line: string) => void lines.push(line) }),
      ...overrides,
    });
    const started = { api, port: await api.listen(0, '127.0.0.1'), log: lines };
    running.push(started);
    return started;
  }

  beforeAll(async () => {
    test = await createTestDatabase();
    org = await new IdentityStore(test.database).createOrganisation(systemCtx('spec'), { name: 'Spec' });
    ({ port, log } = await start());
  });
  afterEach(() => rpc.reset());
  afterAll(async () => {
    await Promise.all(running.map(({ api }) => api.close()));
    await test.drop();
  });

  type Init = Omit<RequestInit, 'headers' | 'body'> & { headers?: Record<string, string>; body?: unknown };

  function send(path: string, { headers, body, ...init }: Init = {}, at = port): Promise<Response> {
    const isJson = body !== undefined && !(body instanceof Uint8Array);
    return fetch(`http://127.0.0.1:${at}${path}`, {
      ...init,
      headers: {
        authorization: `Bearer ${org.apiKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: (isJson && typeof body !== 'string' ? JSON.stringify(body) : body) as RequestInit['body'],
    });
  }

  async function refusal(answer: Response | Promise<Response>) {
    const response = await answer;
    const envelope = (await response.json()) as ErrorEnvelope;
    expect(Object.keys(envelope)).toEqual(['error']);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('x-request-id')).toMatch(/^[\w.-]+$/);
    return { status: response.status, headers: response.headers, ...envelope.error };
  }

  /** Sends bytes as they are and reads until the server closes. */
  function raw(bytes: string | Buffer, at = port): Promise<{ status: number; head: string; body: string }> {
    return new Promise((resolve, reject) => {
      const socket = connect(at, '127.0.0.1', () => socket.write(bytes));
      let text = '';
      socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      socket.on('error', reject).on('close', () => {
        const [head = '', body = ''] = text.split('\r\n\r\n');
        resolve({ status: Number(head.split(' ')[1]), head, body });
      });
    });
  }

  async function rawRefusal(bytes: string | Buffer, at = port) {
    const { status, head, body } = await raw(bytes, at);
    const { error } = JSON.parse(body) as ErrorEnvelope;
    expect(head).toMatch(/^x-request-id: [\w.-]+$/im);
    return { status, head, ...error };
  }

  const auth = () => `Authorization: Bearer ${org.apiKey}\r\n`;

  describe('reading', () => {
    it('passes the service’s JSON text on untouched, for the organisation of the key', async () => {
      const id = newId('run');
      const json = `{"id":"${id}",  "n":1e2}`;
      rpc.on('runs.runs.get', () => json);
      const answer = await send(`/v1/runs/${id}`);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(await answer.text()).toBe(json);
      expect(rpc.calls[0]).toMatchObject({
        request: { runId: id },
        ctx: { orgId: org.orgId, mode: 'live', requestId: answer.headers.get('x-request-id') },
      });
    });

    it('answers HEAD like GET, without the body', async () => {
      rpc.on('runs.runs.get', () => '{"a":1}');
      const answer = await send(`/v1/runs/${newId('run')}`, { method: 'HEAD' });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-length')).toBe('7');
      expect(await answer.text()).toBe('');
    });
  });

  describe('an address or method that does not exist', () => {
    it.each(['/nope', '/v1/runs/', '//v1/runs', '/v1', '/v1/exclusions/dogs', '/V1/runs'])(
      'is 404 not_found: %s',
      async (path) => {
        const { status, code } = await refusal(send(path));
        expect([status, code]).toEqual([404, 'not_found']);
      },
    );

    it('tells the allowed methods with 405', async () => {
      const { status, code, headers } = await refusal(send('/v1/runs', { method: 'PATCH', body: {} }));
      expect([status, code, headers.get('allow')]).toEqual([405, 'invalid_request', 'GET, HEAD, POST']);
    });

    it('refuses OPTIONS with 405 and without any CORS header', async () => {
      const { status, headers } = await refusal(
        send('/v1/runs', { method: 'OPTIONS', headers: { origin: 'https://a.example' } }),
      );
      expect(status).toBe(405);
      expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    });
  });
});
