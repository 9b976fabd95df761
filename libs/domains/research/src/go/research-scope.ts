import { HOST_IN_TEXT, registrableDomain, type CreateGoRunRequest } from '@quarry/dto';

/** Decides which URLs a run may read, by the domains of its request. */
export class ResearchScope {
  private readonly included: readonly string[] | null;
  private readonly excluded: readonly string[];

  constructor({ include_domains, exclude_domains = [] }: CreateGoRunRequest) {
    this.included = include_domains?.map(asciiDomain) ?? null;
    this.excluded = exclude_domains.map(asciiDomain);
  }

  /** @returns whether a URL may be read; a domain includes all its subdomains */
  allowsUrl(address: string): boolean {
    const url = URL.parse(address);
    if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return false;
    const host = asciiDomain(url.hostname);
    const isOf = (domain: string): boolean => host === domain || host.endsWith(`.${domain}`);
    return !this.excluded.some(isOf) && (this.included === null || this.included.some(isOf));
  }
}

/** Converts a domain to punycode, like in URLs. */
function asciiDomain(domain: string): string {
  return (URL.parse(`http://${domain}`)?.hostname ?? domain).toLowerCase().replace(/\.$/, '');
}

const NAMED = new RegExp(HOST_IN_TEXT, 'giu');

/** @returns registrable domains that a prompt names: their own sites count as first-party sources */
export function domainsNamedIn(prompt: string): ReadonlySet<string> {
  return new Set([...prompt.matchAll(NAMED)].flatMap(([name]) => registrableDomain(name) ?? []));
}
