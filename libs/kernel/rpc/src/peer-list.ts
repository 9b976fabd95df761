import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';

/** From 1 to 65,535. */
const PORT = String.raw`(?:[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d\d|655[0-2]\d|6553[0-5])`;
/** IPv6 addresses in brackets. */
const PEER = String.raw`tcp://(\[[0-9a-f:.]+\]|[^\s:/,\[\]]+):${PORT}`;
/** Pattern of an upstream in the environment: `tcp://host:port`, or several, comma-separated. */
export const RPC_PEERS = new RegExp(`^${PEER}(\\s*,\\s*${PEER})*$`, 'i');

/** One process that answers calls. */
export interface Peer {
  /** Address to connect to. */
  readonly host: string;
  readonly port: number;
  /** The host as the operator has configured it, which its certificate must name. */
  readonly name: string;
}

/** @returns every address of a name, as the operating system knows them now @throws when it knows none */
export type ResolveName = (name: string) => Promise<readonly string[]>;

/** Milliseconds. CoreDNS caches a headless Kubernetes Service for 5 s by default, so more frequent queries change nothing. */
const REFRESH_MS = 5_000;

/** Peers of an upstream: the configured addresses, and all addresses that its names resolve to. */
export class PeerList {
  private readonly urls: readonly URL[];
  private readonly hasNames: boolean;
  private known: readonly Peer[] = [];
  private lookedAt = -Infinity;
  private looking: Promise<void> | null = null;

  /**
   * @param upstream `tcp://host:port`, or several, comma-separated
   * @param refreshMs milliseconds until names are resolved again
   */
  constructor(
    upstream: string,
    private readonly resolve: ResolveName = addressesOf,
    private readonly refreshMs = REFRESH_MS,
  ) {
    this.urls = upstream.split(',').map((url) => new URL(url.trim()));
    this.hasNames = this.urls.some((url) => isIP(hostOf(url)) === 0);
    if (!this.hasNames) this.known = this.urls.map((url) => peerAt(hostOf(url), url));
  }

  /** Known addresses: none before the first result of the resolver, at least one afterwards. */
  get peers(): readonly Peer[] {
    return this.known;
  }

  /**
   * Resolves the names again when the last result is old. A name that cannot be resolved keeps its addresses: an outage of the
   * name server must not take down the services.
   * @throws Error of the resolver while no address is known
   */
  refresh(): Promise<void> {
    if (!this.hasNames || performance.now() - this.lookedAt < this.refreshMs) return Promise.resolve();
    return (this.looking ??= this.lookUpPeers().finally(() => (this.looking = null)));
  }

  private async lookUpPeers(): Promise<void> {
    const found = await Promise.allSettled(this.urls.map((url) => this.peersOf(url)));
    const peers = found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
    const failed = found.find((each) => each.status === 'rejected');
    if (peers.length === 0 && this.known.length === 0) throw failed?.reason ?? new Error('No address.');
    // A name whose lookup failed keeps the addresses of its last lookup.
    const kept = this.known.filter(({ name }) =>
      found.some((each, i) => each.status === 'rejected' && hostOf(this.urls[i]!) === name),
    );
    this.lookedAt = performance.now();
    this.known = [...peers, ...kept];
  }

  private async peersOf(url: URL): Promise<Peer[]> {
    const name = hostOf(url);
    if (isIP(name)) return [peerAt(name, url)];
    const addresses = await this.resolve(name);
    return [...new Set(addresses)].sort().map((address) => peerAt(address, url));
  }
}

/** Resolves a name with the system's resolver, so that its search domains and /etc/hosts apply. */
async function addressesOf(name: string): Promise<readonly string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}

function peerAt(host: string, url: URL): Peer {
  return { host, port: Number(url.port), name: hostOf(url) };
}

/** Returns the host of a URL without the brackets of an IPv6 address. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
}
