import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page, Route } from 'playwright-core';
import { systemCtx } from '@quarry/app';
import { ImapServer, ScriptedSmtpServer, TestAuthority, waitFor } from '@quarry/test-servers';
import { ApiClient } from '@quarry/testing';
import { graveFindings, loseAnswer, WebScene } from './web-scene.fixture.js';

const PEOPLE =
  'First name,Company,Email\nAnna,Acme,reply+anna@sandbox.test\nEve,Umbrella,cut+eve@sandbox.test\nTom,Initech,reply+tom@sandbox.test\n';

let authority: TestAuthority;
let smtp: ScriptedSmtpServer;
let imap: ImapServer;
let scene: WebScene;
let page: Page;

beforeAll(async () => {
  authority = TestAuthority.make();
  const { cert, key } = authority;
  smtp = await ScriptedSmtpServer.start({ cert, key, user: 'ada', password: 'secret' });
  imap = await ImapServer.start({ cert, key });
  scene = await WebScene.start({
    FETCH_ALLOW_HOSTS: `localhost:${smtp.port},localhost:${imap.port}`,
    NODE_EXTRA_CA_CERTS: authority.caFile,
  });
  page = await scene.openPage();
  await scene.signIn(page);
  await page.getByRole('switch', { name: 'Test mode' }).click();
});
afterAll(async () => {
  await scene.close();
  await Promise.all([smtp.stop(), imap.stop()]);
  authority.remove();
});

const press = (name: string | RegExp) => page.getByRole('button', { name }).first().click();
const dialog = () => page.getByRole('dialog');

describe('an outreach campaign in test mode, by a person alone', () => {
  it('goes from an imported file to messages that wait for an approval', async () => {
    await page.goto('/app/settings/mailboxes?connect=sales@acme.example');
    await dialog().getByRole('button', { name: 'Connect' }).click();
    await page.getByRole('cell', { name: 'sales@acme.example' }).waitFor();
    expect(await graveFindings(page)).toEqual([]);

    await page.goto('/app/tables');
    await press('Import');
    await page
      .getByLabel('File', { exact: true })
      .setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(PEOPLE) });
    await page.getByRole('region', { name: 'Preview' }).waitFor();
    await dialog()
      .getByRole('button', { name: /^Import/ })
      .last()
      .click();
    await page.waitForURL('**/tables/tbl_*');

    await page.goto('/app/sequences');
    await press('New sequence');
    await dialog().getByLabel('Name').fill('Spring');
    await dialog().getByLabel('Subject').fill('A question for {{ company }}');
    await dialog().getByLabel('First message').fill('Hello {{ first_name }}, shall we talk?');
    await dialog()
      .getByLabel(/Also at night/)
      .check();
    await press('Create draft');
    await page.waitForURL('**/sequences/seq_*');
    await press('Add message');
    await page.getByLabel('Text').nth(1).fill('Did this reach you?');
    await page.getByRole('link', { name: 'Results' }).click();
    await page.getByText('Nothing sent yet').waitFor();
    await page.getByRole('link', { name: 'Messages', exact: true }).click();
    await page.getByLabel('Name').fill('Spring in Tokyo');
    await page.getByLabel('Daily message limit').fill('500');
    await page.reload();
    await page.getByLabel('Time zone').waitFor();
    expect(await page.getByLabel('Text').nth(1).inputValue()).toBe('Did this reach you?');
    await page.getByLabel('Time zone').selectOption('Asia/Tokyo');
    await page.getByRole('checkbox', { name: 'Sun' }).uncheck();
    // What is typed while it is saved would be lost with the old version.
    const save = async (route: Route): Promise<void> => {
      if (route.request().method() !== 'PATCH') return route.fallback();
      await page.locator('textarea[readonly]').first().waitFor();
      await route.continue();
    };
    await page.route('**/v1/sequences/seq_*', save);
    await press('Save');
    await page.getByText('Saved as a new version.').waitFor();
    await page.unroute('**/v1/sequences/seq_*');
    await page.getByText('Mon, Tue, Wed, Thu, Fri, Sat 00:00–24:00, Asia/Tokyo').waitFor();
    await page.getByRole('heading', { name: 'Spring in Tokyo' }).waitFor();
    await page.getByRole('checkbox', { name: 'Sun' }).check();
    await press('Save');
    await page.getByText('every day 00:00–24:00, Asia/Tokyo').waitFor();

    await page.getByRole('link', { name: 'People' }).click();
    await press('Add people');
    await dialog().getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('3 people added.').waitFor();
    await press('Done');
    const tom = page.getByRole('row', { name: /reply\+tom/ });
    await tom.getByRole('button', { name: 'Remove' }).click();
    await tom.getByRole('button', { name: 'Remove permanently' }).click();
    await tom.getByText('stopped').waitFor();
    expect(await tom.getByRole('button').count()).toBe(0);
    await page.getByRole('link', { name: 'Preview and approval' }).click();
    await page.getByText('Hello Anna, shall we talk?').waitFor();
    expect(await graveFindings(page)).toEqual([]);
    await press('Request approval');
  });

  it('sends them after the approval, and shows who replied', async () => {
    await dialog().getByText('A question for Acme').first().waitFor();
    expect(await graveFindings(page)).toEqual([]);
    await press(/^Approve 4 messages/);
    await press('Start sending');
    await page.getByRole('link', { name: 'People' }).click();
    await page.getByText('replied', { exact: true }).waitFor();
    await page.getByText('the last message may not have arrived').waitFor();
    expect(await graveFindings(page)).toEqual([]);
  });

  it('shows what happened to a contact, even after the last message', async () => {
    await page.goto('/app/tables');
    await press('Import');
    const csv = 'First name,E-mail,Status\nEva,reply+eva@sandbox.test,verified\n';
    await page
      .getByLabel('File', { exact: true })
      .setInputFiles({ name: 'once.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
    await dialog().getByRole('button', { name: 'Import 1 row' }).click();
    await page.waitForURL('**/tables/tbl_*');
    await page.goto('/app/sequences');
    await press('New sequence');
    await dialog().getByLabel('Name').fill('Once');
    await dialog().getByLabel('Subject').fill('A question');
    await dialog().getByLabel('First message').fill('Hello {{ first_name }}');
    await dialog()
      .getByLabel(/Also at night/)
      .check();
    await press('Create draft');
    await page.waitForURL('**/sequences/seq_*');
    await page.getByRole('link', { name: 'People' }).click();
    await press('Add people');
    await dialog()
      .getByLabel(/Include unverified/)
      .check();
    await dialog().getByRole('button', { name: 'Add', exact: true }).click();
    await press('Done');
    await page.getByRole('link', { name: 'Preview and approval' }).click();
    await press('Request approval');
    await press(/^Approve 1 message/);
    await page.getByRole('link', { name: 'People' }).click();
    await press('Start sending');
    await page.getByText('completed', { exact: true }).first().waitFor();
    await page.getByText('replied', { exact: true }).waitFor();
  });

  it('answers in the thread, with an approval of its own', async () => {
    await page.goto('/app/inbox');
    await page.getByRole('link', { name: /Eve/ }).waitFor();
    await page.getByRole('switch', { name: 'Replies only' }).click();
    await page.getByRole('link', { name: /Eve/ }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: /Anna/ }).click();
    await page.getByRole('article').getByText('Could you send me some more details?').waitFor();
    expect(await graveFindings(page)).toEqual([]);
    const marks: Array<string | null> = [];
    page.on('request', (request) => request.method() === 'PATCH' && marks.push(request.postData()));
    await press('Mark unread');
    await page.getByRole('link', { name: /Anna/ }).locator('[class*=unread]').first().waitFor();
    await page.getByLabel('Reply').fill('Thursday at ten?');
    expect(await graveFindings(page)).toEqual([]);
    expect(marks).toEqual(['{"unread":true}']);
    await page.reload();
    expect(await page.getByLabel('Reply').inputValue()).toBe('Thursday at ten?');
    // What is typed while it is saved stays.
    const typeOn = async (route: Route): Promise<void> => {
      await page.getByLabel('Reply').fill('Thursday at noon?');
      await route.continue();
    };
    await page.route('**/drafts', typeOn, { times: 1 });
    await press('Save as draft');
    await page.getByRole('link', { name: 'Review' }).click();
    await loseAnswer(page, /\/approvals\/apr_\w+$/);
    await press('Reject');
    // The answer was lost, but the approval shows that it has arrived.
    await dialog().getByText('rejected', { exact: true }).waitFor();
    expect(await dialog().getByText('Quarry cannot be reached').count()).toBe(0);
    await dialog().press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await page.goBack();
    await page.getByText('The last draft was rejected.').waitFor();
    expect(await page.getByText('Thursday at ten?').count()).toBe(0);
    expect(await page.getByLabel('Reply').inputValue()).toBe('Thursday at noon?');
    await press('Save as draft');
    await page.getByText('The last draft was rejected.').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Review' }).click();
    await dialog().getByText('Thursday at noon?').waitFor();
    await press(/^Approve/);
    await page.waitForURL('**/inbox?thread=thr_*');
    await press('Send');
    await page.getByRole('article').nth(3).waitFor();
  });

  it('enrols people found by a monitor', async () => {
    const api = new ApiClient(scene.product.baseUrl, scene.product.credentials.test_key);
    const { body: monitor } = await api.post<{ id: string }>('/v1/monitors', {
      name: 'Heads of marketing',
      prompt: '2 heads of marketing at software companies in Germany, with work e-mail',
      schedule: { cron: '0 9 * * 1', time_zone: 'Europe/Berlin' },
    });
    const addPeople = async () => {
      await page.goto('/app/sequences');
      await page.getByRole('link', { name: 'Spring' }).click();
      await page.getByRole('link', { name: 'People' }).click();
      await press('Add people');
      await dialog().getByLabel('From').selectOption('Heads of marketing');
    };
    await addPeople();
    await dialog().getByText('has not reported anyone yet').waitFor();
    await api.post(`/v1/monitors/${monitor.id}/trigger`, undefined);
    await waitFor('the monitor to have found somebody', async () => {
      const { body } = await api.get<{ items: unknown[] }>(`/v1/monitors/${monitor.id}/items`);
      return body.items.length === 2;
    });
    await addPeople();
    await dialog().getByLabel('Column with e-mail addresses').waitFor();
    expect(await graveFindings(page)).toEqual([]);
    await dialog().getByRole('button', { name: 'Add', exact: true }).click();
    await dialog()
      .getByText(/^[12] (person|people) added\.$/)
      .waitFor();
    await press('Done');
    await page.goto('/app/inbox');
  });

  it('asks a person about unknown deliveries, and applies the answer', async () => {
    await page.getByRole('link', { name: /Eve/ }).click();
    await press('It arrived');
    await page.getByText('The connection broke').waitFor({ state: 'detached' });
    await page.goto('/app/approvals');
    await page.getByText('approved', { exact: true }).first().waitFor();
    expect(await graveFindings(page)).toEqual([]);
  });

  it('adds the filtered rows of a table, and Back closes the dialog', async () => {
    await page.goto('/app/tables');
    await press('Import');
    const csv = 'First name,City,E-mail\nIda,Oslo,ida@sandbox.test\nJon,Rome,jon@sandbox.test\n';
    await page
      .getByLabel('File', { exact: true })
      .setInputFiles({ name: 'cities.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
    await dialog().getByRole('button', { name: 'Import 2 rows' }).click();
    await page.waitForURL('**/tables/tbl_*');
    const table = page.url();
    await page.getByRole('link', { name: 'Sequences' }).click();
    await press('New sequence');
    await dialog().getByLabel('Name').fill('Northern');
    await page.goBack();
    await press('Keep editing');
    await dialog().getByLabel('Subject').fill('A question');
    await dialog().getByLabel('First message').fill('Hello {{ first_nam');
    await dialog()
      .getByLabel(/Also at night/)
      .check();
    await press('Create draft');
    await dialog()
      .getByText(/^The text of message 1 is not a valid template/)
      .waitFor();
    await dialog().getByLabel('First message').fill('Hello {{ first_name }}');
    await press('Create draft');
    await page.waitForURL('**/sequences/seq_*');
    await page.goto(`${table}?filter=City:contains:Oslo`);
    await press('Write to…');
    await dialog().getByLabel('Sequence').selectOption('Northern (draft)');
    expect(await graveFindings(page)).toEqual([]);
    await dialog().getByRole('button', { name: 'Add 1 row' }).click();
    await dialog().getByText('1 person added.').waitFor();
    await page.getByRole('link', { name: 'To Northern' }).click();
    await page.getByRole('row', { name: /ida@/ }).waitFor();
    await press('Add people');
    await dialog().getByLabel('From').waitFor();
    await page.goBack();
    await dialog().waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /ida@/ }).waitFor();
  });

  it('says why nothing is sent after its mailbox was removed, and can use another one', async () => {
    await page.getByRole('link', { name: 'Messages', exact: true }).click();
    await press('Add message');
    await page.getByLabel('Text').nth(1).fill('Again');
    await page.getByRole('link', { name: 'Preview and approval' }).click();
    await page.getByText('are not saved and not in this preview').waitFor();
    expect(await page.getByRole('button', { name: 'Request approval' }).isDisabled()).toBe(true);
    await page.getByRole('link', { name: 'Messages', exact: true }).click();
    await press('Save');
    await page.getByText('Saved as a new version.').waitFor();
    const sequence = page.url();
    await page.getByRole('link', { name: 'Preview and approval' }).click();
    await press('Request approval');
    await press(/^Approve 2 messages/);
    await press('Start sending');
    await page.getByText('1 of 2').waitFor();
    await page.goto('/app/settings/mailboxes?connect=second@acme.example');
    await dialog().getByRole('button', { name: 'Connect' }).click();
    await page.getByRole('row', { name: /second@.*0 of 1,000/ }).waitFor();
    await page.getByRole('button', { name: 'sales@acme.example' }).click();
    await press('Remove');
    await press('Remove permanently');
    await dialog().waitFor({ state: 'detached' });
    await page.goto(sequence);
    await page.getByText('Nothing leaves from sales@acme.example (removed).').waitFor();
    expect(await graveFindings(page)).toEqual([]);
    await press('Pause');
    await page.getByText('Choose at least one mailbox.').waitFor();
    await page.getByLabel('second@acme.example').check();
    await press('Save');
    await page.getByRole('link', { name: 'Preview and approval' }).click();
    await page.getByText(/^second@acme\.example → ida@/).waitFor();
  });

  it('keeps what was typed when another tab saves the sequence, and says so', async () => {
    await page.goto('/app/sequences');
    await press('New sequence');
    await dialog().getByLabel('Name').fill('Autumn');
    await dialog().getByLabel('Subject').fill('A question');
    await dialog().getByLabel('First message').fill('Hello');
    await press('Create draft');
    await page.waitForURL('**/sequences/seq_*');
    await page.getByLabel('Text').fill('Hello from this tab');
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByLabel('Name').fill('Autumn in Tokyo');
    await other.getByRole('button', { name: 'Save' }).click();
    await other.getByText('Saved as a new version.').waitFor();
    await other.close();
    await press('Save');
    await page.getByText('The sequence was saved elsewhere since you began.').waitFor();
    await page.getByRole('heading', { name: 'Autumn in Tokyo' }).waitFor();
    expect(await page.getByLabel('Text').inputValue()).toBe('Hello from this tab');
    await press('Save');
    await page.getByText('Saved as a new version.').waitFor();
    await page.getByText('The sequence was saved elsewhere since you began.').waitFor({ state: 'detached' });
  });

  it('archives an unwanted sequence by a second press', async () => {
    await page.goto('/app/sequences');
    await press('New sequence');
    await dialog().getByLabel('Name').fill('Mistake');
    await dialog().getByLabel('Subject').fill('A question');
    await dialog().getByLabel('First message').fill('Hello');
    await press('Create draft');
    await page.waitForURL('**/sequences/seq_*');
    await page.getByRole('button', { name: 'Archive' }).dblclick();
    await press('Archive permanently');
    await page.getByText('archived', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: /^Archive/ }).count()).toBe(0);
    await page.getByRole('article').getByText('Hello').waitFor();
    expect(await page.getByRole('main').getByRole('textbox').count()).toBe(0);
    await page.getByRole('link', { name: 'People' }).click();
    await page.getByText('No people yet').waitFor();
    expect(await page.getByRole('button', { name: 'Add people' }).count()).toBe(0);
  });
});

describe('a mailbox in live mode', () => {
  async function fillServers(password: string): Promise<void> {
    await dialog().getByLabel('User').fill('ada');
    await dialog().getByLabel('Password', { exact: true }).fill(password);
    for (const [name, { port }] of [
      ['Outgoing mail (SMTP)', smtp],
      ['Incoming mail (IMAP)', imap],
    ] as const) {
      const group = dialog().getByRole('group', { name });
      await group.getByLabel('Server').fill('localhost');
      await group.getByLabel('Port').fill(String(port));
    }
  }

  it('whose password has changed accepts the new one, and is connected again', async () => {
    await page.getByRole('switch', { name: 'Test mode' }).click();
    await page.goto('/app/settings/mailboxes?mode=live&connect=ada@acme.example');
    await fillServers('secret');
    await press('Sign in and connect');
    await page.getByRole('row', { name: /ada@acme\.example connected/ }).waitFor();

    const { database } = scene.product.database!;
    await database.query(
      systemCtx('spec'),
      "UPDATE outreach.mailboxes SET status = 'failing' WHERE mode = 'live'",
    );
    await page.reload();
    await page.getByRole('button', { name: 'ada@acme.example' }).click();
    await dialog().getByText('Change the password or the servers').click();
    await fillServers('wrong');
    await press('Sign in and save');
    await dialog()
      .getByText(/^smtp: The server did not accept the user name and password/)
      .waitFor();
    expect(await graveFindings(page)).toEqual([]);
    await fillServers('secret');
    await press('Sign in and save');
    await page.getByRole('row', { name: /ada@acme\.example connected/ }).waitFor();
  });
});
