import { BlockList, isIP } from 'node:net';

/**
 * Tells the address that a request really came from.
 *
 * X-Forwarded-For can be written by anyone, so it is believed only as far as trusted proxies vouch for it: from
 * the connection's own address leftwards, as long as the address that was just read is a trusted proxy's.
 */
export class ClientAddress {
  private readonly trusted = new BlockList();
  private readonly trustsAny: boolean;

  /** @param cidrs addresses or networks of trusted proxies, such as `10.0.0.0/8`. @throws Error on anything else */
  constructor(cidrs: readonly string[]) {
    this.trustsAny = cidrs.length > 0;
    for (const cidr of cidrs) {
      const [address = '', bits] = cidr.split('/');
      const family = isIP(address);
      const bitsMax = family === 4 ? 32 : 128;
      const prefix = bits === undefined ? bitsMax : Number(bits);
      if (family === 0 || !Number.isInteger(prefix) || prefix < 0 || prefix > bitsMax) {
        throw new Error(`"${cidr}" is not an address or a network in CIDR form.`);
      }
      this.trusted.addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6');
    }
  }

  /**
   * @param peer address of the connection
   * @param forwardedFor value of X-Forwarded-For
   * @returns the name under which the client is counted: an IPv4 address, or the /64 of an IPv6 address, since
   * one subscriber commonly holds a whole /64
   */
  of(peer: string, forwardedFor: string | undefined): string {
    let address = withoutMapping(peer);
    if (this.trustsAny && forwardedFor !== undefined) {
      const hops = forwardedFor.split(',');
      while (hops.length > 0 && this.isTrusted(address)) {
        const hop = withoutMapping((hops.pop() ?? '').trim());
        if (isIP(hop) === 0) break;
        address = hop;
      }
    }
    return address.includes(':') ? subscriberNetwork(address) : address;
  }

  private isTrusted(address: string): boolean {
    return this.trusted.check(address, address.includes(':') ? 'ipv6' : 'ipv4');
  }
}

/** `::ffff:192.0.2.1` is how a dual-stack socket shows 192.0.2.1. */
function withoutMapping(address: string): string {
  return /^::ffff:[0-9.]+$/i.test(address) ? address.slice(7) : address;
}

function subscriberNetwork(address: string): string {
  const [head = '', tail] = address.split('%')[0]!.toLowerCase().split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail ? tail.split(':') : [];
  const groups =
    tail === undefined
      ? left
      : [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right];
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}
