import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AddressGuard } from './address-guard.js';
import { OutboundClient } from './outbound.client.js';
import { Robots } from './robots.js';

const RULES = `
User-agent: *
Disallow: /private/
Allow: /private/open$
Crawl-delay: 2

User-agent: QuarryBot
Disallow: /quarry
Crawl-delay: 3600
`;

let server: Server;
let base: string;
let status: number;
let requests: number;

beforeEach(async () => {
  [status, requests] = [200, 0];
  server = createServer((_, response) => {
    requests += 1;
    response.writeHead(status).end(RULES);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const robotsOf = (product: string): Robots =>
  new Robots(new OutboundClient(new AddressGuard({ allowHosts: [new URL(base).host] }), product), product);

async function check(robots: Robots, path: string): Promise<unknown> {
  return robots.checkAllowed(new URL(path, base)).catch((error: { fault?: string }) => error.fault);
}

describe("a site's robots.txt", () => {
  it('is obeyed, and read once', async () => {
    const robots = robotsOf('OtherBot');
    const answers = [];
    for (const path of ['/', '/private/a', '/private/open']) answers.push(await check(robots, path));
    expect(answers).toEqual([2000, 'unwelcome', 2000]);
    expect(requests).toBe(1);
  });

  it('applies the group that names this program, with a pause of at most ten seconds', async () => {
    const robots = robotsOf('QuarryBot');
    expect([await check(robots, '/quarry'), await check(robots, '/private/a')]).toEqual([
      'unwelcome',
      10_000,
    ]);
  });

  it.each([
    [404, 0],
    [403, 0],
    [500, 'unwelcome'],
    [503, 'unwelcome'],
  ])('with status %i gives %p', async (given, verdict) => {
    status = given;
    expect(await check(robotsOf('QuarryBot'), '/private/a')).toBe(verdict);
  });

  it('is unknown for an unreachable site, and requested again the next time', async () => {
    const robots = robotsOf('QuarryBot');
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    expect(await check(robots, '/')).toBe('unreachable');
    server = createServer((_, response) => response.end('')).listen(port, '127.0.0.1');
    await once(server, 'listening');
    expect(await check(robots, '/')).toBe(0);
  });
});
