import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@quarry/test-servers';
import { ApiClient } from '@quarry/testing';
import type { Page } from 'playwright-core';
import { graveFindings, waitForTablePage, WebScene } from './web-scene.fixture.js';

/** Pages with words that they show; a viewer finds no buttons for changes on them. */
const READ_BY_VIEWERS: ReadonlyArray<readonly [string, string | RegExp]> = [
  ['/app/monitors', 'No monitors yet'],
  ['/app/tables', 'Workspace'],
  ['/app/sequences', 'No sequences yet'],
  ['/app/batches', 'Find a work e-mail'],
  ['/app/services/enrichCompany', 'Your role is read-only'],
  ['/app/go', 'Nothing researched yet'],
  ['/app/exclusions', 'Since'],
  ['/app/settings/keys', 'You have no keys'],
  ['/app/settings/providers', 'Hunter'],
  ['/app/settings/webhooks', 'No webhooks yet'],
  ['/app/settings/mailboxes', 'No mailboxes yet'],
  ['/app/settings/suppressions', 'No suppressions'],
  ['/app/settings/members', 'Your role does not allow this'],
  ['/app/settings/audit', 'Your role does not allow this'],
  ['/app/settings/data', 'Data retention'],
];
const CHANGES =
  /^(Import|New |Write |Start |Try it|Research|Preview|Remove|Create|Set key|Add|Connect|Invite|Erase|Revoke)/;

let scene: WebScene;
let page: Page;

beforeAll(async () => {
  scene = await WebScene.start();
  page = await scene.openPage();
});
afterAll(() => scene.close());

/** Text that a person enters and others see: none of it may ever run, and a file may not contain a formula. */
const HOSTILE = `<img src=x onerror="reportToTest('script ran')">=1+1`;

/** Returns the rendered rows of a grid that contain a text. */
const columnOf = (name: string) => page.getByRole('grid').getByRole('row').filter({ hasText: name });

describe('a new user', () => {
  it('gets from the printed link to a plan with a price, and changes it', async () => {
    await page.goto(scene.printedLink);
    await page
      .getByLabel('What are you looking for?')
      .fill('20 fintech companies in the United Kingdom with 50 to 500 employees');
    await page.getByRole('button', { name: 'Show plan' }).click();
    const plan = page.getByRole('region', { name: 'Plan' });
    const filters = plan.getByRole('list', { name: 'Filters' });
    await filters.getByText('Industry: Fintech').waitFor();
    await plan.getByRole('status', { name: 'Estimate' }).getByText('free').waitFor();
    expect(await graveFindings(page)).toEqual([]);
    const headcount = filters.getByRole('button', { name: /^Remove .*50/ });
    await headcount.click();
    await headcount.waitFor({ state: 'detached' });
    expect(await filters.getByRole('listitem').count()).toBe(2);
  });

  it('changes the words of a filter, and a removed paid column stays removed', async () => {
    await page.goto('/app/runs');
    const prompt = page.getByLabel('What are you looking for?');
    await prompt.fill(
      '20 heads of sales at fintech companies with more than 50 employees, with e-mail and phone',
    );
    await page.getByRole('button', { name: 'Show plan' }).click();
    const plan = page.getByRole('region', { name: 'Plan' });
    await plan.getByRole('button', { name: 'Remove Phone number' }).click();
    await plan.getByRole('status', { name: 'Estimate' }).getByText('0 to 20 credits').waitFor();
    await plan.getByRole('button', { name: 'Headcount: 51 or more' }).first().click();
    await plan.getByLabel('Words for Headcount: 51 or more').fill('more than 500 employees');
    await plan.getByRole('button', { name: 'Apply' }).click();
    await plan.getByText('Headcount: 501 or more').waitFor();
    await plan.getByRole('status', { name: 'Estimate' }).getByText('0 to 20 credits').waitFor();
    expect(await prompt.inputValue()).toContain('more than 500 employees');
  });

  it('cannot run a plan whose words have been changed on the screen', async () => {
    const plan = page.getByRole('region', { name: 'Plan' });
    const run = plan.getByRole('button', { name: 'Run', exact: true });
    const prompt = page.getByLabel('What are you looking for?');
    const words = await prompt.inputValue();
    await prompt.fill('20 banks in Germany');
    await plan.getByText('The prompt has changed').waitFor();
    expect(await run.isDisabled()).toBe(true);
    await prompt.fill(words);
    await plan.getByText('The prompt has changed').waitFor({ state: 'detached' });
    expect(await run.isDisabled()).toBe(false);
  });

  it('sees what was not understood', async () => {
    await page
      .getByLabel('What are you looking for?')
      .fill('20 fintech companies in the United Kingdom and a purple dinosaur');
    await page.getByRole('button', { name: 'Show plan' }).click();
    await page.getByRole('list', { name: 'Not understood' }).getByText('purple dinosaur').waitFor();
  });

  it('runs ten rows first, and sees the run with its rows and steps', async () => {
    await page
      .getByLabel('What are you looking for?')
      .fill('30 heads of sales at software companies in the United States');
    await page.getByRole('button', { name: 'Show plan' }).click();
    await page.getByRole('button', { name: 'Run 10 rows first' }).click();
    await page.waitForURL('**/app/runs/run_*');
    await page.getByText('Completed').waitFor();
    await page.getByRole('list', { name: 'Steps' }).getByText('Find rows').waitFor();
    const grid = page.getByRole('grid');
    await grid.waitFor();
    expect(await grid.getAttribute('aria-rowcount')).toBe('11');
    await page.getByRole('button', { name: 'Run the rest: up to 20 more rows, free' }).waitFor();
  });

  it('finds the sample table, and explains a cell of it with the keyboard alone', async () => {
    await page.getByRole('link', { name: 'Runs' }).click();
    await page.getByRole('link', { name: /8 marketing directors/ }).click();
    await page.getByRole('link', { name: 'Open table' }).click();
    await waitForTablePage(page);
    await page.getByText('Oliver Hughes').waitFor();
    await page.getByRole('grid').focus();
    // The paid column follows the name and the title.
    for (let column = 0; column < 2; column += 1) await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    const cell = page.getByRole('dialog', { name: 'Cell' });
    await cell.getByText('Answered by').waitFor();
    await cell.getByText('1 credit', { exact: true }).waitFor();
    expect(page.url()).toContain('cell=');
    expect(await graveFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await cell.waitFor({ state: 'detached' });
  });

  it('filters, sorts and hides columns, and everything but the columns is in the URL', async () => {
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByLabel('Column', { exact: true }).selectOption('title');
    await page.getByLabel('Value').fill('Director of');
    await page.getByRole('button', { name: 'Add filter' }).click();
    await page.getByText(/^5 of 8 rows/).waitFor();
    await page.keyboard.press('Escape');
    const nameHead = page.getByRole('columnheader', { name: 'Name', exact: true });
    await nameHead.getByRole('button', { name: 'Name', exact: true }).click();
    await page.waitForURL(/sort=full_name/);
    await page.reload();
    await page.getByText(/^5 of 8 rows/).waitFor();
    await columnOf('Daniel Kirby').waitFor();
    expect(await columnOf('Daniel Kirby').getAttribute('aria-rowindex')).toBe('2');
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'Seniority' }).uncheck();
    // The first column cannot move up: its button is disabled, and the focus moves on.
    await page
      .getByRole('button', { name: /^Move .* up$/ })
      .nth(1)
      .press('Enter');
    await page.locator('[aria-label$=" down"]:focus').press('Enter');
    await page.keyboard.press('Escape');
    expect(await page.getByRole('columnheader', { name: 'Seniority' }).count()).toBe(0);
  });

  it('exports the filtered rows with chosen columns', async () => {
    await page.getByRole('button', { name: 'Export' }).click();
    const dialog = page.getByRole('dialog', { name: /^Export/ });
    await dialog.getByRole('button', { name: 'Choose none' }).click();
    await dialog.getByRole('checkbox', { name: 'Name', exact: true }).check();
    await dialog.getByRole('checkbox', { name: 'Work email' }).check();
    await dialog.getByRole('button', { name: 'Create file' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('link', { name: /^Download/ }).click(),
    ]);
    const lines = readFileSync(await download.path(), 'utf8').split('\r\n');
    expect(lines.slice(0, 2)).toEqual([
      '\ufeff"Name","Work email"',
      '"Daniel Kirby","daniel.kirby@oakium-intelligence.example"',
    ]);
    expect(lines).toHaveLength(7);
    await dialog.getByRole('button', { name: 'Link for 24 hours' }).click();
    const shared = await fetch(await dialog.getByRole('textbox', { name: 'Link' }).inputValue());
    expect([shared.status, (await shared.text()).split('\r\n')[1]]).toEqual([200, lines[1]]);
    await page.keyboard.press('Escape');
  });
});

describe('an uploaded file', () => {
  it('is previewed before it is stored, and nothing in it is executed', async () => {
    await page.goto('/app/tables');
    await page.getByRole('button', { name: 'Import' }).click();
    const csv = `Company,Website,Staff\n"${HOSTILE.replaceAll('"', '""')}",acme.example,12\nGlobex,javascript:alert(1),900\n`;
    await page
      .getByLabel('File', { exact: true })
      .setInputFiles({ name: 'customers.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
    await page.getByRole('region', { name: 'Preview' }).getByText('Globex').waitFor();
    await page.getByRole('button', { name: 'Import 2 rows' }).click();
    await waitForTablePage(page);
    await page.getByRole('grid', { name: 'customers' }).getByText('Globex').waitFor();
    await page.getByRole('grid').getByText(HOSTILE).waitFor();
    const links = await page.getByRole('grid').getByRole('link').all();
    for (const link of links) expect(await link.getAttribute('href')).toMatch(/^https:/);
    expect(await page.locator('[role=grid] img').count()).toBe(0);
  });
});

describe('text from users', () => {
  it('is shown as text on every screen: prompts, names of keys, exclusions, credits', async () => {
    await page.goto('/app/settings/keys');
    await page.getByRole('button', { name: 'Create API key' }).click();
    await page.getByLabel('Name').fill(HOSTILE.slice(0, 100));
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const key = await page.getByRole('textbox', { name: 'API key' }).inputValue();
    expect(key).toMatch(/^qk_live_/);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: `Revoke ${HOSTILE.slice(0, 100)}` }).waitFor();
    await page.goto('/app/runs');
    await page.getByLabel('What are you looking for?').fill(`${HOSTILE} fintech companies in Berlin`);
    await page.getByRole('button', { name: 'Show plan' }).click();
    await page.getByRole('region', { name: 'Plan' }).waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.waitForURL('**/app/runs/run_*');
    await page.getByRole('heading', { name: /onerror/ }).waitFor();
  });

  it('is shown as text in names of workspaces, tables, columns and sources, and in cells too', async () => {
    const { baseUrl, credentials } = scene.product;
    const api = new ApiClient(baseUrl, credentials.api_key);
    const workspace = await api.post<{ id: string }>('/v1/workspaces', { name: HOSTILE });
    const table = await api.post<{ id: string }>(`/v1/workspaces/${workspace.body.id}/tables`, {
      name: HOSTILE,
      columns: [
        { key: 'a', name: HOSTILE },
        { key: 'b', name: 'Page', kind: 'url' },
        { key: 'c', name: 'Tags', kind: 'list' },
      ],
      rows: [{ a: HOSTILE, b: 'javascript:reportToTest("link ran")', c: [HOSTILE] }],
    });
    const excluded = await api.put('/v1/exclusions/companies', {
      source: HOSTILE,
      items: [{ domain: 'excluded.example' }],
    });
    expect([workspace.status, table.status, excluded.status]).toEqual([201, 201, 200]);
    const shown: ReadonlyArray<readonly [string, string]> = [
      ['/app/tables', 'td:has-text("onerror=")'],
      [`/app/tables/${table.body.id}`, 'h1:has-text("onerror=")'],
      ['/app/exclusions', 'td:has-text("excluded.example")'],
    ];
    for (const [path, selector] of shown) {
      await page.goto(path);
      await page.locator(selector).first().waitFor({ state: 'attached' });
      expect({ path, images: await page.locator('img[src="x"]').count() }).toEqual({ path, images: 0 });
    }
    await page.goto(`/app/tables/${table.body.id}`);
    await page.getByRole('grid').getByText('onerror=').first().waitFor();
    expect(await page.getByRole('grid').getByRole('link').count()).toBe(0);
  });

  it('is no formula in an exported file', async () => {
    await page.goto('/app/tables');
    await page.getByRole('button', { name: 'Import' }).click();
    const csv = 'Company,Note\nGlobex,=HYPERLINK(""x"")\nAcme,+1 and @SUM(1)\n';
    await page
      .getByLabel('File', { exact: true })
      .setInputFiles({ name: 'notes.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
    await page.getByRole('button', { name: 'Import 2 rows' }).click();
    await waitForTablePage(page);
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('button', { name: 'Create file' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: /^Download/ }).click(),
    ]);
    const text = readFileSync(await download.path(), 'utf8');
    expect(text).toContain(`"Globex","'=HYPERLINK`);
    expect(text).toContain(`"Acme","'+1 and @SUM(1)"`);
  });

  it('an API key works until it is revoked, and is then refused', async () => {
    await page.goto('/app/settings/keys');
    await page.getByRole('button', { name: 'Create API key' }).click();
    await page.getByLabel('Name').fill('Nightly');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const apiKey = await page.getByRole('textbox', { name: 'API key' }).inputValue();
    await page.getByRole('button', { name: 'Done' }).click();
    const read = () =>
      fetch(`${scene.product.baseUrl}/credits`, { headers: { Authorization: `Bearer ${apiKey}` } });
    expect((await read()).status).toBe(200);
    await page.goto('/app/settings/audit');
    await page.getByRole('cell', { name: /^Nightly key_/ }).waitFor();
    await page.goto('/app/settings/keys');
    await page.getByRole('button', { name: 'Revoke Nightly' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('button', { name: 'Revoke Nightly' }).waitFor({ state: 'detached' });
    await waitFor('the key to be refused', async () => (await read()).status === 401);
  });
});

describe('live and test mode', () => {
  it('are separate: each shows only its own data', async () => {
    await page.goto('/app/runs');
    await page.getByRole('link', { name: /8 marketing directors/ }).waitFor();
    await page.getByRole('switch', { name: 'Test mode' }).click();
    await page.getByText('No runs yet').waitFor();
    await page.getByText('1,000 credits').waitFor();
    await page.getByRole('switch', { name: 'Test mode' }).click();
    await page.getByRole('link', { name: /8 marketing directors/ }).waitFor();
  });

  it('stay selected in a reloaded tab after another tab was switched', async () => {
    const isTest = (tab: Page) =>
      tab.getByRole('switch', { name: 'Test mode' }).getAttribute('aria-checked', { timeout: 5_000 });
    await page.goto('/app/runs');
    await page.getByRole('switch', { name: 'Test mode' }).click();
    const other = await page.context().newPage();
    await other.goto('/app/runs');
    expect(await isTest(other)).toBe('true');
    await other.getByRole('switch', { name: 'Test mode' }).click();
    await page.reload();
    expect([await isTest(page), await isTest(other)]).toEqual(['true', 'false']);
    await other.close();
    await page.getByRole('switch', { name: 'Test mode' }).click();
  });
});

describe('a session', () => {
  it('ends on the server: a cookie kept from before the sign-out is worthless', async () => {
    const other = await scene.openPage();
    await scene.signIn(other);
    const cookies = await other.context().cookies();
    const prompt = other.getByLabel('What are you looking for?');
    await prompt.fill('Nobody else reads this');
    await other.getByRole('button', { name: 'Sign out' }).click();
    await other.waitForURL('**/app/login**');
    await other.context().addCookies(cookies);
    await other.goto('/app/runs');
    await other.waitForURL('**/app/login**');
    await scene.signIn(other);
    expect(await prompt.inputValue()).toBe('');
  });

  it('that has ended is reported, and the next one starts on the same page', async () => {
    const other = await scene.openPage();
    await scene.signIn(other);
    await other.goto('/app/exclusions?kind=people');
    await other.getByText('Nothing is excluded').waitFor();
    await other.context().clearCookies();
    await other.reload();
    await other.getByText('Your session has ended').waitFor();
    const { email, password } = scene.owner;
    await other.getByLabel('E-mail').fill(email);
    await other.getByLabel('Password').fill(password);
    await other.getByRole('button', { name: 'Sign in' }).click();
    await other.waitForURL('**/app/exclusions?kind=people');
    await other.getByRole('button', { name: 'Sign out' }).click();
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await other.getByText('Your session has ended').count()).toBe(0);
  });

  it('can be ended from another browser', async () => {
    const other = await scene.openPage();
    await scene.signIn(other);
    await page.goto('/app/settings/sessions');
    await page.getByRole('button', { name: /^End/ }).first().click();
    await other.waitForFunction(`fetch('/app/api/session').then(({ status }) => status === 401)`);
  });

  it('of a viewer can read, and shows no actions of members or owners', async () => {
    await page.goto('/app/settings/members');
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByLabel('E-mail').fill('viewer@quarry.example');
    await page.getByRole('dialog').getByLabel('Role').selectOption('viewer');
    await page.getByRole('button', { name: 'Create link' }).click();
    const link = await page.getByLabel('Invitation link').inputValue();
    await page.getByRole('button', { name: 'Copy' }).waitFor();
    await page.getByText('invited', { exact: true }).waitFor();
    expect(await page.locator('[aria-label="Role of viewer@quarry.example"]').count()).toBe(0);
    const viewer = await scene.openPage();
    await viewer.goto(link);
    await viewer.getByLabel('Name').fill(HOSTILE);
    await viewer.getByLabel('Password').fill('a long enough password');
    await viewer.getByRole('button', { name: 'Join' }).click();
    await viewer.waitForURL('**/app/runs');
    await viewer.getByRole('link', { name: /8 marketing directors/ }).waitFor();
    // The form has been submitted, so no confirmation is requested.
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.evaluate(`dispatchEvent(new Event('focus'))`);
    await page.getByText('invited', { exact: true }).waitFor({ state: 'detached', timeout: 10_000 });
    const statusOf = (path: string, method: string) =>
      viewer.evaluate(
        `fetch('/app/api${path}', { method: '${method}', headers: { 'Content-Type': 'application/json' }, body: ${method === 'GET' ? 'undefined' : "'{}'"} }).then(({ status }) => status)`,
      );
    expect(await statusOf('/audit', 'GET')).toBe(404);
    expect(await statusOf('/members', 'POST')).toBe(404);
    expect(await statusOf('/live/v1/erasures', 'POST')).toBe(404);
    await viewer.goto('/app/settings/keys');
    await viewer.getByRole('link', { name: 'Providers' }).waitFor();
    expect(await viewer.getByRole('link', { name: /Audit log|Members/ }).count()).toBe(0);
    for (const [path, shown] of READ_BY_VIEWERS) {
      await viewer.goto(path);
      await viewer.getByText(shown).first().waitFor();
      expect({
        path,
        offered: await viewer.getByRole('main').getByRole('button', { name: CHANGES }).count(),
      }).toEqual({ path, offered: 0 });
      expect(await viewer.getByRole('alert').count()).toBe(0);
    }
    await viewer.goto('/app/runs?prompt=20 banks in Berlin');
    await viewer.getByRole('button', { name: 'Show plan' }).click();
    await viewer.getByText('Your role is read-only').waitFor();
    await page.reload();
    await page.getByText('onerror=').first().waitFor();
    expect(await page.locator('img[src="x"]').count()).toBe(0);
  });

  it('loses rights removed from its role with the next request', async () => {
    const role = page.getByLabel('Role of viewer@quarry.example');
    await page.goto('/app/settings/members');
    const changeRole = async (next: string) => {
      await role.selectOption(next);
      const change = page.getByRole('button', { name: 'Change role of viewer@quarry.example' });
      await change.click();
      await change.waitFor({ state: 'detached' });
    };
    await changeRole('member');
    const other = await scene.openPage();
    await scene.signIn(other);
    const prompt = other.getByLabel('What are you looking for?');
    await prompt.fill('Nobody else reads this');
    await other.context().clearCookies();
    await scene.signIn(other, { email: 'viewer@quarry.example', password: 'a long enough password' });
    expect(await prompt.inputValue()).toBe('');
    await other.goto('/app/exclusions');
    await other.getByLabel(/^Domains/).fill('acme.example');
    await changeRole('viewer');
    await other.getByRole('button', { name: 'Preview changes' }).click();
    await other.getByText('Your role is now “viewer”').waitFor();
    await other.getByRole('button', { name: 'Preview changes' }).waitFor({ state: 'detached' });
  });

  it("is not usable by another site's page", async () => {
    const elsewhere = await scene.openPage();
    await scene.signIn(elsewhere);
    const forged = await elsewhere
      .context()
      .request.post(`${scene.product.baseUrl}/app/api/keys`, {
        headers: { Origin: 'http://evil.example', 'Content-Type': 'application/json' },
        data: { name: 'x', mode: 'live' },
      });
    expect(forged.status()).toBe(403);
    const form = await elsewhere
      .context()
      .request.post(`${scene.product.baseUrl}/app/api/live/v1/runs`, { form: { prompt: 'ten banks' } });
    expect([403, 415]).toContain(form.status());
    const bare = await elsewhere.context().request.get(`${scene.product.baseUrl}/v1/runs`);
    expect(bare.status()).toBe(401);
  });

  it('that ends while somebody types is followed by the next one without losing a letter', async () => {
    const other = await scene.openPage();
    await scene.signIn(other);
    await other.goto('/app/settings/webhooks');
    await other.getByRole('button', { name: 'Add webhook' }).click();
    const form = other.getByRole('dialog', { name: 'Add webhook' });
    await form.getByLabel('Address').fill('https://typed.example/hook');
    const add = form.getByRole('button', { name: 'Add' });
    await other.context().clearCookies();
    // Also where a read in the background has met the end of the session before.
    await add.dispatchEvent('click');
    const ended = other.getByRole('dialog', { name: 'Your session has ended' });
    await ended.getByLabel('Password').fill('wrong');
    await ended.getByRole('button', { name: 'Sign in' }).click();
    await ended.getByText('The password is wrong').waitFor();
    await other.keyboard.press('Escape');
    expect(await graveFindings(other)).toEqual([]);
    await ended.getByLabel('Password').fill(scene.owner.password);
    await ended.getByRole('button', { name: 'Sign in' }).click();
    // The press that met the end of the session is carried out.
    await other.getByRole('dialog', { name: 'Your new webhook' }).waitFor();
    await other.getByText('https://typed.example/hook').waitFor();
    expect(await ended.count()).toBe(0);
  });
});
