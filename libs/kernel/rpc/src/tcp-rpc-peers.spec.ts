import { afterEach, describe, expect, it } from '@jest/globals';
import { freePort } from '@quarry/local-postgres';
import { systemCtx } from '@quarry/app';
import { serve, SIGNED, type Served } from './rpc.fixture.js';
import type { RpcCall } from './rpc-transport.js';
import { TcpRpcTransport } from './tcp-rpc.transport.js';

const ASK = { pattern: 'runs.ask', effect: 'read', timeoutMs: 10_000 } as RpcCall<null, string>;
const WRITE = { pattern: 'runs.write', effect: 'write', timeoutMs: 10_000 } as RpcCall<null, string>;
const ctx = systemCtx('spec');
const closers: Array<() => unknown> = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Starts a server that answers with its own address. */
async function peer(host: string, port: number): Promise<Served> {
  const answer = () => Promise.resolve(host);
  const handlers = { ask: answer, write: answer };
  const served = await serve({ api: { ask: ASK, write: WRITE }, handlers }, SIGNED, { host, port });
  closers.push(() => served.server.close());
  return served;
}

function transportTo(upstream: string, resolve?: (name: string) => Promise<string[]>): TcpRpcTransport {
  // Resolves names and balances connections at every call, so that no test waits for a timer.
  const transport = new TcpRpcTransport({
    upstreams: { 'runs.': upstream },
    security: SIGNED,
    refreshMs: 0,
    resolve,
  });
  closers.push(() => transport.close());
  return transport;
}

/** Makes `n` calls one after the other. @returns the number of calls that each peer answered */
async function shares(transport: TcpRpcTransport, n: number, call = ASK): Promise<Record<string, number>> {
  const counted: Record<string, number> = {};
  for (let i = 0; i < n; i += 1) {
    const host = await transport.call(ctx, call, null);
    counted[host] = (counted[host] ?? 0) + 1;
    // The next call is made in another turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return counted;
}

describe('calls to a name with several addresses', () => {
  it('are spread evenly, soon also to a new address, and no longer to a removed one', async () => {
    const port = await freePort();
    const hosts = ['127.0.0.1', '127.0.0.2', '127.0.0.3'] as const;
    for (const host of hosts) await peer(host, port);
    let known: string[] = [hosts[0], hosts[1]];
    const transport = transportTo(`tcp://tables.test:${port}`, () => Promise.resolve(known));
    // The first calls open connections, which the others share.
    await shares(transport, 40);
    expect(await shares(transport, 40)).toEqual({ [hosts[0]]: 20, [hosts[1]]: 20 });
    known = [...hosts];
    await shares(transport, 60);
    expect(await shares(transport, 60)).toEqual({ [hosts[0]]: 20, [hosts[1]]: 20, [hosts[2]]: 20 });
    known = [hosts[2]];
    await shares(transport, 20);
    expect(await shares(transport, 40)).toEqual({ [hosts[2]]: 40 });
  });

  it('keep the known addresses while the name cannot be resolved', async () => {
    const port = await freePort();
    await peer('127.0.0.1', port);
    let isAway = true;
    const resolve = () =>
      isAway ? Promise.reject(new Error('getaddrinfo EAI_AGAIN')) : Promise.resolve(['127.0.0.1']);
    const transport = transportTo(`tcp://tables.test:${port}`, resolve);
    await expect(transport.call(ctx, ASK, null)).rejects.toMatchObject({ code: 'runs_unavailable' });
    expect(await transport.reach()).toEqual({ reached: [], missing: ['runs'] });
    isAway = false;
    await transport.call(ctx, ASK, null);
    isAway = true;
    expect(await shares(transport, 5)).toEqual({ '127.0.0.1': 5 });
  });
});

describe('calls to a list of addresses', () => {
  it('are answered, writes too, while one is down, and spread again when it is back', async () => {
    const port = await freePort();
    const first = await peer('127.0.0.1', port);
    await peer('127.0.0.2', port);
    const transport = transportTo(`tcp://127.0.0.1:${port}, tcp://127.0.0.2:${port}`);
    await shares(transport, 20);
    await first.server.close();
    expect(await shares(transport, 40, WRITE)).toEqual({ '127.0.0.2': 40 });
    expect(await transport.reach()).toEqual({ reached: ['runs'], missing: [] });
    await peer('127.0.0.1', port);
    let answered = await shares(transport, 20);
    // A peer is avoided for two seconds after its last failure.
    const deadline = performance.now() + 60_000;
    while (answered['127.0.0.1'] !== 10 && performance.now() < deadline)
      answered = await shares(transport, 20);
    expect(answered).toEqual({ '127.0.0.1': 10, '127.0.0.2': 10 });
  });
});
