import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOrganisation } from '@quarry/composition';
import type { RunJson } from '@quarry/dto';
import { waitFor } from '@quarry/test-servers';
import { ApiClient, runAdmin } from '@quarry/testing';
import type { Locator, Page, Route } from 'playwright-core';
import { OTHER_HOST } from './test-browser.fixture.js';
import { loseAnswer, WebScene } from './web-scene.fixture.js';

let scene: WebScene;
let page: Page;
let api: ApiClient;

beforeAll(async () => {
  scene = await WebScene.start();
  page = await scene.openPage();
  await scene.signIn(page);
  api = new ApiClient(scene.product.baseUrl, scene.product.credentials.api_key);
});
afterAll(() => scene.close());

const button = (name: string | RegExp) => page.getByRole('button', { name });

/** Makes a table of people, one for each domain. */
async function tableOf(
  name: string,
  domains: readonly string[],
): Promise<{ id: string; workspaceId: string }> {
  const { body: workspace } = await api.post<{ id: string }>('/v1/workspaces', { name });
  const { body } = await api.post<{ id: string }>(`/v1/workspaces/${workspace.id}/tables`, {
    name,
    columns: ['first_name', 'last_name', 'domain'].map((key) => ({ key, name: key })),
    rows: domains.map((domain, at) => ({ first_name: 'Ada', last_name: `Byron ${at}`, domain })),
  });
  return { id: body.id, workspaceId: workspace.id };
}

describe('words that do not describe rows', () => {
  it('get a hint about what is missing, and can be neither run nor scheduled', async () => {
    await page.goto('/app/runs');
    await page.getByLabel('What are you looking for?').fill('Hello how are you');
    await button('Show plan').click();
    await page.getByText('The prompt does not say which companies or people you need').waitFor();
    expect(await page.getByText('every row would match').count()).toBe(0);
    expect(await button('Run').isDisabled()).toBe(true);
    expect(await button('Repeat on a schedule').count()).toBe(0);
  });

  it('are answered within a conversation', async () => {
    const { body: run } = await api.post<RunJson>('/v1/runs', { prompt: '2 software companies in Germany' });
    await api.runEnd(run);
    await page.goto(`/app/runs/${run.id}`);
    await page.getByLabel('Continue with these rows').fill('thanks');
    await button('Show plan').click();
    await button('Run').click();
    await page.getByRole('list', { name: 'Earlier in this conversation' }).waitFor();
    await page.getByRole('heading', { name: 'thanks' }).waitFor();
  });
});

describe('exclusions', () => {
  it('are pasted or read from a file, and the changes are shown before they are applied', async () => {
    await page.goto('/app/exclusions');
    const box = page.getByLabel('Domains or LinkedIn pages of companies');
    await box.fill('rival-one.example\nrival-two.example\nno address at all');
    await page.getByText('Skipped: 1 line without').waitFor();
    await button('Preview changes').click();
    await page.getByText('2 new, 0 no longer excluded').waitFor();
    expect((await api.get<{ items: unknown[] }>('/v1/exclusions/companies')).body.items).toEqual([]);
    // What is typed meanwhile stays.
    const typeOn = async (route: Route): Promise<void> => {
      await box.fill('rival-one.example');
      await route.continue();
    };
    await page.route(/\/exclusions\/companies$/, typeOn, { times: 1 });
    await button('Apply').click();
    await page.getByRole('cell', { name: 'rival-two.example', exact: true }).waitFor();
    expect(await box.inputValue()).toBe('rival-one.example');
    await button('Preview changes').click();
    await page.getByText(/ 0 no longer excluded/).waitFor();
  });

  it('of a list are replaced by another list of its name, after a warning', async () => {
    await page.goto('/app/exclusions');
    const box = page.getByLabel('Domains or LinkedIn pages of companies');
    await box.fill('former-one.example\nformer-two.example');
    await page.getByLabel('Source').fill('former');
    await button('Preview changes').click();
    await button('Apply').click();
    await page.getByRole('cell', { name: 'former-two.example', exact: true }).waitFor();
    await page.getByLabel('Source').fill('former');
    await page
      .getByLabel('File of exclusions')
      .setInputFiles({
        name: 'rivals.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from('former-one.example\n'),
      });
    await button('Preview changes').click();
    await page.getByText('0 new, 1 no longer excluded, 1 unchanged').waitFor();
    await button('Apply, and remove 1').waitFor();
  });

  it('that are removed can be restored with “Undo”', async () => {
    await page.goto('/app/exclusions');
    await button('Remove rival-one.example').click();
    await page.getByRole('cell', { name: 'rival-one.example', exact: true }).waitFor({ state: 'detached' });
    await page.route('**/v1/exclusions/companies', (route) => route.abort(), { times: 1 });
    await button('Undo').click();
    await page.getByText('rival-one.example is still not excluded. Quarry cannot be reached').waitFor();
    await button('Undo').click();
    await page.getByRole('cell', { name: 'rival-one.example', exact: true }).waitFor();
  });

  it('that are typed survive a reload', async () => {
    const list = page.getByLabel(/^Domains/);
    await list.fill('rival-two.example');
    await page.reload();
    expect(await list.inputValue()).toBe('rival-two.example');
    await list.fill('');
  });
});

describe('a dropped file', () => {
  const names = async () =>
    (await api.get<{ items: Array<{ name: string }> }>('/v1/workspaces')).body.items.map(({ name }) => name);

  it('is previewed before anything is stored', async () => {
    await page.goto('/app/tables');
    await button('Import').click();
    const data = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['Company,Staff\\nTidal,12\\n'], 'dropped.csv', { type: 'text/csv' }));
      return transfer;
    })()`);
    await page.getByText('Drop a CSV or XLSX file here').dispatchEvent('drop', { dataTransfer: data });
    await page.getByRole('region', { name: 'Preview' }).getByText('Tidal').waitFor();
    await button('Import 1 row').waitFor();
    expect(await names()).not.toContain('Imports');
    // Neither lost answer makes a second workspace or table.
    for (const lost of [/\/v1\/workspaces$/, /\/files\?.*dry_run=false/]) {
      await loseAnswer(page, lost);
      const isLost = page.waitForEvent('requestfailed', (request) => lost.test(request.url()));
      await button('Import 1 row').click();
      await isLost;
      await page.getByText('Quarry cannot be reached').waitFor();
    }
    await button('Import 1 row').click();
    await page.waitForURL('**/tables/tbl_*');
    expect((await names()).filter((name) => name === 'Imports')).toHaveLength(1);
    const { body } = await api.get<{ items: Array<{ name: string }> }>('/v1/tables');
    expect(body.items.filter(({ name }) => name === 'dropped')).toHaveLength(1);
    await page.goto('/app/tables');
  });

  it('can be rows pasted from a spreadsheet', async () => {
    // A click that is faster than the list of workspaces makes no second “Imports”.
    const clickEarly = async (route: Route) => {
      await button('Import').click();
      await route.continue();
    };
    await page.route(/\/v1\/workspaces\?/, clickEarly, { times: 1 });
    await page.goto('/app/tables');
    await page.getByLabel('Or paste rows').waitFor();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.evaluate(`navigator.clipboard.writeText('Company\\tCity\\nPaper, Ltd\\tOslo\\nInk\\tRome')`);
    await page.getByLabel('Or paste rows').press('ControlOrMeta+V');
    await page.getByRole('cell', { name: 'Paper, Ltd', exact: true }).waitFor();
    await page.getByLabel('Or paste rows').press('End');
    await page.getByLabel('Or paste rows').pressSequentially('o');
    await button('Preview rows').click();
    await page.getByRole('cell', { name: 'Romeo', exact: true }).waitFor();
    expect(await page.getByText('kept as text').count()).toBe(0);
    await page.getByLabel('The first row holds the column names').uncheck();
    await page.getByRole('cell', { name: 'Company', exact: true }).waitFor();
    await button('Import 3 rows').waitFor();
    await page.getByLabel('The first row holds the column names').check();
    await button('Import 2 rows').click();
    await page.getByRole('heading', { name: 'Pasted rows' }).waitFor();
    expect((await names()).filter((name) => name === 'Imports')).toHaveLength(1);
    await page.goto('/app/tables');
  });

  it('warns about columns kept as text that look like numbers or dates', async () => {
    await page.goto('/app/tables');
    await button('Import').click();
    await page
      .getByLabel('File', { exact: true })
      .setInputFiles({
        name: 'umsatz.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from('Firma;Umsatz;Seit;PLZ\nTidal;1.234,56 €;31.12.2019;01067\n'),
      });
    await page.getByText('“Umsatz”, “Seit” are kept as text').waitFor();
    await page.keyboard.press('Escape');
  });

  it('of another type gets helpful advice', async () => {
    await button('Import').click();
    const other = { name: 'notes.docx', mimeType: 'application/octet-stream', buffer: Buffer.from('PK') };
    await page.getByLabel('File', { exact: true }).setInputFiles(other);
    await page.getByText('notes.docx is not CSV or XLSX').waitFor();
    await page.keyboard.press('Escape');
  });
});

describe('a table of companies', () => {
  let id: string;
  beforeAll(async () => {
    const { body: workspace } = await api.post<{ id: string }>('/v1/workspaces', { name: 'Companies' });
    const { body } = await api.post<{ id: string }>(`/v1/workspaces/${workspace.id}/tables`, {
      name: 'Companies',
      columns: [
        { key: 'name', name: 'Name' },
        { key: 'staff', name: 'Staff', kind: 'number' },
        { key: 'linkedin', name: 'LinkedIn', kind: 'linkedin_url' },
      ],
      rows: [
        { name: 'Dunera', staff: 1500, linkedin: 'https://www.linkedin.com/company/sandbox-dunera' },
        { name: 'Talix', staff: 20, linkedin: 'https://www.linkedin.com/company/sandbox-talix' },
      ],
    });
    id = body.id;
  });

  it('marks services about people, since no column names a person', async () => {
    await page.goto(`/app/tables/${id}`);
    await page.getByRole('gridcell', { name: '1,500' }).waitFor();
    await button('Add column').click();
    const services = page.getByRole('list', { name: 'Services' });
    const email = services.getByRole('button', { name: /Find a work e-mail/ });
    await email.getByText('Needs a person').waitFor();
    expect(
      await services
        .getByRole('button', { name: /Enrich a company/ })
        .getByText('Needs a person')
        .count(),
    ).toBe(0);
    await email.click();
    await page.getByRole('dialog').getByText('Needs a person').waitFor();
    await page.keyboard.press('Escape');
  });

  it('without a match shows how many rows each filter removes, and lets one be removed', async () => {
    await page.goto(`/app/tables/${id}?filter=staff:gt:9000&filter=name:eq:Talix`);
    const without = page.getByRole('list', { name: 'Rows without a filter' });
    await without.getByText('0 rows without Name is Talix').waitFor();
    await without.getByRole('button', { name: '1 row without Staff is more than 9,000' }).click();
    await page.getByRole('gridcell', { name: 'Talix', exact: true }).waitFor();
  });
});

describe('a table URL', () => {
  it('with an invalid filter value reports it, and shows no rows as matches', async () => {
    const { workspaceId } = await tableOf('Refused', ['a.example']);
    const { body } = await api.post<{ id: string }>(`/v1/workspaces/${workspaceId}/tables`, {
      name: 'Refused',
      columns: [{ key: 'staff', name: 'Staff', kind: 'number' }],
      rows: [{ staff: 12_000 }, { staff: 3 }],
    });
    await page.goto(`/app/tables/${body.id}?filter=staff:gt:many`);
    await page.getByText('“many” is not a number').waitFor();
    expect(await page.getByRole('grid').count()).toBe(0);
    await button('Remove Staff is more than many').click();
    await page.getByRole('gridcell', { name: '12,000' }).waitFor();
    await button('Filter').click();
    await page.getByLabel('Condition').selectOption('is at least');
    await page.getByLabel('Value').fill('a lot');
    await button('Add filter').click();
    await page.getByText('“a lot” is not a number.').waitFor();
    await page.getByLabel('Value').fill('12,000');
    await button('Add filter').click();
    await page.getByText('1 of 2 rows').waitFor();
    await page.goto(`/app/tables/${body.id}?sort=size`);
    await page.getByText('This table has no column “size”').waitFor();
  });

  it('of one mode tells the other mode so, and offers to switch', async () => {
    const { id } = await tableOf('Live', ['a.example']);
    await page.goto(`/app/tables/${id}?mode=test`);
    await page.getByText('You are in test mode.').waitFor();
    await button('Switch to live mode').click();
    await page.getByRole('heading', { name: 'Live', exact: true }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Live', exact: true }).waitFor();
    expect(page.url()).toMatch(new RegExp(`${id}$`));
  });

  it.each(['sequences/seq_x', 'approvals?approval=apr_x', 'inbox?thread=thr_x', 'batches/svcbatch_x'])(
    'with an unknown object in %s suggests the other mode',
    async (path) => {
      await page.goto(`/app/${path}`);
      await page.getByText('It may be one of test mode').waitFor();
      await button('Switch to test mode').waitFor();
    },
  );
});

describe('a dialog', () => {
  it('is closed by Back, and the page behind it stays, even as the first page of a tab', async () => {
    const { id } = await tableOf('Behind', ['a.example']);
    const table = `${scene.product.baseUrl}/app/tables/${id}`;
    await page.goto('about:blank');
    await page.goto(table);
    await button('Export').click();
    await page.getByRole('dialog').waitFor();
    await page.goBack();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(page.url()).toBe(table);
  });

  it('in the URL is closed by Back, and one more Back leads to the previous page', async () => {
    await tableOf('Explained', ['a.example']);
    await page.goto('/app/tables');
    await page.getByRole('link', { name: 'Explained', exact: true }).first().click();
    await page.getByRole('gridcell', { name: 'Ada' }).dblclick();
    await page.getByRole('dialog').waitFor();
    await page.goBack();
    await page.waitForURL(/tbl_\w+$/);
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.goBack();
    await page.waitForURL('**/app/tables');
  });

  it('asks before a reload loses what was typed in it', async () => {
    await page.goto('/app/settings/keys');
    await button('Create API key').click();
    await page.getByLabel('Name').pressSequentially('Nightly');
    const question = page.waitForEvent('dialog');
    await Promise.all([page.reload(), question.then((shown) => shown.accept())]);
    expect((await question).type()).toBe('beforeunload');
  });
});

describe('Back', () => {
  it('leads to the page, the search and the place of a list where the user was', async () => {
    for (let at = 0; at < 51; at += 1) await tableOf(`Many ${at}`, []);
    await page.goto('/app/tables');
    await page.getByLabel('Search by name').fill('Many');
    await page.getByRole('link', { name: 'Many 50', exact: true }).first().waitFor();
    await button('Older').click();
    await page.getByRole('link', { name: 'Many 0', exact: true }).first().click();
    await page.getByRole('toolbar', { name: 'Table' }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Many 0', exact: true }).first().waitFor();
    expect(await page.getByLabel('Search by name').inputValue()).toBe('Many');
    await button('Newer').click();
    const top = () => page.evaluate(`document.querySelector('main').scrollTop`);
    await page.getByRole('link', { name: 'Many 1', exact: true }).first().hover();
    await waitFor('the end of the list', async () => Number(await top()) > 0);
    await page.getByRole('link', { name: 'Many 1', exact: true }).first().click();
    await page.getByRole('toolbar', { name: 'Table' }).waitFor();
    await page.getByRole('link', { name: 'Services' }).click();
    await page.getByRole('link', { name: /^Find a work e-mail/ }).waitFor();
    expect(await top()).toBe(0);
    await page.goBack();
    await page.goBack();
    await waitFor('the place in the list', async () => Number(await top()) > 0);
  });

  it('leads to the place of a list also from a page that was slow to load', async () => {
    const top = async () => Number(await page.evaluate(`document.querySelector('main').scrollTop`));
    await page.goto('/app/tables');
    await page.getByRole('link', { name: 'Many 1', exact: true }).first().hover();
    await waitFor('the end of the list', async () => (await top()) > 0);
    const scripts: Route[] = [];
    await page.route('**/exclusions.page*', (route) => void scripts.push(route));
    await page.getByRole('link', { name: 'Exclusions' }).click();
    await waitFor('the page in its place', async () => (await top()) === 0);
    for (const script of scripts) await script.continue();
    await page.getByLabel(/^Domains/).waitFor();
    await page.goBack();
    await waitFor('the place in the list', async () => (await top()) > 0);
  });
});

describe('suppressions', () => {
  it('are found by a part of them, and older ones are on the next page', async () => {
    const addresses = Array.from({ length: 201 }, (_, at) => `person-${at}@acme.example`);
    await api.post('/v1/suppressions', { addresses });
    await page.goto('/app/settings/suppressions');
    await button('Older').click();
    await page.locator('tbody tr').nth(1).waitFor({ state: 'detached' });
    expect(await page.locator('tbody tr').count()).toBe(1);
    await page.getByLabel('Search').fill('person-77@');
    await page.getByRole('cell', { name: 'person-77@acme.example', exact: true }).waitFor();
    await button('Newer').waitFor({ state: 'detached' });
    const remove = button(/^Remove person-77@/);
    await remove.dblclick();
    await button('Allow messages again person-77@acme.example').click();
    await remove.waitFor({ state: 'detached' });
    await page.getByLabel('Search').fill('nobody');
    await page.getByText('Nothing matches').waitFor();
  });
});

describe('a copied table', () => {
  it('contains the loaded rows, and says how many there are', async () => {
    const { id } = await tableOf('Many', Array<string>(450).fill('a.example'));
    await page.goto(`/app/tables/${id}`);
    await page.getByRole('gridcell', { name: 'Byron 1', exact: true }).waitFor();
    await page.getByRole('grid').press('ControlOrMeta+A');
    await page.keyboard.press('ControlOrMeta+C');
    await page.getByText('200 of 450 rows copied; Export has them all.').waitFor();
  });
});

describe('failed lookups', () => {
  it('cost nothing, are reported, and can be retried', async () => {
    const { id } = await tableOf('Failing', ['provider-error.sandbox.test', 'dunera.example']);
    await page.goto(`/app/tables/${id}`);
    await page.getByRole('grid').getByText('Byron 0').waitFor();
    await button('Add column').click();
    await page
      .getByRole('list', { name: 'Services' })
      .getByRole('button', { name: /Find an? .*e-?mail/i })
      .first()
      .click();
    await page.getByRole('dialog').getByRole('status', { name: 'Estimate' }).getByText('2 rows').waitFor();
    await button('Fill 2 rows').click();
    await page.getByText('1 failed and cost nothing').waitFor();
    await button('Try 1 failed row again').click();
    await page.getByText('0 filled, 0 without an answer, 1 failed and cost nothing').waitFor();
    const { body } = await api.get<{ items: Array<{ kind: string; run_id: string | null }> }>(
      '/credits/ledger',
    );
    const charges = body.items.filter(({ kind, run_id: by }) => kind === 'charge' && by?.startsWith('enr_'));
    expect(charges).toHaveLength(1);
  });

  it('can be retried later, in the same column', async () => {
    await button('Close').click();
    await button('Add column').click();
    const dialog = page.getByRole('dialog');
    await dialog
      .getByRole('list', { name: 'Services' })
      .getByRole('button', { name: /work e-mail/i })
      .click();
    await dialog.getByLabel('Column', { exact: true }).selectOption({ label: 'Work e-mail' });
    await dialog.getByText('0 rows').waitFor();
    await dialog.getByLabel('Rows').selectOption('failed');
    await button('Fill 1 row').click();
    await page.getByText('0 filled, 0 without an answer, 1 failed and cost nothing').waitFor();
    expect(await page.getByRole('columnheader', { name: /e-mail/i }).count()).toBe(1);
  });
});

describe('an example prompt', () => {
  it('finds as many rows as it asks for, and is understood completely', async () => {
    await page.goto('/app/runs');
    const examples = page.getByRole('list', { name: 'Examples' }).getByRole('button');
    await examples.first().waitFor();
    const prompts = await examples.allInnerTexts();
    for (const prompt of prompts) {
      const { body: plan } = await api.post<{ not_understood: string[] }>('/v1/plans', { prompt });
      expect({ prompt, lost: plan.not_understood }).toEqual({ prompt, lost: [] });
      const { body: run } = await api.post<{ id: string }>('/v1/runs', { prompt });
      const { body } = await api.get<RunJson>(`/v1/runs/${run.id}?wait_seconds=60`);
      const table = await api.get<{ row_count: number }>(body.artifacts[0]!.links.self);
      expect({ prompt, rows: String(table.body.row_count) }).toEqual({
        prompt,
        rows: /\d+/.exec(prompt)![0],
      });
    }
    expect(prompts).toHaveLength(3);
  });
});

describe('credits', () => {
  it('are summed by day, service, run and key', async () => {
    await page.goto('/app/credits');
    await page.getByText(/^\d+ credits, by day in UTC$/).waitFor();
    for (const [part, row] of [
      ['By service', 'Find a work e-mail'],
      ['By run', '10 heads of sales'],
      ['By key', 'Created on the server'],
    ] as const) {
      await page.getByRole('tab', { name: part }).click();
      await page.getByRole('region', { name: part }).getByText(row).first().waitFor();
    }
  });
});

describe('a run', () => {
  it('is stopped with its cost so far, and run again with other words', async () => {
    const { workspaceId } = await tableOf('Slow people', Array<string>(3).fill('slow-60s.sandbox.test'));
    const prompt = 'From my table "Slow people": everybody with work e-mail';
    const { body: run } = await api.post<{ id: string }>('/v1/runs', { workspace_id: workspaceId, prompt });
    await page.goto(`/app/runs/${run.id}`);
    await page.getByText(/\d credits? so far/).waitFor();
    await button('Stop').click();
    await page.getByText('Stopped').first().waitFor();
    await page.getByText('The run was cancelled').waitFor();
    await page.getByRole('link', { name: 'Edit and run again' }).click();
    expect(await page.getByLabel('What are you looking for?').inputValue()).toBe(prompt);
  });
});

describe('a person', () => {
  it('is erased with a receipt that counts the places', async () => {
    await page.goto('/app/settings/data');
    await page.getByLabel('Name', { exact: true }).fill('Ada Byron 1');
    await page.getByLabel('Company', { exact: true }).fill('dunera.example');
    await button('Erase').click();
    await button('Erase permanently').click();
    await page.getByText(/^Receipt/).waitFor();
    expect(
      await page
        .locator('code')
        .filter({ hasText: /^erasure_/ })
        .count(),
    ).toBe(1);
  });
});

describe('the settings', () => {
  it('show providers with their services, and accept an own key', async () => {
    await page.goto('/app/settings/providers');
    // A vendor that is not asked about its key.
    const row = page.getByRole('row').filter({ hasText: 'Findymail' });
    await row.getByText('Find a work e-mail').waitFor();
    await row.getByRole('button', { name: /^Set key/ }).click();
    await page.getByRole('dialog').getByLabel(/key/i).first().fill('a-key-of-the-spec-0123456789');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /Save|Set|Keep/ })
      .click();
    await row.getByText('your own key').waitFor();
    await row.getByText('…6789').waitFor();
  });

  it('show the audit log', async () => {
    await page.goto('/app/settings/audit');
    await page
      .getByText(/erased/i)
      .first()
      .waitFor();
  });
});

describe('a double click', () => {
  it('on an action that spends credits is one request', async () => {
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(new URL(request.url()).pathname);
    });
    await page.goto('/app/services/findDomain');
    await button('Try it').dblclick();
    await page.getByText(/charged, .* left/).waitFor();
    await page.goto('/app/runs');
    await page.getByLabel('What are you looking for?').fill('13 software companies in Germany');
    await button('Show plan').click();
    await button('Run 10 rows first').dblclick();
    await page.waitForURL('**/app/runs/run_*');
    expect(sent.filter((path) => /findDomain$|\/runs$/.test(path))).toHaveLength(2);
  });

  it('on a button that opens a dialog leaves it open', async () => {
    await page.goto('/app/settings/keys');
    await button('Create API key').dblclick();
    await page.getByLabel('Name').fill('Nightly');
    await page.keyboard.press('Escape');
    await button('Discard').click();
  });
});

describe('a late answer', () => {
  /** Holds the answer of the next request to a path until the returned function is called and has delivered it. */
  const holdAnswer = async (path: RegExp) => {
    const held = Promise.withResolvers<void>();
    const hold = async (route: Route): Promise<void> => {
      const response = await route.fetch();
      await held.promise;
      await route.fulfill({ response });
    };
    await page.route(path, hold, { times: 1 });
    return async () => {
      const answer = page.waitForResponse(path);
      held.resolve();
      await (await answer).finished();
    };
  };

  it('for an earlier prompt does not replace the plan of the later one', async () => {
    await page.goto('/app/runs');
    const box = page.getByLabel('What are you looking for?');
    const answer = await holdAnswer(/\/v1\/plans$/);
    await box.fill('20 software companies in Germany');
    await box.press('Enter');
    await box.fill('3 logistics companies in France, sorted by headcount');
    await box.press('Enter');
    await page.getByText('Place: France').waitFor();
    await answer();
    await button('Remove Place: France').waitFor();
    expect(await page.getByText('Place: Germany').count()).toBe(0);
  });

  it('for one correction of a plan does not undo another', async () => {
    const answer = await holdAnswer(/\/v1\/plans$/);
    await button('Remove Place: France').click();
    await button(/^Remove Sorted by headcount/).click();
    await answer();
    await page.getByText('3 rows at most').waitFor();
    expect(await button(/^Remove (Place|Sorted)/).count()).toBe(0);
  });

  it('leads nobody away from the page that they have opened meanwhile', async () => {
    const answer = await holdAnswer(/\/v1\/plans\/.*\/runs$/);
    await button('Run').last().click();
    await page.getByRole('link', { name: 'Monitors' }).click();
    await answer();
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await page.getByRole('link', { name: /^3 logistics companies in France/ }).waitFor();
    expect(page.url()).toMatch(/\/runs$/);
  });
});

describe('a workspace', () => {
  it('is opened by its link, and is archived by a second press', async () => {
    const { body: made } = await api.post<{ id: string; links: { app: string } }>('/v1/workspaces', {
      name: 'Old lists',
    });
    await api.post(`/v1/workspaces/${made.id}/tables`, {
      name: 'Old',
      columns: [{ key: 'a', name: 'A' }],
      rows: [],
    });
    await page.goto(made.links.app);
    await page.getByRole('link', { name: 'Old', exact: true }).waitFor();
    await button('Archive').focus();
    // A held key repeats.
    for (let times = 0; times < 3; times += 1) await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    await button('Archive permanently, with its tables and runs').waitFor();
    await page.keyboard.press('Tab');
    await page.getByRole('button', { name: 'Archive', exact: true }).click();
    await button('Archive permanently, with its tables and runs').click();
    await page.waitForURL('**/app/tables');
    await page.getByText('“Old lists” is archived.').waitFor();
    expect((await api.get(`/v1/workspaces/${made.id}`)).status).toBe(404);
  });
});

describe('a monitor', () => {
  it('is a scheduled plan that can be run, paused and removed', async () => {
    await page.goto('/app/runs');
    await page.getByLabel('What are you looking for?').fill('7 software companies in Germany');
    await button('Show plan').click();
    await button('Repeat on a schedule').click();
    await page.getByLabel('Name').fill('German software');
    await page.getByLabel('Monthly credit limit').fill('50');
    await page.getByLabel('Report a known row again').fill('Headcount, city');
    await loseAnswer(page, /\/v1\/monitors$/);
    await button('Start monitor').click();
    await page.getByText('Quarry cannot be reached').waitFor();
    await button('Start monitor').click();
    await page.waitForURL('**/app/monitors');
    await page.getByRole('cell', { name: 'every Monday at 9:00' }).waitFor();
    await button('German software').click();
    const dialog = page.getByRole('dialog', { name: 'German software' });
    await dialog.getByText('No runs yet').waitFor();
    await loseAnswer(page, /\/trigger$/);
    await button('Run now').click();
    await dialog.getByText('Quarry cannot be reached').waitFor();
    await dialog.getByRole('row', { name: /completed 7 0 0 0 Open/ }).waitFor();
    // The same run again: its answer was lost.
    await button('Run now').click();
    await page.getByText('Run started.').waitFor();
    expect(await dialog.getByRole('row', { name: /Open/ }).count()).toBe(1);
    await button('Pause').click();
    await button('Resume').waitFor();
    await button('Remove').click();
    await button('Remove permanently').click();
    await page.getByText('No monitors yet').waitFor();
  });
});

describe('a webhook', () => {
  let dialog: Locator;

  it('is added, shows its secret once, reports the result of a test, and is changed', async () => {
    await page.goto('/app/settings/webhooks');
    await button('Add webhook').click();
    dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address').fill('https://hooks.acme.example/quarry');
    await dialog.getByLabel('Monitor run completed').check();
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    expect(await dialog.getByLabel('Secret').inputValue()).toMatch(/^whsec_/);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await dialog.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^whsec_/);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'https://hooks.acme.example/quarry' }).click();
    await dialog.getByRole('button', { name: 'Send test' }).click();
    await dialog.getByRole('region', { name: 'Deliveries' }).getByText(/^Test/).waitFor();
    await dialog
      .getByText(/in \d+(\.\d)? m?s$/)
      .first()
      .waitFor();
    await dialog.getByRole('button', { name: 'Resend all failed' }).click();
    await page.getByText(/^\d+ messages? queued\.$/).waitFor();
    await dialog.getByRole('button', { name: 'New secret' }).click();
    await dialog.getByRole('button', { name: 'Rotate: the old secret ends in 24 hours' }).click();
    expect(await dialog.getByLabel('Secret').inputValue()).toMatch(/^whsec_/);
    await dialog.getByRole('button', { name: 'Edit' }).click();
    expect(await dialog.getByLabel('Monitor run completed').isChecked()).toBe(true);
    await dialog.getByLabel('Address').fill('https://hooks.acme.example/other');
    await dialog.getByLabel('Run failed', { exact: true }).uncheck();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'https://hooks.acme.example/other' }).click();
    await dialog.getByText('Run completed, Batch completed, Monitor run completed').waitFor();
  });

  it('that was saved in another tab meanwhile is not overwritten, and says so', async () => {
    await dialog.getByRole('button', { name: 'Edit' }).click();
    await dialog.getByLabel('Address').fill('https://hooks.acme.example/mine');
    const tab = await page.context().newPage();
    await tab.goto('/app/settings/webhooks');
    await tab.getByRole('button', { name: 'https://hooks.acme.example/other' }).click();
    await tab.getByRole('button', { name: 'Edit' }).click();
    await tab.getByLabel('Address').fill('https://hooks.acme.example/theirs');
    await tab.getByLabel('Batch completed').uncheck();
    await tab.getByRole('button', { name: 'Save' }).click();
    await tab.getByRole('button', { name: 'https://hooks.acme.example/theirs' }).waitFor();
    await tab.close();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog
      .getByText(/^Saved elsewhere .*: Address \(now “https:\/\/hooks\.acme\.example\/theirs”\), Events\./)
      .waitFor();
    expect(await dialog.getByLabel('Address').inputValue()).toBe('https://hooks.acme.example/mine');
    await dialog.getByLabel('Address').fill('http://hooks.acme.example/mine');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText(/cannot be used/).waitFor();
    await dialog.getByLabel('Address').fill('https://hooks.acme.example/mine');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'https://hooks.acme.example/mine' }).click();
    await dialog.getByText('Run completed, Monitor run completed').waitFor();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await dialog.getByRole('button', { name: 'Remove permanently' }).click();
    await page.getByText('No webhooks yet').waitFor();
  });
});

describe('a question to Go', () => {
  it('is shown above its answer in the list', async () => {
    await page.goto('/app/go');
    await page.getByLabel('Question').fill('Who makes quiet pumps?');
    await page.getByRole('link', { name: 'Batches' }).click();
    await page.getByRole('heading', { name: 'Batches', exact: true }).waitFor();
    await page.getByRole('link', { name: 'Research', exact: true }).click();
    expect(await page.getByLabel('Question').inputValue()).toBe('Who makes quiet pumps?');
    await button('Research').click();
    await page.getByText('No language model is configured').waitFor();
    await page.getByLabel('Pages to read').fill('https://pumps.invalid/');
    await button('Research').click();
    await page.getByRole('listitem').getByRole('heading', { name: 'Who makes quiet pumps?' }).waitFor();
  });

  it('is on the next page when twenty newer ones exist', async () => {
    const ask = (prompt: string) => api.post('/v1/go/runs', { prompt, urls: ['https://pumps.invalid/'] });
    for (let at = 0; at < 20; at++) expect((await ask(`Question ${at}`)).status).toBe(202);
    await page.goto('/app/go');
    await page.getByRole('heading', { name: 'Question 19' }).waitFor();
    await button('Older').click();
    await page.getByRole('heading', { name: 'Who makes quiet pumps?' }).waitFor();
    await button('Newer').click();
    await page.getByRole('heading', { name: 'Question 19' }).waitFor();
  });
});

describe('two organisations', () => {
  it('see nothing of each other, in lists or by URL', async () => {
    const made = await createOrganisation(scene.product.database!.database, { name: 'Others', credits: 10 });
    const { id } = await tableOf('Ours alone', ['a.example']);
    const other = await scene.openPage();
    await scene.signIn(other, made);
    await other.goto('/app/tables');
    await other.getByRole('heading', { name: 'Tables', exact: true }).waitFor();
    expect(await other.getByText('Ours alone').count()).toBe(0);
    await other.goto(`/app/tables/${id}`);
    await other.getByText('Table not found').first().waitFor();
    await other.goto('/app/exclusions');
    await other.getByText('Nothing is excluded').waitFor();
    expect(await other.getByText('rival-two.example').count()).toBe(0);
    // Another user signs in in another tab of the same browser.
    const tab = await other.context().newPage();
    await scene.signIn(tab);
    await other.getByTitle(scene.owner.email).waitFor();
  });
});

describe('plain http at a network address', () => {
  it('is explained when the browser drops the cookie', async () => {
    const { port } = new URL(scene.product.baseUrl);
    const other = await scene.openPage({ baseURL: `http://${OTHER_HOST}:${port}` });
    await other.goto('/app/login');
    await other.getByLabel('E-mail').fill(scene.owner.email);
    await other.getByLabel('Password').fill(scene.owner.password);
    await other.getByRole('button', { name: 'Sign in' }).click();
    await other.getByText(`plain http from ${OTHER_HOST}`).waitFor();
  });
});

// Last: what is imported is searched by everybody, and the sandbox answers no live key any more.
describe('imported data', () => {
  it('gets suitable examples, and a failed run says why and what to do', async () => {
    const file = join(scene.product.dataDir, 'firms.csv');
    const firms = Array.from({ length: 30 }, (_, at) => `Firm ${at},firm-${at}.example,Berlin,Germany`);
    writeFileSync(file, `name,domain,city,country\n${firms.join('\n')}\n`);
    const env = { DATABASE_URL: scene.product.database!.url, DATA_DIR: scene.product.dataDir };
    const { code } = await runAdmin(env, [
      'directory:import',
      '--kind',
      'companies',
      '--file',
      file,
      '--name',
      'firms',
    ]);
    expect(code).toBe(0);
    await waitFor('the import to be searched', async () => {
      const { body } = await api.get<{ providers: Array<{ id: string }> }>('/services/searchCompanies');
      return body.providers.every(({ id }) => id !== 'sandbox');
    });
    await page.goto('/app/runs');
    await button('25 companies, the largest first').click();
    const prompt = 'companies in California';
    await page.getByLabel('What are you looking for?').fill(prompt);
    await button('Show plan').click();
    await button('Run').last().click();
    await page.getByText('This run failed.').waitFor();
    await page.getByText('No row of the directory has a state').first().waitFor();
    await page.getByRole('link', { name: 'Edit and run again' }).click();
    expect(await page.getByLabel('What are you looking for?').inputValue()).toBe(prompt);
  });
});
