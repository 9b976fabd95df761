import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { waitFor } from '@quarry/test-servers';
import { ApiClient } from '@quarry/testing';
import type { Page } from 'playwright-core';
import { graveFindings, WebScene } from './web-scene.fixture.js';

let scene: WebScene;
let page: Page;
let api: ApiClient;
let workspaceId: string;
let tableId: string;

beforeAll(async () => {
  scene = await WebScene.start();
  page = await scene.openPage();
  await scene.signIn(page);
  api = new ApiClient(scene.product.baseUrl, scene.product.credentials.api_key);
  const { body: workspace } = await api.post<{ id: string }>('/v1/workspaces', { name: 'Customers' });
  workspaceId = workspace.id;
  const { body: table } = await api.post<{ id: string }>(`/v1/workspaces/${workspaceId}/tables`, {
    name: 'Old leads',
    columns: [
      { key: 'city', name: 'City' },
      { key: 'note', name: 'Note' },
    ],
    rows: [{ city: 'Turin', note: 'Secret' }],
  });
  tableId = table.id;
});
afterAll(() => scene.close());

it('a table that was deleted elsewhere is gone when its page is looked at again', async () => {
  const { body: table } = await api.post<{ id: string }>(`/v1/workspaces/${workspaceId}/tables`, {
    name: 'Short-lived',
    columns: [{ key: 'city', name: 'City' }],
    rows: [{ city: 'Oslo' }],
  });
  await page.goto(`/app/tables/${table.id}`);
  await page.getByRole('grid').getByText('Oslo').waitFor();
  await api.delete(`/v1/tables/${table.id}`);
  await waitFor('the page to read the table again', async () => {
    await page.evaluate('window.dispatchEvent(new Event("visibilitychange"))');
    return (await page.getByText('Table not found').count()) > 0;
  });
  expect(await page.getByRole('heading', { name: 'Short-lived' }).count()).toBe(0);
});

it('a table and its columns are renamed and deleted on the page of the table', async () => {
  await page.goto(`/app/tables/${tableId}?sort=note`);
  const grid = page.getByRole('grid');
  const dialog = page.getByRole('dialog');
  await grid.getByText('Secret').waitFor();
  const save = async (name: string) => {
    await dialog.getByLabel('Name').fill(name);
    await dialog.getByLabel('Name').press('Enter');
    await dialog.waitFor({ state: 'detached' });
  };

  await grid.getByRole('button', { name: 'Change City' }).click();
  await save('Town');
  await grid.getByRole('button', { name: 'Town', exact: true }).waitFor();

  // By keyboard, from the list of columns.
  await page.getByRole('button', { name: 'Columns' }).press('Enter');
  await page.getByRole('button', { name: 'Change Note' }).last().press('Enter');
  // The list would cover the dialog on a small screen.
  await page.locator('[role=dialog][aria-label=Columns]').waitFor({ state: 'detached' });
  await dialog.locator(':focus').waitFor();
  await dialog.getByText('removes its values and their sources from 1 row').waitFor();
  expect(await graveFindings(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Delete column' }).press('Enter');
  await dialog.getByRole('button', { name: 'Delete “Note” permanently' }).press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await grid.getByText('Turin').waitFor();
  expect([await grid.getByText('Secret').count(), page.url().includes('note')]).toEqual([0, false]);

  await page.getByRole('button', { name: 'Rename or delete…' }).click();
  await save('Leads');
  await page.getByRole('heading', { name: 'Leads' }).waitFor();
  expect((await api.get<{ name: string; columns: unknown[] }>(`/v1/tables/${tableId}`)).body).toMatchObject({
    name: 'Leads',
    columns: [{ key: 'city', name: 'Town' }],
  });

  await page.getByRole('button', { name: 'Rename or delete…' }).click();
  await dialog.getByRole('button', { name: 'Delete table' }).click();
  await dialog.getByRole('button', { name: 'Delete “Leads” permanently' }).click();
  await page.waitForURL('**/app/tables');
  await page.getByText('“Leads” is deleted.').waitFor();
  expect((await api.get(`/v1/tables/${tableId}`)).status).toBe(404);
});
