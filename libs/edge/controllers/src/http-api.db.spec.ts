import { connect } from 'node:net';
import { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { AppError, type ErrorEnvelope } from '@quarry/error-codes';
import { newId, systemCtx } from '@quarry/app';
import { createTestDatabase, type TestDatabase } from '@quarry/testing';
import { waitFor } from '@quarry/test-servers';
import { pino } from 'pino';
import { IdentityStore, type CreatedOrganisation } from '@quarry/identity';
import type { HttpApi, HttpServerOptions } from '@quarry/http';
import { FixedRpc } from './fixed-rpc.fixture.js';
import { openEdge } from './open-edge.fixture.js';
import type { HttpApiOptions } from './http-api.options.js';

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

  async function start(overrides: Partial<HttpApiOptions & HttpServerOptions> = {}): Promise<Started> {
    const lines: string[] = [];
    const opened = await openEdge(test, rpc, {
      readiness: { database: () => test.database.ping() },
      logger: pino({ level: 'info' }, { write: (line: string) => void lines.push(line) }),
      ...overrides,
    });
    const started = { ...opened, log: lines };
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

  /** Sends raw bytes and reads until the server closes the connection. */
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
    it("passes on the service's JSON text unchanged, for the organisation of the key", async () => {
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

  describe('a path or method that does not exist', () => {
    it.each(['/nope', '/v1/runs/', '//v1/runs', '/v1', '/v1/exclusions/dogs', '/V1/runs'])(
      'is 404 not_found: %s',
      async (path) => {
        const { status, code } = await refusal(send(path));
        expect([status, code]).toEqual([404, 'not_found']);
      },
    );

    it('names the existing exclusion lists if another one is requested', async () => {
      const { message } = await refusal(send('/v1/exclusions/dogs'));
      expect(message).toBe('kind must be companies or people.');
    });

    it('refuses OPTIONS with 405 and without any CORS header', async () => {
      const { status, headers } = await refusal(
        send('/v1/runs', { method: 'OPTIONS', headers: { origin: 'https://a.example' } }),
      );
      expect(status).toBe(405);
      expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    });
  });

  describe('malformed HTTP requests', () => {
    it.each([
      ['a broken request line', 'GARBAGE\r\n\r\n', 400],
      [
        'both Content-Length and chunked encoding',
        'POST /v1/runs HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
        400,
      ],
      ['a folded header', 'GET / HTTP/1.1\r\nHost: a\r\nX-A: b\r\n c\r\n\r\n', 400],
      ['CONNECT', 'CONNECT a.example:443 HTTP/1.1\r\nHost: a\r\n\r\n', 400],
      [
        'an upgrade',
        'GET /v1/runs HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
        400,
      ],
      ['headers over 16 KiB', `GET / HTTP/1.1\r\nHost: a\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
      [
        'an unknown expectation',
        'GET / HTTP/1.1\r\nHost: a\r\nExpect: tea\r\nConnection: close\r\n\r\n',
        417,
      ],
      ['broken percent-encoding', 'GET /v1/runs/%zz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 400],
    ])('get the error envelope: %s', async (_name, bytes, expected) => {
      const { status, code } = await rawRefusal(bytes);
      expect([status, code]).toEqual([expected, 'invalid_request']);
    });

    it('get the error envelope and no connection reset, however much of their head is still being sent', async () => {
      const bytes = `GET /v1/runs?cursor=${'A'.repeat(5_000_000)} HTTP/1.1\r\nHost: a\r\n\r\n`;
      // One after the other: each has two seconds to send the rest, and needs a few hundredths of a second.
      for (let i = 0; i < 20; i += 1) {
        const { status, code } = await rawRefusal(bytes);
        expect([status, code]).toEqual([431, 'invalid_request']);
      }
    });

    it('get 408 when the head does not arrive in time', async () => {
      const slow = await start({ timeouts: { headersMs: 200 } });
      const { status, code } = await rawRefusal('GET /v1/runs HTTP/1.1\r\nHost: a\r\n', slow.port);
      expect([status, code]).toEqual([408, 'invalid_request']);
    });

    it('get 408 when the body does not arrive in time', async () => {
      const slow = await start({ timeouts: { bodyMs: 100 } });
      const head = `POST /v1/workspaces HTTP/1.1\r\nHost: a\r\n${auth()}Content-Type: application/json\r\n`;
      const { status, code } = await rawRefusal(`${head}Content-Length: 20\r\n\r\n{`, slow.port);
      expect([status, code]).toEqual([408, 'invalid_request']);
    });

    it('are not mistaken for an upgrade if they only offer h2c', async () => {
      rpc.on('runs.runs.list', () => '{}');
      const offer = 'Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n';
      const { status } = await raw(`GET /v1/runs HTTP/1.1\r\nHost: a\r\n${auth()}${offer}\r\n`);
      expect(status).toBe(200);
    });
  });

  it('leaves a thousand connections open that arrive while the process is busy', async () => {
    const connected = new Int32Array(new SharedArrayBuffer(4));
    const code = `const { workerData: { port, connected } } = require('node:worker_threads');
      for (let i = 0; i < 1000; i += 1)
        require('node:net').connect(port, '127.0.0.1', () => { Atomics.add(connected, 0, 1); Atomics.notify(connected, 0); });`;
    const clients = new Worker(code, { eval: true, workerData: { port, connected } });
    // This thread, which is the server's, accepts nothing meanwhile. A connection without a place is not established.
    for (let count = 0; count < 1000; count = Atomics.load(connected, 0))
      if (Atomics.wait(connected, 0, count, 10_000) === 'timed-out') break;
    await clients.terminate();
    expect(Atomics.load(connected, 0)).toBe(1000);
  });

  describe('authentication', () => {
    const wrongChecksum = () => org.apiKey.slice(0, -1) + (org.apiKey.endsWith('0') ? '1' : '0');

    it('has the same answer for every wrong header', async () => {
      const headers = [
        '',
        'Bearer',
        `Bearer  ${org.apiKey}`,
        `Bearer\t${org.apiKey}`,
        `Basic ${org.apiKey}`,
        org.apiKey,
        `Bearer ${wrongChecksum()}`,
        `Bearer ${org.apiKey}x`,
        `Bearer ${'a'.repeat(10_000)}`,
      ];
      const answers = await Promise.all(
        headers.map((authorization) => refusal(send('/v1/runs', { headers: { authorization } }))),
      );
      expect(new Set(answers.map(({ status, code, message }) => `${status} ${code} ${message}`)).size).toBe(
        1,
      );
      expect(answers[0]).toMatchObject({ status: 401, code: 'not_authenticated' });
    });

    it('comes before anything is said about the path, the content type or the body', async () => {
      const wrong = { authorization: 'Bearer no' };
      const answers = await Promise.all([
        refusal(send('/nope', { headers: wrong })),
        refusal(send('/v1/runs', { method: 'PATCH', headers: wrong })),
        refusal(
          send('/v1/runs', {
            method: 'POST',
            headers: { ...wrong, 'content-type': 'text/plain' },
            body: 'x',
          }),
        ),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
    });

    it('recognises a test key', async () => {
      rpc.on('runs.runs.list', () => '{}');
      await send('/v1/runs', { headers: { authorization: `Bearer ${org.testKey}` } });
      expect(rpc.calls[0]?.ctx.mode).toBe('test');
    });

    it('names unreachable services in /readyz, and is unready only if none can be reached', async () => {
      const ready = async () => {
        const answer = await send('/readyz', { headers: { authorization: '' } });
        return [answer.status, await answer.json()];
      };
      rpc.areas = { reached: ['runs', 'services'], missing: ['tables'] };
      expect(await ready()).toEqual([200, { status: 'ready', missing: ['tables'] }]);
      rpc.areas = { reached: [], missing: ['runs', 'tables'] };
      expect(await ready()).toEqual([
        503,
        { error: { code: 'runs_unavailable', message: 'Not ready: runs, tables.' } },
      ]);
    });

    it('fails the liveness probe if a connection can be neither used nor ended', async () => {
      const { port: stuck } = await start({ isStuck: () => true });
      const probe = await send('/healthz', { headers: { authorization: '' } }, stuck);
      expect([probe.status, (await send('/healthz')).status]).toEqual([503, 200]);
    });

    it('answers 503 on every route, batches too, while keys cannot be read', async () => {
      const broken = await start({
        keys: {
          findKey: () => Promise.reject(new Error('connect ECONNREFUSED')),
          noteKeyUse: () => undefined,
        },
      });
      const answerOf = async (method: string, path: string) => {
        const init = method === 'POST' ? { method, body: {} } : { method };
        const { status, code } = await refusal(send(path, init, broken.port));
        return `${status} ${code}`;
      };
      const batch = `/v1/services/jobs/batch/${newId('svcbatch')}`;
      for (const [method, path] of [
        ['GET', '/v1/runs'],
        ['POST', '/v1/runs'],
        ['GET', `/v1/tables/${newId('tbl')}/rows`],
        ['GET', '/v1/workspaces'],
        ['GET', '/v1/exclusions/people'],
      ] as const)
        expect([path, await answerOf(method, path)]).toEqual([path, '503 runs_unavailable']);
      for (const [method, path] of [
        ['POST', '/v1/services/jobs/batch'],
        ['GET', batch],
        ['POST', `${batch}/cancel`],
        ['POST', '/v1/services/jobs'],
        ['GET', '/v1/services/jobs'],
        ['GET', '/services'],
        ['GET', '/services/getEmail'],
        ['POST', '/services/webSearch'],
        ['GET', '/credits'],
        ['POST', '/credits/estimate'],
        ['GET', '/credits/ledger'],
        ['GET', '/nothing'],
      ] as const)
        expect([path, await answerOf(method, path)]).toEqual([path, '503 internal_error']);
    });
  });

  describe('bodies', () => {
    const post = (body: unknown, headers: Record<string, string> = {}, path = '/v1/runs') =>
      refusal(send(path, { method: 'POST', body, headers }));

    it.each([
      ['empty', ''],
      ['cut off', '{"prompt":'],
      ['two values', '{} {}'],
      ['a BOM', '\ufeff{}'],
      ['not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ])('that cannot be read are 400 on every route: %s', async (_name, body) => {
      const answers = await Promise.all([post(body), post(body, {}, '/services/webSearch')]);
      for (const { status, code, message } of answers) {
        expect([status, code, message]).toEqual([400, 'invalid_request', 'The body must be valid JSON.']);
      }
    });

    it.each([
      ['a duplicate key', '{"prompt":"a","prompt":"b"}', 'prompt'],
      ['NUL', '{"prompt":"\\u0000"}', 'prompt'],
      ['half a surrogate pair', '{"output":{"a":["\\ud800"]},"prompt":"a"}', 'output.a[0]'],
      ['an endless number', '{"output":{"a":1e400},"prompt":"a"}', 'output.a'],
      ['__proto__', '{"prompt":"a","__proto__":{}}', ''],
      ['__proto__ deeper down', '{"prompt":"a","output":{"__proto__":{}}}', ''],
    ])('get an error that locates %s', async (_name, body, path) => {
      const { status, code, message, details } = await post(body);
      expect([status, code, details]).toEqual([400, 'invalid_request', [{ path, message }]]);
    });

    it('over their limit are 413 before they are read', async () => {
      const { status, code } = await post(`{"prompt":"${'a'.repeat(1024 * 1024)}"}`);
      expect([status, code]).toEqual([413, 'invalid_request']);
      const endless = await rawRefusal(
        `POST /v1/runs HTTP/1.1\r\nHost: a\r\n${auth()}Content-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n{`,
      );
      expect(endless.status).toBe(413);
    });

    it('over the limit get 413 even if sent in chunks', async () => {
      const chunk = `10000\r\n${'a'.repeat(0x10000)}\r\n`.repeat(17);
      const head = `POST /v1/runs HTTP/1.1\r\nHost: a\r\n${auth()}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
      expect((await rawRefusal(head + chunk)).status).toBe(413);
    });

    it('of a batch may have 4 MiB, those of an import 64 MiB', async () => {
      rpc.on('services.batches.create', () => ({ batchId: 'b', done: true, json: '{}' }));
      rpc.on('tables.tables.import', () => ({ id: 'tbl_x', json: '{}' }));
      const text = 'a'.repeat(3 * 1024 * 1024);
      const batch = { service: 'getEmail', inputs: [{ text }] };
      expect((await send('/v1/services/jobs/batch', { method: 'POST', body: batch })).status).toBe(200);
      const body = `{"text":"${text.repeat(10)}"}`;
      const answer = await send(`/v1/workspaces/${newId('ws')}/tables`, { method: 'POST', body });
      expect([answer.status, answer.headers.get('location')]).toEqual([201, '/v1/tables/tbl_x']);
      expect(rpc.calls.at(-1)?.request.body).toBe(body);
    });
  });

  describe('validation on /v1 resources', () => {
    it('names every invalid field, and unknown ones with an empty path', async () => {
      const { code, message, details } = await refusal(
        send('/v1/runs', { method: 'POST', body: { prompt: 7, workspace_id: '', more: 1, constructor: 2 } }),
      );
      expect(code).toBe('invalid_request');
      expect(details).toEqual(
        expect.arrayContaining([
          { path: 'prompt', message: 'prompt must be a string' },
          { path: 'workspace_id', message: 'workspace_id must not be empty' },
          { path: '', message: 'Unrecognized key: "more"' },
          { path: '', message: 'Unrecognized key: "constructor"' },
        ]),
      );
      for (const field of ['prompt', 'workspace_id', 'more', 'constructor']) expect(message).toContain(field);
    });

    it.each([
      '/v1/runs?limit=0',
      '/v1/runs?limit=1&limit=2',
      '/v1/runs?offset=1000000000000000000000000000000',
      '/v1/runs?workspace_id=%00',
      '/v1/runs?x=1',
      '/v1/runs?__proto__=1',
      '/v1/runs?workspace_id=%zz',
      '/v1/services/jobs/batch/svcbatch_x?wait_seconds=61',
      `/v1/runs/${newId('run')}?a=1`,
    ])('refuses the query of %s', async (path) => {
      const { status, code } = await refusal(send(path));
      expect([status, code]).toEqual([400, 'invalid_request']);
      expect(rpc.calls).toEqual([]);
    });

    it('uses defaults for paging', async () => {
      rpc.on('tables.workspaces.list', () => '{}');
      await send('/v1/workspaces?offset=7');
      expect(rpc.calls[0]?.request).toEqual({ limit: 100, offset: 7 });
    });

    it('keeps every key of free-form values', async () => {
      rpc.on('runs.runs.create', () => ({ id: 'run_x', json: '{}' }));
      const output = {
        schema: { type: 'object', properties: { constructor: { type: 'string' }, toString: {} } },
      };
      await send('/v1/runs', { method: 'POST', body: { prompt: 'a', output } });
      expect((rpc.calls[0]?.request.body as { output: unknown }).output).toEqual(output);
    });
  });

  describe('validation on services', () => {
    it('writes paths as arrays under validation_error', async () => {
      const { status, code, details } = await refusal(send('/services?limit=0&mode=odd'));
      expect([status, code]).toEqual([400, 'validation_error']);
      expect(details?.map(({ path }) => path)).toEqual(expect.arrayContaining([['limit'], ['mode']]));
    });

    it.each([
      '/services',
      '/services/getEmail',
      '/credits',
      '/credits/ledger',
      '/v1/services/jobs',
      `/v1/services/jobs/${newId('svcjob')}/trail`,
      '/v1/go/runs',
      `/v1/go/runs/${newId('gorun')}`,
      `/v1/go/runs/${newId('gorun')}/events`,
    ])('does so on %s', async (path) => {
      const { status, code, details } = await refusal(send(`${path}?x=1`));
      expect([status, code, details?.[0]?.path]).toEqual([400, 'validation_error', []]);
    });

    it('names field and index on the batch endpoint, under invalid_request', async () => {
      const { code, message, details } = await refusal(
        send('/v1/services/jobs/batch', { method: 'POST', body: { service: 'getEmail', inputs: [{}, 7] } }),
      );
      expect([code, details]).toEqual([
        'invalid_request',
        [{ path: 'inputs[1]', message: 'inputs[1] must be an object' }],
      ]);
      expect(message).toContain('inputs[1]');
    });

    it.each([0, 101])('refuses a batch of %d inputs', async (length) => {
      const body = { service: 'getEmail', inputs: Array.from({ length }, () => ({})) };
      const { code, message } = await refusal(send('/v1/services/jobs/batch', { method: 'POST', body }));
      expect([code, message]).toEqual(['invalid_request', expect.stringContaining('inputs')]);
    });
  });

  describe('headers of a request', () => {
    const KEYED: ReadonlyArray<[string, string]> = [
      ['/v1/runs', '{"prompt":"a"}'],
      ['/v1/workspaces', '{"name":"a"}'],
      [`/v1/workspaces/${newId('ws')}/tables`, '{}'],
      [`/v1/runs/${newId('run')}/exports`, '{"table_key":"a","format":"csv"}'],
      ['/v1/services/jobs/batch', '{"service":"getEmail","inputs":[{}]}'],
      ['/services/searchCompanies', '{}'],
    ];
    it.each(
      KEYED.flatMap(([path, body]) =>
        ['a b', 'a\r\nIdempotency-Key: a'].map((key) => [key, path, body] as const),
      ),
    )('refuses the Idempotency-Key %j on %s', async (key, path, body) => {
      const line = Buffer.from(key, 'latin1').toString('latin1');
      const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${auth()}Idempotency-Key: ${line}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
      const { status, code } = await rawRefusal(Buffer.from(head + body, 'latin1'));
      expect([status, code]).toEqual([400, 'invalid_request']);
    });

    it.each([
      ['POST', `/v1/exports/${newId('exp')}/links`],
      ['POST', `/v1/tables/${newId('tbl')}/views`],
      ['POST', `/v1/webhooks/${newId('wh')}/rotate`],
      ['POST', '/v1/suppressions'],
      ['PATCH', `/v1/monitors/${newId('mon')}`],
      ['DELETE', `/v1/webhooks/${newId('wh')}`],
    ])('refuses a malformed Idempotency-Key on routes that do not use one: %s %s', async (method, path) => {
      for (const key of ['', 'a b', 'x'.repeat(256)]) {
        const body = method === 'DELETE' ? {} : { body: {} };
        const { status, message } = await refusal(
          send(path, { method, ...body, headers: { 'idempotency-key': key } }),
        );
        expect([status, message]).toEqual([400, expect.stringMatching(/^Idempotency-Key must be sent once/)]);
      }
    });

    it('ignores a malformed Idempotency-Key on a read', async () => {
      rpc.on('runs.runs.list', () => '{}');
      expect((await send('/v1/runs', { headers: { 'idempotency-key': 'a b' } })).status).toBe(200);
    });

    it.each(['TRUE', '1', 'false', ''])('refuses Service-Fresh "%s"', async (fresh) => {
      const body = { service: 'getEmail', inputs: [{}] };
      const { status, code } = await refusal(
        send('/v1/services/jobs/batch', { method: 'POST', body, headers: { 'service-fresh': fresh } }),
      );
      expect([status, code]).toEqual([400, 'invalid_request']);
    });
  });

  describe('path ids', () => {
    it.each(['..%2f', '%00', '%ff', 'run_1', 'x'.repeat(10_000), "'%3bdrop", newId('tbl'), '%D9%A1'])(
      "that are malformed are the resource's 404, and never reach a service: %s",
      async (id) => {
        const { status, code } = await refusal(send(`/v1/runs/${id}`));
        expect([status, code]).toEqual([404, 'run_not_found']);
        expect(rpc.calls).toEqual([]);
      },
    );

    it('have an error code per resource', async () => {
      const paths = ['/v1/tables/x', '/v1/workspaces/x', '/v1/exports/x', '/v1/services/jobs/batch/x'];
      const answers = await Promise.all(paths.map((path) => refusal(send(path))));
      expect(answers.map(({ code }) => code)).toEqual([
        'table_not_found',
        'workspace_not_found',
        'export_not_found',
        'not_found',
      ]);
    });
  });

  describe('responses of the services', () => {
    it('keep the code, status, headers and details of a refusal', async () => {
      const details = [{ path: 'output.schema', message: 'too deep' }];
      rpc.on('runs.runs.create', () => {
        throw new AppError('conversation_busy', 'Busy.', { details, headers: { 'Retry-After': '3' } });
      });
      const answer = await refusal(send('/v1/runs', { method: 'POST', body: { prompt: 'a' } }));
      expect(answer).toMatchObject({ status: 409, code: 'conversation_busy', message: 'Busy.', details });
      expect(answer.headers.get('retry-after')).toBe('3');
    });

    it('hide the details of an unexpected error, and log it under the request id', async () => {
      const answer = await refusal(
        send(`/v1/runs/${newId('run')}`, { headers: { 'x-request-id': 'find-me' } }),
      );
      expect([answer.status, answer.code]).toEqual([500, 'internal_error']);
      expect(answer.message).not.toMatch(/SELECT|nothing answers/);
      const line = log.find((text) => text.includes('find-me')) ?? '';
      expect(line).toContain('SELECT secret FROM nowhere');
      expect(line).not.toContain(org.apiKey);
    });

    it('are 202 or 200 as the service decides: runs, cancels, batches', async () => {
      const id = newId('run');
      rpc.on('runs.runs.cancel', ({ runId }) => ({ accepted: runId === id, json: '{}' }));
      const batchId = newId('svcbatch');
      rpc.on('services.batches.create', ({ fresh }) => ({ batchId, done: !fresh, json: '{}' }));
      const cancel = (run: string) => send(`/v1/runs/${run}/cancel`, { method: 'POST' });
      expect([(await cancel(id)).status, (await cancel(newId('run'))).status]).toEqual([202, 200]);
      const body = { service: 'getEmail', inputs: [{}] };
      const done = await send('/v1/services/jobs/batch', { method: 'POST', body });
      const open = await send('/v1/services/jobs/batch', {
        method: 'POST',
        body,
        headers: { 'service-fresh': 'true' },
      });
      expect([done.status, done.headers.get('location')]).toEqual([200, null]);
      expect([open.status, open.headers.get('location'), open.headers.get('retry-after')]).toEqual([
        202,
        `/v1/services/jobs/batch/${batchId}`,
        '1',
      ]);
    });

    it('are empty after a workspace was archived', async () => {
      rpc.on('tables.workspaces.archive', () => null);
      const answer = await send(`/v1/workspaces/${newId('ws')}`, { method: 'DELETE' });
      expect([answer.status, await answer.text()]).toEqual([204, '']);
    });

    it.each([
      ['batch', 'services.batches.get', () => `/v1/services/jobs/batch/${newId('svcbatch')}`],
      ['run', 'runs.runs.wait', () => `/v1/runs/${newId('run')}`],
      ['enrichment', 'runs.enrichments.get', () => `/v1/enrichments/${newId('enr')}`],
    ])('pass on the wait time of a waiting read of a %s', async (_what, pattern, path) => {
      rpc.on(pattern, () => '{}');
      await send(`${path()}?wait_seconds=60`);
      expect(rpc.calls[0]?.request.waitSeconds).toBe(60);
    });
  });

  describe('services by name', () => {
    const modes = (mode: string) => rpc.on('services.catalogue.get', () => JSON.stringify({ mode }));
    const unknown = () => {
      for (const pattern of ['services.catalogue.get', 'services.fast.run'])
        rpc.on(pattern, () => {
          throw new AppError('not_found', 'Service not found.');
        });
    };
    const run = (path: string, body: unknown) => refusal(send(path, { method: 'POST', body }));

    it('refuses a slow service for a single input', async () => {
      modes('slow');
      const single = await run('/v1/services/jobs', { service: 'getEmail', input: {}, anything: 1 });
      expect([single.status, single.code]).toEqual([410, 'list_only']);
    });

    it('refers a fast one to its own route, which passes on body and answer', async () => {
      modes('fast');
      const single = await run('/v1/services/jobs', { service: 'webSearch' });
      expect([single.status, single.code]).toEqual([400, 'service_not_async']);
      rpc.on('services.fast.run', () => '{"ok":true}');
      const direct = await send('/services/searchCompanies', {
        method: 'POST',
        body: { cities: ['Berlin'] },
      });
      expect([direct.status, await direct.json()]).toEqual([200, { ok: true }]);
      expect(rpc.calls.at(-1)?.request).toEqual({
        service: 'searchCompanies',
        input: { cities: ['Berlin'] },
        idempotencyKey: null,
      });
    });

    it('answers 404 for unknown services, and refuses invalid bodies', async () => {
      unknown();
      const single = await run('/v1/services/jobs', { service: 'no' });
      const direct = await run('/services/no', {});
      expect([single.status, direct.status, single.code, direct.code]).toEqual([
        404,
        404,
        'not_found',
        'not_found',
      ]);
      const junk = await run('/v1/services/jobs', { a: 1 });
      expect([junk.status, junk.code]).toEqual([400, 'validation_error']);
    });
  });

  describe('downloading an export', () => {
    const id = newId('exp');
    const file = Buffer.from(Array.from({ length: 2_500_000 }, (_, i) => i % 251));
    const download = (headers: Record<string, string> = {}, init: Init = {}) =>
      send(`/v1/exports/${id}`, { ...init, headers });

    function serve(): void {
      rpc.on('tables.exports.get', () => ({
        id,
        contentType: 'text/csv; charset=utf-8',
        filename: 'Täble.csv',
        byteLength: file.length,
        etag: '"v1"',
      }));
      rpc.on('tables.exports.read', ({ offset, length }) => ({
        base64: file.subarray(Number(offset), Number(offset) + Number(length)).toString('base64'),
      }));
    }

    it('returns the whole file with its headers, read in chunks of at most 1 MiB', async () => {
      serve();
      const answer = await download();
      expect(Buffer.from(await answer.arrayBuffer()).equals(file)).toBe(true);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'content-type': 'text/csv; charset=utf-8',
        'content-length': `${file.length}`,
        'content-disposition': `attachment; filename="T_ble.csv"; filename*=UTF-8''T%C3%A4ble.csv`,
        etag: '"v1"',
        'accept-ranges': 'bytes',
      });
      const lengths = rpc.calls.flatMap(({ request }) => (request.length ? [Number(request.length)] : []));
      expect(lengths).toEqual([1 << 20, 1 << 20, file.length - 2 * (1 << 20)]);
    });

    it('returns a range across two chunks', async () => {
      serve();
      const answer = await download({ range: 'bytes=1048570-1048580' });
      expect([answer.status, answer.headers.get('content-range')]).toEqual([
        206,
        `bytes 1048570-1048580/${file.length}`,
      ]);
      expect(Buffer.from(await answer.arrayBuffer()).equals(file.subarray(1_048_570, 1_048_581))).toBe(true);
    });

    it('refuses a range beyond the end with 416', async () => {
      serve();
      const { status, headers } = await refusal(download({ range: 'bytes=2500000-' }));
      expect([status, headers.get('content-range')]).toEqual([416, `bytes */${file.length}`]);
    });

    it('returns the whole file if the range belongs to another version', async () => {
      serve();
      const answer = await download({ range: 'bytes=0-9', 'if-range': '"v0"' });
      expect([answer.status, (await answer.arrayBuffer()).byteLength]).toEqual([200, file.length]);
    });

    it('is 304 for a client that has the file, and has no body for HEAD', async () => {
      serve();
      expect((await download({ 'if-none-match': 'W/"v1"' })).status).toBe(304);
      const head = await download({}, { method: 'HEAD' });
      expect([head.status, head.headers.get('content-length')]).toEqual([200, `${file.length}`]);
      expect(rpc.calls.some(({ pattern }) => pattern === 'tables.exports.read')).toBe(false);
    });

    it('is a complete response if the file is empty', async () => {
      serve();
      rpc.on('tables.exports.get', () => ({
        id,
        contentType: 'text/csv',
        filename: 'a.csv',
        byteLength: 0,
        etag: '"v2"',
      }));
      const answer = await download();
      expect([answer.status, answer.headers.get('content-length'), await answer.text()]).toEqual([
        200,
        '0',
        '',
      ]);
    });

    it('fails if the first chunk cannot be read', async () => {
      serve();
      rpc.on('tables.exports.read', () => {
        throw new AppError('export_not_found', 'Gone.');
      });
      const answer = await refusal(download());
      expect([answer.status, answer.code]).toEqual([404, 'export_not_found']);
      expect(answer.headers.get('content-disposition')).toBeNull();
    });

    it('breaks the connection if a later chunk cannot be read', async () => {
      serve();
      rpc.on('tables.exports.read', ({ offset }) => {
        if (Number(offset) > 0) throw new Error('gone');
        return { base64: file.subarray(0, 1 << 20).toString('base64') };
      });
      await expect(download().then((answer) => answer.arrayBuffer())).rejects.toThrow();
    });
  });

  describe('rate limits', () => {
    it('refuse the request over the budget, before its body is validated', async () => {
      const small = await start({ rateLimitScale: 0.1 });
      const post = () => send('/v1/runs', { method: 'POST', body: '{' }, small.port);
      for (let i = 0; i < 3; i += 1) expect((await post()).status).toBe(400);
      const { status, code, headers } = await refusal(post());
      expect([status, code]).toEqual([429, 'rate_limited']);
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(headers.get('ratelimit-remaining')).toBe('0');
    });

    it('refuse an import unread if memory is used up, until another import is answered', async () => {
      let end: () => void = () => undefined;
      rpc.on('tables.tables.import', async () => {
        await new Promise<void>((resolve) => (end = resolve));
        return { id: 'tbl_x', json: '{}' };
      });
      // Without a length, each request reserves the maximum size of a body.
      const head = `POST /v1/workspaces/${newId('ws')}/tables HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${auth()}`;
      const chunked =
        'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n';
      const first = raw(head + chunked);
      await waitFor('the first import', () => Promise.resolve(rpc.calls.length === 1));
      rpc.on('tables.tables.import', () => ({ id: 'tbl_y', json: '{}' }));
      const second = await raw(head + chunked);
      end();
      expect((await first).status).toBe(201);
      expect([second.status, rpc.calls.length]).toEqual([429, 1]);
      expect(second.head).toMatch(/^retry-after: 5$/im);
      await waitFor('memory', async () => (await raw(head + chunked)).status === 201, 20_000);
    });

    it('count the forwarded address if the proxy is trusted', async () => {
      const small = await start({ rateLimitScale: 0.1, trustedProxies: ['127.0.0.0/8'] });
      const ask = (i: number) =>
        send('/v1/runs', { headers: { authorization: '', 'x-forwarded-for': `192.0.2.${i}` } }, small.port);
      for (let i = 0; i < 15; i += 1) expect((await ask(i)).status).toBe(401);
    });
  });

  describe('closing the HTTP server', () => {
    it('lets a running request end, with Connection: close, and accepts no more', async () => {
      const mine = await start();
      let end: () => void = () => undefined;
      rpc.on('runs.runs.list', async () => {
        await new Promise<void>((resolve) => (end = resolve));
        return '{"last":true}';
      });
      const held = send('/v1/runs', {}, mine.port);
      await waitFor('the request to arrive', () => Promise.resolve(rpc.calls.length === 1));
      const closed = mine.api.close();
      await waitFor('the port to be closed', () =>
        send('/healthz', {}, mine.port).then(
          () => false,
          () => true,
        ),
      );
      end();
      const answer = await held;
      expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
      await closed;
    });

    it('reports unready first, and meanwhile answers one more request per connection', async () => {
      const mine = await start({ timeouts: { leaveMs: 60_000 } });
      rpc.on('runs.runs.list', () => '{}');
      const force = new AbortController();
      const before = await send('/v1/runs', {}, mine.port);
      const closed = mine.api.close(force.signal);
      const { status, message } = await refusal(send('/readyz', {}, mine.port));
      expect([status, message]).toEqual([503, 'Not ready: process.']);
      for (let i = 0; i < 3; i += 1) {
        const answer = await send('/v1/runs', {}, mine.port);
        expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
      }
      expect([before.status, before.headers.get('connection')]).toEqual([200, 'keep-alive']);
      force.abort();
      await closed;
      await expect(send('/healthz', {}, mine.port)).rejects.toThrow('fetch failed');
    });

    it('does not wait for a connection without a request', async () => {
      const mine = await start({ timeouts: { closeMs: 600_000 } });
      const socket = connect(mine.port, '127.0.0.1');
      const cut = new Promise((resolve) => socket.on('close', resolve).on('error', () => undefined));
      // A later request has been answered, so the server has accepted both connections.
      await send('/healthz', {}, mine.port);
      await mine.api.close();
      await cut;
    });

    it('does not wait forever', async () => {
      const mine = await start({ timeouts: { closeMs: 100 } });
      rpc.on('runs.runs.list', () => new Promise(() => undefined));
      const held = send('/v1/runs', {}, mine.port).catch(() => 'cut');
      await waitFor('the request to arrive', () => Promise.resolve(rpc.calls.length === 1));
      await mine.api.close();
      expect(await held).toBe('cut');
    });
  });
});
