import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyWebhook } from '@quarry/sdk';
import { status, WebhookReceiver } from '@quarry/test-servers';
import { ApiClient } from '@quarry/testing';
import type { Locator, Page } from 'playwright-core';
import { graveFindings, waitForTablePage, WebScene } from './web-scene.fixture.js';

const SETTINGS = '/app/settings/destinations?mode=test';
let receiver: WebhookReceiver;
let scene: WebScene;
let page: Page;
let dialog: Locator;
let tableId: string;
/** Secret of the destination, as the page has created it. */
let secret: string;

beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  scene = await WebScene.start({ FETCH_ALLOW_HOSTS: receiver.host });
  page = await scene.openPage();
  dialog = page.getByRole('dialog');
  await scene.signIn(page);
  const api = new ApiClient(scene.product.baseUrl, scene.product.credentials.test_key);
  const { body: workspace } = await api.post<{ id: string }>('/v1/workspaces', { name: 'Leads' });
  const { body } = await api.post<{ id: string }>(`/v1/workspaces/${workspace.id}/tables`, {
    name: 'Pump makers',
    columns: ['name', 'city'].map((key) => ({ key, name: key })),
    rows: ['Ann', 'Bob', 'Cy'].map((name) => ({ name, city: name === 'Cy' ? 'Graz' : 'Linz' })),
  });
  tableId = body.id;
});
afterAll(async () => {
  await scene.close();
  await receiver.stop();
});

const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
async function openSend(search = ''): Promise<void> {
  await page.goto(`/app/tables/${tableId}${search}`);
  await press('Send to…');
}

describe('a destination', () => {
  it('is offered at a table and created in the settings; errors are shown next to the field', async () => {
    await page.goto(SETTINGS);
    await page.getByText('No destinations yet').waitFor();
    await page.goto(`/app/tables/${tableId}`);
    await page.getByRole('link', { name: 'Send to…' }).click();
    await press('Add destination');
    await dialog.getByText('Test mode has webhooks only').waitFor();
    expect(await dialog.getByRole('option', { name: 'HubSpot contacts' }).isDisabled()).toBe(true);
    expect(await graveFindings(page)).toEqual([]);
    await dialog.getByLabel('Name').fill('Our n8n');
    await dialog.getByLabel('Address').fill('https://10.0.0.1/rows');
    await press('Add');
    const address = dialog.getByRole('textbox', { name: 'Address', description: /cannot be used/ });
    await address.and(page.locator('[aria-invalid]')).fill(receiver.url('/rows'));
    secret = await dialog.getByLabel('Signing secret').inputValue();
    await press('Add');
    await page.getByRole('row', { name: 'Our n8n Webhook none' }).waitFor();
  });
});

describe('the audit log', () => {
  it('names what exists in either mode', async () => {
    await page.goto('/app/settings/audit?mode=live');
    await page.getByRole('cell', { name: /^Our n8n dst_/ }).waitFor();
    await page.goto(SETTINGS);
  });
});

describe('a table', () => {
  it('is previewed before anything is sent, and links to the reasons for refused rows', async () => {
    receiver.reply = status(422);
    await openSend();
    await dialog.getByText('3 new, 0 changed, 0 skipped.').waitFor();
    await dialog.getByRole('region', { name: 'First request' }).getByText('"name": "Ann"').waitFor();
    expect(await graveFindings(page)).toEqual([]);
    expect(receiver.received).toEqual([]);
    await press('Send 3 rows');
    await dialog.getByText('Done. 0 sent, 0 skipped, 3 failed.').waitFor();
    await dialog.getByRole('link', { name: 'See 3 failed rows' }).click();
    await dialog.getByRole('region', { name: 'Failures' }).getByText(/422/).first().waitFor();
    await dialog.getByRole('region', { name: 'Failures' }).getByText(/Ann/).waitFor();
    expect(await graveFindings(page)).toEqual([]);
    await press('Back to pushes');
    await dialog.getByRole('row', { name: /completed 0 0 3 failed/ }).waitFor();
    expect(await graveFindings(page)).toEqual([]);
  });

  it('is sent with the active filters, and the second time without rows already sent', async () => {
    receiver.reply = status(204);
    receiver.received.length = 0;
    await openSend('?filter=city:eq:Graz');
    await dialog.getByText('Only the rows that you see').waitFor();
    await press('Send 1 row');
    await dialog.getByText('Done. 1 sent, 0 skipped, 0 failed.').waitFor();
    const { body, headers } = receiver.received[0]!;
    const sent = { rows: [{ values: { name: 'Cy', city: 'Graz' } }] };
    expect(await verifyWebhook(body, headers, secret)).toMatchObject(sent);
    await openSend();
    await dialog.getByText('2 new, 0 changed, 1 skipped: 1 unchanged since they were sent.').waitFor();
  });
});

describe('an existing destination', () => {
  it('can get another name and mapping, which marks rows as changed', async () => {
    await page.goto(SETTINGS);
    await press('Our n8n');
    await press('Edit');
    await dialog.getByLabel('Mapping').fill('who = name\nwhere');
    await press('Save');
    await dialog.getByText('Line 2 is not “field = column”.').waitFor();
    expect(await graveFindings(page)).toEqual([]);
    await dialog.getByLabel('Mapping').fill('who = name');
    await dialog.getByLabel('Name').fill('Our Make');
    await press('Save');
    await dialog.getByRole('region', { name: 'Pushes' }).waitFor();
    await openSend();
    await dialog.getByText('2 new, 1 changed, 0 skipped.').waitFor();
  });

  it('can be viewed by a viewer, who sees no action that changes it', async () => {
    await page.goto('/app/settings/members');
    await press('Invite');
    await dialog.getByLabel('E-mail').fill('viewer@quarry.example');
    await dialog.getByLabel('Role').selectOption('viewer');
    await press('Create link');
    const viewer = await scene.openPage();
    await viewer.goto(await dialog.getByLabel('Invitation link').inputValue());
    await viewer.getByLabel('Name').fill('Vera');
    await viewer.getByLabel('Password').fill('a long enough password');
    await viewer.getByRole('button', { name: 'Join' }).click();
    await viewer.waitForURL('**/app/runs');
    await viewer.goto(SETTINGS);
    await viewer.getByRole('button', { name: 'Our Make' }).click();
    await viewer.getByRole('dialog').getByRole('region', { name: 'Pushes' }).waitFor();
    expect(await viewer.getByRole('button', { name: /Add|Edit|Remove/ }).count()).toBe(0);
    await viewer.goto(`/app/tables/${tableId}`);
    await waitForTablePage(viewer);
    await viewer.getByRole('grid').getByText('Cy', { exact: true }).waitFor();
    expect(await viewer.getByText('Send to…').count()).toBe(0);
  });

  it('is deleted after a confirmation', async () => {
    await page.goto(SETTINGS);
    await press('Our Make');
    await press('Remove');
    await press('Remove permanently, with its pushes');
    await page.getByText('No destinations yet').waitFor();
  });
});

describe('a CRM', () => {
  it('keeps existing values unless configured otherwise', async () => {
    await page.goto('/app/settings/destinations?mode=live');
    await page.getByRole('button', { name: 'Add destination' }).first().click();
    await dialog.getByLabel('Kind').selectOption('hubspot_contacts');
    await dialog.getByLabel('Name').fill('Our CRM');
    await dialog.getByLabel('Secret').fill('pat-eu1');
    await press('Add');
    await page.getByText('Our CRM').click();
    await dialog.getByText('fills empty fields').waitFor();
    await press('Edit');
    await dialog.getByLabel(/Overwrite existing values/).check();
    await press('Save');
    await dialog.getByText('overwrites existing values').waitFor();
  });
});
