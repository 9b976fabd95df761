import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { DnsClient } from './dns.client.js';
import { OutboundError, UnknownHostError } from './outbound.error.js';

// Source: shared security rule for outbound calls: http and https, on their default ports.
const SCHEMES = new Map([
  ['http:', 80],
  ['https:', 443],
]);

/** Names of the machine itself, regardless of the resolver. Source: RFC 6761, 6.3 */
const LOOPBACK_NAME = /^(?:.+\.)?localhost\.?$/i;

export interface AddressGuardOptions {
  /** `host:port` pairs that are allowed although they are not public: tests, and services in the operator's network. */
  allowHosts?: readonly string[];
  /** DNS resolver; that of the system by default. */
  dns?: DnsClient;
  /** Allowed ports in addition to the default ones. */
  ports?: readonly number[];
}

/**
 * Decides where the product may connect to on behalf of a customer. A name is resolved once: the connection uses the
 * checked addresses, so a name that resolves differently the second time (DNS rebinding) gains nothing.
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
   * Parses a URL and checks its scheme, credentials, port and literal host. A name other than `localhost` is checked by
   * {@link lookup}.
   * @param text absolute URL, or one relative to `base`
   * @throws OutboundError `refused`
   */
  parseUrl(text: string, base?: URL): URL {
    const url = URL.parse(text, base?.href);
    if (!url) throw refusedAddress('It is not a web address.');
    const ownPort = SCHEMES.get(url.protocol);
    if (ownPort === undefined) throw refusedAddress('Only http and https addresses can be read.');
    if (url.username !== '' || url.password !== '')
      throw refusedAddress('Addresses with a user name or a password are not read.');
    if (this.isAllowed(url)) return url;
    if (url.port !== '' && !this.ports.has(url.port))
      throw refusedAddress('Only the usual ports of http and https can be read.');
    const literal = literalOf(url.hostname);
    const isPrivate = literal === null ? LOOPBACK_NAME.test(url.hostname) : !isPublicAddress(literal);
    if (isPrivate) throw refusedAddress(NOT_PUBLIC);
    return url;
  }

  /** @returns whether the operator allows this host and port, wherever it is */
  isAllowed(url: URL): boolean {
    return this.allowed.has(`${url.hostname}:${url.port || SCHEMES.get(url.protocol)}`);
  }

  /**
   * Resolves a name to addresses that are all public.
   * @throws OutboundError `refused` if any of them is not public, `unreachable` if there are none
   */
  async resolveHost(host: string): Promise<LookupAddress[]> {
    const literal = literalOf(host);
    const addresses = literal === null ? await this.dns.resolveAddresses(host) : [addressOf(literal)];
    if (addresses.length === 0) throw new UnknownHostError();
    // A mix of private and public addresses is a known way to make a name lead into the internal network.
    if (!addresses.every(({ address }) => isPublicAddress(address))) throw refusedAddress(NOT_PUBLIC);
    return addresses;
  }

  /**
   * Like {@link resolveHost}, for servers other than web servers: the operator may allow a host and port wherever it is.
   * @throws OutboundError `refused` or `unreachable`
   */
  async resolveAt(host: string, port: number): Promise<LookupAddress[]> {
    if (!this.isAllowedAt(host, port)) return this.resolveHost(host);
    const literal = literalOf(host);
    const addresses = literal === null ? await this.dns.resolveAddresses(host) : [addressOf(literal)];
    if (addresses.length === 0) throw new UnknownHostError();
    return addresses;
  }

  /** @returns whether the operator allows this host and port, wherever it is and whatever its protocol */
  isAllowedAt(host: string, port: number): boolean {
    return this.allowed.has(`${host.toLowerCase()}:${port}`);
  }

  /**
   * Returns {@link resolveAt} as a lookup function for sockets.
   * @throws OutboundError `refused` or `unreachable`
   */
  async lookupAt(host: string, port: number): Promise<LookupFunction> {
    const addresses = await this.resolveAt(host, port);
    return (_, { all }, callback) =>
      all ? callback(null, addresses) : callback(null, addresses[0]!.address, addresses[0]!.family);
  }

  /** {@link resolveHost} as a lookup function for sockets. */
  readonly lookup: LookupFunction = lookupBy((host) => this.resolveHost(host));

  /**
   * Lookup for hosts that {@link isAllowed} accepts: by the configured name servers, and then by the system for names that
   * those do not know or do not answer, such as names of containers and of the hosts file.
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
 * Returns whether an address is on the public Internet. All special addresses in IANA's registries are not: loopback,
 * private, link-local, carrier, documentation, multicast, and IPv6 addresses that embed an IPv4 address.
 * @param address canonical IPv4 or IPv6 text, as resolvers and `URL` return it
 */
export function isPublicAddress(address: string): boolean {
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  // Only this part of IPv6 is allocated at all. Source: IANA, IPv6 Global Unicast Address Space.
  return parsed.kind() === 'ipv4' || parsed.match(ipaddr.IPv6.parseCIDR('2000::/3'));
}

const NOT_PUBLIC =
  'The address is not on the public Internet. The operator can allow its host and port in FETCH_ALLOW_HOSTS.';

function refusedAddress(message: string): OutboundError {
  return new OutboundError('refused', message);
}

function addressOf(address: string): LookupAddress {
  return { address, family: address.includes(':') ? 6 : 4 };
}

/** @returns the literal IP address of a host, without brackets; null for a name */
function literalOf(host: string): string | null {
  const bare = host.startsWith('[') ? host.slice(1, -1) : host;
  // Only canonical text is possible: `URL` normalises all other notations of an address.
  return ipaddr.IPv4.isValidFourPartDecimal(bare) || ipaddr.IPv6.isValid(bare) ? bare : null;
}

/** @returns `host:port` of a web address for `allowHosts`, with the default port of the scheme if none is given */
export function hostAndPort(address: string): string {
  const { hostname, port, protocol } = new URL(address);
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
}
