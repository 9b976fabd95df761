import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from '@jest/globals';
import type { RunJson } from '@quarry/dto';
import { ApiClient, startProduct, type Product } from '@quarry/testing';
import type { BrowserContextOptions, Page, Route } from 'playwright-core';
import { TestBrowser, type WatchedPage } from './test-browser.fixture.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Fields of a finding of the accessibility checker. */
interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly nodes: ReadonlyArray<{ readonly html: string }>;
}

/** Prompt of the run that `npm start` begins with: pages show it and its table. */
const SAMPLE_PROMPT =
  '8 marketing directors at software or fintech companies in the United States, with work e-mail';

/** The product, and a browser that uses it. */
export class WebScene {
  private readonly pages: WatchedPage[] = [];

  private constructor(
    readonly product: Product,
    private readonly browser: TestBrowser,
  ) {}

  static async start(env: Record<string, string> = {}): Promise<WebScene> {
    const [product, browser] = await Promise.all([
      startProduct({ env: { RATE_LIMIT_SCALE: '20', ...env } }),
      TestBrowser.start(),
    ]);
    await makeSampleRun(product);
    return new WebScene(product, browser);
  }

  /** @returns a page of a fresh browser */
  async openPage(options: BrowserContextOptions = {}): Promise<Page> {
    const watched = await this.browser.openPage({ baseURL: this.product.baseUrl, ...options });
    this.pages.push(watched);
    return watched.page;
  }

  /** Signs in through the page, by default as the owner of the demonstration organisation. */
  async signIn(page: Page, { email, password } = this.owner): Promise<void> {
    await page.goto('/app/login');
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL('**/app/runs');
  }

  get owner(): { email: string; password: string } {
    const { email, password } = this.product.credentials as Record<string, string>;
    return { email: email!, password: password! };
  }

  /** Returns the link that the product has printed for the first visit. */
  get printedLink(): string {
    return /http\S+\/app\/login#\S+/.exec(this.product.output())![0];
  }

  /** Stops everything. @throws when a page violated the content security policy or threw an error */
  async close(): Promise<void> {
    const reports = this.pages.flatMap((each) => each.reports);
    await this.browser.close();
    await this.product.dispose();
    expect(reports).toEqual([]);
  }
}

/** Makes the sample run where the product has none: a fleet begins without it. */
async function makeSampleRun({ baseUrl, credentials }: Product): Promise<void> {
  const api = new ApiClient(baseUrl, credentials.api_key);
  const { body } = await api.get<{ items: unknown[] }>('/v1/runs');
  if (body.items.length === 0)
    await api.runEnd((await api.post<RunJson>('/v1/runs', { prompt: SAMPLE_PROMPT })).body);
}

/**
 * Waits for the page of a table, not only for its address: the address changes before the previous page is removed, and that page
 * may have a grid with the same rows.
 */
export async function waitForTablePage(page: Page): Promise<void> {
  await page.waitForURL('**/app/tables/tbl_*');
  await page.getByRole('toolbar', { name: 'Table' }).waitFor();
}

/** Cuts the connection of the next request to a path that is no read after the server has carried it out. */
export async function loseAnswer(page: Page, path: RegExp): Promise<void> {
  let isLost = false;
  await page.route(path, async (route: Route): Promise<void> => {
    if (isLost || route.request().method() === 'GET') return route.fallback();
    isLost = true;
    await route.fetch();
    await route.abort();
  });
}

/** @returns the serious findings of the accessibility checker on a page: rule and first element */
export async function graveFindings(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const findings = (await page.evaluate(
    'axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations)',
  )) as Finding[];
  return findings
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)}`);
}
