import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { graveFindings, WebScene } from './web-scene.fixture.js';

/** Each screen with words that stand on it once it has loaded. */
const SCREENS: ReadonlyArray<readonly [string, string]> = [
  ['/app/runs', 'What are you looking for?'],
  ['/app/tables', 'Workspace'],
  ['/app/batches', 'getEmail'],
  ['/app/services', 'Enrich a company'],
  ['/app/services/enrichCompany', 'Copy as curl'],
  ['/app/services/getEmail', 'Copy as curl'],
  ['/app/go', 'Nothing researched yet'],
  ['/app/exclusions', 'Nothing is excluded'],
  ['/app/credits', 'Can be spent'],
  ['/app/settings/keys', 'Last used'],
  ['/app/settings/providers', 'Hunter'],
  ['/app/settings/members', 'Invite'],
  ['/app/settings/sessions', 'this one'],
  ['/app/settings/audit', 'Did'],
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

  it.each(SCREENS)('%s loads and has no grave fault of accessibility', async (path, words) => {
    await page.goto(path);
    await page.getByText(words, { exact: false }).first().waitFor();
    expect(await graveFindings(page)).toEqual([]);
  });

  it('a run with its steps and its table does as well', async () => {
    await page.goto('/app/runs');
    await page.getByRole('link', { name: /8 marketing directors/ }).click();
    await page.getByRole('grid').waitFor();
    await page.getByText('Oliver Hughes').waitFor();
    await page.getByRole('list', { name: 'Steps' }).getByText('Find rows').waitFor();
    expect(await graveFindings(page)).toEqual([]);
  });
});

describe('a small screen', () => {
  it('keeps the navigation behind “Menu”, and nothing sticks out sideways', async () => {
    const page = await scene.openPage({ viewport: { width: 390, height: 780 } });
    await scene.signIn(page);
    const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Services' });
    expect(await link.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Menu' }).click();
    await link.click();
    await page.waitForURL('**/app/services');
    for (const [path, words] of SCREENS) {
      await page.goto(path);
      await page.getByText(words, { exact: false }).first().waitFor();
      const overhang = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      expect({ path, overhang }).toEqual({ path, overhang: 0 });
    }
  });
});

describe('addresses', () => {
  it('lead from the front page to the application, and anywhere into it after a sign-in', async () => {
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

  it('sign in by the printed link once, and say what to do with a used one', async () => {
    const page = await scene.openPage();
    await page.goto(scene.printedLink);
    await page.waitForURL('**/app/runs');
    expect(page.url()).not.toContain('#');
    const other = await scene.openPage();
    await other.goto(scene.printedLink);
    await other.getByRole('alert').getByText('user:login-link').waitFor();
  });
});
