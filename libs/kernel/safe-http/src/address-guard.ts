import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { DnsClient } from './dns.client.js';
import { OutboundError, UnknownHostError } from './outbound.error.js';

// Source: shared security rule for outbound calls: http and https, on their own ports.
const SCHEMES = new Map([
  ['http:', 80],
  ['https:', 443],
]);

/** Names that lead to the machine itself, whatever a resolver says. Source: RFC 6761, 6.3 */
const LOOPBACK_NAME = /^(?:.+\.)?localhost\.?$/i;

export interface AddressGuardOptions {
  /** `host:port` pairs that may be asked although they are not public: tests, and services in the operator's own network. */
  allowHosts?: readonly string[];
  /** Resolver of names; the system's own when left out. */
  dns?: DnsClient;
  /** Ports that may be asked beside the usual ones. */
  ports?: readonly number[];
}

/**
 * Decides where the product may connect to for a customer. A name is resolved once: the addresses that were checked are the
 * ones that are connected to, so a name that changes its mind between the two gains nothing.
 */
export class AddressGuard {
  private readonly allowed: ReadonlySet<string>;
  private readonly dns: DnsClient;
  private readonly ports: ReadonlySet<string>;

  constructor({ allowHosts = [], dns = new DnsClient(), ports = [] }: AddressGuardOptions = {}) {
    this.allowed = new Set(allowHosts.map((each) => each.toLowerCase()));
    this.dns = dns;
    this.ports = new Set(ports.map(String));
  }

  /**
   * @param text absolute address, or one relative to `base`
   * @returns the address, whose scheme, credentials, port and literal host are checked; a name but `localhost` is checked by {@link lookup}
   * @throws OutboundError `refused`
   */
  parseUrl(text: string, base?: URL): URL {
    const url = URL.parse(text, base?.href);
    if (!url) throw refusedAddress('It is not a web address.');
    const ownPort = SCHEMES.get(url.protocol);
    if (ownPort === undefined) throw refusedAddress('Only http and https addresses can be read.');
    if (url.username !== '' || url.password !== '')
      throw refusedAddress('An address with a user name or a password is not read.');
    if (this.isAllowed(url)) return url;
    if (url.port !== '' && !this.ports.has(url.port))
      throw refusedAddress('Only the usual ports of http and https can be read.');
    const literal = literalOf(url.hostname);
    const isPrivate = literal === null ? LOOPBACK_NAME.test(url.hostname) : !isPublicAddress(literal);
    if (isPrivate) throw refusedAddress(NOT_PUBLIC);
    return url;
  }

  /** @returns whether the operator lets this host and port be asked, wherever it is */
  isAllowed(url: URL): boolean {
    return this.allowed.has(`${url.hostname}:${url.port || SCHEMES.get(url.protocol)}`);
  }

  /**
   * Addresses of a name, all of them public.
   * @throws OutboundError `refused` when any of them is not public, `unreachable` when there is none
   */
  async resolveHost(host: string): Promise<LookupAddress[]> {
    const literal = literalOf(host);
    const addresses = literal === null ? await this.dns.resolveAddresses(host) : [addressOf(literal)];
    if (addresses.length === 0) throw new UnknownHostError();
    // One private address among public ones is how a name is made to lead inside.
    if (!addresses.every(({ address }) => isPublicAddress(address))) throw refusedAddress(NOT_PUBLIC);
    return addresses;
  }

  /**
   * As {@link resolveHost}, for a service that is no web server: the operator may let its host and port be asked wherever it is.
   * @throws OutboundError `refused` or `unreachable`
   */
  async resolveAt(host: string, port: number): Promise<LookupAddress[]> {
    if (!this.isAllowedAt(host, port)) return this.resolveHost(host);
    const literal = literalOf(host);
    const addresses = literal === null ? await this.dns.resolveAddresses(host) : [addressOf(literal)];
    if (addresses.length === 0) throw new UnknownHostError();
    return addresses;
  }

  /** @returns whether the operator lets this host and port be asked, wherever it is and whatever speaks there */
  isAllowedAt(host: string, port: number): boolean {
    return this.allowed.has(`${host.toLowerCase()}:${port}`);
  }

  /**
   * {@link resolveAt} in the shape in which the socket that connects there asks for it.
   * @throws OutboundError `refused` or `unreachable`
   */
  async lookupAt(host: string, port: number): Promise<LookupFunction> {
    const addresses = await this.resolveAt(host, port);
    return (_, { all }, callback) =>
      all ? callback(null, addresses) : callback(null, addresses[0]!.address, addresses[0]!.family);
  }

  /** {@link resolveHost} in the shape in which sockets ask for it. */
  readonly lookup: LookupFunction = lookupBy((host) => this.resolveHost(host));

  /**
   * For what {@link isAllowed} lets through: by the name servers that were given, and what those do not know or do not answer by the
   * system, as names of containers and of the machine's own table are.
   */
  readonly allowedLookup: LookupFunction = lookupBy(async (host) => {
    const addresses = await this.dns.resolveAddresses(host).catch(() => []);
    return addresses.length > 0 ? addresses : new DnsClient().resolveAddresses(host);
  });
}

function lookupBy(addressesOf: (host: string) => Promise<LookupAddress[]>): LookupFunction {
  return (host, options, callback) => {
    addressesOf(host).then(
      (addresses) => {
        const wanted = addresses.filter(({ family }) => !options.family || options.family === family);
        const [first] = wanted;
        if (!first) callback(new OutboundError('unreachable', 'The host has no address of this family.'), '');
        else if (options.all) callback(null, wanted);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };
}

/**
 * Returns whether an address belongs to somebody on the public Internet. Everything that IANA's registries of special addresses
 * name is not: loopback, private, link-local, carrier, documentation, multicast, and IPv6 addresses that carry an IPv4 one.
 * @param address canonical IPv4 or IPv6 text, as resolvers and `URL` give it
 */
export function isPublicAddress(address: string): boolean {
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  // Of IPv6 only this much is given out at all. Source: IANA, IPv6 Global Unicast Address Space.
  return parsed.kind() === 'ipv4' || parsed.match(ipaddr.IPv6.parseCIDR('2000::/3'));
}

const NOT_PUBLIC =
  'The address does not lead to the public Internet. Whoever operates this installation may allow its host and port by FETCH_ALLOW_HOSTS.';

function refusedAddress(message: string): OutboundError {
  return new OutboundError('refused', message);
}

function addressOf(address: string): LookupAddress {
  return { address, family: address.includes(':') ? 6 : 4 };
}

/** @returns the IP address that a host is written as, without brackets; null for a name */
function literalOf(host: string): string | null {
  const bare = host.startsWith('[') ? host.slice(1, -1) : host;
  // Only canonical texts: `URL` has turned every other way to write an address into one.
  return ipaddr.IPv4.isValidFourPartDecimal(bare) || ipaddr.IPv6.isValid(bare) ? bare : null;
}

/** @returns `host:port` of a web address, with the scheme's own port where none is given: what `allowHosts` takes */
export function hostAndPort(address: string): string {
  const { hostname, port, protocol } = new URL(address);
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
}
