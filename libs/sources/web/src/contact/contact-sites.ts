import { registrableDomain } from '@quarry/dto';
import { LRUCache } from 'lru-cache';
import { OutboundError, type DnsClient } from '@quarry/safe-http';
import type { DomainSearch } from '../company/domain-search.js';
import { emailPatternOf, namesIn, type SeenAddress } from '../company/email-pattern.js';
import { eachOnce, peopleAddresses, readPeoplePages } from '../company/people-pages.js';
import type { PageReader } from '../pages/page-reader.js';
import { numbersOf, type SeenNumber } from './linked-numbers.js';
import { SharedAnswers } from './shared-answers.js';

/**
 * Milliseconds that a site is cached: long enough for a list with many people of one company, short enough to see changed
 * pages.
 */
const KEPT_MS = 30 * 60_000;
/** Maximum number of cached sites; each takes at most about 100 kB, usually a tenth of it. */
const SITES_KEPT = 500;
/** Maximum number of cached hosts per domain, so that the subdomains of one cannot evict all others. */
const HOSTS_KEPT = 2;
const COMPANIES_KEPT = 5_000;
/**
 * Milliseconds for all pages of a site: the deadline of a slow service, less the time for its mail server and a later
 * vendor.
 */
const READ_MS = 30_000;
/** Maximum number of address occurrences per site; of an address all or none are stored. */
const PLACES_MAX = 400;

/** Maximum number of names per site; about 40 kB. */
/** Maximum number of characters searched for names, for all pages of a site: takes at most 25 ms of CPU time. */
const NAMES_CHARACTERS_MAX = 64_000;
const NAMES_MAX = 2_000;

/** Contacts of people on the pages of a company's site. */
export interface ContactSite {
  /** Domain of its addresses. */
  domain: string;
  /** All occurrences of each address. */
  addresses: readonly SeenAddress[];
  /** Further addresses in lower case, which have too many occurrences to determine their owner. */
  unevaluated: readonly string[];
  /** Pattern of its addresses; null when it shows no address of a person. */
  pattern: string | null;
  numbers: readonly SeenNumber[];
  /** Possible names of people on its pages: first names by last name. */
  names: ReadonlyMap<string, ReadonlySet<string>>;
  /** Reason why no page could be read; null when one was, or it has no pages. */
  failure: OutboundError | null;
}

export interface ContactSitesParts {
  dns: DnsClient;
  reader: PageReader;
  search: DomainSearch;
}

/** Reads the sites of companies, each once for all of its people. */
export class ContactSites {
  private readonly sites = new LRUCache<string, SharedAnswers<{ site: ContactSite | null }>>({
    max: SITES_KEPT,
  });
  private readonly companies = new SharedAnswers<{ domain: string | null }>({
    max: COMPANIES_KEPT,
    keptMs: KEPT_MS,
  });

  constructor(private readonly parts: ContactSitesParts) {}

  /**
   * @param address domain or web address of a company
   * @returns the contacts on its site; null for a name with neither a site nor mail
   * @throws OutboundError `unreachable` when the name servers do not respond; `refused` for an address that must not be read
   */
  async readSite(address: string, signal: AbortSignal): Promise<ContactSite | null> {
    const at = siteAt(address);
    if (at === null) return null;
    const { site } = await this.sitesOf(at.domain).getAnswer(
      at.site,
      async () => ({ site: await this.readContacts(at) }),
      signal,
      // A site that could not be reached is retried soon.
      (answer) => answer.site?.failure == null,
    );
    return site;
  }

  /**
   * @param name of a company
   * @returns its domain, if the home page has this name; null when none does
   * @throws OutboundError `unreachable` or `too slow` when the name servers, or a more likely domain, do not respond
   */
  async domainOf(name: string, signal: AbortSignal): Promise<string | null> {
    const { domain } = await this.companies.getAnswer(
      // A dot is significant: `acme.io` is a domain.
      name.trim().toLowerCase(),
      async () => ({ domain: await this.searchSite(name) }),
      signal,
    );
    return domain;
  }

  private sitesOf(domain: string): SharedAnswers<{ site: ContactSite | null }> {
    const kept = this.sites.get(domain) ?? new SharedAnswers({ max: HOSTS_KEPT, keptMs: KEPT_MS });
    this.sites.set(domain, kept);
    return kept;
  }

  private async searchSite(name: string): Promise<string | null> {
    const found = await this.parts.search
      .findDomain(name, AbortSignal.timeout(READ_MS))
      .catch((error: unknown) => {
        throw tooSlow(error) ?? error;
      });
    // Of two companies with one name, usually the one with the more likely domain is meant.
    if (found?.unread) throw found.unread;
    // A page that only mentions the name may belong to another company, whose mailboxes must not be returned.
    return found && found.confidence !== 'low' ? found.page.url : null;
  }

  private async readContacts({ site, host, domain }: SiteAddress): Promise<ContactSite | null> {
    const { dns, reader } = this.parts;
    // Checked first, since it is fast: if the DNS does not respond, no page could be read either.
    const takesMail = (await dns.mailServers(domain)).length > 0;
    if (!takesMail && (await dns.resolveAddresses(host)).length === 0) return null;
    try {
      const pages = await readPeoplePages(reader.withText, site, AbortSignal.timeout(READ_MS));
      const addresses = peopleAddresses(pages, site);
      const { pattern, examples } = emailPatternOf(eachOnce(addresses));
      const [, shown = domain] = examples[0]?.split('@') ?? [];
      return {
        domain: shown,
        pattern,
        ...partAddresses(addresses),
        numbers: numbersOf(pages),
        failure: null,
        names: namesIn(nameLines(pages), NAMES_MAX),
      };
    } catch (error) {
      return { ...nothingAt(domain), failure: failureOf(error) };
    }
  }
}

/** Returns the lines of pages in which names are searched: the first ones, up to a limit that bounds the CPU time. */
export function nameLines(pages: ReadonlyArray<{ markdown: string }>): string[] {
  let left = NAMES_CHARACTERS_MAX;
  return pages.flatMap(({ markdown }) => {
    const text = markdown.slice(0, left);
    left -= text.length;
    return text.split('\n');
  });
}

interface SiteAddress {
  /** Address to read, with its scheme and port if given. */
  site: string;
  host: string;
  domain: string;
}

function siteAt(address: string): SiteAddress | null {
  const text = address.trim();
  const domain = registrableDomain(text);
  const isWeb = /^https?:\/\//i.test(text);
  const given = URL.parse(isWeb || text.includes('://') ? text : `https://${text}`);
  if (domain === null) return null;
  // For an address that is not a web address, such as ftp://, the host is still the company's.
  if (!given || registrableDomain(given.hostname) !== domain) return { site: domain, host: domain, domain };
  const host = given.hostname;
  if (!isWeb && text.includes('://')) return { site: host, host, domain };
  return { site: given.protocol === 'http:' ? given.origin : given.host, host, domain };
}

/** Separates addresses that are stored with all occurrences from those that exceed the limit. */
function partAddresses(all: readonly SeenAddress[]): Pick<ContactSite, 'addresses' | 'unevaluated'> {
  const places = Map.groupBy(all, ({ email }) => email.toLowerCase());
  const addresses: SeenAddress[] = [];
  const unevaluated: string[] = [];
  for (const [email, seen] of places) {
    const distinct = [...new Map(seen.map((place) => [place.near, place])).values()];
    // All occurrences or none: the omitted one might be the one that shows the owner.
    if (addresses.length + distinct.length > PLACES_MAX) unevaluated.push(email);
    else addresses.push(...distinct);
  }
  return { addresses, unevaluated };
}

function nothingAt(domain: string): Omit<ContactSite, 'failure'> {
  return { domain, addresses: [], unevaluated: [], pattern: null, numbers: [], names: new Map() };
}

/** @throws errors that the site did not cause: an address that must not be read, a bug of ours */
function failureOf(error: unknown): OutboundError {
  if (error instanceof OutboundError && error.fault !== 'refused') return error;
  const late = tooSlow(error);
  if (late) return late;
  throw error;
}

/** @returns null for any error except a timeout */
function tooSlow(error: unknown): OutboundError | null {
  return (error as Error).name === 'TimeoutError'
    ? new OutboundError('too slow', 'The site took too long to answer.', error)
    : null;
}
