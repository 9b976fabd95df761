import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { KeyedSemaphore } from '@quarry/resilience';
import { GuardedProxy, OutboundError, readingOrganisation, type AddressGuard } from '@quarry/safe-http';
import type { Browser } from 'playwright-core';
import type { ReadPage } from './page.js';

// A service within a request has 30 seconds, in which the page is also fetched and parsed.
const TOTAL_MS = 15_000;
/** Longest wait for the scripts of a page to become idle. */
const QUIET_MS = 5_000;
const BYTES_MAX = 20_000_000;
const HTML_MAX = 2_000_000;
/** Maximum number of browsers; about 200 MB each. */
const BROWSERS_MAX = 2;
/** Maximum number of browsers of one organisation, so that its slow pages leave a browser for others. */
const BROWSERS_OF_ONE_MAX = 1;
/** Longest wait for a browser. Together with the time of a page it is shorter than a request. */
const WAIT_MS = 10_000;
/** Paths where packages of Debian, Red Hat, Google and Apple install it. */
const USUAL_PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];
/** Resource types that are not loaded: not needed for text, and most of a page's bytes. */
const LEFT_OUT = new Set(['image', 'media', 'font']);

export interface RendererOptions {
  /** Path of the program; if omitted, the usual ones are tried. */
  path?: string | null;
  /** True to use the browser's own sandbox. It does not work when the process runs as root. */
  isSandboxed?: boolean;
}

/**
 * Runs the scripts of pages in the operator's Chromium: a new browser for each page, without this process's environment,
 * which reaches the network only through a {@link GuardedProxy}.
 */
export class PageRenderer {
  private readonly places = new KeyedSemaphore({ size: BROWSERS_MAX, each: BROWSERS_OF_ONE_MAX });

  private constructor(
    private readonly guard: AddressGuard,
    private readonly userAgent: string,
    private readonly path: string,
    private readonly isSandboxed: boolean,
  ) {}

  /** @returns null when there is no browser */
  static findBrowser(
    guard: AddressGuard,
    userAgent: string,
    { path = null, isSandboxed = true }: RendererOptions,
  ): PageRenderer | null {
    const program = path ?? USUAL_PLACES.find((place) => existsSync(place));
    return program === undefined ? null : new PageRenderer(guard, userAgent, program, isSandboxed);
  }

  /**
   * @param url web address that may be read
   * @returns the final address of the page, and its HTML after its scripts have run
   * @throws OutboundError
   * @throws the signal's reason when it fires
   */
  async renderPage(
    url: string,
    signal: AbortSignal,
  ): Promise<Pick<ReadPage, 'url' | 'status' | 'headers' | 'html'>> {
    const leave = await this.places
      .enter(readingOrganisation(), AbortSignal.any([signal, AbortSignal.timeout(WAIT_MS)]))
      .catch((error: unknown) => {
        signal.throwIfAborted();
        throw new OutboundError('too slow', 'All browsers are busy. Try again in a moment.', error);
      });
    const time = AbortSignal.timeout(TOTAL_MS);
    let proxy: GuardedProxy | null = null;
    let browser: Browser | null = null;
    const stop = AbortSignal.any([signal, time]);
    const end = (): void => void browser?.close().catch(() => undefined);
    stop.addEventListener('abort', end, { once: true });
    try {
      proxy = await GuardedProxy.open(this.guard, BYTES_MAX);
      browser = await this.launchBrowser(proxy);
      stop.throwIfAborted();
      return await this.loadPage(browser, url);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof OutboundError) throw error;
      if (time.aborted) throw new OutboundError('too slow', 'The page took too long to render.', error);
      if (proxy?.isSpent)
        throw new OutboundError('too large', `The page loads more than ${BYTES_MAX} bytes.`, error);
      throw new OutboundError('unreadable', 'The page could not be rendered.', error);
    } finally {
      stop.removeEventListener('abort', end);
      await browser?.close().catch(() => undefined);
      proxy?.close();
      leave();
    }
  }

  private async launchBrowser({ url, username, password }: GuardedProxy): Promise<Browser> {
    // Loaded with the first page: it is a tenth of the modules of a process, and most processes never render one.
    const { chromium } = await import('playwright-core');
    try {
      return await chromium.launch({
        executablePath: this.path,
        chromiumSandbox: this.isSandboxed,
        // Requests to this machine also go through the proxy, which refuses them.
        proxy: { server: url, bypass: '<-loopback>', username, password },
        args: [
          // Prevents DNS lookups and packets that bypass the proxy.
          '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
          '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
          '--disable-quic',
          '--dns-prefetch-disable',
          '--disable-background-networking',
        ],
        env: { HOME: tmpdir() },
        timeout: TOTAL_MS,
      });
    } catch (error) {
      throw new OutboundError('unreachable', 'The browser could not be started.', error);
    }
  }

  private async loadPage(
    browser: Browser,
    url: string,
  ): Promise<Pick<ReadPage, 'url' | 'status' | 'headers' | 'html'>> {
    const context = await browser.newContext({
      userAgent: this.userAgent,
      acceptDownloads: false,
      serviceWorkers: 'block',
      permissions: [],
    });
    const page = await context.newPage();
    context.on('page', (other) => void (other === page || other.close().catch(() => undefined)));
    await context.route('**/*', (route) =>
      LEFT_OUT.has(route.request().resourceType()) ? route.abort() : route.continue(),
    );
    const response = await page.goto(url, { waitUntil: 'load', timeout: 0 });
    await page.waitForLoadState('networkidle', { timeout: QUIET_MS }).catch(() => undefined);
    const html = (await page.content()).slice(0, HTML_MAX);
    const end = new URL(page.url());
    if (!response || !/^https?:$/.test(end.protocol))
      throw new OutboundError('unreadable', 'The page leads to something that is not a page.');
    return { url: end.href, status: response.status(), headers: response.headers(), html };
  }
}
