import { OutboundError, type DnsClient } from '@quarry/outbound';
import type { PageReader } from '../pages/page-reader.js';
import type { ReadPage } from '../pages/page.js';
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
}

export interface DomainSearchParts {
  dns: DnsClient;
  reader: PageReader;
  /** Where the site of a domain is read; the domain itself when left out. */
  siteOf?: (domain: string) => string;
}

/** Finds the domain of a company by its name: domains that could be its own, and whose home page says that they are. */
export class DomainSearch {
  constructor(private readonly parts: DomainSearchParts) {}

  /**
   * @returns the best of the candidates; null when no site says that it is the company's
   * @throws OutboundError `unreachable` when name servers did not answer, and none of them knew a candidate
   */
  async find(name: string, signal: AbortSignal): Promise<FoundDomain | null> {
    const candidates = candidatesFor(name);
    const heard = await Promise.all(candidates.map((domain) => this.isNamed(domain)));
    const domains = candidates.filter((_, i) => heard[i] === true).slice(0, SITES_MAX);
    const silence = heard.find((each) => each instanceof OutboundError);
    if (domains.length === 0 && silence) throw silence;
    const time = AbortSignal.timeout(SITES_MS);
    const found = await Promise.all(
      domains.map((domain) => this.judged(domain, name, AbortSignal.any([signal, time]))),
    );
    signal.throwIfAborted();
    const [best, second] = found
      .filter((each) => each !== null)
      .sort((a, b) => RANK.indexOf(a.confidence) - RANK.indexOf(b.confidence));
    if (!best) return null;
    // Two companies may have one name, and only one of them was meant.
    const isContested =
      second !== undefined && second.confidence === best.confidence && second.page.url !== best.page.url;
    return isContested ? { ...best, confidence: best.confidence === 'high' ? 'medium' : 'low' } : best;
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

  private async judged(domain: string, name: string, signal: AbortSignal): Promise<FoundDomain | null> {
    try {
      const { siteOf = (each: string) => each } = this.parts;
      const page = await this.parts.reader.read(siteOf(domain), { signal });
      const confidence = page.status < 400 ? nameConfidence(page, name) : null;
      return confidence && { domain, confidence, page };
    } catch (error) {
      if (error instanceof OutboundError || signal.aborted) return null;
      throw error;
    }
  }
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
