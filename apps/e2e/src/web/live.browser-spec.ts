import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@quarry/test-servers';
import { ApiClient } from '@quarry/testing';
import type { Page, Request } from 'playwright-core';
import { waitForTablePage, WebScene } from './web-scene.fixture.js';

let scene: WebScene;

beforeAll(async () => {
  scene = await WebScene.start();
});
afterAll(() => scene.close());

const STREAM = '/app/api/changes';

/** Counts further requests of this page by path. */
function watchRequests(page: Page): { countOf: (path: string) => number } {
  const paths: string[] = [];
  page.on('request', (request: Request) => paths.push(new URL(request.url()).pathname));
  return { countOf: (path) => paths.filter((each) => each === path).length };
}

/** Sends a request with a key, as another program does. */
async function api(path: string, body: unknown): Promise<void> {
  const { baseUrl, credentials } = scene.product;
  expect((await new ApiClient(baseUrl, credentials.api_key).post(path, body)).status).toBe(202);
}

/** Signs in, and returns when the page receives changes. */
async function openLivePage(): Promise<Page> {
  const page = await scene.openPage();
  const stream = page.waitForResponse(`**${STREAM}`);
  await scene.signIn(page);
  expect((await stream).status()).toBe(200);
  return page;
}

async function openSampleTable(page: Page): Promise<string> {
  await page.goto('/app/runs');
  await page.getByRole('link', { name: /8 marketing directors/ }).click();
  await page.getByRole('link', { name: 'Open table' }).click();
  await waitForTablePage(page);
  await page.getByText('Oliver Hughes').waitFor();
  return /tbl_\w+/.exec(page.url())![0];
}

describe('a page that fails to load', () => {
  it('keeps the frame around it, and loads when the server is back', async () => {
    const page = await scene.openPage();
    await scene.signIn(page);
    await page.route('**/app/**', (route) => route.abort());
    await page.getByRole('link', { name: 'Batches' }).click();
    await page.getByText('Quarry cannot be reached').waitFor();
    await page.getByRole('link', { name: 'Batches' }).waitFor();
    await page.unroute('**/app/**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Batches' }).waitFor();
    await page.route('**/app/api/session', (route) => route.abort());
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('Quarry cannot be reached').waitFor();
    await page.reload();
    await page.getByText('Quarry cannot be reached').waitFor();
    await page.unroute('**/app/api/session');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Batches' }).waitFor();
  });

  it('has its styles when it is opened by a link after the server is back', async () => {
    const page = await scene.openPage();
    await scene.signIn(page);
    await page.route('**/app/**', (route) => route.abort());
    await page.getByRole('link', { name: 'Services' }).click();
    await page.getByText('Quarry cannot be reached').waitFor();
    await page.unroute('**/app/**');
    await page.getByRole('link', { name: 'Batches' }).click();
    await page.getByRole('heading', { name: 'Batches' }).waitFor();
    await page.getByRole('link', { name: 'Services' }).click();
    await page.getByRole('link', { name: /Find a work e-mail/ }).waitFor();
    const border = () => page.evaluate(`getComputedStyle(document.querySelector('main a')).borderTopStyle`);
    await waitFor('the styles', async () => (await border()) === 'solid');
  });
});

describe('a list that fails to load', () => {
  it('is loaded again automatically when the server is back', async () => {
    const page = await scene.openPage();
    await scene.signIn(page);
    await page.route('**/v1/tables?*', (route) => route.abort());
    // As a proxy answers while the server behind it restarts.
    const error = { code: 'internal_error', message: 'Back soon.' };
    await page.route('**/v1/runs?*', (route) => route.fulfill({ status: 503, json: { error } }));
    await page.getByRole('link', { name: 'Tables' }).click();
    await page.getByText('Quarry cannot be reached').waitFor();
    await page.unroute('**/v1/tables?*');
    await page.getByRole('link', { name: /^People: / }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await page.getByText('Back soon.').waitFor();
    await page.unroute('**/v1/runs?*');
    await page.getByRole('link', { name: /8 marketing directors/ }).waitFor();
  });
});

describe('a connection', () => {
  it('that is lost is reported above the content, until it is back', async () => {
    const page = await scene.openPage();
    await scene.signIn(page);
    const tell = (message: string) =>
      page.evaluate(`clearInterval(globalThis.told);
        globalThis.told = setInterval(() => new BroadcastChannel('quarry.live').postMessage('${message}'), 500)`);
    await page.getByText('Recent', { exact: true }).waitFor();
    await page.route('**/app/api/**', (route) => route.abort());
    await tell('down');
    await page.getByText('The connection to Quarry is lost').waitFor();
    await page.unroute('**/app/api/**');
    await tell('up');
    await page.getByText('The connection to Quarry is lost').waitFor({ state: 'detached' });
  });

  it('to the internet is not needed for a server on the same machine', async () => {
    const page = await scene.openPage();
    await scene.signIn(page);
    await page.getByText('Recent', { exact: true }).waitFor();
    await page.evaluate(`dispatchEvent(new Event('offline'))`);
    await page.getByRole('link', { name: 'Tables' }).click();
    await page.getByRole('link', { name: /^People: / }).waitFor();
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await page.getByLabel('What are you looking for?').fill('20 banks in Berlin');
    await page.getByRole('button', { name: 'Show plan' }).click();
    await page.getByRole('button', { name: 'Run 10 rows first' }).waitFor();
  });
});

describe('a page that stays open', () => {
  it('waits for nothing without a word, and shows how old things are now', async () => {
    const page = await scene.openPage();
    await page.clock.install();
    await scene.signIn(page);
    await page
      .getByText(/^(just now|\d+ minutes? ago)$/)
      .first()
      .waitFor();
    await page.route('**/v1/plans', () => new Promise<void>(() => undefined));
    await page.getByLabel('What are you looking for?').fill('20 banks in Berlin');
    await page.getByRole('button', { name: 'Show plan' }).click();
    await page.locator('[aria-busy=true]').waitFor();
    await page.clock.fastForward('01:10:00');
    await page.getByText('Quarry has not answered.').waitFor();
    await page.getByText('1 hour ago').first().waitFor();
    const headers = { 'Retry-After': '40' };
    const error = { code: 'rate_limit_exceeded', message: 'Too many requests.' };
    await page.route('**/v1/tables?*', (route) => route.fulfill({ status: 429, headers, json: { error } }));
    await page.getByRole('link', { name: 'Tables' }).click();
    await page.getByText('Too many requests. Try again in 40 s.').waitFor();
    await page.unroute('**/v1/tables?*');
    await page.clock.fastForward('00:41');
    await page.getByRole('link', { name: /^People: / }).waitFor();
  });
});

describe('the table of a run', () => {
  it('draws its columns once, in their final order', async () => {
    const page = await scene.openPage();
    await scene.signIn(page);
    let show = (): void => undefined;
    const isShown = new Promise<void>((resolve) => (show = resolve));
    await page.route('**/window?from=0&count=1', async (route) => {
      await isShown;
      await route.continue();
    });
    const request = page.waitForRequest('**/window?from=0&count=1');
    await page.getByRole('link', { name: /8 marketing directors/ }).click();
    await request;
    expect(await page.getByRole('columnheader').count()).toBe(0);
    show();
    await page.getByText('Oliver Hughes').waitFor();
    const heads = await page.getByRole('columnheader').allTextContents();
    expect(heads.slice(1, 4)).toEqual(['Name', 'Title', 'Work email']);
  });
});

describe('live changes', () => {
  it('show a run started elsewhere, on a page without polling', async () => {
    const page = await openLivePage();
    await page.getByRole('link', { name: /8 marketing directors/ }).waitFor();
    await api('/v1/runs', { prompt: '4 banks in Germany' });
    await page.getByRole('link', { name: '4 banks in Germany' }).waitFor();
  });

  it('show cells of an open table in every tab, over one shared stream', async () => {
    const page = await openLivePage();
    const tableId = await openSampleTable(page);
    const other = await page.context().newPage();
    const requests = watchRequests(other);
    await other.goto(`/app/tables/${tableId}`);
    await other.getByText('Oliver Hughes').waitFor();
    // One tab cannot read the rows for a while.
    await other.route('**/window?*', (route) => route.abort());
    await api(`/v1/tables/${tableId}/enrichments`, {
      service: 'getPhoneNumber',
      columns: [{ key: 'mobile', name: 'Mobile', field: 'phone_number' }],
    });
    for (const tab of [page, other]) {
      await tab.getByRole('columnheader', { name: 'Mobile' }).waitFor();
      await tab.getByRole('grid').locator('a[href^="tel:"]').first().waitFor();
      await other.unroute('**/window?*');
    }
    expect(requests.countOf(STREAM)).toBe(0);
    // The tab with the stream is closed, so the other one opens it.
    const taken = other.waitForResponse(`**${STREAM}`);
    await page.close();
    expect((await taken).status()).toBe(200);
  });

  it('are optional: without the stream a run still completes on the screen', async () => {
    const page = await scene.openPage();
    await page.route(`**${STREAM}`, (route) => route.abort());
    await scene.signIn(page);
    await page.getByLabel('What are you looking for?').fill('12 logistics companies in the Netherlands');
    await page.getByRole('button', { name: 'Show plan' }).click();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.waitForURL('**/app/runs/run_*');
    await page.getByText('Completed').waitFor();
    await page.getByRole('grid').waitFor();
  });
});
