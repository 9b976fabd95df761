import { existsSync } from 'node:fs';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from 'playwright-core';
import { installDebianPackages } from '@quarry/test-servers';

const PLACES = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/google-chrome'];
/** Host name of this machine that the browser treats as another one, without the trust that localhost has. */
export const OTHER_HOST = 'quarry.lan';
/** Arguments of Chromium: no sandbox, because it refuses one for root, and no background requests to other machines. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--host-resolver-rules=MAP ${OTHER_HOST} 127.0.0.1`,
];

/** Script that runs in the page before its own scripts. */
const REPORT_VIOLATIONS = `addEventListener('securitypolicyviolation', (event) =>
  reportToTest('content policy: ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample))`;

/** A page with the reports of its browser. */
export interface WatchedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Violations of the content security policy, uncaught errors, and errors on the console, in order. */
  readonly reports: string[];
}

/** A headless Chromium and its pages, each with separate cookies. */
export class TestBrowser {
  private constructor(private readonly browser: Browser) {}

  /**
   * Starts the Chromium of QUARRY_CHROMIUM or an installed one; as root on Debian, installs it when it is missing.
   * @throws Error naming the package to install when there is no Chromium
   */
  static async start(): Promise<TestBrowser> {
    return new TestBrowser(await chromium.launch({ executablePath: findChromium(), args: ARGUMENTS }));
  }

  /** Opens an empty page in a separate context, like the browser of another person. */
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
    // A page may still read something while it is closed: the handler of its request would fail every test of the file.
    const pages = this.browser.contexts().flatMap((context) => context.pages());
    await Promise.all(pages.map((page) => page.unrouteAll({ behavior: 'ignoreErrors' })));
    await this.browser.close();
  }
}

function findChromium(): string {
  const named = process.env.QUARRY_CHROMIUM;
  if (named) return named;
  const installed = () => PLACES.find((path) => existsSync(path));
  const found = installed();
  if (found) return found;
  installDebianPackages('chromium-headless-shell');
  const path = installed();
  if (!path)
    throw new Error(
      'These specs need Chromium: install "chromium-headless-shell" or "chromium", or name one in QUARRY_CHROMIUM.',
    );
  return path;
}
