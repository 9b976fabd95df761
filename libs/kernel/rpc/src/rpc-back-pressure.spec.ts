import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { systemCtx } from '@quarry/app';
import type { RpcCall } from './rpc-transport.js';
import { serve, SIGNED } from './rpc.fixture.js';
import type { TcpRpcServer } from './tcp-rpc.server.js';
import { TcpRpcTransport } from './tcp-rpc.transport.js';

interface Echo {
  id: number;
  text: string;
}

/** Call with a long timeout: two ends that wait for each other would never finish, while the whole test takes two seconds. */
const ECHO: RpcCall<Echo, Echo> = { pattern: 'runs.echo', effect: 'read', timeoutMs: 120_000 };
const ctx = systemCtx('tcp-rpc');

describe('calls over TCP', () => {
  let server: TcpRpcServer;
  let transport: TcpRpcTransport;

  beforeAll(async () => {
    const handlers = { echo: (_ctx: unknown, request: Echo) => Promise.resolve(request) };
    const served = await serve({ api: { echo: ECHO }, handlers });
    server = served.server;
    const upstreams = { 'runs.': `tcp://127.0.0.1:${served.port}` };
    transport = new TcpRpcTransport({ upstreams, security: SIGNED, connectionsPerUpstream: 1 });
  });

  afterAll(async () => {
    await transport.close();
    await server.close();
  });

  // Guards against both ends waiting for the other to read: 20 MB in each direction is more than the socket buffers hold.
  it('return each of many large answers to its own call on one connection', async () => {
    const calls = Array.from({ length: 500 }, (_, id) => ({ id, text: `ä${id}`.repeat(10_000) }));
    const answers = await Promise.all(calls.map((call) => transport.call(ctx, ECHO, call)));
    expect(answers).toEqual(calls);
  });

  it('are refused if nothing answers them', async () => {
    const unknown: RpcCall<null, null> = { ...ECHO, pattern: 'runs.unknown' } as never;
    await expect(transport.call(ctx, unknown, null)).rejects.toMatchObject({ code: 'runs_unavailable' });
  });
});
