import { LRUCache } from 'lru-cache';
import { Piscina } from 'piscina';
import { THREAD_FLAGS } from '@quarry/resilience';
import type { OutboundClient } from './outbound.client.js';
import { OutboundError } from './outbound.error.js';
import { RobotsRules } from './robots-rules.js';
import type { RobotsFile } from './robots.worker.js';

// Source: RFC 9309, sections 2.4 (a copy is not used for more than a day) and 2.5 (at least 500 KiB are read).
const KEPT_MS = 60 * 60_000;
const BYTES_MAX = 512 * 1024;
const BYTES_KEPT = 16 * 1024 * 1024;
/** Memory of an empty file: ten thousand of them are cached. */
const FILE_BYTES = 1_600;
const TIMEOUT_MS = 10_000;
/** Maximum pause; sites that demand longer ones are read at this one. */
const PAUSE_MAX_MS = 10_000;
/** Time limit of parsing: the worst file takes some 10 ms; the rest is for a busy machine and the start of the thread. */
const PARSE_MS = 10_000;
const THREAD_IDLE_MS = 30_000;

/** Reads and caches the robots.txt of sites. */
export class Robots {
  private readonly rules = new LRUCache<string, Promise<RobotsRules>>({ maxSize: BYTES_KEPT, ttl: KEPT_MS });

  private thread: Piscina | null = null;

  /** @param product name by which sites address this program, e.g. `QuarryBot` */
  constructor(
    private readonly client: OutboundClient,
    private readonly product: string,
  ) {}

  /**
   * @returns milliseconds that the site demands between two requests, at most 10,000
   * @throws OutboundError `unwelcome` if the site does not allow the URL to be read
   */
  async checkAllowed(url: URL): Promise<number> {
    const rules = await this.rulesOf(url.origin);
    if (!rules.isAllowed(url))
      throw new OutboundError(
        'unwelcome',
        'The site does not allow programs to read this address (robots.txt).',
      );
    return Math.min((rules.delaySeconds ?? 0) * 1000, PAUSE_MAX_MS);
  }

  /** @returns the sitemaps that the site names. @throws OutboundError if it cannot be reached */
  async siteMaps(origin: string): Promise<readonly string[]> {
    return (await this.rulesOf(origin)).siteMaps;
  }

  private rulesOf(origin: string): Promise<RobotsRules> {
    const known = this.rules.get(origin);
    if (known) return known;
    const fetched = this.fetchRules(`${origin}/robots.txt`);
    this.rules.set(origin, fetched, { size: 1 });
    fetched.then(
      ({ bytes }) => this.rules.set(origin, fetched, { size: Math.max(bytes, FILE_BYTES) }),
      // A failure may be temporary, so it is not cached.
      () => this.rules.delete(origin),
    );
    return fetched;
  }

  /** @throws OutboundError if the site cannot be reached: then its pages cannot be read either */
  private async fetchRules(url: string): Promise<RobotsRules> {
    const { status, bytes } = await this.client.sendRequest({
      url,
      timeoutMs: TIMEOUT_MS,
      bytesMax: BYTES_MAX,
      canCut: true,
    });
    // Source: RFC 9309, section 2.3.1: without a file everything is allowed; while the server fails, nothing is.
    if (status >= 500) return RobotsRules.closed();
    return status === 200 ? this.parseRules(bytes.toString('utf8')) : RobotsRules.open();
  }

  /** Parses untrusted text in a thread with its own memory and time limit. @throws OutboundError if it exceeds them */
  private async parseRules(text: string): Promise<RobotsRules> {
    this.thread ??= new Piscina({
      // The TypeScript file, if the product runs from its sources.
      filename: new URL(`./robots.worker.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url)
        .href,
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: THREAD_IDLE_MS,
      execArgv: [...THREAD_FLAGS],
      resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 8 },
    });
    try {
      const file = (await this.thread.run(
        { text, product: this.product },
        { signal: AbortSignal.timeout(PARSE_MS) },
      )) as RobotsFile;
      return new RobotsRules(file);
    } catch (error) {
      throw new OutboundError('unreadable', 'The robots.txt of the site cannot be read.', error);
    }
  }

  async close(): Promise<void> {
    await this.thread?.destroy();
  }
}
