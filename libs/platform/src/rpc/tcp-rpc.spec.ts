import { afterEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@quarry/error-codes';
import { createServer } from 'node:net';
import { systemCtx, type Ctx } from '../context/ctx.js';
import { freePort } from '../postgres-server/postgres-server.js';
import { LocalRpcTransport } from './local-rpc.transport.js';
import type { RpcCall, RpcTransport } from './rpc-transport.js';
import { TcpRpcServer } from './tcp-rpc.server.js';
import { TcpRpcTransport } from './tcp-rpc.transport.js';

const API = {
  echo: { pattern: 'runs.echo', effect: 'read', timeoutMs: 2000 } as RpcCall<
    { text: string },
    { text: string; orgId: string; requestId: string }
  >,
  refuse: { pattern: 'runs.refuse', effect: 'write', timeoutMs: 2000 } as RpcCall<null, null>,
  fail: { pattern: 'runs.fail', effect: 'read', timeoutMs: 2000 } as RpcCall<null, null>,
  hang: { pattern: 'runs.hang', effect: 'read', timeoutMs: 200 } as RpcCall<null, null>,
};
const handlers = {
  echo: (ctx: Ctx, { text }: { text: string }) =>
    Promise.resolve({ text, orgId: ctx.orgId, requestId: ctx.requestId }),
  refuse: () =>
    Promise.reject(
      new AppError('run_not_found', 'There is no run with this id.', {
        details: [{ path: 'id', message: 'unknown' }],
      }),
    ),
  fail: () => Promise.reject(new Error('secret of the database')),
  hang: () => new Promise<never>(() => undefined),
};
const ctx: Ctx = { ...systemCtx('req_1', 'org_a') };
const closers: Array<() => unknown> = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function overTcp(): Promise<
  RpcTransport & { server: TcpRpcServer; port: number; surprises: unknown[] }
> {
  const port = await freePort();
  const surprises: unknown[] = [];
  const server = new TcpRpcServer({
    host: '127.0.0.1',
    port,
    sets: [{ api: API, handlers }],
    onSurprise: (error) => surprises.push(error),
  });
  await new Promise<void>((resolve) => server.listen(() => resolve()));
  closers.push(() => server.close());
  const transport = new TcpRpcTransport({ upstreams: { 'runs.': `tcp://127.0.0.1:${port}` } });
  closers.push(() => transport.close());
  return Object.assign(transport, { server, port, surprises });
}

describe('a call over TCP', () => {
  it('carries tenant and request id, and many at once keep their own answers', async () => {
    const rpc = await overTcp();
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) => rpc.call(ctx, API.echo, { text: `t${i}` })),
    );
    expect(answers.map(({ text }) => text)).toEqual(Array.from({ length: 200 }, (_, i) => `t${i}`));
    expect(answers[0]).toEqual({ text: 't0', orgId: 'org_a', requestId: 'req_1' });
  });

  it('brings a refusal back as it was thrown, and nothing of a surprise', async () => {
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
    expect(rpc.surprises).toHaveLength(1);
  });

  it('ends at its deadline when nobody answers', async () => {
    const rpc = await overTcp();
    await expect(rpc.call(ctx, API.hang, null)).rejects.toMatchObject({
      code: 'runs_unavailable',
      status: 503,
    });
  });

  it('is refused at once when the service is down', async () => {
    const transport = new TcpRpcTransport({ upstreams: { 'runs.': `tcp://127.0.0.1:${await freePort()}` } });
    closers.push(() => transport.close());
    await expect(transport.call(ctx, API.echo, { text: 'x' })).rejects.toMatchObject({
      code: 'runs_unavailable',
    });
  });

  it('is sent once more when it is a read and its connection breaks, and never when it is a write', async () => {
    let connections = 0;
    // A peer that takes the request and hangs up.
    const peer = createServer((socket) => {
      connections += 1;
      socket.once('data', () => socket.destroy());
    });
    const port = await freePort();
    await new Promise<void>((resolve) => peer.listen(port, '127.0.0.1', () => resolve()));
    closers.push(() => peer.close());
    const transport = new TcpRpcTransport({ upstreams: { 'runs.': `tcp://127.0.0.1:${port}` } });
    closers.push(() => transport.close());
    await expect(transport.call(ctx, API.echo, { text: 'x' })).rejects.toMatchObject({
      code: 'runs_unavailable',
    });
    expect(connections).toBe(2);
    await expect(transport.call(ctx, API.refuse, null)).rejects.toMatchObject({ code: 'runs_unavailable' });
    expect(connections).toBe(3);
  });
});

describe('a set of handlers', () => {
  it('is refused when a call has none or two', () => {
    const set = { api: API, handlers };
    expect(() => new LocalRpcTransport([{ api: API, handlers: { echo: handlers.echo } }])).toThrow(
      'no handler',
    );
    expect(() => new LocalRpcTransport([set, set])).toThrow('two handlers');
  });
});
