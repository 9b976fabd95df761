import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { HttpSite, printMeasurement, NameServer, waitFor } from '@quarry/test-servers';
import { AddressGuard } from './address-guard.js';
import { DnsClient } from './dns.client.js';
import { OutboundClient, type OutboundRequest } from './outbound.client.js';
import { OutboundError } from './outbound.error.js';

const MIB = 1024 * 1024;

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

let server: HttpSite;
let base: string;
let handler: Handler;
let seen: IncomingMessage[] = [];
const clients: OutboundClient[] = [];

beforeAll(async () => {
  server = await HttpSite.open((request, response) => {
    seen.push(request);
    handler(request, response);
  });
  base = server.origin;
});
afterEach(async () => {
  seen = [];
  for (const client of clients.splice(0)) await client.close();
});
afterAll(() => server.stop());

function clientOf(allowHosts = [new URL(base).host], dnsServers: string[] = []): OutboundClient {
  const client = new OutboundClient(
    new AddressGuard({ allowHosts, dns: new DnsClient(dnsServers) }),
    'QuarryBot/1.0',
  );
  clients.push(client);
  return client;
}

async function faultOf(answer: Promise<unknown>): Promise<string> {
  const error: unknown = await answer.then(
    () => 'answered',
    (reason: unknown) => reason,
  );
  return error instanceof OutboundError ? error.fault : String(error);
}

/** Runs a function. @returns the addresses that this process connected to meanwhile */
async function connectionsDuring(run: () => Promise<unknown>): Promise<string[]> {
  const original = Object.getOwnPropertyDescriptor(Socket.prototype, 'connect')!;
  const connect = original.value as (this: Socket, ...args: unknown[]) => Socket;
  const made: string[] = [];
  Object.defineProperty(Socket.prototype, 'connect', {
    ...original,
    value(this: Socket, ...args: unknown[]) {
      this.once('connectionAttempt', (ip: string, port: number) => made.push(`http://${ip}:${port}`));
      return connect.apply(this, args);
    },
  });
  try {
    await run();
    return made;
  } finally {
    Object.defineProperty(Socket.prototype, 'connect', original);
  }
}

describe('a request sent for a customer', () => {
  it('names this program, follows redirects, and reports the final URL', async () => {
    handler = ({ url }, response) => {
      if (url === '/start') response.writeHead(302, { location: '/end?a=1' }).end();
      else response.end('there');
    };
    const answer = await clientOf().sendRequest({ url: `${base}/start` });
    expect([answer.url, answer.status, answer.bytes.toString()]).toEqual([`${base}/end?a=1`, 200, 'there']);
    expect(seen.map(({ headers }) => headers['user-agent'])).toEqual(['QuarryBot/1.0', 'QuarryBot/1.0']);
  });

  it.each([
    'http://127.0.0.1/',
    'http://[::1]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://localhost/',
    'file:///etc/passwd',
    'http://user:pass@example.com/',
  ])('is not redirected to %s, and opens no connection there', async (location) => {
    handler = (_, response) => response.writeHead(302, { location }).end();
    const client = clientOf();
    const made = await connectionsDuring(async () =>
      expect(await faultOf(client.sendRequest({ url: base }))).toBe('refused'),
    );
    expect(new Set(made)).toEqual(new Set([base]));
  });

  it('is not sent to a name with any private address, or one whose addresses change', async () => {
    const mixed = await NameServer.start(({ type }) => (type === 'A' ? ['93.184.215.14', '127.0.0.1'] : []));
    // A second query would get a different answer; only the checked one must be used.
    let questions = 0;
    const changing = await NameServer.start(({ type }) => {
      if (type !== 'A') return [];
      questions += 1;
      return questions === 1 ? ['10.0.0.1'] : ['93.184.215.14'];
    });
    const made = await connectionsDuring(async () => {
      const ask = (server: NameServer) =>
        clientOf([], [server.address]).sendRequest({ url: 'http://name.example/' });
      expect(await faultOf(ask(mixed))).toBe('refused');
      expect(await faultOf(ask(changing))).toBe('refused');
    });
    expect([made, questions]).toEqual([[], 1]);
    mixed.stop();
    changing.stop();
  });

  it('stops after five redirects', async () => {
    handler = (_, response) => response.writeHead(301, { location: '/again' }).end();
    expect(await faultOf(clientOf().sendRequest({ url: base }))).toBe('too large');
    expect(seen).toHaveLength(6);
  });

  it('sends no key and no cookie to another origin', async () => {
    const other = await HttpSite.open((request, response) => {
      seen.push(request);
      response.end();
    });
    handler = (_, response) => response.writeHead(307, { location: other.origin }).end();
    const headers = { Authorization: 'Bearer secret', cookie: 'a=b', accept: 'text/html' };
    await clientOf([server.host, other.host]).sendRequest({ url: base, headers });
    await other.stop();
    const [first, second] = seen.map((request) => request.headers);
    expect(first).toMatchObject({ authorization: 'Bearer secret', cookie: 'a=b' });
    expect(second).not.toHaveProperty('authorization');
    expect(second).not.toHaveProperty('cookie');
    expect(second).toMatchObject({ accept: 'text/html' });
  });

  it('sends a body again only if the redirect requires it', async () => {
    handler = ({ url }, response) => {
      if (url === '/see') response.writeHead(303, { location: '/end' }).end();
      else if (url === '/same') response.writeHead(308, { location: '/end' }).end();
      else response.end();
    };
    for (const path of ['/see', '/same'])
      await clientOf().sendRequest({ url: base + path, method: 'POST', body: '{}' });
    expect(seen.map(({ method }) => method)).toEqual(['POST', 'GET', 'POST', 'POST']);
  });

  it('reports clearly if nobody answers', async () => {
    const gone = await HttpSite.open(() => undefined);
    await gone.stop();
    expect(await faultOf(clientOf([gone.host]).sendRequest({ url: gone.origin }))).toBe('unreachable');
  });
});

describe('a response of a hostile server', () => {
  /** @returns the outcome of the request, the bytes that the server sent, and the memory used */
  async function readOf(request: Partial<OutboundRequest>, write: Handler) {
    handler = write;
    const before = process.memoryUsage().rss;
    let peak = before;
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 5);
    const fault = await faultOf(clientOf().sendRequest({ url: base, ...request }));
    clearInterval(watch);
    return { fault, mb: (peak - before) / MIB };
  }

  it('of ten gigabytes is read only up to the limit', async () => {
    let written = 0;
    let isGone = false;
    const { fault, mb } = await readOf({ bytesMax: 2 * MIB }, (_, response) => {
      response.on('close', () => (isGone = true));
      const chunk = Buffer.alloc(MIB);
      const more = (): void => {
        while (written < 10_240 && !isGone) {
          written += 1;
          if (!response.write(chunk)) return void response.once('drain', more);
        }
        response.end();
      };
      more();
    });
    expect(fault).toBe('too large');
    await waitFor('the server to lose its reader', () => Promise.resolve(isGone));
    printMeasurement(`ten gigabytes: ${written} MiB written by the server, ${mb.toFixed(0)} MB of memory`);
    // Usual: 8 MiB, most of it in the sockets.
    expect(written).toBeLessThan(200);
  });

  it('that is a gzip bomb is not unpacked beyond the limit', async () => {
    // A gzip stream may have many members, one after another.
    const member = gzipSync(Buffer.alloc(16 * MIB), { level: constants.Z_BEST_COMPRESSION });
    const bomb = Buffer.concat(Array.from({ length: 32 }, () => member));
    const { fault, mb } = await readOf({ bytesMax: 2 * MIB }, (_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    );
    expect(fault).toBe('too large');
    printMeasurement(
      `a bomb of ${(bomb.length / 1024).toFixed(0)} KiB for 512 MiB: ${mb.toFixed(0)} MB of memory`,
    );
    expect(mb).toBeLessThan(256);
  });

  it('that arrives drop by drop is aborted at the deadline', async () => {
    let isGone = false;
    const { fault } = await readOf({ timeoutMs: 500 }, (_, response) => {
      const drip = setInterval(() => response.write('x'), 20);
      response.on('close', () => {
        clearInterval(drip);
        isGone = true;
      });
    });
    expect(fault).toBe('too slow');
    await waitFor('the server to lose its reader', () => Promise.resolve(isGone));
  });

  it('is truncated at the limit if the caller accepts that', async () => {
    handler = (_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(5000)));
    const { bytes } = await clientOf().sendRequest({ url: base, bytesMax: 1000, canCut: true });
    expect(bytes.length).toBe(1000);
  });

  it('is distinguished from silence: no HTTP, a broken encoding', async () => {
    handler = ({ socket }) => socket.end('SSH-2.0-OpenSSH_9.9\r\n');
    expect(await faultOf(clientOf().sendRequest({ url: base }))).toBe('unreadable');
    handler = (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip at all');
    expect(await faultOf(clientOf().sendRequest({ url: base }))).toBe('unreadable');
  });

  const words = Buffer.from('Ada wrote to the pumps of Leeds. '.repeat(200));
  it.each<[string, string, Buffer, Array<'GET' | 'HEAD'>?]>([
    ['gzip', 'gzip', gzipSync(words), ['GET', 'HEAD']],
    ['the coding in capitals', 'X-GZIP', gzipSync(words)],
    ['truncated gzip', 'gzip', gzipSync(words).subarray(0, -12)],
    ['empty gzip', 'gzip', Buffer.alloc(0)],
    ['deflate', 'deflate', deflateSync(words)],
    ['raw deflate', 'deflate', deflateRawSync(words)],
    ['empty deflate', 'deflate', Buffer.alloc(0)],
    ['brotli', 'br', brotliCompressSync(words)],
    ['two codings', 'deflate, gzip', gzipSync(deflateSync(words))],
    ['an unknown coding', 'rot13', words],
    ['no coding', 'identity', words],
  ])('is decoded like fetch does: %s', async (_, coding, body, methods = ['GET']) => {
    handler = (_request, response) => response.writeHead(200, { 'content-encoding': coding }).end(body);
    for (const method of methods) {
      const expected = Buffer.from(await (await fetch(base, { method })).arrayBuffer());
      const { bytes } = await clientOf().sendRequest({ url: base, method });
      expect(bytes.equals(expected)).toBe(true);
    }
  });

  it('is refused if it has an excessive number of encodings', async () => {
    let isGone = false;
    handler = (_, response) => {
      response.on('close', () => (isGone = true));
      response.writeHead(200, { 'content-encoding': 'gzip,'.repeat(6) }).write('x');
    };
    expect(await faultOf(clientOf().sendRequest({ url: base }))).toBe('unreachable');
    await waitFor('the server to lose its reader', () => Promise.resolve(isGone));
  });

  it('is requested with the default headers of fetch, unless overridden', async () => {
    handler = (_, response) => response.end();
    await fetch(base);
    await clientOf().sendRequest({ url: base, headers: { 'Accept-Language': 'de' } });
    const [expected, own] = seen.map(({ headers }) => headers);
    expect(own).toEqual({ ...expected, 'user-agent': 'QuarryBot/1.0', 'accept-language': 'de' });
  });

  it("is aborted by the caller's signal with its reason", async () => {
    handler = () => undefined;
    const stop = new AbortController();
    const answer = clientOf().sendRequest({ url: base, signal: stop.signal });
    await waitFor('the request to arrive', () => Promise.resolve(seen.length > 0));
    stop.abort(new Error('enough'));
    await expect(answer).rejects.toThrow('enough');
  });
});
