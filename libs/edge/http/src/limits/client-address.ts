import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import proxyAddr from '@fastify/proxy-addr';
import ipaddr from 'ipaddr.js';

/**
 * Tells the address that a request really came from.
 *
 * X-Forwarded-For can be written by anyone, so it is believed only as far as trusted proxies vouch for it: from
 * the connection's own address leftwards, as long as the address that was just read is a trusted proxy's.
 */
export class ClientAddress {
  private readonly trusted = new BlockList();
  /** Latest result for a connection: it mostly carries many requests that forward the same. */
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
   * @returns the name under which the client is counted: an IPv4 address, or the /64 of an IPv6 address, since
   * one subscriber commonly holds a whole /64
   */
  findAddress(request: Pick<IncomingMessage, 'headers' | 'socket'>): string {
    // Node joins repeated headers of this name to one text; its type does not say so.
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
