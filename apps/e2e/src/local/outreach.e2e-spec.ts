import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@quarry/test-servers';
import { ApiClient, startProduct, type Product } from '@quarry/testing';

type Json = Record<string, unknown>;

/** Recipients by the sink's reaction to them in test mode. */
const PEOPLE = {
  reply: 'reply+anna@sandbox.test',
  bounce: 'bounce+bob@sandbox.test',
  away: 'away+cid@sandbox.test',
  leave: 'unsubscribe+dan@sandbox.test',
  cut: 'cut+eve@sandbox.test',
  silent: 'fay@sandbox.test',
} as const;
const ALWAYS = { days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], from: '00:00', to: '24:00' };

let product: Product;
let api: ApiClient;
let client: Client;
let cookie: string;

beforeAll(async () => {
  product = await startProduct({ env: { RATE_LIMIT_SCALE: '1000', LOG_LEVEL: 'error' } });
  api = new ApiClient(product.baseUrl, product.credentials.test_key);
  const { email, password } = product.credentials as Record<string, string>;
  const opened = await ask('/session', 'POST', { email, password });
  cookie = opened.headers.get('set-cookie')!.split(';')[0]!;
  client = new Client(
    { name: 'spec', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  const requestInit = { headers: { authorization: `Bearer ${product.credentials.test_key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${product.baseUrl}/mcp`), { requestInit }));
});
afterAll(async () => {
  await client.close();
  await product.dispose();
});

/** Sends a request as the browser of a person does in the web application. */
function ask(path: string, method = 'GET', body?: object): Promise<Response> {
  return fetch(`${product.baseUrl}/app/api${path}`, {
    method,
    headers: {
      origin: product.baseUrl,
      'sec-fetch-site': 'same-origin',
      ...(cookie ? { cookie } : {}),
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    body: body ? JSON.stringify(body) : null,
  });
}

async function person<Answer = Json>(path: string, method = 'GET', body?: object): Promise<Answer> {
  const response = await ask(`/test${path}`, method, body);
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return (text === '' ? {} : JSON.parse(text)) as Answer;
}

/** Calls a tool as an agent does. */
async function use<Answer = Json>(name: string, args: Json = {}): Promise<Answer> {
  const { isError, structuredContent, content } = await client.callTool({ name, arguments: args });
  if (isError) throw new Error(`${name}: ${JSON.stringify(content)}`);
  return structuredContent as Answer;
}

async function refusalOf(name: string, args: Json): Promise<string> {
  const { isError, _meta } = await client.callTool({ name, arguments: args });
  expect(isError).toBe(true);
  return (_meta!['quarry/error'] as { code: string }).code;
}

async function contactsOf(sequenceId: string) {
  const { items } = await use<{ items: Array<Json & { email: string; status: string; step: number }> }>(
    'sequence_enrollments_get',
    { sequence_id: sequenceId, limit: 100 },
  );
  return new Map(items.map((item) => [item.email, item]));
}

describe('an outreach campaign in test mode, by an agent and a person', () => {
  let sequenceId: string;
  let tableId: string;
  let unsubscribeUrl: string;

  /** Enrols the people of a table that a prompt has built. @returns their number */
  async function peopleOfPrompt(): Promise<number> {
    const prompt = '3 heads of sales at software companies in Germany, with work e-mail';
    const { run_id: runId } = await use('retriever_build_list_start', { prompt, max_credits: 25 });
    const run = await waitFor('the run to end', async () => {
      const state = await use<Json & { tables: Array<{ id: string }> }>('retriever_build_list_get', {
        run_id: runId,
        wait_seconds: 20,
      });
      return state.status === 'completed' && state;
    });
    const table = await use<{ columns: Array<{ key: string; kind: string }> }>('table_get', {
      table_id: run.tables[0]!.id,
    });
    const email = table.columns.find(({ kind }) => kind === 'email')!.key;
    const { enrolled } = await use<{ enrolled: number }>('sequence_enroll', {
      sequence_id: sequenceId,
      table_id: run.tables[0]!.id,
      email_column: email,
      variables: { first_name: 'full_name' },
    });
    return enrolled;
  }

  it('goes from a prompt and a table to messages that are sent after a person approved exactly them', async () => {
    const mailbox = await person<{ id: string }>('/mailboxes', 'POST', { address: 'sales@quarry.example' });
    const { items: mailboxes } = await use<{ items: Json[] }>('sequence_mailboxes_get');
    expect(mailboxes).toMatchObject([
      { id: mailbox.id, address: 'sales@quarry.example', status: 'connected' },
    ]);
    const table = await use<{ table_id: string }>('table_import', {
      name: 'People',
      columns: [
        { key: 'first_name', name: 'First name', kind: 'text' },
        { key: 'email', name: 'E-mail', kind: 'email' },
      ],
      rows: Object.entries(PEOPLE).map(([first_name, email]) => ({ first_name, email })),
    });
    tableId = table.table_id;
    const sequence = await use<{ sequence_id: string; status: string }>('sequence_create', {
      name: 'First campaign',
      mailbox_ids: [mailbox.id],
      time_zone: 'Europe/Berlin',
      window: ALWAYS,
      steps: [
        { delay_days: 0, subject: 'For {{ first_name }}', body: 'Hello {{ first_name }}, shall we talk?' },
        { delay_days: 3, body: 'Did this reach you, {{ first_name }}?' },
      ],
    });
    sequenceId = sequence.sequence_id;
    expect(sequence.status).toBe('draft');
    const rows = { sequence_id: sequenceId, table_id: table.table_id, email_column: 'email' };
    expect(await use('sequence_enroll', { ...rows, dry_run: true })).toMatchObject({ enrolled: 6 });
    expect(await use('sequence_enroll', rows)).toEqual({
      enrolled: 6,
      skipped: { suppressed: 0, excluded: 0, unverified: 0, duplicate: 0, invalid: 0 },
    });
    const found = await peopleOfPrompt();
    expect(found).toBeGreaterThan(0);
    const preview = await use<{ digest: string; total_messages: number; messages: Json[] }>(
      'sequence_preview',
      { sequence_id: sequenceId },
    );
    expect(preview.total_messages).toBe(12 + 2 * found);
    expect(preview.messages).toHaveLength(12 + 2 * found);
    expect(preview.messages[0]).toMatchObject({ subject: 'For reply', to: PEOPLE.reply });

    const approval = await use<{ approval_id: string; status: string; app_url: string }>(
      'sequence_approval_request',
      { sequence_id: sequenceId, digest: preview.digest },
    );
    expect(approval).toMatchObject({ status: 'pending' });
    expect(approval.app_url).toContain(`${product.baseUrl}/app/approvals`);
    const start = { sequence_id: sequenceId, approval_id: approval.approval_id };
    expect(await refusalOf('sequence_activate', start)).toBe('approval_required');
    // An API key cannot decide an approval.
    const byKey = await api.post<Json>(`/app/api/test/approvals/${approval.approval_id}`, {
      decision: 'approve',
      digest: preview.digest,
    });
    expect(byKey.status).toBe(401);
    const details = await person<{ approval: Json; recipients: string[] }>(
      `/approvals/${approval.approval_id}`,
    );
    expect(details.approval).toMatchObject({
      audience: 6 + found,
      messages: 12 + 2 * found,
      digest: preview.digest,
    });
    expect(details.recipients).toHaveLength(6 + found);
    expect(details.recipients).toEqual(expect.arrayContaining(Object.values(PEOPLE)));
    await person(`/approvals/${approval.approval_id}`, 'POST', {
      decision: 'approve',
      digest: preview.digest,
    });
    expect(await use('sequence_activate', start)).toMatchObject({ status: 'active' });
  });

  it('distinguishes replies, bounces and absences, and stops for contacts who replied', async () => {
    const ended = await waitFor('everybody to have been written to, and to have answered', async () => {
      const contacts = await contactsOf(sequenceId);
      const statuses = Object.fromEntries(
        Object.entries(PEOPLE).map(([who, email]) => [who, contacts.get(email)!.status]),
      );
      const isSettled =
        statuses.reply === 'replied' && statuses.bounce === 'bounced' && statuses.leave === 'replied';
      const isSent = [...contacts.values()].every(({ step, email }) => step === 1 || email === PEOPLE.cut);
      return isSettled && isSent && { contacts, statuses };
    });
    expect(ended.statuses).toMatchObject({ away: 'active', silent: 'active', cut: 'active' });
    expect(ended.contacts.get(PEOPLE.cut)).toMatchObject({
      reason: 'unknown_delivery',
      next_at: null,
      last_message: { status: 'unknown' },
    });
    const stats = await use<{ totals: Json }>('sequence_stats_get', { sequence_id: sequenceId });
    expect(stats.totals).toMatchObject({ bounced: 1, replied: 2 });
    expect(stats.totals.sent).toBeGreaterThan(5);
    const { items } = await use<{ items: Json[] }>('sequence_suppressions_get');
    expect(items).toMatchObject([{ value: PEOPLE.bounce, reason: 'hard_bounce' }]);
  });

  it('shows in the table who was written to, and who replied', async () => {
    const rows = await waitFor('the table to show what became of everybody', async () => {
      const { items } = await use<{ items: Array<{ values: Record<string, string | null> }> }>(
        'table_rows_get',
        { table_id: tableId },
      );
      const byName = new Map(items.map(({ values }) => [values.first_name, values]));
      const isShown =
        byName.get('reply')?.outreach_status === 'replied' && Boolean(byName.get('silent')?.written_to_at);
      return isShown && byName;
    });
    expect(rows.get('reply')!.answered_at).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(rows.get('silent')).toMatchObject({ outreach_status: 'active', answered_at: null });
    expect(rows.get('cut')).toMatchObject({ outreach_status: 'active', written_to_at: null });
  });

  it('shows threads, and sends a reply that a person approved, once', async () => {
    const { items } = await use<{ items: Array<Json & { thread_id: string }> }>('inbox_threads_get', {
      query: PEOPLE.reply,
    });
    expect(items).toMatchObject([{ kind: 'reply', contact: { email: PEOPLE.reply }, unread: true }]);
    const threadId = items[0]!.thread_id;
    const thread = await use<{ messages: Array<Json & { text: string }> }>('inbox_thread_get', {
      thread_id: threadId,
    });
    expect(thread.messages.map(({ direction }) => direction)).toEqual(['out', 'in']);
    unsubscribeUrl = /http\S+\/u\/\S+/.exec(thread.messages[0]!.text)![0];
    await use('inbox_thread_update', { thread_id: threadId, label: 'interested', unread: false });

    const draft = await use<Json & { draft_id: string; digest: string; approval_id: string }>(
      'inbox_draft_create',
      { thread_id: threadId, body_text: 'Thursday at ten?' },
    );
    expect(draft).toMatchObject({ to: PEOPLE.reply, subject: 'Re: For reply' });
    const send = { draft_id: draft.draft_id, digest: draft.digest };
    expect(await refusalOf('inbox_draft_send', send)).toBe('approval_required');
    const { items: waiting } = await person<{ items: Json[] }>('/approvals');
    const approval = waiting.find(({ draft_id }) => draft_id === draft.draft_id)!;
    await person(`/approvals/${String(approval.approval_id)}`, 'POST', {
      decision: 'approve',
      digest: draft.digest,
    });
    const sent = await use<{ message_id: string }>('inbox_draft_send', send);
    expect((await use<{ message_id: string }>('inbox_draft_send', send)).message_id).toBe(sent.message_id);
    await waitFor('the answer to be sent, and to be answered', async () => {
      const { messages } = await use<{ messages: Json[] }>('inbox_thread_get', { thread_id: threadId });
      return (
        messages.length === 4 &&
        messages.some(({ message_id, status }) => message_id === sent.message_id && status === 'sent')
      );
    });
  });

  it('unsubscribes a person by one click without a key, and not by a mere GET', async () => {
    const page = await fetch(unsubscribeUrl);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await page.text()).toContain(PEOPLE.reply);
    const before = await use<{ items: Json[] }>('sequence_suppressions_get', { query: PEOPLE.reply });
    expect(before.items).toEqual([]);
    const click = () =>
      fetch(unsubscribeUrl, {
        method: 'POST',
        redirect: 'error',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'List-Unsubscribe=One-Click',
      });
    for (const answer of [await click(), await click()]) {
      expect(answer.status).toBe(200);
      expect(await answer.text()).toContain('You are unsubscribed');
    }
    const after = await use<{ items: Array<Json & { suppression_id: string }> }>(
      'sequence_suppressions_get',
      { query: PEOPLE.reply },
    );
    expect(after.items).toMatchObject([{ kind: 'address', value: PEOPLE.reply, reason: 'unsubscribed' }]);
    // An API key cannot remove a suppression; a person can.
    const path = `/suppressions/${after.items[0]!.suppression_id}`;
    expect((await api.delete(`/v1${path}`)).status).toBe(404);
    await person(path, 'DELETE');
    const { items } = await use<{ items: Json[] }>('sequence_suppressions_get', { query: PEOPLE.reply });
    expect(items).toEqual([]);
    const lost = await fetch(`${product.baseUrl}/u/${'x'.repeat(43)}`);
    expect(await lost.text()).toContain('This link is not valid');
  });

  it('sends nothing more after it is paused, and voids the approval', async () => {
    const paused = await use<{ status: string; version: number }>('sequence_pause', {
      sequence_id: sequenceId,
    });
    expect(paused.status).toBe('paused');
    const { approval } = await use<{ approval: Json }>('sequence_get', { sequence_id: sequenceId });
    expect(approval).toMatchObject({ status: 'void' });
    const { approval_id: approvalId } = approval;
    expect(await refusalOf('sequence_activate', { sequence_id: sequenceId, approval_id: approvalId })).toBe(
      'approval_required',
    );
    const changes = { steps: [{ delay_days: 0, subject: 'Anew', body: 'Hello {{ nobody }}' }] };
    const update = { sequence_id: sequenceId, version: paused.version, changes };
    const changed = await use<{ version: number }>('sequence_update', update);
    expect(changed.version).toBe(paused.version + 1);
    expect(await refusalOf('sequence_update', update)).toBe('version_conflict');
    const preview = await use<{ digest: string; warnings: Json[] }>('sequence_preview', {
      sequence_id: sequenceId,
    });
    expect(preview.warnings).toContainEqual(expect.objectContaining({ code: 'missing_variable' }));
    expect(
      await refusalOf('sequence_approval_request', { sequence_id: sequenceId, digest: preview.digest }),
    ).toBe('invalid_request');
  });

  it('leaves nothing in live mode', async () => {
    const live = new ApiClient(product.baseUrl, product.credentials.api_key);
    for (const path of ['mailboxes', 'sequences', 'suppressions', 'inbox/threads'])
      expect((await live.get<{ items: Json[] }>(`/v1/${path}`)).body.items).toEqual([]);
    expect((await live.get<Json>(`/v1/sequences/${sequenceId}`)).status).toBe(404);
  });
});
