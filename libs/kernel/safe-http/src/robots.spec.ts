import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { HttpSite } from '@quarry/test-servers';
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

let server: HttpSite;
let status: number;
let requests: number;

beforeEach(async () => {
  [status, requests] = [200, 0];
  server = await HttpSite.open((_, response) => {
    requests += 1;
    response.writeHead(status).end(RULES);
  });
});
afterEach(() => server.stop());

const robotsOf = (product: string): Robots =>
  new Robots(new OutboundClient(new AddressGuard({ allowHosts: [server.host] }), product), product);

async function check(robots: Robots, path: string): Promise<unknown> {
  return robots.checkAllowed(new URL(path, server.origin)).catch((error: { fault?: string }) => error.fault);
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
    await server.stop();
    expect(await check(robots, '/')).toBe('unreachable');
    server = await HttpSite.open((_, response) => response.end(''), server.port);
    expect(await check(robots, '/')).toBe(0);
  });
});
