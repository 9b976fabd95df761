import { afterEach, describe, expect, it } from '@jest/globals';
import { connect } from 'node:net';
import { systemCtx, type Ctx } from '@quarry/app';
import { FrameBudget } from './frame-budget.js';
import type { FrameMac } from './frame-mac.js';
import { answerGreeting, GREETING_BYTES, WELCOME_BYTES } from './rpc-handshake.js';
import { OPEN_RPC, type RpcSecurity } from './rpc-security.js';
import type { RpcCall } from './rpc-transport.js';
import { SECRET, serve, SIGNED, startRecordingProxy, type Served } from './rpc.fixture.js';
import { TcpRpcTransport } from './tcp-rpc.transport.js';

const WHO: RpcCall<null, string> = { pattern: 'runs.who', effect: 'write', timeoutMs: 2000 };
const SET = { api: { who: WHO }, handlers: { who: (ctx: Ctx) => Promise.resolve(ctx.orgId) } };
const OLD = 'o'.repeat(32);
const ctx = systemCtx('req_1', 'org_a');

const closers: Array<() => unknown> = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function served(security?: RpcSecurity): Promise<Served> {
  const one = await serve(SET, security);
  closers.push(() => one.server.close());
  return one;
}

function caller(url: string, security: RpcSecurity = SIGNED, prefix = 'runs.'): TcpRpcTransport {
  const transport = new TcpRpcTransport({ upstreams: { [prefix]: url }, security });
  closers.push(() => transport.close());
  return transport;
}

const secrets = (...list: string[]): RpcSecurity => ({ secrets: list, tls: null });
const at = (port: number): string => `tcp://127.0.0.1:${port}`;

/** Sends bytes to a server. @returns the bytes received after the greeting until the server closed the connection */
function send(port: number, bytes: Buffer | string): Promise<Buffer> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const pieces: Buffer[] = [];
    socket.on('error', () => undefined);
    socket.on('data', (piece: Buffer) => pieces.push(piece));
    socket.once('close', () => resolve(Buffer.concat(pieces).subarray(GREETING_BYTES)));
    socket.once('data', () => socket.write(bytes));
  });
}

/** Opens a connection whose caller knows the secret, to send frames that no correct caller sends. */
async function introduced(port: number): Promise<{ send: (bytes: Buffer) => Promise<void>; seal: FrameMac }> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const made = answerGreeting(await take(GREETING_BYTES), 'runs', [SECRET])!;
  socket.write(made.bytes);
  const session = made.check(await take(WELCOME_BYTES))!;
  return {
    seal: session.outgoing as FrameMac,
    send: (bytes) => {
      socket.write(bytes);
      return closed;
    },
  };
  function take(length: number): Promise<Buffer> {
    return new Promise((resolve) =>
      socket.once('data', (piece: Buffer) => {
        expect(piece).toHaveLength(length);
        resolve(piece);
      }),
    );
  }
}

function frame(seal: Buffer, payload: Buffer, length = payload.length): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(length);
  return Buffer.concat([head, seal, payload]);
}

describe('an internal caller', () => {
  it("is accepted if its first secret is one of the server's", async () => {
    const { port } = await served(secrets('n'.repeat(32), SECRET));
    expect(await caller(at(port)).call(ctx, WHO, null)).toBe('org_a');
    expect(await caller(at(port), secrets('n'.repeat(32), OLD)).call(ctx, WHO, null)).toBe('org_a');
  });

  it('is refused with a retired secret, without one, and by a server without one', async () => {
    const unavailable = { code: 'runs_unavailable' };
    const { port, refusals } = await served();
    await expect(caller(at(port), secrets(OLD)).call(ctx, WHO, null)).rejects.toMatchObject({
      ...unavailable,
      cause: { cause: { message: expect.stringContaining('RPC_SECRETS differ') } },
    });
    expect(new Set(refusals)).toEqual(new Set(['its secret is not known here']));
    await expect(caller(at(port), OPEN_RPC).call(ctx, WHO, null)).rejects.toMatchObject(unavailable);
    const open = await served(OPEN_RPC);
    await expect(caller(at(open.port)).call(ctx, WHO, null)).rejects.toMatchObject(unavailable);
    expect(await caller(at(open.port), OPEN_RPC).call(ctx, WHO, null)).toBe('org_a');
  });

  it('is refused at another service than it signed for', async () => {
    const { port, refusals } = await served();
    const elsewhere: RpcCall<null, string> = { ...WHO, pattern: 'tables.who' };
    await expect(caller(at(port), SIGNED, 'tables.').call(ctx, elsewhere, null)).rejects.toMatchObject({
      code: 'runs_unavailable',
    });
    expect(refusals).toContain('it wants an area that is not answered here');
    // The caller introduces itself for one area, and calls another one on the same connection.
    const { seal, send: on } = await introduced(port);
    const payload = Buffer.from(JSON.stringify([{ id: 1, pattern: 'tables.who', ctx, request: null }]));
    await on(frame(seal.next(payload), payload));
    expect(refusals).toContain('it calls what it did not ask for');
  });

  it('cannot be replayed from a recording on another connection', async () => {
    const { port, refusals } = await served();
    const proxy = await startRecordingProxy(port);
    closers.push(() => proxy.close());
    expect(await caller(proxy.url).call(ctx, WHO, null)).toBe('org_a');
    const [recorded] = proxy.sent;
    expect(recorded!.length).toBeGreaterThan(1);
    expect(await send(port, Buffer.concat(recorded!.slice(0, 1)))).toHaveLength(0);
    expect(refusals).toEqual(['its signature is wrong']);
  });

  it('cannot repeat, reorder or change a frame of its own connection', async () => {
    const { port, refusals } = await served();
    const payload = Buffer.from(JSON.stringify([{ id: 1, pattern: 'runs.who', ctx, request: null }]));
    const changed = Buffer.from(payload.toString().replace('org_a', 'org_b'));
    for (const bytesOf of [
      (seal: FrameMac) => [frame(seal.next(payload), changed)],
      (seal: FrameMac) => {
        const once = frame(seal.next(payload), payload);
        return [once, once];
      },
      (seal: FrameMac) => [frame(seal.next(payload), payload), frame(seal.next(payload), payload)].reverse(),
    ]) {
      const { seal, send: on } = await introduced(port);
      await on(Buffer.concat(bytesOf(seal)));
    }
    expect(refusals).toEqual(Array(3).fill('A frame is not sealed as it must be.'));
  });
});

describe('an unauthenticated caller', () => {
  it('is refused before anything it sends is parsed', async () => {
    const { port, refusals, unexpectedErrors } = await served();
    const packet = JSON.stringify({ pattern: 'runs.who', data: { ctx, request: null }, id: '1' });
    for (const bytes of [
      `${packet.length}#${packet}`,
      'GET / HTTP/1.1\r\n\r\n'.padEnd(200),
      Buffer.alloc(500),
    ])
      expect(await send(port, bytes)).toHaveLength(0);
    expect(refusals).toEqual(Array(3).fill('it does not speak this protocol'));
    expect(unexpectedErrors).toEqual([]);
  });
});

describe('a frame', () => {
  it('that is too large is refused by its header, before any of it is stored', async () => {
    const { port, refusals } = await served();
    const { seal, send: on } = await introduced(port);
    await on(frame(seal.next(Buffer.alloc(0)), Buffer.alloc(0), 0xffff_ffff));
    expect(refusals).toEqual(['A frame of 2147483647 bytes is too large.']);
  });

  it('of a large call waits for memory in its turn, and is answered', async () => {
    const size: RpcCall<{ text: string }, number> = {
      pattern: 'runs.size',
      effect: 'write',
      timeoutMs: 30_000,
    };
    const set = {
      api: { size },
      handlers: { size: (_: Ctx, { text }: { text: string }) => Promise.resolve(text.length) },
    };
    const text = 'x'.repeat(2 * 1024 * 1024);
    // Memory for one and a half frames; ten arrive on four connections.
    const { server, port } = await serve(set, SIGNED, { unfinishedBytesMax: 1.5 * text.length });
    closers.push(() => server.close());
    const transport = caller(at(port));
    const answers: Array<Promise<number>> = [];
    for (let i = 0; i < 10; i += 1) {
      answers.push(transport.call(ctx, size, { text }));
      // Calls of the same turn of the event loop share a connection.
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await Promise.all(answers)).toEqual(Array(10).fill(text.length));
  });
});

describe('memory for unfinished frames', () => {
  it('is granted as a whole in order of arrival, and is returned', () => {
    const budget = new FrameBudget(10);
    const order: string[] = [];
    const giveBack = budget.take(8, () => order.push('a'));
    const leave = budget.take(5, () => order.push('b'));
    budget.take(2, () => order.push('c'));
    expect(order).toEqual(['a']);
    leave();
    expect(order).toEqual(['a', 'c']);
    budget.take(8, () => order.push('d'));
    giveBack();
    expect(order).toEqual(['a', 'c', 'd']);
  });
});
