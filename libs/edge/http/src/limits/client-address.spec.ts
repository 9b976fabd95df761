import { describe, expect, it } from '@jest/globals';
import { ClientAddress } from './client-address.js';

/** Returns a request with the peer address and the header from which the client address is determined. */
const from = (peer: string, forwarded?: string) =>
  ({ socket: { remoteAddress: peer }, headers: { 'x-forwarded-for': forwarded } }) as never;
const trusting = new ClientAddress(['10.0.0.0/8', '192.168.1.5', 'fd00::/8']);

describe('the address of a client', () => {
  it("is the peer's if no proxy is trusted, whatever is forwarded", () => {
    expect(new ClientAddress([]).findAddress(from('203.0.113.7', '198.51.100.1'))).toBe('203.0.113.7');
  });

  it.each([
    ['10.1.2.3', '198.51.100.1', '198.51.100.1'],
    ['10.1.2.3', 'evil, 198.51.100.1, 10.9.9.9', '198.51.100.1'],
    ['10.1.2.3', '1.1.1.1, 198.51.100.1', '198.51.100.1'],
    ['203.0.113.7', '198.51.100.1', '203.0.113.7'],
    ['::ffff:10.1.2.3', '198.51.100.1', '198.51.100.1'],
    ['10.1.2.3', 'unknown', '10.1.2.3'],
    ['10.1.2.3', '', '10.1.2.3'],
    ['10.1.2.3', '192.168.1.5', '192.168.1.5'],
  ])('is what trusted proxies forward: %s for "%s"', (peer, forwarded, expected) => {
    expect(trusting.findAddress(from(peer, forwarded))).toBe(expected);
  });

  it('is found for each request, even over one connection', () => {
    const socket = { remoteAddress: '10.1.2.3' };
    const forwarded = ['198.51.100.1', '198.51.100.2', undefined, '198.51.100.1'];
    const clients = forwarded.map((each) =>
      trusting.findAddress({ socket, headers: { 'x-forwarded-for': each } } as never),
    );
    expect(clients).toEqual(['198.51.100.1', '198.51.100.2', '10.1.2.3', '198.51.100.1']);
  });

  it('is a forwarded one from any peer if every network is trusted', () => {
    expect(
      new ClientAddress(['0.0.0.0/0']).findAddress(from('203.0.113.7', '2001:db8::1, 198.51.100.1')),
    ).toBe('2001:db8:0:0::/64');
  });

  it.each([
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:0DB8:1::', '2001:db8:1:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ])('over IPv6 is its /64 network: %s', (peer, expected) => {
    expect(new ClientAddress([]).findAddress(from(peer))).toBe(expected);
  });

  it.each(['10.0.0.0/33', 'proxy', '::/129', '10.0.0.0/x'])(
    'is not configured with the invalid network %s',
    (cidr) => {
      expect(() => new ClientAddress([cidr])).toThrow(cidr);
    },
  );
});
