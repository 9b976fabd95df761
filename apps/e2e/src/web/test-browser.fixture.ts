import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from 'playwright-core';

const PLACES = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/google-chrome'];
/** A name under which the browser finds this machine as another one of the network, without the trust that it has in localhost. */
export const OTHER_HOST = 'quarry.lan';
/** Chromium refuses to sandbox itself for root; what it would otherwise ask of other machines is switched off. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--host-resolver-rules=MAP ${OTHER_HOST} 127.0.0.1`,
];

/** Runs in the page before its own scripts. */
const REPORT_VIOLATIONS = `addEventListener('securitypolicyviolation', (event) =>
  reportToTest('content policy: ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample))`;

/** A page with what its browser reports of it. */
export interface WatchedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Violations of the content policy, errors that no code caught, and errors on the console, as they come. */
  readonly reports: string[];
}

/** A headless Chromium, and the pages in it, each with cookies of its own. */
export class TestBrowser {
  private constructor(private readonly browser: Browser) {}

  /**
   * Uses QUARRY_CHROMIUM, or what is installed; as root on Debian it installs what is missing.
   * @throws Error with what to install where there is no Chromium
   */
  static async start(): Promise<TestBrowser> {
    return new TestBrowser(await chromium.launch({ executablePath: findChromium(), args: ARGUMENTS }));
  }

  /** Opens an empty page in a context of its own, as another person's browser would be. */
  async openPage(options: BrowserContextOptions = {}): Promise<WatchedPage> {
    const context = await this.browser.newContext({
      viewport: { width: 1280, height: 800 },
      locale: 'en-US',
      ...options,
    });
    const reports: string[] = [];
    await context.exposeFunction('reportToTest', (report: string) => reports.push(report));
    await context.addInitScript({ content: REPORT_VIOLATIONS });
    const page = await context.newPage();
    page.on('pageerror', ({ message }) => reports.push(`uncaught: ${message}`));
    return { page, context, reports };
  }

  async close(): Promise<void> {
    await this.browser.close();
  }
}

function findChromium(): string {
  const named = process.env.QUARRY_CHROMIUM;
  if (named) return named;
  const installed = () => PLACES.find((path) => existsSync(path));
  const found = installed();
  if (found) return found;
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    try {
      execFileSync('apt-get', ['update', '-qq'], { stdio: 'ignore' });
      const command = ['install', '-y', '-qq', '--no-install-recommends', 'chromium-headless-shell'];
      execFileSync('apt-get', command, { stdio: 'ignore' });
    } catch {
      // The sentence below says what is missing, whatever apt found wrong.
    }
  }
  const path = installed();
  if (!path)
    throw new Error(
      'These specs need Chromium: install "chromium-headless-shell" or "chromium", or name one in QUARRY_CHROMIUM.',
    );
  return path;
}
