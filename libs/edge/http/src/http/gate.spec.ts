import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@quarry/error-codes';
import type { ApiKeyRecord, KeyAuthenticator } from '@quarry/identity';
import Fastify, { type FastifyInstance, type InjectOptions } from 'fastify';
import { waitFor } from '@quarry/test-servers';
import { pino } from 'pino';
import { AddressLimiter } from '../limits/address-limiter.js';
import { ClientAddress } from '../limits/client-address.js';
import { KeyLimiter } from '../limits/key-limiter.js';
import { MemoryRateLimitStore } from '../limits/memory-rate-limit.store.js';
import { RATE_CLASSES } from '../limits/rate-class.catalogue.js';
import type { RateRequest, RateVerdict } from '../limits/rate-limit.store.js';
import { ErrorSender } from './error-sender.js';
import { Gate } from './gate.js';
import { LargeBodies } from './large-bodies.js';
import { Origins } from './origins.js';
import { BODIES, UNKNOWN_ROUTE_POLICY, type RoutePolicy } from '../policy/route-policy.js';
import { RouteTable } from './route-table.js';

const KEY = {
  id: 'key_1',
  userId: 'usr_1',
  orgId: 'org_1',
  mode: 'live',
  role: 'owner',
} as unknown as ApiKeyRecord;
const READ: RoutePolicy = { ...UNKNOWN_ROUTE_POLICY, area: 'resources' };
const POST: RoutePolicy = { ...READ, rateClass: 'heavy', body: BODIES.ordinary };
const IMPORT: RoutePolicy = { ...READ, body: BODIES.import };

/** Store that decides at once or when the spec lets it, and records the occupied slots. */
class SlowStore extends MemoryRateLimitStore {
  /** Promise that a decision waits for; null for none. */
  before: Promise<void> | null = null;
  readonly held = new Set<string>();
  requests = 0;

  override takeRequest(request: RateRequest): RateVerdict {
    this.requests += 1;
    const takeNow = (): RateVerdict => {
      const verdict = super.takeRequest(request);
      if (verdict.outcome === 'admitted' && request.rateClass.concurrency) this.held.add(request.requestId);
      return verdict;
    };
    // The interface allows an asynchronous result, as from the Redis store.
    return this.before ? (this.before.then(takeNow) as unknown as RateVerdict) : takeNow();
  }

  override releaseRequest(request: RateRequest): void {
    super.releaseRequest(request);
    this.held.delete(request.requestId);
  }
}

let server: FastifyInstance;
let store: SlowStore;
let largeBodies: LargeBodies;
let authenticate: (header?: string) => ApiKeyRecord | Promise<ApiKeyRecord>;
let reached: string[];

beforeEach(() => {
  store = new SlowStore(() => 0);
  largeBodies = new LargeBodies();
  reached = [];
  authenticate = (header) => {
    if (header === 'Bearer good') return KEY;
    throw new AppError('not_authenticated', 'The key is not known.');
  };
  const routes = new RouteTable();
  const gate = new Gate({
    addresses: new ClientAddress([]),
    addressLimiter: new AddressLimiter(1, () => 0),
    keys: { authenticateKey: (header?: string) => authenticate(header) } as KeyAuthenticator,
    findSession: () => Promise.resolve(null),
    limiter: new KeyLimiter(store, RATE_CLASSES),
    origins: new Origins(['https://app.example']),
    routes,
    largeBodies,
    errors: new ErrorSender(pino({ level: 'silent' })),
    believedMs: 0,
  });
  server = Fastify({ http: { requireHostHeader: false } });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', (_request, payload, done) => {
    payload.resume().once('end', () => done(null, {}));
  });
  const add = (method: 'GET' | 'POST', url: string, policy: RoutePolicy) => {
    routes.addRoute(method, url);
    server.route({
      method,
      url,
      onRequest: gate.hookFor(policy),
      ...(policy.isHeld ? { onSend: gate.admitAgain } : {}),
      handler: async (request) => {
        reached.push(request.url);
        return 'ok';
      },
    });
  };
  add('GET', '/read', READ);
  add('POST', '/post', POST);
  add('POST', '/import', IMPORT);
  add('GET', '/own', { ...READ, origin: 'own' });
  add('GET', '/session', { ...READ, access: 'session' });
  add('GET', '/held', { ...READ, isHeld: true });
  add('GET', '/public', { ...READ, access: 'public' });
  add('GET', '/services', { ...READ, area: 'services' });
  const unknown = gate.hookFor(UNKNOWN_ROUTE_POLICY);
  server.addHook('onRequest', async (request, reply) =>
    request.is404 ? unknown(request, reply) : undefined,
  );
});
afterEach(() => server.close());

const GOOD = { authorization: 'Bearer good' };
const JSON_BODY = { ...GOOD, 'content-type': 'application/json' };
async function send(options: InjectOptions) {
  const { statusCode, headers, body } = await server.inject(options);
  const { code } = body.startsWith('{')
    ? (JSON.parse(body) as { error: { code: string } }).error
    : { code: null };
  return { status: statusCode, code, headers };
}

describe('the request gate', () => {
  it('does not accept a key instead of a session', async () => {
    const { status, code } = await send({ url: '/session', headers: GOOD });
    expect([status, code, reached]).toEqual([404, 'not_found', []]);
  });

  it('requires no key for a probe, and sets no cache headers on it', async () => {
    const { status, headers } = await send({ url: '/public' });
    expect([status, headers['cache-control'], headers['x-content-type-options']]).toEqual([
      200,
      undefined,
      'nosniff',
    ]);
    expect(store.requests).toBe(0);
  });

  it("shows the key's rate limit on answers and refusals, and forbids caching both", async () => {
    const good = await send({ url: '/read', headers: GOOD });
    const wrong = await send({ url: '/nothing', headers: GOOD });
    expect([good.status, wrong.status, wrong.code]).toEqual([200, 404, 'not_found']);
    for (const [n, { headers }] of [good, wrong].entries())
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'ratelimit-limit': '600',
        'ratelimit-remaining': String(599 - n),
        'ratelimit-reset': '60',
        'x-request-id': expect.stringMatching(/./),
      });
  });

  it('counts nothing for a request without a key, and reveals nothing about the path', async () => {
    for (const url of ['/read', '/nothing', '/own'])
      expect(await send({ url, headers: { origin: 'https://evil.example' } })).toMatchObject({
        status: 401,
        code: 'not_authenticated',
      });
    expect([store.requests, reached]).toEqual([0, []]);
  });

  it('names the allowed methods of a path', async () => {
    const { status, headers } = await send({ method: 'DELETE', url: '/read?x=1', headers: GOOD });
    expect([status, headers.allow]).toEqual([405, 'GET']);
  });

  it.each([
    ['runs and tables', '/read', 503, 'runs_unavailable'],
    ['services', '/services', 503, 'internal_error'],
  ])('answers unreadable keys with the error code of the area: %s', async (_, url, status, code) => {
    authenticate = () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.1:5432'));
    expect(await send({ url, headers: GOOD })).toMatchObject({ status, code });
  });

  it.each([
    [undefined, 200],
    ['https://app.example', 200],
    ['HTTPS://APP.EXAMPLE', 200],
    ['http://localhost:3000', 200],
    ['http://[::1]:9', 200],
    ['https://app.example.evil.example', 403],
    ['https://localhost.evil.example', 403],
    ['http://localhost@evil.example', 403],
    ['https://app.example:8443', 403],
    ['http://app.example', 403],
    ['null', 403],
    ['', 403],
  ])('accepts a guarded request from origin %s, or refuses it: %d', async (origin, status) => {
    const headers = origin === undefined ? GOOD : { ...GOOD, origin };
    expect((await send({ url: '/own', headers })).status).toBe(status);
    expect((await send({ url: '/read', headers })).status).toBe(200);
  });

  it.each([
    ['application/json', 200],
    ['Application/JSON; Charset="UTF-8"', 200],
    ['application/json;charset=utf8', 200],
    ['application/json; boundary=x', 200],
    ['application/json; charset=utf-16', 415],
    ['application/json; charset=utf-8, text/html', 415],
    ['application/jsonx', 415],
    ['text/json', 415],
    [' ', 415],
    ['application/x-www-form-urlencoded', 415],
  ])('accepts or refuses a body by its content type: %s', async (type, status) => {
    const request = { method: 'POST', url: '/post', payload: '{}' } as const;
    expect((await send({ ...request, headers: { ...GOOD, 'content-type': type } })).status).toBe(status);
    expect(
      (await send({ ...request, headers: { ...JSON_BODY, 'content-encoding': 'identity' } })).status,
    ).toBe(415);
  });

  it('requires a content type on a route with a body, even if none is sent, and not for other methods', async () => {
    const to = { method: 'DELETE', url: '/read' } as const;
    expect((await send({ ...to, headers: GOOD })).status).toBe(405);
    expect((await send({ method: 'POST', url: '/post', headers: GOOD })).status).toBe(415);
  });

  it('accepts exactly one Host and at most one key per request', async () => {
    await server.listen({ port: 0, host: '127.0.0.1' });
    const status = async (head: string): Promise<number> => {
      const socket = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
      // The socket is not ended here: the server closes it, and would drop the response of a client that has disconnected.
      socket.write(`${head}\r\nConnection: close\r\n\r\n`);
      let text = '';
      for await (const bytes of socket) text += String(bytes);
      return Number(text.split(' ')[1]);
    };
    const key = 'Authorization: Bearer good';
    expect(await status(`GET /read HTTP/1.1\r\nHost: a\r\n${key}`)).toBe(200);
    expect(await status(`GET /read HTTP/1.1\r\n${key}`)).toBe(400);
    expect(await status(`GET /read HTTP/1.1\r\nHost: a\r\nHOST: b\r\n${key}`)).toBe(400);
    expect(await status(`GET /read HTTP/1.1\r\nHost: a\r\n${key}\r\nauthorization: Bearer bad`)).toBe(401);
    // HTTP/1.0 has no Host header.
    expect(await status(`GET /read HTTP/1.0\r\n${key}`)).toBe(200);
  });

  it('counts an address before it checks the key, and refuses it with whole seconds to wait', async () => {
    for (let i = 0; i < 100; i += 1) await send({ url: '/read' });
    const { status, code, headers } = await send({ url: '/read', headers: GOOD });
    expect([status, code, headers['retry-after'], store.requests]).toEqual([429, 'rate_limited', '10', 0]);
  });
});

describe('an answer after a wait', () => {
  it('is refused if the key was revoked meanwhile', async () => {
    const held = { method: 'GET', url: '/held', headers: GOOD } as const;
    expect(await send(held)).toMatchObject({ status: 200 });
    const known = authenticate;
    let looks = 0;
    authenticate = (header) => known((looks += 1) === 1 ? header : 'Bearer revoked');
    expect(await send(held)).toMatchObject({ status: 401, code: 'not_authenticated' });
    expect(reached).toEqual(['/held', '/held']);
  });
});

describe('resources held by a request', () => {
  it('are released with the answer, whatever its status', async () => {
    for (const headers of [JSON_BODY, { ...JSON_BODY, 'content-type': 'text/plain' }])
      await send({ method: 'POST', url: '/post', payload: '{}', headers });
    await send({ method: 'POST', url: '/import', payload: '{}', headers: JSON_BODY });
    await waitFor('the place to be given back', async () => store.held.size === 0);
    const all = (): (() => void) | null => largeBodies.budget.takeBytes(80 * 1024 * 1024);
    await waitFor('the memory to be given back', async () => all() !== null);
  });

  it.each([
    ['a place in flight', '/post'],
    ['memory for an import', '/import'],
  ])('are released if the client disconnects while its rate limit is checked: %s', async (_, url) => {
    let release = (): void => undefined;
    store.before = new Promise((resolve) => (release = resolve));
    await server.listen({ port: 0, host: '127.0.0.1' });
    const left = new Promise((resolve) =>
      server.server.once('request', (_request, response) => response.once('close', resolve)),
    );
    const client = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
    client.write(
      `POST ${url} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer good\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    await once(server.server, 'request');
    client.destroy();
    await left;
    release();
    await new Promise(setImmediate);
    expect([store.requests, store.held.size]).toEqual([1, 0]);
    expect(largeBodies.budget.takeBytes(80 * 1024 * 1024)).not.toBeNull();
  });
});
