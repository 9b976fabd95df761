import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { HttpSite, NameServer } from '@quarry/test-servers';
import { AddressGuard } from './address-guard.js';
import { DnsClient } from './dns.client.js';
import { GuardedProxy } from './guarded-proxy.js';

let site: HttpSite;
let host: string;
let names: NameServer;
let proxy: GuardedProxy;
/** Paths that were requested from the site, with the headers that are meant for a proxy. */
const requests: string[] = [];

beforeAll(async () => {
  site = await HttpSite.open(({ url, headers }, response) => {
    requests.push(`${url} ${headers['proxy-authorization'] ?? ''}`);
    response.end(url === '/big' ? Buffer.alloc(3_000_000) : 'there');
  });
  ({ host } = site);
  names = await NameServer.start(({ type, name }) =>
    type === 'A' && name === 'inside.example' ? ['10.0.0.1'] : [],
  );
  const guard = new AddressGuard({ allowHosts: [host], dns: new DnsClient([names.address]) });
  proxy = await GuardedProxy.open(guard, 2_000_000);
});
afterAll(async () => {
  proxy.close();
  names.stop();
  await site.stop();
});

function authorization(password = proxy.password): Record<string, string> {
  return {
    'proxy-authorization': `Basic ${Buffer.from(`${proxy.username}:${password}`).toString('base64')}`,
  };
}

/** @returns status and body; `cut` if the connection ended before the response did */
async function forwarded(path: string, headers = authorization()): Promise<string> {
  const { hostname, port } = new URL(proxy.url);
  return new Promise((resolve) => {
    const sent = request({ hostname, port, path, headers }, (answer) => {
      let body = '';
      answer.setEncoding('latin1');
      answer.on('data', (text: string) => (body += text));
      answer.on('end', () => resolve(`${answer.statusCode} ${body.length > 100 ? 'whole' : body}`.trim()));
      answer.on('error', () => resolve('cut'));
    });
    sent.on('error', () => resolve('cut'));
    sent.end();
  });
}

async function tunnelled(path: string, headers = authorization()): Promise<number> {
  const { hostname, port } = new URL(proxy.url);
  const sent = request({ hostname, port, method: 'CONNECT', path, headers }).end();
  const [answer, socket] = (await once(sent, 'connect')) as [{ statusCode: number }, Socket];
  socket.destroy();
  return answer.statusCode;
}

describe('the proxy for a browser', () => {
  it('forwards allowed requests, and does not pass on its password', async () => {
    expect(await forwarded(`http://${host}/a?b`)).toBe('200 there');
    expect(requests).toEqual(['/a?b ']);
  });

  it('refuses requests without its password', async () => {
    for (const headers of [{}, authorization('wrong'), authorization('')]) {
      expect(await forwarded(`http://${host}/`, headers)).toBe('407');
      expect(await tunnelled('example.com:443', headers)).toBe(407);
    }
    expect(requests).toHaveLength(1);
  });

  it.each([
    'http://127.0.0.1/',
    'http://[::1]/',
    'http://169.254.169.254/',
    'http://inside.example/',
    'http://user:pass@example.com/',
    'https://example.com/',
    'ftp://example.com/',
    '/relative',
  ])('does not forward %s', async (url) => {
    expect(await forwarded(url)).toBe('403');
  });

  it.each(['127.0.0.1:443', '[::1]:443', 'inside.example:443', 'inside.example:80', 'example.com:22'])(
    'opens no tunnel to %s',
    async (target) => {
      expect(await tunnelled(target)).toBe(403);
    },
  );

  it('closes every connection after too many bytes, and stays closed', async () => {
    expect(proxy.isSpent).toBe(false);
    expect(await forwarded(`http://${host}/big`)).toBe('cut');
    expect(proxy.isSpent).toBe(true);
    expect(await forwarded(`http://${host}/a`)).toBe('cut');
  });
});
