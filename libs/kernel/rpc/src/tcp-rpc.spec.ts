import { afterEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@quarry/error-codes';
import { connect, createServer } from 'node:net';
import { systemCtx, type Ctx } from '@quarry/app';
import { freePort } from '@quarry/local-postgres';
import type { RpcCall, RpcTransport } from './rpc-transport.js';
import { detachAnswer } from './rpc-wire.js';
import { serve, SIGNED, startRecordingProxy, type Served } from './rpc.fixture.js';
import { TcpRpcTransport } from './tcp-rpc.transport.js';

const API = {
  echo: { pattern: 'runs.echo', effect: 'read', timeoutMs: 2000 } as RpcCall<
    { text: string },
    { text: string; orgId: string; requestId: string }
  >,
  body: { pattern: 'runs.body', effect: 'read', timeoutMs: 60_000 } as RpcCall<
    { text: string; asBytes: boolean },
    string | Buffer
  >,
  refuse: { pattern: 'runs.refuse', effect: 'write', timeoutMs: 2000 } as RpcCall<null, null>,
  fail: { pattern: 'runs.fail', effect: 'read', timeoutMs: 2000 } as RpcCall<null, null>,
  hang: { pattern: 'runs.hang', effect: 'read', timeoutMs: 200 } as RpcCall<null, null>,
};
const handlers = {
  echo: (ctx: Ctx, { text }: { text: string }) =>
    Promise.resolve({ text, orgId: ctx.orgId, requestId: ctx.requestId }),
  body: (_: Ctx, { text, asBytes }: { text: string; asBytes: boolean }) =>
    Promise.resolve(asBytes ? Buffer.from(text) : text),
  refuse: () =>
    Promise.reject(
      new AppError('run_not_found', 'Run not found.', { details: [{ path: 'id', message: 'unknown' }] }),
    ),
  fail: () => Promise.reject(new Error('secret of the database')),
  hang: () => new Promise<never>(() => undefined),
};
const ctx: Ctx = { ...systemCtx('req_1', 'org_a') };
const closers: Array<() => unknown> = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function overTcp(): Promise<RpcTransport & Served> {
  const served = await serve({ api: API, handlers });
  closers.push(() => served.server.close());
  return Object.assign(transportTo(`tcp://127.0.0.1:${served.port}`), served);
}

function transportTo(url: string, connectionsPerUpstream = 4): TcpRpcTransport {
  const upstreams = { 'runs.': url };
  const transport = new TcpRpcTransport({ upstreams, security: SIGNED, connectionsPerUpstream });
  closers.push(() => transport.close());
  return transport;
}

describe('a call over TCP', () => {
  it('carries tenant and request id, and many at once get their own answers', async () => {
    const rpc = await overTcp();
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) => rpc.call(ctx, API.echo, { text: `t${i}` })),
    );
    expect(answers.map(({ text }) => text)).toEqual(Array.from({ length: 200 }, (_, i) => `t${i}`));
    expect(answers[0]).toEqual({ text: 't0', orgId: 'org_a', requestId: 'req_1' });
  });

  it('carries long texts completely, whatever character is at a chunk boundary, next to short ones', async () => {
    const rpc = await overTcp();
    const patient = { ...API.echo, timeoutMs: 60_000 };
    const letters = ['x', 'ä', '€', '😀', '\ud800', '"\\'];
    // A chunk has 2^20 characters. Each letter crosses the end of a chunk in one of its two texts.
    const texts = letters.flatMap((letter) => [letter.repeat(1_500_000), `a${letter.repeat(1_500_000)}`]);
    const answers = await Promise.all(
      texts.flatMap((text) => [rpc.call(ctx, patient, { text }), rpc.call(ctx, patient, { text: 'short' })]),
    );
    const wellFormed = (text: string) => text.toWellFormed();
    answers.forEach(({ text }, i) =>
      expect(text === (i % 2 === 1 ? 'short' : wellFormed(texts[i / 2]!))).toBe(true),
    );
  });

  it('returns answers as text, long and short, even if the handler returned bytes', async () => {
    const rpc = await overTcp();
    const text = JSON.stringify({ quoted: '"\\ä€😀'.repeat(300_000) });
    const requests = [
      { text, asBytes: true },
      { text: '{"a":"ä"}', asBytes: true },
      { text, asBytes: false },
    ];
    const [bytes, short, characters] = await Promise.all(
      requests.map((each) => rpc.call(ctx, API.body, each)),
    );
    expect(bytes === text).toBe(true);
    expect(short).toBe('{"a":"ä"}');
    expect(characters === text).toBe(true);
  });

  it('answers a caller of an earlier version in one message, even if it is long', () => {
    const call = { id: 1, pattern: 'runs.body', ctx, request: null };
    const value = Buffer.from('x'.repeat(1_000_000));
    expect(detachAnswer(call, { value })).toBeNull();
    expect(detachAnswer({ ...call, takesAttached: true }, { value })?.content).toBe(value);
  });

  it('returns a refusal as it was thrown, and no details of an unexpected error', async () => {
    const rpc = await overTcp();
    await expect(rpc.call(ctx, API.refuse, null)).rejects.toMatchObject({
      code: 'run_not_found',
      status: 404,
      details: [{ path: 'id' }],
    });
    await expect(rpc.call(ctx, API.fail, null)).rejects.toMatchObject({
      code: 'internal_error',
      message: 'An unexpected error occurred.',
    });
    expect(rpc.unexpectedErrors).toHaveLength(1);
  });

  it('times out if nobody answers', async () => {
    const rpc = await overTcp();
    await expect(rpc.call(ctx, API.hang, null)).rejects.toMatchObject({
      code: 'runs_unavailable',
      status: 503,
    });
  });

  it('is refused at once when the service is down', async () => {
    const transport = transportTo(`tcp://127.0.0.1:${await freePort()}`);
    await expect(transport.call(ctx, API.echo, { text: 'x' })).rejects.toMatchObject({
      code: 'runs_unavailable',
    });
  });

  it('is retried once for a read whose connection breaks, and never for a write', async () => {
    const { server, port } = await serve({ api: API, handlers });
    closers.push(() => server.close());
    // The second chunk of a connection is its first call.
    const proxy = await startRecordingProxy(port, (_piece, nth) => nth > 1);
    closers.push(() => proxy.close());
    const transport = transportTo(proxy.url);
    await expect(transport.call(ctx, API.echo, { text: 'x' })).rejects.toMatchObject({
      code: 'runs_unavailable',
    });
    expect(proxy.sent).toHaveLength(2);
    await expect(transport.call(ctx, API.refuse, null)).rejects.toMatchObject({ code: 'runs_unavailable' });
    expect(proxy.sent).toHaveLength(3);
  });

  it('uses another connection if one breaks before it was sent, even for a write', async () => {
    const { server, port } = await serve({ api: API, handlers });
    closers.push(() => server.close());
    let introductions = 0;
    const proxy = await startRecordingProxy(port, (_piece, nth) => nth === 1 && ++introductions < 4);
    closers.push(() => proxy.close());
    await expect(transportTo(proxy.url).call(ctx, API.refuse, null)).rejects.toMatchObject({
      code: 'run_not_found',
    });
    expect(proxy.sent).toHaveLength(4);
  });
});

describe('a stopping RPC server', () => {
  it('answers calls sent before its callers noticed the stop, and calls in work', async () => {
    let open = (): void => undefined;
    let begin = (): void => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const call: RpcCall<number, number> = { pattern: 'runs.slow', effect: 'write', timeoutMs: 5000 };
    const answer = async (_: Ctx, n: number): Promise<number> => {
      begin();
      await opened;
      return n;
    };
    const { server, port } = await serve({ api: { call }, handlers: { call: answer } });
    const transport = transportTo(`tcp://127.0.0.1:${port}`, 1);
    const pending = Array.from({ length: 20 }, (_, n) => transport.call(ctx, call, n));
    await begun;
    // These calls are sent in the turn of the event loop in which the server starts to stop.
    const late = Array.from({ length: 20 }, (_, n) => transport.call(ctx, call, 20 + n));
    const drained = server.drain(5000).then(() => 'drained');
    open();
    expect(await Promise.all([...pending, ...late])).toEqual(Array.from({ length: 40 }, (_, n) => n));
    expect(await drained).toBe('drained');
    await server.close();
  });

  it('loses no write of callers that never pause, however often it is replaced', async () => {
    let port = await freePort();
    let carriedOut = 0;
    const call: RpcCall<null, null> = { pattern: 'runs.write', effect: 'write', timeoutMs: 5000 };
    const set = { api: { call }, handlers: { call: async () => ((carriedOut += 1), null) } };
    let current = await serve(set);
    // A fixed address in front of the current server.
    const front = createServer((caller) => {
      const server = connect(port, '127.0.0.1');
      for (const [one, other] of [
        [caller, server],
        [server, caller],
      ] as const)
        one.on('error', () => undefined).once('close', () => other.destroy());
      caller.pipe(server).pipe(caller);
    });
    const frontPort = await freePort();
    await new Promise<void>((resolve) => front.listen(frontPort, '127.0.0.1', resolve));
    closers.push(() => front.close());
    ({ port } = current);
    const transport = transportTo(`tcp://127.0.0.1:${frontPort}`);
    let isOver = false;
    let answered = 0;
    const callers = Array.from({ length: 8 }, async () => {
      while (!isOver) {
        await transport.call(ctx, call, null);
        answered += 1;
      }
    });
    for (let i = 0; i < 20; i += 1) {
      const next = await serve(set);
      port = next.port;
      const before = answered;
      while (answered < before + 50) await new Promise((resolve) => setImmediate(resolve));
      await current.server.drain(5000);
      await current.server.close();
      current = next;
    }
    isOver = true;
    await Promise.all(callers);
    await current.server.close();
    expect(carriedOut).toBe(answered);
  });

  it('does not wait longer than allowed for a caller that hangs', async () => {
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const hang: RpcCall<null, null> = { pattern: 'runs.hang', effect: 'write', timeoutMs: 5000 };
    const answer = (): Promise<never> => {
      begin();
      return new Promise(() => undefined);
    };
    const { server, port } = await serve({ api: { hang }, handlers: { hang: answer } });
    const transport = transportTo(`tcp://127.0.0.1:${port}`);
    const call = transport.call(ctx, hang, null).catch((error: AppError) => error.code);
    await begun;
    const force = new AbortController();
    const drained = server.drain(60_000, force.signal);
    force.abort();
    await drained;
    await server.close();
    expect(await call).toBe('runs_unavailable');
  });
});
