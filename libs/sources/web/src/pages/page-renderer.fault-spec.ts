import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AddressGuard, DnsClient, OutboundClient, readForOrganisation } from '@quarry/safe-http';
import { installDebianPackages, NameServer, printMeasurement } from '@quarry/test-servers';
import { PageReader } from './page-reader.js';
import { PageRenderer } from './page-renderer.js';
import { ScrapeUrlProvider } from './scrape-url.provider.js';

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-headless-shell', '/usr/bin/google-chrome'];
let server: Server;
let inside: Server;
let insideUrl: string;
let site: string;
let names: NameServer;
let client: OutboundClient;
let reader: PageReader;
/** Requests that reached the internal server. */
let reached: string[] = [];
/** Number of responses of five megabytes that a page requested. */
let floods = 0;
let packets: Socket;

const SCRIPTS: Record<string, () => string> = {
  '/late': () =>
    `setTimeout(() => { document.body.innerHTML = '<h1>Late words</h1><p>' + navigator.userAgent + '</p>' }, 200)`,
  '/inside': () => `
    const tell = (text) => { document.title += ' ' + text };
    const tries = ['${insideUrl}/fetch', '${insideUrl.replace('127.0.0.1', 'localhost')}/name', 'http://inside.example/dns',
      'http://169.254.169.254/latest', 'http://[::1]:${new URL(insideUrl).port}/six', 'file:///etc/passwd'];
    for (const url of tries) fetch(url, { mode: 'no-cors' }).then((r) => tell(r.status === 0 ? 'opaque' : r.status), () => tell('refused'));
    const frame = document.createElement('iframe'); frame.src = '${insideUrl}/frame'; document.body.append(frame);
    new WebSocket('${insideUrl.replace('http', 'ws')}/socket').onerror = () => tell('nosocket');
    new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${new URL(insideUrl).port}' }] }).createDataChannel('x');
    window.open('${insideUrl}/popup'); navigator.sendBeacon('${insideUrl}/beacon');`,
  '/leave': () => `location.href = '${insideUrl}/leave'`,
  '/loop': () => 'for (;;);',
  '/flood': () => `(async () => { for (;;) await (await fetch('/big?' + Math.random())).arrayBuffer() })()`,
};

beforeAll(async () => {
  if (!PATHS.some((path) => existsSync(path))) installDebianPackages('chromium-headless-shell');
  inside = createServer((request, response) => {
    reached.push(request.url!);
    response.end('secret');
  }).listen(0, '127.0.0.1');
  inside.on('upgrade', (request, socket) => {
    reached.push(request.url!);
    socket.destroy();
  });
  await once(inside, 'listening');
  insideUrl = `http://127.0.0.1:${(inside.address() as AddressInfo).port}`;
  packets = createSocket('udp4').on('message', () => reached.push('udp'));
  packets.bind(Number(new URL(insideUrl).port), '127.0.0.1');
  server = createServer(({ url }, response) => {
    const path = url!.split('?')[0]!;
    if (path === '/big') {
      floods += 1;
      return void response.end(Buffer.alloc(5_000_000));
    }
    const script = SCRIPTS[path];
    if (!script) return void response.writeHead(404).end();
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(`<title>Page</title><body><script>${script()}</script>`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  site = `http://${host}`;
  names = await NameServer.start(({ type, name }) =>
    type === 'A' && name === 'inside.example' ? ['127.0.0.1'] : [],
  );
  const guard = new AddressGuard({ allowHosts: [host], dns: new DnsClient([names.address]) });
  client = new OutboundClient(guard, 'QuarryBot/1.0');
  const renderer = PageRenderer.findBrowser(guard, 'QuarryBot/1.0', {
    isSandboxed: process.getuid?.() !== 0,
  });
  if (!renderer)
    throw new Error('These specs need Chromium: install "chromium" or "chromium-headless-shell".');
  reader = new PageReader(client, 'QuarryBot', { renderer });
});
afterAll(async () => {
  await reader.close();
  await client.close();
  names.stop();
  packets.close();
  for (const each of [server, inside]) {
    each.closeAllConnections();
    each.close();
  }
});

async function scraped(path: string) {
  reached = [];
  const started = performance.now();
  const input = { url: site + path, render: true };
  const signal = AbortSignal.timeout(60_000);
  const end = await new ScrapeUrlProvider(reader)
    .answerCall({ service: 'scrapeUrl', input, searchId: 'hold_1', signal })
    .then(
      ({ output }) => output,
      (error: unknown) => ({ code: (error as { code?: string }).code, message: String(error) }),
    );
  printMeasurement(`${path} rendered in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  return end;
}

describe('a page rendered in a browser', () => {
  it('is read as its scripts leave it, with our user agent', async () => {
    expect(await scraped('/late')).toMatchObject({
      status: 200,
      markdown: expect.stringMatching(/Late words[^]*QuarryBot\/1\.0/) as unknown,
    });
  });

  it('reaches no internal address: by address, name, frame, socket, popup or beacon', async () => {
    const page = await scraped('/inside');
    expect(reached).toEqual([]);
    // Refused by the proxy; the script sees a response that it cannot read.
    expect(page).toMatchObject({ title: expect.stringContaining('nosocket') as unknown });
  });

  it('that navigates to an internal address shows nothing of it', async () => {
    const page = await scraped('/leave');
    expect(reached).toEqual([]);
    expect(JSON.stringify(page)).not.toContain('secret');
  });

  it('that never finishes is aborted, and the next one gets a browser', async () => {
    expect(await scraped('/loop')).toMatchObject({ code: 'provider_unavailable' });
    expect(await scraped('/late')).toMatchObject({ status: 200 });
  });

  it('of one organisation that never finishes does not block another organisation', async () => {
    const events: string[] = [];
    const stop = new AbortController();
    const end = (name: string) => () => void events.push(name);
    const renderer = reader.renderer!;
    const loops = [1, 2].map(() =>
      readForOrganisation('org_a', () => renderer.renderPage(`${site}/loop`, stop.signal)).then(
        end('loop'),
        end('loop'),
      ),
    );
    await readForOrganisation('org_b', () => renderer.renderPage(`${site}/late`, stop.signal)).then(
      end('late'),
    );
    expect(events).toEqual(['late']);
    stop.abort();
    await Promise.all(loops);
  });

  it('that loads endlessly is read as far as it came', async () => {
    expect(await scraped('/flood')).toMatchObject({ status: 200, title: 'Page' });
    // Four make up the 20 MB limit of a page; the fifth is cut off.
    expect(floods).toBeLessThanOrEqual(5);
  });
});
