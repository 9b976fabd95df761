import { registrableDomain } from '@quarry/dto';
import { OutboundError, type DnsClient } from '@quarry/outbound';
import { foldText } from '@quarry/directory';
import type { DomainSearch } from '../company/domain-search.js';
import { emailPatternOf, type SeenAddress } from '../company/email-pattern.js';
import { eachOnce, peopleAddresses, readPeoplePages } from '../company/people-pages.js';
import type { PageReader } from '../pages/page-reader.js';
import { numbersOf, type SiteNumbers } from './printed-numbers.js';
import { SharedAnswers } from './shared-answers.js';

/** People of one company come in one list: long enough for its end, and soon enough for a page that was changed. */
const KEPT_MS = 30 * 60_000;
/** Each keeps some 100 kB at most, as a rule a tenth of it. */
const SITES_KEPT = 500;
const COMPANIES_KEPT = 5_000;
/** For all pages of a site: what a slow service has, less the time of its mail server and of a vendor behind. */
const READ_MS = 30_000;
/** Places where one site shows addresses. */
const PLACES_MAX = 400;

/** What the pages of a company's site say of how its people can be reached. */
export interface ContactSite {
  /** Domain of its addresses. */
  domain: string;
  addresses: readonly SeenAddress[];
  /** By which its addresses are made; null where it shows none of a person. */
  pattern: string | null;
  numbers: SiteNumbers;
  /** Why nothing of it could be read; null where it was, or its pages may not be read or are none. */
  failure: OutboundError | null;
}

export interface ContactSitesParts {
  dns: DnsClient;
  reader: PageReader;
  search: DomainSearch;
}

/** Reads the sites of companies, each once for all of its people. */
export class ContactSites {
  private readonly sites = new SharedAnswers<{ site: ContactSite | null }>({
    max: SITES_KEPT,
    keptMs: KEPT_MS,
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
  async read(address: string, signal: AbortSignal): Promise<ContactSite | null> {
    const at = siteAt(address);
    if (at === null) return null;
    const { site } = await this.sites.get(
      at.site,
      async () => ({ site: await this.found(at) }),
      signal,
      // A site that could not be reached is asked again soon.
      (answer) => answer.site?.failure == null,
    );
    return site;
  }

  /**
   * @param name of a company
   * @returns its domain, where the home page gives itself this name; null where none does
   * @throws OutboundError `unreachable` when the name servers do not answer
   */
  async domainOf(name: string, signal: AbortSignal): Promise<string | null> {
    const { domain } = await this.companies.get(
      foldText(name),
      async () => ({ domain: await this.searched(name) }),
      signal,
    );
    return domain;
  }

  private async searched(name: string): Promise<string | null> {
    const found = await this.parts.search.find(name, AbortSignal.timeout(READ_MS)).catch((error: unknown) => {
      throw tooSlow(error) ?? error;
    });
    // A page that only mentions the name may be that of another company, whose mailboxes are no answer.
    return found && found.confidence !== 'low' ? found.page.url : null;
  }

  private async found({ site, host, domain }: SiteAddress): Promise<ContactSite | null> {
    const { dns, reader } = this.parts;
    // Asked first, since it is quick: where nobody answers it, no page would be found either.
    const takesMail = (await dns.mailServers(domain)).length > 0;
    if (!takesMail && (await dns.addresses(host)).length === 0) return null;
    try {
      const pages = await readPeoplePages(reader, site, AbortSignal.timeout(READ_MS));
      const addresses = peopleAddresses(pages, site);
      const { pattern, examples } = emailPatternOf(eachOnce(addresses));
      const [, shown = domain] = examples[0]?.split('@') ?? [];
      return {
        ...{ domain: shown, pattern, addresses: addresses.slice(0, PLACES_MAX) },
        ...{ numbers: numbersOf(pages), failure: null },
      };
    } catch (error) {
      return { ...nothingAt(domain), failure: failureOf(error) };
    }
  }
}

interface SiteAddress {
  /** As it is read: with its scheme and port where it was given with one. */
  site: string;
  host: string;
  domain: string;
}

function siteAt(address: string): SiteAddress | null {
  const text = address.trim();
  const url = URL.parse(/^https?:\/\//i.test(text) ? text : `https://${text}`);
  const domain = url && registrableDomain(url.hostname);
  if (!url || !domain) return null;
  const site = /^http:\/\//i.test(text) ? url.origin : url.host;
  return { site, host: url.hostname, domain };
}

function nothingAt(domain: string): Omit<ContactSite, 'failure'> {
  return { domain, addresses: [], pattern: null, numbers: { seen: [], ofCompany: new Set() } };
}

/** @returns what may pass; null for a site that does not want to be read, or whose address is no page, which says nothing */
function failureOf(error: unknown): OutboundError | null {
  if (error instanceof OutboundError) {
    if (error.fault === 'refused') throw error;
    return error.fault === 'unreachable' || error.fault === 'too slow' ? error : null;
  }
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
