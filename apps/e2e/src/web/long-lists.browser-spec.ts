import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunJson } from '@quarry/dto';
import { waitFor } from '@quarry/test-servers';
import { ApiClient } from '@quarry/testing';
import type { Page } from 'playwright-core';
import { WebScene } from './web-scene.fixture.js';

let scene: WebScene;
let page: Page;
let api: ApiClient;

beforeAll(async () => {
  scene = await WebScene.start({ RATE_LIMIT_SCALE: '1000' });
  page = await scene.openPage();
  await scene.signIn(page);
  api = new ApiClient(scene.product.baseUrl, scene.product.credentials.test_key);
  await page.getByRole('switch', { name: 'Test mode' }).click();
});
afterAll(() => scene.close());

async function connectMailbox(address: string) {
  const { baseUrl } = scene.product;
  const answer = await page.request.post(`${baseUrl}/app/api/test/mailboxes`, {
    headers: { origin: baseUrl, 'sec-fetch-site': 'same-origin' },
    data: { address, daily_limit: 10, time_zone: 'UTC' },
  });
  return { ok: answer.ok(), mailbox: (await answer.json()) as { id: string } };
}

const button = (name: string | RegExp) => page.getByRole('button', { name });

describe('more tables than a page has', () => {
  beforeAll(async () => {
    const { body: workspace } = await api.post<{ id: string }>('/v1/workspaces', { name: 'People' });
    for (let at = 0; at <= 200; at += 1)
      await api.post(`/v1/workspaces/${workspace.id}/tables`, {
        name: at === 0 ? 'Oldest people' : `People ${at}`,
        columns: [{ key: 'email', name: 'E-mail', kind: 'email' }],
        rows: [],
      });
  });

  it('are found by a part of their name', async () => {
    await page.goto('/app/tables');
    await page.getByRole('link', { name: 'People 200' }).waitFor();
    await page.getByLabel('Search by name').fill('oldest');
    await page.getByRole('link', { name: 'Oldest people' }).waitFor();
    expect(await page.locator('tbody tr').count()).toBe(1);
    await page.getByLabel('Search by name').fill('no such table');
    await page.getByText('Nothing matches').waitFor();
    // A search that fails can be changed.
    const refusal = { error: { code: 'internal_error', message: 'The list failed.' } };
    await page.route(/\/v1\/tables\?.*q=broken/, (route) => route.fulfill({ status: 500, json: refusal }));
    await page.getByLabel('Search by name').fill('broken');
    await page.getByText('The list failed.').waitFor();
    await page.getByLabel('Search by name').fill('oldest');
    await page.getByRole('link', { name: 'Oldest people' }).waitFor();
  });

  it('are all offered where people are enrolled from a table', async () => {
    const { ok, mailbox } = await connectMailbox('sales@quarry.example');
    expect(ok).toBe(true);
    const { body: sequence } = await api.post<{ sequence_id: string }>('/v1/sequences', {
      name: 'Spring',
      mailbox_ids: [mailbox.id],
      time_zone: 'UTC',
      window: { days: ['mon'], from: '09:00', to: '17:00' },
      steps: [{ delay_days: 0, subject: 'Hello', body: 'Hello' }],
    });
    await page.goto(`/app/sequences/${sequence.sequence_id}?part=people`);
    await button('Add people').click();
    await page.getByRole('dialog').getByLabel('From').selectOption('Oldest people (0 rows)');
  });
});

describe('a conversation and a workspace of many runs', () => {
  let last: RunJson;

  beforeAll(async () => {
    last = await api.runEnd((await api.post<RunJson>('/v1/runs', { prompt: 'thanks 1' })).body);
    for (let at = 2; at <= 27; at += 1) {
      const request = { prompt: `thanks ${at}`, conversation_id: last.conversation_id };
      last = await api.runEnd((await api.post<RunJson>('/v1/runs', request)).body);
    }
  });

  it('shows the last runs before one, and the earlier ones on request', async () => {
    await page.goto(`/app/runs/${last.id}`);
    const earlier = page.getByRole('list', { name: 'Earlier in this conversation' }).getByRole('link');
    await earlier.filter({ hasText: 'thanks 26' }).waitFor();
    expect(await earlier.count()).toBe(10);
    await button('Show 16 earlier runs').click();
    await earlier.filter({ hasText: /^thanks 1$/ }).waitFor();
    expect(await earlier.count()).toBe(26);
  });

  it('has all of them on the pages of the workspace', async () => {
    await page.goto(`/app/workspaces/${last.workspace_id}`);
    await page.getByRole('link', { name: /^thanks 27/ }).waitFor();
    await button('Older').click();
    await page.getByRole('link', { name: /^thanks 1\b/ }).waitFor();
  });

  it('warns about the one sequence that sends among many', async () => {
    await page.route(/\/v1\/sequences\?/, (route) => {
      const isActive = route.request().url().includes('status=active');
      return route.fulfill({ json: { items: isActive ? [{ status: 'active' }] : [], next_cursor: 'more' } });
    });
    await page.goto(`/app/workspaces/${last.workspace_id}`);
    await page.getByText('Sequences continue when a workspace is archived').waitFor();
  });
});

describe('a list of runs', () => {
  it('does not read its prompts again whenever something is charged', async () => {
    const balance = page.getByRole('link', { name: /credits/ }).filter({ hasText: /\d/ });
    await page.goto('/app/runs');
    await page.getByRole('link', { name: /^thanks 27/ }).waitFor();
    const before = await balance.innerText();
    const read: string[] = [];
    page.on('request', (request) => read.push(request.url()));
    expect((await api.post('/services/enrichCompany', { domain: 'dunera.example' })).status).toBe(200);
    await waitFor('the balance to be read', async () => (await balance.innerText()) !== before);
    expect(read.filter((url) => url.endsWith('/steps'))).toEqual([]);
  });
});

describe('sums of credits', () => {
  it('say that only the largest ones are shown', async () => {
    const items = Array.from({ length: 21 }, (_, at) => ({ key: `svc${at}`, credits: 30 - at, charges: 1 }));
    await page.route(/\/credits\/usage\?by=service/, (route) =>
      route.fulfill({ json: { since: '2026-01-01T00:00:00.000Z', items } }),
    );
    await page.goto('/app/credits');
    await page.getByRole('tab', { name: 'By service' }).click();
    await page.getByText('Only the 20 that cost most are shown.').waitFor();
    expect(await page.getByRole('region', { name: 'By service' }).locator('tbody tr').count()).toBe(20);
  });
});

describe('a batch whose answers are no longer kept', () => {
  it('says so', async () => {
    const { body: batch } = await api.post<{ batch_id: string }>('/v1/services/jobs/batch', {
      service: 'getEmail',
      inputs: [{ first_name: 'Ada', last_name: 'Byron', domain: 'dunera.example' }],
    });
    const address = `/app/batches/${batch.batch_id}`;
    await page.route(new RegExp(`/v1/services/jobs/batch/${batch.batch_id}$`), async (route) => {
      const answer = await route.fetch();
      const json = (await answer.json()) as { jobs: object[] };
      const jobs = json.jobs.map((job) => ({ ...job, status: 'completed', result: null, error: null }));
      return route.fulfill({ response: answer, json: { ...json, status: 'completed', jobs } });
    });
    await page.goto(address);
    await page.getByText('Answers are kept for 30 days').waitFor();
  });
});
