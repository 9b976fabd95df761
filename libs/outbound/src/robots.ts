import { LRUCache } from 'lru-cache';
import robotsParser from 'robots-parser';
import type { OutboundClient } from './outbound.client.js';
import { OutboundError } from './outbound.error.js';

// Source: RFC 9309, sections 2.4 (a copy is not used for more than a day) and 2.5 (at least 500 KiB are read).
const KEPT_MS = 60 * 60_000;
const BYTES_MAX = 512 * 1024;
const ORIGINS_KEPT = 10_000;
const TIMEOUT_MS = 10_000;
/** A site that asks for longer pauses is read at this one. */
const PAUSE_MAX_MS = 10_000;

interface Rules {
  isAllowed(url: string, product: string): boolean | undefined;
  /** Seconds. */
  getCrawlDelay(product: string): number | undefined;
  getSitemaps(): string[];
}

// The package is CommonJS, and its types say that it is not.
const parseRules = robotsParser as unknown as (url: string, text: string) => Rules;

/** What sites ask of programs that read them. */
export class Robots {
  private readonly rules = new LRUCache<string, Promise<Rules>>({ max: ORIGINS_KEPT, ttl: KEPT_MS });

  /** @param product name under which sites address this program, e.g. `QuarryBot` */
  constructor(
    private readonly client: OutboundClient,
    private readonly product: string,
  ) {}

  /**
   * @returns milliseconds that the site wants between two requests, at most 10,000
   * @throws OutboundError `unwelcome` when the site does not want the address to be read
   */
  async judge(url: URL): Promise<number> {
    const rules = await this.rulesOf(url.origin);
    if (rules.isAllowed(url.href, this.product) === false)
      throw new OutboundError('unwelcome', 'The site asks programs not to read this address (robots.txt).');
    return Math.min((rules.getCrawlDelay(this.product) ?? 0) * 1000, PAUSE_MAX_MS);
  }

  /** @returns the site maps that the site names. @throws OutboundError when it cannot be reached */
  async siteMaps(origin: string): Promise<string[]> {
    return (await this.rulesOf(origin)).getSitemaps();
  }

  private rulesOf(origin: string): Promise<Rules> {
    const known = this.rules.get(origin);
    if (known) return known;
    const asked = this.ask(`${origin}/robots.txt`);
    this.rules.set(origin, asked);
    // A failure may be over at the next request, so that it is not kept.
    asked.catch(() => this.rules.delete(origin));
    return asked;
  }

  /** @throws OutboundError when the site cannot be reached: then it cannot be read either */
  private async ask(url: string): Promise<Rules> {
    const { status, bytes } = await this.client.ask({
      url,
      timeoutMs: TIMEOUT_MS,
      bytesMax: BYTES_MAX,
      canCut: true,
    });
    // Source: RFC 9309, section 2.3.1: without a file all is allowed; while the server fails, nothing is.
    if (status >= 500) return parseRules(url, 'User-agent: *\nDisallow: /');
    return parseRules(url, status === 200 ? bytes.toString('utf8') : '');
  }
}
