import { lookup as systemLookup, promises as dns, type LookupAddress } from 'node:dns';
import { OutboundError } from './outbound.error.js';

// Source: RFC 1035, answers that say "there is nothing", which is no failure.
const NOTHING = new Set(['ENOTFOUND', 'ENODATA']);
const PATIENCE = { timeout: 3_000, tries: 2 };

export interface MailServer {
  /** The lower, the sooner it is tried. */
  priority: number;
  host: string;
}

/** Asks name servers. What does not exist is an empty answer; only a server that cannot be asked is an error. */
export class DnsClient {
  private readonly resolver = new dns.Resolver(PATIENCE);
  private readonly isOwn: boolean;

  /** @param servers name servers as `host:port`; those of the system when empty */
  constructor(servers: readonly string[] = []) {
    this.isOwn = servers.length > 0;
    if (this.isOwn) this.resolver.setServers(servers);
  }

  /** @returns IPv4 and IPv6 addresses. @throws OutboundError `unreachable` */
  async addresses(host: string): Promise<LookupAddress[]> {
    // As every other program of the machine finds it, its own table of hosts included.
    if (!this.isOwn) return systemAddresses(host);
    const [v4, v6] = await Promise.all([
      found(this.resolver.resolve4(host)),
      found(this.resolver.resolve6(host)),
    ]);
    return [
      ...v4.map((address) => ({ address, family: 4 })),
      ...v6.map((address) => ({ address, family: 6 })),
    ];
  }

  /**
   * @returns whether a name has an IPv4 address, by name servers alone: the machine's own table is not read, which takes one of
   * the process's few threads for each name
   * @throws OutboundError `unreachable`
   */
  async hasAddress(host: string): Promise<boolean> {
    return (await found(this.resolver.resolve4(host))).length > 0;
  }

  /** @returns where mail for a domain goes, first choice first. @throws OutboundError `unreachable` */
  async mailServers(domain: string): Promise<MailServer[]> {
    const records = await found(this.resolver.resolveMx(domain));
    return records
      .map(({ priority, exchange }) => ({ priority, host: exchange }))
      .sort((a, b) => a.priority - b.priority || a.host.localeCompare(b.host));
  }

  /** @returns texts, each in one piece. @throws OutboundError `unreachable` */
  async texts(name: string): Promise<string[]> {
    return (await found(this.resolver.resolveTxt(name))).map((pieces) => pieces.join(''));
  }

  /** @throws OutboundError `unreachable` */
  async nameServers(domain: string): Promise<string[]> {
    return (await found(this.resolver.resolveNs(domain))).sort();
  }
}

async function found<T>(asked: Promise<T[]>): Promise<T[]> {
  try {
    return await asked;
  } catch (error) {
    if (NOTHING.has((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw new OutboundError('unreachable', 'The name server did not answer.', error);
  }
}

function systemAddresses(host: string): Promise<LookupAddress[]> {
  return new Promise((resolve, reject) =>
    systemLookup(host, { all: true }, (error, addresses) => {
      if (!error) resolve(addresses);
      else if (NOTHING.has(error.code ?? '')) resolve([]);
      else reject(new OutboundError('unreachable', 'The name server did not answer.', error));
    }),
  );
}
