import { registrableDomain } from '@quarry/dto';
import { LRUCache } from 'lru-cache';
import { OutboundError, type DnsClient } from '@quarry/safe-http';
import type { DomainSearch } from '../company/domain-search.js';
import { emailPatternOf, namesIn, type SeenAddress } from '../company/email-pattern.js';
import { eachOnce, peopleAddresses, readPeoplePages } from '../company/people-pages.js';
import type { PageReader } from '../pages/page-reader.js';
import { numbersOf, type SeenNumber } from './linked-numbers.js';
import { SharedAnswers } from './shared-answers.js';

/** People of one company come in one list: long enough for its end, and soon enough for a page that was changed. */
const KEPT_MS = 30 * 60_000;
/** Each keeps some 100 kB at most, as a rule a tenth of it. */
const SITES_KEPT = 500;
/** Hosts of one domain that are kept, so that the names below one of them cannot take the place of all others. */
const HOSTS_KEPT = 2;
const COMPANIES_KEPT = 5_000;
/** For all pages of a site: what a slow service has, less the time of its mail server and of a vendor behind. */
const READ_MS = 30_000;
/** Places where one site shows addresses, all of an address or none. */
const PLACES_MAX = 400;

/** Of one site; some 40 kB. */
/** Of all pages of a site together: reading them for names takes 25 ms of one core at most. */
const NAMES_CHARACTERS_MAX = 64_000;
const NAMES_MAX = 2_000;

/** Contacts of people on the pages of a company's site. */
export interface ContactSite {
  /** Domain of its addresses. */
  domain: string;
  /** Each address with every place. */
  addresses: readonly SeenAddress[];
  /** Further ones that it shows, in lower case: too many to judge whose they are. */
  unevaluated: readonly string[];
  /** By which its addresses are made; null where it shows none of a person. */
  pattern: string | null;
  numbers: readonly SeenNumber[];
  /** Possible names of people on its pages: first words by the last one. */
  names: ReadonlyMap<string, ReadonlySet<string>>;
  /** Why nothing of it could be read; null where it was, or it has no pages. */
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
   * @returns what its site says; null for a name under which there is neither a site nor mail
   * @throws OutboundError `unreachable` when the name servers do not answer; `refused` for an address that must not be read
   */
  async readSite(address: string, signal: AbortSignal): Promise<ContactSite | null> {
    const at = siteAt(address);
    if (at === null) return null;
    const { site } = await this.sitesOf(at.domain).getAnswer(
      at.site,
      async () => ({ site: await this.readContacts(at) }),
      signal,
      // A site that could not be reached is asked again soon.
      (answer) => answer.site?.failure == null,
    );
    return site;
  }

  /**
   * @param name of a company
   * @returns its domain, where the home page gives itself this name; null where none does
   * @throws OutboundError `unreachable` or `too slow` when the name servers, or a domain that is more likely its own, do not answer
   */
  async domainOf(name: string, signal: AbortSignal): Promise<string | null> {
    const { domain } = await this.companies.getAnswer(
      // A dot is a difference: `acme.io` is a domain.
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
    // Of two companies of one name only one is meant, as a rule the one with the likelier domain.
    if (found?.unread) throw found.unread;
    // A page that only mentions the name may be that of another company, whose mailboxes are no answer.
    return found && found.confidence !== 'low' ? found.page.url : null;
  }

  private async readContacts({ site, host, domain }: SiteAddress): Promise<ContactSite | null> {
    const { dns, reader } = this.parts;
    // Asked first, since it is quick: where nobody answers it, no page would be found either.
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

/** Returns the lines of pages that names are looked for in: the first ones, as far as reading them takes no time from others. */
export function nameLines(pages: ReadonlyArray<{ markdown: string }>): string[] {
  let left = NAMES_CHARACTERS_MAX;
  return pages.flatMap(({ markdown }) => {
    const text = markdown.slice(0, left);
    left -= text.length;
    return text.split('\n');
  });
}

interface SiteAddress {
  /** As it is read: with its scheme and port where it was given with one. */
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
  // Of an address that is none of the web, such as ftp://, the host is that of the company all the same.
  if (!given || registrableDomain(given.hostname) !== domain) return { site: domain, host: domain, domain };
  const host = given.hostname;
  if (!isWeb && text.includes('://')) return { site: host, host, domain };
  return { site: given.protocol === 'http:' ? given.origin : given.host, host, domain };
}

/** Parts addresses that are kept with every place from those that are too many. */
function partAddresses(all: readonly SeenAddress[]): Pick<ContactSite, 'addresses' | 'unevaluated'> {
  const places = Map.groupBy(all, ({ email }) => email.toLowerCase());
  const addresses: SeenAddress[] = [];
  const unevaluated: string[] = [];
  for (const [email, seen] of places) {
    const distinct = [...new Map(seen.map((place) => [place.near, place])).values()];
    // One place that is left out may be the one that says whose it is.
    if (addresses.length + distinct.length > PLACES_MAX) unevaluated.push(email);
    else addresses.push(...distinct);
  }
  return { addresses, unevaluated };
}

function nothingAt(domain: string): Omit<ContactSite, 'failure'> {
  return { domain, addresses: [], unevaluated: [], pattern: null, numbers: [], names: new Map() };
}

/** @throws what is no fault of the site: an address that must not be read, a mistake of ours */
function failureOf(error: unknown): OutboundError {
  if (error instanceof OutboundError && error.fault !== 'refused') return error;
  const late = tooSlow(error);
  if (late) return late;
  throw error;
}

/** @returns null for anything but a time that was up */
function tooSlow(error: unknown): OutboundError | null {
  return (error as Error).name === 'TimeoutError'
    ? new OutboundError('too slow', 'The site took too long to answer.', error)
    : null;
}
