import { OutboundError, type DnsClient } from '@quarry/safe-http';
import type { PageReader } from '../pages/page-reader.js';
import type { ReadPage } from '../pages/page.js';
import { refusalOf } from '../pages/site-pages.js';
import { nameConfidence, nameWords, type Confidence } from './company-name.js';

/** Suffixes in the order in which companies take them. */
const SUFFIXES = ['com', 'io', 'co', 'net', 'org', 'ai', 'de', 'co.uk', 'fr', 'eu', 'app', 'dev', 'nl', 'ch'];
/** Domains whose home page is read; all candidates are asked of name servers. */
const SITES_MAX = 6;
const SITES_MS = 15_000;
const RANK: readonly Confidence[] = ['high', 'medium', 'low'];

export interface FoundDomain {
  domain: string;
  confidence: Confidence;
  page: ReadPage;
  /** Why a likelier domain could not be read, which may be the company's own; null where all were. */
  unread: OutboundError | null;
}

type EvaluatedDomain = Omit<FoundDomain, 'unread'>;

export interface DomainSearchParts {
  dns: DnsClient;
  reader: PageReader;
  /** Returns the site of a domain; the domain itself when left out. */
  siteOf?: (domain: string) => string;
}

/** Finds the domain of a company by its name: domains that could be its own, and whose home page says that they are. */
export class DomainSearch {
  constructor(private readonly parts: DomainSearchParts) {}

  /**
   * @returns the best of the candidates; null when no site says that it is the company's
   * @throws OutboundError `unreachable` when name servers did not answer, and none of them knew a candidate; `unreachable` or `too slow` when
   *   a likelier candidate could not be reached and no other is the company's with high confidence
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
    // Two companies may have one name, and only one of them was meant.
    const isContested =
      second !== undefined && second.confidence === best.confidence && second.page.url !== best.page.url;
    const confidence = !isContested ? best.confidence : best.confidence === 'high' ? 'medium' : 'low';
    return { ...best, confidence, unread };
  }

  /** @returns whether there is such a name, or why nobody says */
  private async isNamed(domain: string): Promise<boolean | OutboundError> {
    try {
      return await this.parts.dns.hasAddress(domain);
    } catch (error) {
      if (error instanceof OutboundError) return error;
      throw error;
    }
  }

  /** @returns what its home page says, null where that is nothing; why it could not be reached */
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

/** A site that wants no readers is not asked again in vain; what says nothing today may tomorrow. */
function ifPassing(error: OutboundError | null): OutboundError | null {
  return error?.fault === 'unreachable' || error?.fault === 'too slow' ? error : null;
}

/** @returns domains that a company of this name could have, the likely ones first. A name that is a domain is the only one. */
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
