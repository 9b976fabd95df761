import { lookup as systemLookup, promises as dns, type LookupAddress } from 'node:dns';
import { entriesAtMost } from '@quarry/resilience';
import { LRUCache } from 'lru-cache';
import { OutboundError } from './outbound.error.js';

// Source: RFC 1035, responses without a record, which are not failures.
const NOTHING = new Set(['ENOTFOUND', 'ENODATA']);
const DNS_TIMEOUTS = { timeout: 3_000, tries: 2 };
/** Names that always exist. One that ends with a dot is a zone, which has name servers. */
const CONTROL_NAMES: readonly string[] = ['com.', '.', 'example.com', 'iana.org', 'google.com'];
const CHECK_KEPT_MS = 60_000;
/** Cache time of mail servers: a job about a person queries those of the company twice, and batches repeat companies. */
const MAIL_SERVERS_KEPT_MS = 30_000;
const DOMAINS_KEPT = 1_000;

export interface MailServer {
  /** Lower values are tried first. */
  priority: number;
  host: string;
}

/** The name server denies the existence of every name, so its response is no evidence about a single one. */
export class UntrustedNamesError extends OutboundError {
  constructor() {
    super(
      'unreachable',
      'The name server knows none of the names that always exist (DNS_CONTROL_NAMES), so what it does not know counts for nothing.',
    );
  }
}

/**
 * Queries name servers. A missing name is an empty result as long as the server knows one of the control names. If the
 * server knows none of them, or cannot be reached, it is an error.
 */
export class DnsClient {
  private readonly resolver = new dns.Resolver(DNS_TIMEOUTS);
  private readonly isOwn: boolean;
  private readonly mail = new LRUCache<string, Promise<MailServer[]>>({
    ...entriesAtMost(DOMAINS_KEPT),
    ttl: MAIL_SERVERS_KEPT_MS,
  });
  private check: { at: number; isTrusted: Promise<boolean> } | null = null;

  /**
   * @param servers name servers as `host:port`; those of the system if empty
   * @param controlNames names of which one must be known before another counts as missing; no check if empty
   */
  constructor(
    servers: readonly string[] = [],
    private readonly controlNames: readonly string[] = CONTROL_NAMES,
  ) {
    this.isOwn = servers.length > 0;
    if (this.isOwn) this.resolver.setServers(servers);
  }

  /** @returns IPv4 and IPv6 addresses. @throws OutboundError `unreachable` */
  async resolveAddresses(host: string): Promise<LookupAddress[]> {
    // Like other programs on this machine, including its hosts file.
    if (!this.isOwn) return this.confirmAnswer(systemAddresses(host));
    const both = Promise.all([
      emptyIfMissing(this.resolver.resolve4(host)),
      emptyIfMissing(this.resolver.resolve6(host)),
    ]);
    return this.confirmAnswer(
      both.then(([v4, v6]) => [
        ...v4.map((address) => ({ address, family: 4 })),
        ...v6.map((address) => ({ address, family: 6 })),
      ]),
    );
  }

  /**
   * Checks whether a name has an IPv4 address, by name servers only: the hosts file is not read, because that occupies one
   * of the few threads of the process per name.
   * @throws OutboundError `unreachable`
   */
  async hasAddress(host: string): Promise<boolean> {
    return (await this.confirmAnswer(emptyIfMissing(this.resolver.resolve4(host)))).length > 0;
  }

  /** @returns the mail servers of a domain by priority, cached for half a minute. @throws OutboundError `unreachable` */
  async mailServers(domain: string): Promise<MailServer[]> {
    const known = this.mail.get(domain);
    if (known) return known;
    const servers = this.resolveMailServers(domain);
    this.mail.set(domain, servers);
    // A failure may be temporary, so it is not cached.
    servers.catch(() => this.mail.peek(domain) === servers && this.mail.delete(domain));
    return servers;
  }

  private async resolveMailServers(domain: string): Promise<MailServer[]> {
    const records = await this.confirmAnswer(emptyIfMissing(this.resolver.resolveMx(domain)));
    return records
      .map(({ priority, exchange }) => ({ priority, host: exchange }))
      .sort((a, b) => a.priority - b.priority || a.host.localeCompare(b.host));
  }

  /** @returns TXT records, each joined to one text. @throws OutboundError `unreachable` */
  async resolveTexts(name: string): Promise<string[]> {
    return (await this.confirmAnswer(emptyIfMissing(this.resolver.resolveTxt(name)))).map((pieces) =>
      pieces.join(''),
    );
  }

  /** @throws OutboundError `unreachable` */
  async nameServers(domain: string): Promise<string[]> {
    return (await this.confirmAnswer(emptyIfMissing(this.resolver.resolveNs(domain)))).sort();
  }

  /** Returns the records; an empty result only from a server that is trusted. @throws UntrustedNamesError */
  private async confirmAnswer<T>(lookup: Promise<T[]>): Promise<T[]> {
    const records = await lookup;
    if (records.length === 0 && !(await this.isTrusted())) throw new UntrustedNamesError();
    return records;
  }

  /** Returns whether one of the control names is known. They are queried at most once a minute, for all callers. */
  private isTrusted(): Promise<boolean> {
    if (this.controlNames.length === 0) return Promise.resolve(true);
    const now = performance.now();
    if (!this.check || now - this.check.at >= CHECK_KEPT_MS)
      this.check = { at: now, isTrusted: this.knowsOne(this.controlNames) };
    return this.check.isTrusted;
  }

  private knowsOne(names: readonly string[]): Promise<boolean> {
    return Promise.any(names.map((name) => this.requireKnown(name))).then(
      () => true,
      () => false,
    );
  }

  /** @throws Error if a control name is unknown, or no server can be reached */
  private async requireKnown(name: string): Promise<void> {
    if (name.endsWith('.')) await this.resolver.resolveNs(name === '.' ? name : name.slice(0, -1));
    else if (this.isOwn) await this.resolver.resolve4(name);
    else if ((await systemAddresses(name)).length === 0) throw new Error('The name does not exist.');
  }
}

async function emptyIfMissing<T>(lookup: Promise<T[]>): Promise<T[]> {
  try {
    return await lookup;
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
