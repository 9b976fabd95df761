import { OutboundError, type DnsClient } from '@quarry/safe-http';
import type { PageReader } from '../pages/page-reader.js';
import type { ReadPage } from '../pages/page.js';
import { refusalOf } from '../pages/site-pages.js';
import { nameConfidence, nameWords, type Confidence } from './company-name.js';

/** Domain suffixes, the most common ones of companies first. */
const SUFFIXES = ['com', 'io', 'co', 'net', 'org', 'ai', 'de', 'co.uk', 'fr', 'eu', 'app', 'dev', 'nl', 'ch'];
/** Maximum number of domains whose home page is read; all candidates are looked up in the DNS. */
const SITES_MAX = 6;
const SITES_MS = 15_000;
const RANK: readonly Confidence[] = ['high', 'medium', 'low'];

export interface FoundDomain {
  domain: string;
  confidence: Confidence;
  page: ReadPage;
  /** Reason why a more likely domain, which may be the company's own, could not be read; null when all were read. */
  unread: OutboundError | null;
}

type EvaluatedDomain = Omit<FoundDomain, 'unread'>;

export interface DomainSearchParts {
  dns: DnsClient;
  reader: PageReader;
  /** Returns the site of a domain; if omitted, the domain itself. */
  siteOf?: (domain: string) => string;
}

/** Finds the domain of a company by its name: checks candidate domains for a home page with that name. */
export class DomainSearch {
  constructor(private readonly parts: DomainSearchParts) {}

  /**
   * @returns the best candidate; null when no site is recognised as the company's
   * @throws OutboundError `unreachable` when name servers did not respond and no candidate exists; `unreachable` or `too
   *   slow` when a more likely candidate could not be reached and no other is the company's with high confidence
   */
  async findDomain(name: string, signal: AbortSignal): Promise<FoundDomain | null> {
    const candidates = candidatesFor(name);
    const heard = await Promise.all(candidates.map((domain) => this.isNamed(domain)));
    const domains = candidates.filter((_, i) => heard[i] === true).slice(0, SITES_MAX);
    const silence = heard.find((each) => each instanceof OutboundError);
    if (domains.length === 0 && silence) throw silence;
    const time = AbortSignal.timeout(SITES_MS);
    const heardOf = await Promise.all(
      domains.map((domain) => this.evaluateDomain(domain, name, AbortSignal.any([signal, time]))),
    );
    signal.throwIfAborted();
    const [best, second] = heardOf
      .filter((each): each is EvaluatedDomain => each !== null && !(each instanceof OutboundError))
      .sort((a, b) => RANK.indexOf(a.confidence) - RANK.indexOf(b.confidence));
    const likelier = best ? heardOf.slice(0, domains.indexOf(best.domain)) : heardOf;
    const unread = likelier.find((each) => each instanceof OutboundError) ?? null;
    if (unread && best?.confidence !== 'high') throw unread;
    if (!best) return null;
    // Two companies may have the same name; it is unknown which one is meant.
    const isContested =
      second !== undefined && second.confidence === best.confidence && second.page.url !== best.page.url;
    const confidence = !isContested ? best.confidence : best.confidence === 'high' ? 'medium' : 'low';
    return { ...best, confidence, unread };
  }

  /** @returns whether the domain has an address, or the error when the DNS does not respond */
  private async isNamed(domain: string): Promise<boolean | OutboundError> {
    try {
      return await this.parts.dns.hasAddress(domain);
    } catch (error) {
      if (error instanceof OutboundError) return error;
      throw error;
    }
  }

  /** @returns the evaluated home page; null when it does not match the name; the error when it could not be reached */
  private async evaluateDomain(
    domain: string,
    name: string,
    signal: AbortSignal,
  ): Promise<EvaluatedDomain | OutboundError | null> {
    try {
      const { siteOf = (each: string) => each } = this.parts;
      const page = await this.parts.reader.readPage(siteOf(domain), { signal });
      const confidence = page.status < 400 ? nameConfidence(page, name) : null;
      return confidence ? { domain, confidence, page } : ifPassing(refusalOf(page));
    } catch (error) {
      if (error instanceof OutboundError) return ifPassing(error);
      if (signal.aborted) return new OutboundError('too slow', 'The site took too long to answer.', error);
      throw error;
    }
  }
}

/** Returns only temporary errors: a retry does not help when a site rejects robots. */
function ifPassing(error: OutboundError | null): OutboundError | null {
  return error?.fault === 'unreachable' || error?.fault === 'too slow' ? error : null;
}

/**
 * @returns domains that a company with this name could have, likely ones first. A name that is a domain is the only
 *   candidate.
 */
export function candidatesFor(name: string): string[] {
  if (/^[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z]{2,}$/i.test(name.trim())) return [name.trim().toLowerCase()];
  const words = nameWords(name)
    .map((word) => word.replace(/&/g, 'and').replace(/[^a-z0-9]/g, ''))
    .filter(Boolean);
  const labels = [...new Set([words.join(''), words.join('-')])].filter((label) =>
    /^[a-z0-9-]{2,63}$/.test(label),
  );
  return SUFFIXES.flatMap((suffix) => labels.map((label) => `${label}.${suffix}`));
}
