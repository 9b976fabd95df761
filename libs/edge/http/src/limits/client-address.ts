import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import proxyAddr from '@fastify/proxy-addr';
import ipaddr from 'ipaddr.js';

/**
 * Determines the address that a request really came from.
 *
 * Anyone can write X-Forwarded-For, so it is trusted only as far as trusted proxies vouch for it: from the address of the
 * connection leftwards, while the last address read is that of a trusted proxy.
 */
export class ClientAddress {
  private readonly trusted = new BlockList();
  /** Latest result by connection, because most requests of a connection forward the same address. */
  private readonly latest = new WeakMap<object, { forwarded: string | undefined; client: string }>();

  /** @param cidrs addresses or networks of trusted proxies, such as `10.0.0.0/8`. @throws Error on anything else */
  constructor(cidrs: readonly string[]) {
    for (const cidr of cidrs) {
      const network = cidr.includes('/') ? cidr : `${cidr}/${isIP(cidr) === 4 ? 32 : 128}`;
      if (!ipaddr.isValidCIDR(network))
        throw new Error(`"${cidr}" is not an address or a network in CIDR form.`);
      const [address, prefix] = ipaddr.parseCIDR(network);
      this.trusted.addSubnet(address.toString(), prefix, address.kind());
    }
  }

  /**
   * @returns the key under which a client is counted: an IPv4 address, or the /64 of an IPv6 address, since a subscriber usually
   * has a whole /64
   */
  findAddress(request: Pick<IncomingMessage, 'headers' | 'socket'>): string {
    // Node joins repeated headers of this name into one text, contrary to its type.
    const forwarded = request.headers['x-forwarded-for'] as string | undefined;
    const latest = this.latest.get(request.socket);
    if (latest !== undefined && latest.forwarded === forwarded) return latest.client;
    const client = this.readAddress(request);
    this.latest.set(request.socket, { forwarded, client });
    return client;
  }

  private readAddress(request: Pick<IncomingMessage, 'headers' | 'socket'>): string {
    const hops = proxyAddr.all(request as IncomingMessage, (hop) => this.isTrusted(hop));
    // A trusted proxy may forward a word such as "unknown": then its own address counts.
    const hop = hops.findLast((each) => isIP(each) !== 0);
    if (hop === undefined) return '';
    // A dual-stack socket shows 192.0.2.1 as ::ffff:192.0.2.1.
    const address = ipaddr.process(hop);
    if (address.kind() === 'ipv4') return address.toString();
    const groups = (address as ipaddr.IPv6).parts.slice(0, 4);
    return `${groups.map((group) => group.toString(16)).join(':')}::/64`;
  }

  private isTrusted(hop: string): boolean {
    if (isIP(hop) === 0) return false;
    const address = ipaddr.process(hop);
    return this.trusted.check(address.toString(), address.kind());
  }
}
