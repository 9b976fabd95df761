import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AddressGuard, isPublicAddress } from './address-guard.js';
import { DnsClient } from './dns.client.js';
import { OutboundError } from './outbound.error.js';

/** First octets and length. Source: IANA IPv4 Special-Purpose Address Registry, and multicast. */
const SPECIAL_V4: Array<[string, number]> = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];
/** Source: IANA IPv6 Special-Purpose Address Registry, multicast, and the deprecated site-local range. */
const SPECIAL_V6: Array<[string, number]> = [
  ['::', 128],
  ['::1', 128],
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 32],
  ['2001:2::', 48],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
];

/** Generates addresses of a range, as numbers. */
function within(base: bigint, length: number, width: number): fc.Arbitrary<bigint> {
  const max = (1n << BigInt(width - length)) - 1n;
  return fc.bigInt({ min: 0n, max }).map((rest) => base | rest);
}

const numberOfV4 = (text: string): bigint =>
  text.split('.').reduce((sum, octet) => (sum << 8n) | BigInt(octet), 0n);

function numberOfV6(text: string): bigint {
  const [head = '', tail = ''] = text.split('::');
  const groups = (part: string): string[] => part.split(':').filter((each) => each !== '');
  const left = groups(head);
  const right = groups(tail);
  const all = [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right];
  return all.reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n);
}

const octetsOf = (address: bigint): number[] =>
  [24n, 16n, 8n, 0n].map((by) => Number((address >> by) & 255n));
const groupsOf = (address: bigint): string[] =>
  Array.from({ length: 8 }, (_, at) => ((address >> BigInt(112 - at * 16)) & 0xffffn).toString(16));

/** Returns notations of a host that all mean the same IPv4 address. */
function textsOfV4(address: bigint): string[] {
  const octets = octetsOf(address);
  const [a, b, c, d] = octets as [number, number, number, number];
  const dotted = octets.join('.');
  return [
    dotted,
    `${dotted}.`,
    String(address),
    `0x${address.toString(16)}`,
    `0${address.toString(8)}`,
    octets.map((each) => `0x${each.toString(16)}`).join('.'),
    octets.map((each) => `0${each.toString(8)}`).join('.'),
    `${a}.${b}.${c * 256 + d}`,
    `${a}.${b * 65_536 + c * 256 + d}`,
    dotted.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit))),
    dotted.replace(/\./g, '。'),
    `%${dotted.charCodeAt(0).toString(16)}${dotted.slice(1)}`,
    `[::ffff:${dotted}]`,
    `[::${dotted}]`,
    `[64:ff9b::${dotted}]`,
    `[2002:${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}::]`,
  ];
}

function textsOfV6(address: bigint): string[] {
  const groups = groupsOf(address);
  return [
    `[${groups.join(':')}]`,
    `[${groups.map((group) => group.padStart(4, '0')).join(':')}]`,
    `[${groups.join(':').toUpperCase()}]`,
  ];
}

const special: fc.Arbitrary<string> = fc.oneof(
  ...SPECIAL_V4.map(([base, length]) =>
    within(numberOfV4(base), length, 32).chain((address) => fc.constantFrom(...textsOfV4(address))),
  ),
  ...SPECIAL_V6.map(([base, length]) =>
    within(numberOfV6(base), length, 128).chain((address) => fc.constantFrom(...textsOfV6(address))),
  ),
);

function refusalOf(guard: AddressGuard, address: string): string {
  try {
    return `let in as ${guard.parseUrl(address).href}`;
  } catch (error) {
    return error instanceof OutboundError ? error.fault : String(error);
  }
}

describe('the guard of outbound addresses', () => {
  const guard = new AddressGuard();

  it('refuses every special address in every notation', () => {
    fc.assert(
      fc.property(special, (host) => {
        expect([host, refusalOf(guard, `http://${host}/`)]).toEqual([host, 'refused']);
      }),
      { numRuns: 5000 },
    );
  });

  it('allows public addresses, as names and as numbers', () => {
    for (const host of [
      'example.com',
      '93.184.215.14',
      '[2606:2800:21f:cb07:6820:80da:af6b:8b2c]',
      'münchen.example',
    ])
      expect(guard.parseUrl(`https://${host}/a?b#c`).pathname).toBe('/a');
    expect(isPublicAddress('2606:2800:21f:cb07:6820:80da:af6b:8b2c')).toBe(true);
  });

  it.each([
    'ftp://example.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/html,x',
    'gopher://example.com:70/',
    'https://user:secret@example.com/',
    'https://user@example.com/',
    'http://example.com:22/',
    'http://example.com:443/',
    'https://example.com:8443/',
    'https://localhost/hook',
    'https://LOCALHOST./hook',
    'https://app.localhost/hook',
    '/relative',
    'http://',
    '',
    'http://[::1%25eth0]/',
  ])('refuses %j', (address) => {
    expect(refusalOf(guard, address)).toBe('refused');
  });

  it('names the variable by which an operator can allow an address', () => {
    for (const address of ['http://127.0.0.1/', 'http://[::1]/', 'http://10.0.0.7/'])
      expect(() => guard.parseUrl(address)).toThrow(/is not on the public Internet\. .* FETCH_ALLOW_HOSTS/);
  });

  it('lets the operator allow hosts of an internal network, by host and port', () => {
    const own = new AddressGuard({ allowHosts: ['127.0.0.1:8080', 'searx.internal:80', 'localhost:8443'] });
    expect(own.parseUrl('https://localhost:8443/').port).toBe('8443');
    expect(guard.parseUrl('https://localhost.example/').hostname).toBe('localhost.example');
    expect(own.parseUrl('http://127.0.0.1:8080/search').port).toBe('8080');
    expect(own.isAllowed(own.parseUrl('http://searx.internal/'))).toBe(true);
    expect(refusalOf(own, 'http://127.0.0.1:8081/')).toBe('refused');
    expect(refusalOf(own, 'http://127.0.0.1/')).toBe('refused');
    expect(refusalOf(own, 'ftp://127.0.0.1:8080/')).toBe('refused');
  });

  it.each<[string, number | null]>([
    ['refuses', 5],
    ['fails', 2],
    ['is away', null],
  ])('resolves an allowed host by the system if the name server %s', async (_, code) => {
    const server = createSocket('udp4');
    server.on('message', (message, { port, address }) => {
      const answer = Buffer.from(message);
      answer[2]! |= 0x80;
      answer[3] = code!;
      server.send(answer, port, address);
    });
    server.bind(0, '127.0.0.1');
    await once(server, 'listening');
    const own = new AddressGuard({ dns: new DnsClient([`127.0.0.1:${server.address().port}`]) });
    if (code === null) server.close();
    const found = await new Promise((resolve) =>
      own.allowedLookup('localhost', { family: 4 }, (error, address) => resolve(error ?? address)),
    );
    if (code !== null) server.close();
    expect(found).toBe('127.0.0.1');
    await expect(own.resolveHost('localhost')).rejects.toMatchObject({ fault: 'unreachable' });
  });

  it('does not reveal the address of a name', async () => {
    const refusal = await guard.resolveHost('localhost').then(
      () => null,
      (error: Error) => error,
    );
    expect(refusal).toMatchObject({ fault: 'refused' });
    expect(refusal!.message).not.toMatch(/127|::1/);
  });
});
