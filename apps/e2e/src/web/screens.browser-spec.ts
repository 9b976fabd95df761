import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOrganisation } from '@quarry/composition';
import { createLoginLink } from '@quarry/identity';
import { printMeasurement } from '@quarry/test-servers';
import type { Locator, Page } from 'playwright-core';
import { graveFindings, waitForTablePage, WebScene } from './web-scene.fixture.js';

/** Screens with words that they show once loaded. */
const SCREENS: ReadonlyArray<readonly [string, string]> = [
  ['/app/runs', 'What are you looking for?'],
  ['/app/monitors', 'No monitors yet'],
  ['/app/tables', 'Workspace'],
  ['/app/sequences', 'No sequences yet'],
  ['/app/inbox', 'No replies yet'],
  ['/app/approvals', 'Nothing to approve'],
  ['/app/batches', 'Find a work e-mail'],
  ['/app/services', 'Enrich a company'],
  ['/app/services/enrichCompany', 'Copy as curl'],
  ['/app/services/getEmail', 'Copy as curl'],
  ['/app/settings/webhooks', 'No webhooks yet'],
  ['/app/settings/destinations', 'No destinations yet'],
  ['/app/go', 'Nothing researched yet'],
  ['/app/exclusions', 'Nothing is excluded'],
  ['/app/credits', 'Available'],
  ['/app/settings/keys', 'Last used'],
  ['/app/settings/providers', 'Hunter'],
  ['/app/settings/mailboxes', 'No mailboxes yet'],
  ['/app/settings/suppressions', 'No suppressions'],
  ['/app/settings/members', 'Invite'],
  ['/app/settings/sessions', 'this session'],
  ['/app/settings/audit', 'Action'],
  ['/app/settings/data', 'Erase a person'],
];

let scene: WebScene;

beforeAll(async () => {
  scene = await WebScene.start();
});
afterAll(() => scene.close());

describe.each(['light', 'dark'] as const)('every screen in %s', (colorScheme) => {
  let page: Page;

  beforeAll(async () => {
    page = await scene.openPage({ colorScheme });
    await page.goto('/app/login');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await graveFindings(page)).toEqual([]);
    await scene.signIn(page);
  });

  it.each(SCREENS)('%s loads and has no serious accessibility fault', async (path, words) => {
    await page.goto(path);
    await page.getByText(words, { exact: false }).first().waitFor();
    expect(await graveFindings(page)).toEqual([]);
  });

  it('a run with its steps and its table has none either, and shows what was paid for', async () => {
    await page.goto('/app/runs');
    await page.getByRole('link', { name: /8 marketing directors/ }).click();
    await page.getByRole('grid').waitFor();
    await page
      .getByRole('columnheader', { name: 'Work email' })
      .and(page.locator('[aria-colindex="4"]'))
      .waitFor();
    await page.getByText('Oliver Hughes').waitFor();
    await page.getByRole('list', { name: 'Steps' }).getByText('Find rows').waitFor();
    expect(await graveFindings(page)).toEqual([]);
  });
});

/** Buttons that open something over a table, with the element that shows it. */
const TABLE_TOOLS: ReadonlyArray<readonly [string, (page: Page) => Locator]> = [
  ['Filter', (page) => page.getByLabel('Value')],
  ['Sort', (page) => page.getByRole('dialog', { name: 'Sort' })],
  ['Columns', (page) => page.getByRole('checkbox', { name: 'Seniority' })],
  ['Export', (page) => page.getByRole('button', { name: 'Create file' })],
  ['Add column', (page) => page.getByRole('list', { name: 'Services' })],
];

describe.each(['light', 'dark'] as const)('dialogs over a screen in %s', (colorScheme) => {
  let page: Page;

  beforeAll(async () => {
    page = await scene.openPage({ colorScheme });
    await scene.signIn(page);
    await page.getByRole('link', { name: /8 marketing directors/ }).click();
    await page.getByRole('link', { name: 'Open table' }).click();
    await waitForTablePage(page);
    await page.getByText('Oliver Hughes').waitFor();
  });

  it.each(TABLE_TOOLS)('%s has no serious accessibility fault', async (name, shown) => {
    await page.getByRole('button', { name, exact: true }).click();
    await shown(page).first().waitFor();
    expect(await graveFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await shown(page).first().waitFor({ state: 'detached' });
  });

  it('neither have plan, import, batch as a table, invitation and unknown page', async () => {
    await page.goto('/app/runs?prompt=20 banks in Berlin and a purple dinosaur');
    await page.getByRole('button', { name: 'Show plan' }).click();
    await page.getByRole('list', { name: 'Not understood' }).waitFor();
    expect(await graveFindings(page)).toEqual([]);
    await page.goto('/app/tables');
    await page.getByRole('button', { name: 'Import' }).click();
    await page
      .getByLabel('File', { exact: true })
      .setInputFiles({
        name: 'a.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from('Company,Staff\nGlobex,9\n'),
      });
    await page.getByRole('region', { name: 'Preview' }).getByText('Globex').first().waitFor();
    expect(await graveFindings(page)).toEqual([]);
    await page.goto('/app/batches');
    await page
      .getByRole('main')
      .getByRole('link', { name: /Find a work e-mail/ })
      .first()
      .click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await graveFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Create a table' }).click();
    await page.getByRole('grid').waitFor();
    await page.getByRole('columnheader', { name: 'Job status' }).first().waitFor();
    for (const path of ['/app/invitation#none', '/app/nothing']) {
      await page.goto(path);
      await page.getByRole('heading').first().waitFor();
      expect({ path, findings: await graveFindings(page) }).toEqual({ path, findings: [] });
    }
  });
});

describe('a first visit', () => {
  it('loads at most 160 kB of compressed scripts and styles, including the page after sign-in', async () => {
    const page = await scene.openPage();
    await scene.signIn(page);
    // The files of the sign-in page are in the browser's cache; after a reload, all resources of the page are listed.
    await page.reload();
    await page.getByText('Recent', { exact: true }).waitFor();
    const bytes = await page.evaluate(
      `performance.getEntriesByType('resource').filter(({ name }) => /\\.(js|css)$/.test(name))
         .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`,
    );
    printMeasurement(`first load: ${(bytes as number) / 1000} kB of scripts and styles`);
    // More than the framework alone, so that an empty measurement cannot pass.
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThanOrEqual(160_000);
  });
});

/** Number of pixels by which the page or its scrolling part is wider than the screen. */
const OVERHANG = `Math.max(document.documentElement.scrollWidth, document.querySelector('main').scrollWidth) - innerWidth`;

describe('a small screen', () => {
  it('hides the navigation behind “Menu”, and nothing overflows sideways', async () => {
    const page = await scene.openPage({ viewport: { width: 390, height: 780 } });
    await scene.signIn(page);
    const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Services' });
    expect(await link.isVisible()).toBe(false);
    await page.route('**/credits', (route) =>
      route.fulfill({
        json: { remaining: 1_234_567.891, reserved: 0, balance: 1_234_567.891, updated_at: '' },
      }),
    );
    await page.reload();
    await page.getByRole('link', { name: '1,234,567.891 credits' }).waitFor();
    await page.setViewportSize({ width: 320, height: 780 });
    await page.unroute('**/credits');
    await page.reload();
    const credits = page.getByRole('link', { name: /^[\d,.]+ credits$/ });
    await credits.waitFor();
    expect(await credits.evaluate((link) => `${link.scrollWidth - link.clientWidth}`)).toBe('0');
    await page.setViewportSize({ width: 390, height: 780 });
    const lines = await page.evaluate(
      `Array.from(document.querySelectorAll('header button'), (each) => each.getBoundingClientRect().height)`,
    );
    // Two lines of 13 px would take 39 px.
    expect(Math.max(...(lines as number[]))).toBeLessThan(36);
    await page.getByRole('button', { name: 'Menu' }).click();
    await link.click();
    await page.waitForURL('**/app/services');
    for (const [path, words] of SCREENS) {
      await page.goto(path);
      await page.getByText(words, { exact: false }).first().waitFor();
      const overhang = await page.evaluate(OVERHANG);
      expect({ path, overhang }).toEqual({ path, overhang: 0 });
    }
    await page.goto('/app/settings/members');
    const role = await page.getByLabel(/^Role of/).boundingBox();
    expect(role!.x + role!.width).toBeLessThan(390);
    await page.goto('/app/runs');
    await page.getByRole('link', { name: /8 marketing directors/ }).click();
    await page.getByText('Oliver Hughes').waitFor();
    expect(await page.evaluate(OVERHANG)).toBe(0);
    // The heading shows the whole prompt.
    expect(
      await page.evaluate(
        `(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)(document.querySelector('h1'))`,
      ),
    ).toBe(0);
    await page.getByRole('link', { name: 'Open table' }).click();
    await waitForTablePage(page);
    await page.getByText('Oliver Hughes').waitFor();
    expect(await page.evaluate(OVERHANG)).toBe(0);
    // A screen of 1280 by 1024 at a zoom of 400 %.
    await page.setViewportSize({ width: 320, height: 256 });
    expect((await page.getByRole('grid').boundingBox())!.height).toBeGreaterThan(150);
  });
});

describe('keyboard focus', () => {
  it('stays near a removed item, stays on a busy button, and moves to a page that opens', async () => {
    const page = await scene.openPage();
    await scene.signIn(page);
    const hasFocus = (selector: string) => page.locator(`${selector}:focus`).waitFor();
    await page.goto('/app/runs?prompt=20 banks in Berlin');
    await page.route('**/v1/plans', async (route) => {
      await page.locator('[aria-busy=true]').first().waitFor();
      await route.continue();
    });
    await page.getByRole('button', { name: 'Show plan' }).press('Enter');
    const remove = page.getByRole('button', { name: 'Remove Place: Berlin' });
    await remove.waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Show plan');
    await page.getByRole('button', { name: 'Place: Berlin', exact: true }).press('Enter');
    await page.getByLabel('Words for Place: Berlin').press('Escape');
    await hasFocus('[title="Change these words"]');
    await remove.press('Enter');
    await remove.waitFor({ state: 'detached' });
    await hasFocus('[aria-label^="Remove Industry"]');
    await page.getByRole('link', { name: /8 marketing directors/ }).press('Enter');
    await page.getByRole('grid').waitFor();
    await hasFocus('#main');
    // A field of the dialog takes the focus before the dialog stores the previously focused element.
    await page.goto('/app/settings/keys');
    await page.getByRole('button', { name: 'Create API key' }).press('Enter');
    await page.locator('[name=name]:focus').press('Escape');
    await page.locator('button:focus').getByText('Create API key').waitFor();
    await page.locator('button:focus').press('Enter');
    await page.locator('[name=name]:focus').pressSequentially('Mine');
    await page.keyboard.press('Escape');
    await page.getByText('Discard what you have typed?').waitFor();
    await page.locator('button:focus').getByText('Keep editing').press('Enter');
    expect(await page.locator('[name=name]').inputValue()).toBe('Mine');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.locator('[name=name]').waitFor({ state: 'detached' });
    expect(await page.title()).toBe('API keys · Settings · Quarry');
    await page.goto('/app/settings/nope');
    await page.getByText('Page not found').waitFor();
  });
});

describe('the documentation page', () => {
  it('shows each operation for curl, TypeScript and the command line, and needs no other server', async () => {
    const page = await scene.openPage();
    const others: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(scene.product.baseUrl) && !request.url().startsWith('data:'))
        others.push(request.url());
    });
    await page.goto('/docs');
    await page.locator('#operations-Runs-createRun .opblock-summary-control').first().click();
    const samples = page.getByRole('group', { name: 'Samples' });
    await samples.getByText(`curl -X POST '${scene.product.baseUrl}/v1/runs'`).waitFor();
    await samples.getByText('await quarry.runs.create({').waitFor();
    await samples.getByText("quarry run '20 fintech companies").waitFor();
    expect(others).toEqual([]);
  });
});

describe('URLs', () => {
  it('lead from the front page to the application, and to any page after a sign-in', async () => {
    const page = await scene.openPage();
    await page.goto('/');
    await page.waitForURL('**/app/login**');
    await page.goto('/app/settings/sessions');
    await page.waitForURL('**/app/login**');
    const { email, password } = scene.owner;
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL('**/app/settings/sessions');
  });

  it('do not switch the browser to another account unnoticed', async () => {
    const page = await scene.openPage();
    await scene.signIn(page);
    const { database } = scene.product.database!;
    const made = await createOrganisation(database, { name: 'Others', credits: 10 });
    const { link } = await createLoginLink(database, `${scene.product.baseUrl}/app`, made.email);
    await page.goto(link);
    await page
      .getByText(`signed the browser in as ${made.email} of Others. Before, it was ${scene.owner.email}`)
      .waitFor();
    expect(await graveFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Continue with this account' }).click();
    await page.waitForURL('**/app/runs');
    const { link: again } = await createLoginLink(database, `${scene.product.baseUrl}/app`, made.email);
    await page.goto(again);
    await page.waitForURL('**/app/runs');
    await page.getByText('Others', { exact: true }).waitFor();
  });

  it('sign in by the printed link once, and explain a used one', async () => {
    const page = await scene.openPage();
    await page.route('**/app/api/session', (route) => route.abort());
    await page.goto(scene.printedLink);
    await page.getByText('Quarry cannot be reached').waitFor();
    await page.unroute('**/app/api/session');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.waitForURL('**/app/runs');
    expect(page.url()).not.toContain('#');
    await page.goto('/app/tables');
    await page.goto(scene.printedLink);
    await page.waitForURL('**/app/runs');
    const other = await scene.openPage();
    await other.goto(scene.printedLink);
    const alert = other.getByRole('alert');
    await alert.getByText('This link has been used').getByText('user:login-link').waitFor();
    await other.getByLabel('E-mail').fill(scene.owner.email);
    await other.getByLabel('Password').fill('of somebody else');
    await other.getByRole('button', { name: 'Sign in' }).click();
    await alert.getByText('The e-mail or the password is wrong').waitFor();
  });
});
