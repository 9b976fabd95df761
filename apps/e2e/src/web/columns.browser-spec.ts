import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@quarry/test-servers';
import { ApiClient } from '@quarry/testing';
import type { Page, Route } from 'playwright-core';
import { WebScene } from './web-scene.fixture.js';

let scene: WebScene;
let page: Page;
let tableId: string;
let api: ApiClient;

const ROWS = 14;

beforeAll(async () => {
  scene = await WebScene.start();
  page = await scene.openPage();
  await scene.signIn(page);
  const { baseUrl, credentials } = scene.product;
  api = new ApiClient(baseUrl, credentials.api_key);
  const { body: workspace } = await api.post<{ id: string }>('/v1/workspaces', { name: 'Customers' });
  const rows = Array.from({ length: ROWS }, (_, i) => ({
    first_name: 'Ada',
    last_name: `Lovelace ${String.fromCharCode(65 + i)}`,
    domain: `analytical-${i}.example`,
  }));
  const { status, body } = await api.post<{ id: string }>(`/v1/workspaces/${workspace.id}/tables`, {
    name: 'Customers',
    columns: [
      { key: 'first_name', name: 'First name' },
      { key: 'last_name', name: 'Last name' },
      { key: 'domain', name: 'Domain' },
    ],
    rows,
  });
  expect(status).toBe(201);
  tableId = body.id;
});
afterAll(() => scene.close());

async function openForm(): Promise<void> {
  await page.getByRole('button', { name: 'Add column' }).click();
  await page
    .getByRole('list', { name: 'Services' })
    .getByRole('button', { name: /Find an? .*e-?mail/i })
    .first()
    .click();
}

/** Credits that were charged to enrichments. */
async function spent(): Promise<number> {
  const { body } = await api.get<{ items: Array<{ kind: string; amount: number; run_id: string | null }> }>(
    '/credits/ledger?limit=200',
  );
  const charges = body.items.filter(({ kind, run_id: by }) => kind === 'charge' && by?.startsWith('enr_'));
  return charges.reduce((sum, { amount }) => sum - amount, 0);
}

const endOfFilling = () => page.getByRole('status').getByText(/^\d+ filled, \d+ without an answer.*\.$/);

const filled = () => page.getByRole('grid').locator('a[href^="mailto:"]').count();

describe('a service column', () => {
  it('has inputs guessed from existing columns and a price, before anything is requested', async () => {
    await page.goto(`/app/tables/${tableId}`);
    await page.getByRole('grid').getByText('Lovelace A').waitFor();
    await openForm();
    const dialog = page.getByRole('dialog');
    const chosen = (label: string) => dialog.getByLabel(label, { exact: true }).inputValue();
    await dialog.getByRole('status', { name: 'Estimate' }).getByText(`${ROWS} rows`).waitFor();
    expect([await chosen('First name'), await chosen('Last name'), await chosen('Domain')]).toEqual([
      'first_name',
      'last_name',
      'domain',
    ]);
    await dialog.getByText(`at most ${ROWS} credits`).waitFor();
    expect(await filled()).toBe(0);
  });

  it('fills ten rows first, then the rest, and pays nothing twice', async () => {
    await page.getByRole('button', { name: 'Run 10 rows first' }).click();
    const first = Number.parseInt(await endOfFilling().innerText(), 10);
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThanOrEqual(10);
    // The bar says the end before the grid has read its rows again.
    await waitFor('the values of the first rows', async () => (await filled()) === first);
    expect(await spent()).toBe(first);
    // The request stands in this tab, so that a reload loses no way on.
    await page.reload();
    const rest = page.getByRole('button', { name: /^Fill \d+ more rows?, at most \d+ credits?$/ });
    await rest.waitFor();
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByLabel('Fit', { exact: true }).selectOption('Unknown');
    await page.getByText('Fit is unknown').waitFor();
    await page.getByRole('button', { name: /^Fill \d+ more rows? of the whole table, at most/ }).waitFor();
    await page.getByLabel('Fit', { exact: true }).selectOption('Any');
    await page.keyboard.press('Escape');
    const isStart = (route: Route) => route.request().postData()?.includes('dry_run') === false;
    const lose = async (route: Route): Promise<void> => {
      if (!isStart(route)) return route.fallback();
      await route.fetch();
      await route.abort();
    };
    await page.route('**/enrichments', lose);
    await rest.click();
    await page.getByText('Quarry cannot be reached').waitFor();
    await page.unroute('**/enrichments');
    await page.getByRole('button', { name: 'Try again' }).click();
    await rest.waitFor({ state: 'detached' });
    // The bar shows the end of the first rows until the rest has begun.
    await waitFor('the values of the rest, each paid for once', async () => {
      const all = await filled();
      return all > first && (await endOfFilling().isVisible()) && (await spent()) === all;
    });
  });

  it('asks a question that is written once, with the values of each row', async () => {
    await page.goto(`/app/tables/${tableId}?filter=domain:eq:analytical-1.example`);
    await page.getByRole('grid').getByText('Lovelace B').waitFor();
    await page.getByRole('button', { name: 'Add column' }).click();
    await page.getByRole('button', { name: /Research a question/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Question of each row').fill('Which markets did {{domain}} enter?');
    await dialog.getByLabel('Effort').selectOption('low');
    await dialog.getByText('1 row, at most 3 credits').waitFor();
    await page.getByRole('button', { name: 'Fill 1 row' }).click();
    await page.getByRole('gridcell', { name: /Which markets did analytical-1\.example enter\?/ }).waitFor();
  });

  it('is looked up again at any time where it failed, after its price, and says what it has cost', async () => {
    const { body: workspace } = await api.post<{ id: string }>('/v1/workspaces', { name: 'Again' });
    const { body: table } = await api.post<{ id: string }>(`/v1/workspaces/${workspace.id}/tables`, {
      name: 'Again',
      columns: [
        { key: 'full_name', name: 'Full name' },
        { key: 'domain', name: 'Domain' },
      ],
      rows: ['analytical-1.example', 'rejected.sandbox.test'].map((domain) => ({
        full_name: 'Ada Lovelace B',
        domain,
      })),
    });
    const { body: enrichment } = await api.post<{ id: string }>(`/v1/tables/${table.id}/enrichments`, {
      service: 'getEmail',
      columns: [{ key: 'mail', name: 'Mail' }],
    });
    await api.get(`/v1/enrichments/${enrichment.id}?wait_seconds=60`);
    await page.goto(`/app/tables/${table.id}`);
    await page.getByRole('gridcell', { name: 'failed', exact: true }).dblclick();
    await page.getByRole('button', { name: 'Look up again…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Column “Mail”' });
    const { body: column } = await api.get<{ charged: number }>(`/v1/tables/${table.id}/columns/mail`);
    await dialog.getByText(`${column.charged} credit, since`).waitFor();
    await dialog.getByRole('button', { name: 'Look up 1 failed row, at most 1 credit' }).click();
    await page.getByRole('status').getByText('0 filled, 0 without an answer, 1 failed').waitFor();
    await page.goto('/app/credits');
    await page.getByRole('link', { name: 'Column of Again' }).first().click();
    await page.waitForURL(`**/app/tables/${table.id}`);
  });

  it('of a run says what the run was charged for it, and by which service', async () => {
    const { body: begun } = await api.post<{ id: string }>('/v1/runs', {
      prompt: '5 heads of sales at software companies in Germany with work email',
    });
    const { body: run } = await api.get<{ status: string; artifacts: Array<{ id: string }> }>(
      `/v1/runs/${begun.id}?wait_seconds=60`,
    );
    expect(run.status).toBe('completed');
    const path = `/v1/tables/${run.artifacts[0]!.id}/columns`;
    const { body: ledger } = await api.get<{ items: Array<{ amount: number }> }>(
      `/credits/ledger?run_id=${begun.id}&service=getEmail`,
    );
    const charged = ledger.items.reduce((sum, { amount }) => sum - amount, 0);
    expect(charged).toBeGreaterThan(0);
    expect((await api.get(`${path}/email`)).body).toMatchObject({
      key: 'email',
      source: { service: 'getEmail', field: 'email' },
      charged,
    });
    expect((await api.get(`${path}/full_name`)).body).toMatchObject({ source: null, charged: 0 });
    expect((await api.get(`${path}/none`)).status).toBe(404);
  });

  it('says so when it could not be stopped', async () => {
    await page.route('**/v1/enrichments/enr_*', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...((await response.json()) as object), status: 'running' } });
    });
    await page.route('**/cancel', (route) => route.abort());
    await page.goto(`/app/tables/${tableId}`);
    await openForm();
    await page
      .getByRole('button', { name: /^Fill|^Run 10/ })
      .first()
      .click();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('alert').getByText('Quarry cannot be reached').waitFor();
  });
});
