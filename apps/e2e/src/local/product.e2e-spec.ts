import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { PlanJson, RowJson, RunJson, TableJson } from '@quarry/dto';
import { CONNECTION_BUDGETS, connectionsIn } from '@quarry/postgres';
import { ApiClient, startProduct, type ApiAnswer, type Product } from '@quarry/testing';
import { waitFor } from '@quarry/test-servers';

type Page<T> = { items: T[]; next_cursor?: string | null; next_offset?: number | null };

let product: Product;
let api: ApiClient;

beforeAll(async () => {
  product = await startProduct({ env: { RATE_LIMIT_SCALE: '100', LOG_LEVEL: 'error' } });
  api = new ApiClient(product.baseUrl, product.credentials.api_key);
});
afterAll(() => product.dispose());

async function completed(request: Record<string, unknown>): Promise<RunJson> {
  const started = await api.post<RunJson>('/v1/runs', request);
  expect(started.status).toBe(202);
  const run = await api.runEnd(started.body);
  expect(run).toMatchObject({ status: 'completed', error: null });
  return run;
}

/** Returns the charges of a run in the ledger. */
async function costOf({ id }: RunJson): Promise<number> {
  const { body } = await api.get<Page<{ amount: number }>>(`/credits/ledger?run_id=${id}&limit=100`);
  return body.items.reduce((sum, { amount }) => sum - amount, 0);
}

async function rowsOf(run: RunJson): Promise<RowJson[]> {
  return (await api.get<Page<RowJson>>(`${run.artifacts[0]!.links.rows}?limit=1000`)).body.items;
}

/** Imports people whose lookups take some seconds, so that a run over them can be observed midway. */
async function slowPeople(name: string, count: number, seconds: number): Promise<TableJson> {
  const workspace = (await api.post<{ id: string }>('/v1/workspaces', { name })).body;
  const rows = Array.from({ length: count }, (_, i) => ({
    first_name: `${name}${i}`,
    last_name: 'Slow',
    domain: `slow-${seconds}s.sandbox.test`,
  }));
  const columns = ['first_name', 'last_name', 'domain'].map((key) => ({ key, name: key.replace('_', ' ') }));
  const answer = await api.post<TableJson>(`/v1/workspaces/${workspace.id}/tables`, { name, columns, rows });
  expect(answer.status).toBe(201);
  return answer.body;
}

const envelope = (answer: ApiAnswer<unknown>, status: number, code: string) => {
  expect(answer).toMatchObject({ status, body: { error: { code } } });
};

describe('an enrichment of a live table', () => {
  it('fills a column by a service, some rows first and then the rest, and pays nothing twice', async () => {
    const table = await slowPeople('Enriched', 3, 1);
    const balance = async () => (await api.get<{ remaining: number }>('/credits')).body.remaining;
    const before = await balance();
    const path = `${table.links.self}/enrichments`;
    const body = { service: 'getEmail', columns: [{ key: 'work_email', name: 'Work email' }] };
    const estimate = await api.post<{ estimate: { rows: number } }>(path, { ...body, dry_run: true });
    expect(estimate).toMatchObject({ status: 200, body: { estimate: { rows: 3, credits_min: 0 } } });
    type Enrichment = { id: string; status: string; charged: number; counts: Record<string, number> };
    const enrich = async (request: object) => {
      const begun = await api.post<Enrichment>(path, request);
      expect(begun).toMatchObject({ status: 202, body: { counts: { filled: 0 } } });
      const read = await api.get<Enrichment>(`/v1/enrichments/${begun.body.id}?wait_seconds=30`);
      expect(read).toMatchObject({ status: 200, body: { status: 'completed' } });
      return read.body;
    };
    const first = await enrich({ ...body, limit: 1 });
    expect(first.counts).toEqual({ pending: 0, filled: 1, empty: 0, failed: 0, skipped: 0 });
    const rest = await enrich(body);
    expect(rest.counts).toMatchObject({ pending: 0, filled: 2 });
    expect(first.charged + rest.charged).toBeCloseTo(before - (await balance()), 3);
    const { items } = (await api.get<Page<RowJson>>(table.links.rows)).body;
    for (const { values } of items) expect(values['work_email']).toMatch(/@/);
    const cell = await api.get<{ trail: unknown[]; cost: { amount: number; ledger_id: string } }>(
      `${table.links.rows}/${items[0]!.id}/cells/work_email`,
    );
    expect(cell.body.trail.length).toBeGreaterThan(0);
    expect(cell.body.cost.amount).toBeCloseTo(first.charged, 3);
    const ledger = await api.get<Page<{ id: string }>>(`/credits/ledger?run_id=${first.id}`);
    expect(ledger.body.items.map(({ id }) => id)).toEqual([cell.body.cost.ledger_id]);
    expect(cell.body.cost.ledger_id).toMatch(/^led_[0-9a-z]{26}$/);
    envelope(await api.post(path, { ...body, inputs: { shoe: 'domain' } }), 400, 'invalid_request');
    envelope(await api.get('/v1/enrichments/enr_00000000000000000000000000'), 404, 'not_found');
  });

  it('keeps existing values of a row, and records the outcome of the call in empty cells', async () => {
    const workspace = (await api.post<{ id: string }>('/v1/workspaces', { name: 'Held' })).body;
    const rows = [
      { domain: 'ormont.example', name: 'Our name', industry: '' },
      { domain: 'miss.sandbox.test', name: 'Our name', industry: null },
      { domain: 'provider-error.sandbox.test', name: 'Our name', industry: null },
      { domain: null, name: 'Our name', industry: null },
    ];
    const columns = ['domain', 'name', 'industry'].map((key) => ({ key, name: key }));
    const table = (
      await api.post<TableJson>(`/v1/workspaces/${workspace.id}/tables`, { name: 'Held', columns, rows })
    ).body;
    const body = {
      service: 'enrichCompany',
      inputs: { domain: 'domain' },
      columns: [{ key: 'name' }, { key: 'industry' }],
    };
    const path = `${table.links.self}/enrichments`;
    const enrich = async (request: object, headers?: Record<string, string>) => {
      const begun = await api.post<{ id: string }>(path, request, headers);
      return (await api.get<{ counts: object }>(`/v1/enrichments/${begun.body.id}?wait_seconds=30`)).body;
    };
    expect((await enrich(body)).counts).toEqual({ pending: 0, filled: 1, empty: 1, failed: 1, skipped: 5 });
    const { items } = (await api.get<Page<RowJson>>(table.links.rows)).body;
    expect(items.map(({ values }) => values)).toEqual(
      rows.map((row, i) => ({ ...row, industry: i === 0 ? 'Fintech' : null })),
    );
    await enrich({ ...body, rows: 'all' }, { 'Service-Fresh': 'true' });
    const failed = await api.post(path, { ...body, rows: 'failed', dry_run: true });
    expect(failed.body).toMatchObject({ estimate: { rows: 1 } });
  });

  it('keeps the values that a cancelled enrichment has paid for', async () => {
    const table = await slowPeople('Cancelled', 3, 1);
    type Enrichment = { id: string; status: string; charged: number; counts: Record<string, number> };
    const body = { service: 'getEmail', columns: [{ key: 'work_email', name: 'Work email' }] };
    const remaining = async () => (await api.get<{ remaining: number }>('/credits')).body.remaining;
    const before = await remaining();
    const begun = await api.post<Enrichment>(`${table.links.self}/enrichments`, body);
    // A lookup that has not started is not charged.
    await waitFor('its lookups to be paid for', async () => (await remaining()) === before - 3);
    expect((await api.post(`/v1/enrichments/${begun.body.id}/cancel`, {})).status).toBe(202);
    const { body: ended } = await api.get<Enrichment>(`/v1/enrichments/${begun.body.id}?wait_seconds=30`);
    expect(ended).toMatchObject({ status: 'cancelled', charged: 3, counts: { filled: 3, skipped: 0 } });
    const { items } = (await api.get<Page<RowJson>>(table.links.rows)).body;
    for (const { values } of items) expect(values['work_email']).toMatch(/@/);
  });
});

describe('the first start of the product', () => {
  it('shows a sample table with mail addresses, and writes credentials readable only by its owner', async () => {
    expect(product.output()).toContain('A first run');
    expect(product.output()).toMatch(/@[a-z0-9-]+\.example/);
    const most = connectionsIn(CONNECTION_BUDGETS.local) + 5;
    expect(product.output()).toContain(
      `Connections to PostgreSQL at most: ${most} (transactions 10, copies 3, lists 4, read 2, work 2, heartbeat 2, ping 1, queues 4, notifications 1).`,
    );
    expect((await stat(join(product.dataDir, 'credentials.json'))).mode & 0o777).toBe(0o600);
    expect(Object.keys(product.credentials).sort()).toEqual([
      'api_key',
      'app_url',
      'base_url',
      'email',
      'password',
      'test_key',
    ]);
  });
});

describe('the web application', () => {
  it('signs in with the link that the start prints, once, for both modes', async () => {
    const link = /http\S+\/app\/login#([\w-]{43})/.exec(product.output())!;
    const { baseUrl, credentials } = product;
    const { app_url: appUrl, email, password } = credentials;
    expect(link[0].startsWith(`${appUrl}/login#`)).toBe(true);
    const send = (path: string, init: { method?: string; body?: unknown; cookie?: string } = {}) =>
      fetch(`${baseUrl}/app/api${path}`, {
        method: init.method ?? 'GET',
        headers: {
          origin: baseUrl,
          ...(init.cookie === undefined ? {} : { cookie: init.cookie }),
          ...(init.body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(init.body === undefined ? {} : { body: JSON.stringify(init.body) }),
      });
    const opened = await send('/session', { method: 'POST', body: { link: link[1] } });
    expect(opened.status).toBe(200);
    const cookie = opened.headers.get('set-cookie')!.split(';')[0]!;
    const { user } = (await opened.json()) as { user: { email: string; role: string } };
    expect(user).toMatchObject({ email, role: 'owner' });
    expect((await send('/session', { method: 'POST', body: { link: link[1] } })).status).toBe(401);
    const balances = await Promise.all(
      ['live', 'test'].map(async (mode) => {
        const answer = await send(`/${mode}/credits`, { cookie });
        return ((await answer.json()) as { balance: number }).balance;
      }),
    );
    expect(balances[0]).not.toBe(balances[1]);
    expect((await send('/session', { method: 'POST', body: { email, password } })).status).toBe(200);
    const made = await send('/keys', {
      method: 'POST',
      cookie,
      body: { name: 'e2e', mode: 'test', cap_day: 1 },
    });
    expect([made.status, await made.json()]).toMatchObject([201, { cap_day: 1, cap_month: null }]);
    const started = await send('/test/v1/runs', {
      method: 'POST',
      cookie,
      body: { prompt: '2 banks in Germany' },
    });
    expect(started.status).toBe(202);
    const { links } = (await started.json()) as RunJson;
    expect(links.app.startsWith(`${appUrl}/runs/`)).toBe(true);
    await waitFor('the run of the session to complete', async () => {
      const answer = await send(`/test${links.self}`, { cookie });
      return ((await answer.json()) as RunJson).status === 'completed';
    });
    expect((await send('/session', { method: 'DELETE', cookie })).status).toBe(204);
    expect((await send('/test/v1/runs', { cookie })).status).toBe(401);
  });
});

describe('a run', () => {
  it('executes its plan as corrected', async () => {
    const prompt = '10 insurance companies in the United States with more than 200 employees';
    const plan = await api.post<PlanJson>('/v1/plans', { prompt });
    expect(plan.status).toBe(201);
    expect(plan.body).toMatchObject({
      planner: 'rules',
      not_understood: [],
      estimate: { rows: 10, credits_max: 0 },
    });
    expect(plan.body.understood.map(({ fragment }) => fragment)).toEqual(
      expect.arrayContaining(['insurance companies', 'United States', '10']),
    );
    expect((await api.get(plan.body.links.self)).body).toEqual(plan.body);
    const schema = await api.get<{ anyOf: unknown[] }>('/v1/plans/schema');
    expect(schema.body.anyOf).toHaveLength(2);

    const intent = { ...plan.body.intent, count: { value: 3, fragments: [], from: 'user' } };
    const started = await api.post<RunJson>(plan.body.links.runs, { intent });
    expect(started.status).toBe(202);
    const rows = await rowsOf(await api.runEnd(started.body));
    expect(rows).toHaveLength(3);
    for (const { values } of rows) expect(values).toMatchObject({ country: 'United States' });
    const refused = await api.post(plan.body.links.runs, { intent: { ...intent, entity: 'ship' } });
    envelope(refused, 400, 'invalid_request');
    expect(refused.body).toMatchObject({ error: { details: [{ path: 'intent.entity' }] } });
    const vague = { ...intent.count, of: 'company', filter: 'mood', op: 'any_of', value: ['good'] };
    const corrected = { plan_id: plan.body.id, intent: { ...intent, filters: [vague] } };
    expect((await api.post('/v1/plans', corrected)).body).toMatchObject({
      error: {
        code: 'invalid_request',
        details: [
          {
            path: 'intent.filters.0.filter',
            message: expect.stringMatching(/^company filter "mood": must be one of "names"/) as unknown,
          },
        ],
      },
    });
    envelope(await api.post('/v1/plans/plan_0/runs', {}), 404, 'not_found');
  });

  it('keeps a conversation to one active run, and to its workspace', async () => {
    const table = await slowPeople('Busy', 2, 3);
    const started = (
      await api.post<RunJson>('/v1/runs', {
        prompt: `From my table "${table.name}": everyone, with work email`,
      })
    ).body;
    envelope(
      await api.post('/v1/runs', { prompt: 'more', conversation_id: started.conversation_id }),
      409,
      'conversation_busy',
    );
    envelope(
      await api.post('/v1/runs', {
        prompt: 'more',
        conversation_id: started.conversation_id,
        workspace_id: table.workspace_id,
      }),
      400,
      'workspace_mismatch',
    );
    envelope(await api.post('/v1/runs', { prompt: 'x', workspace_id: 'ws_0' }), 404, 'workspace_not_found');
    envelope(
      await api.post('/v1/runs', { prompt: 'x', conversation_id: 'conv_0' }),
      404,
      'conversation_not_found',
    );
    await waitFor(
      'lines to be held',
      async () => (await api.get<{ reserved: number }>('/credits')).body.reserved > 0,
    );
    // Held longer than the test lasts: only the end of the run can answer it.
    const held = api.get<RunJson>(`${started.links.self}?wait_seconds=60`);
    const cancelled = await api.post<RunJson>(`${started.links.self}/cancel`, {});
    expect(cancelled).toMatchObject({ status: 202, body: { cancellation_requested: true } });
    const { body: run } = await held;
    expect(run.status).toBe('cancelled');
    envelope(await api.get(`${started.links.self}?wait_seconds=61`), 400, 'invalid_request');
    expect(await api.post<RunJson>(`${started.links.self}/cancel`, {})).toMatchObject({
      status: 200,
      body: { status: 'cancelled' },
    });
    expect((await rowsOf(run)).length).toBe(2);
  });

  it('is listed by workspace and by conversation', async () => {
    const run = await completed({ prompt: '2 airlines' });
    for (const filter of [`workspace_id=${run.workspace_id}`, `conversation_id=${run.conversation_id}`]) {
      const { body } = await api.get<Page<RunJson>>(`/v1/runs?${filter}`);
      expect(body).toMatchObject({ items: [{ id: run.id }], next_offset: null });
    }
    expect((await api.get<Page<RunJson>>('/v1/runs?limit=1')).body.next_offset).toBe(1);
    envelope(await api.get('/v1/runs?limit=0'), 400, 'invalid_request');
    envelope(await api.get('/v1/runs?colour=red'), 400, 'invalid_request');
  });

  it('pays for nothing on a guess or for a question; running the plan named in its message is the consent', async () => {
    const prompt = '3 CEOs of software companies in the United States with a blue logo, with work email';
    const run = await completed({ prompt });
    for (const { cells } of await rowsOf(run))
      expect(cells['email']).toMatchObject({ status: 'skipped', error: { code: 'not_confirmed' } });
    expect(run.message).toMatch(/blue logo.* was not understood/);
    expect(run.message).toContain('The run cost nothing.');
    expect(await costOf(run)).toBe(0);

    const planId = /plan_[0-9a-z]{26}/.exec(run.message)![0];
    const consent = await api.post<RunJson>(`/v1/plans/${planId}/runs`, {});
    const filled = await api.runEnd(consent.body);
    expect(filled).toMatchObject({
      status: 'completed',
      conversation_id: run.conversation_id,
      artifacts: [{ id: run.artifacts[0]!.id, effect: 'updated' }],
    });
    for (const { cells } of await rowsOf(filled))
      expect(['filled', 'empty']).toContain(cells['email']!.status);
    const cost = await costOf(filled);
    expect(cost).toBeGreaterThan(0);
    expect(filled.message).toContain(`The run cost ${cost} credit`);

    // A second run of the same plan pays for nothing twice.
    const again = await api.runEnd((await api.post<RunJson>(`/v1/plans/${planId}/runs`, {})).body);
    expect(again).toMatchObject({ status: 'completed', artifacts: [{ effect: 'updated' }] });
    expect(await costOf(again)).toBe(0);
    for (const question of ['why was Deutsche Bank left out?', 'how much did this cost?', 'thanks!']) {
      const body = { prompt: question, conversation_id: run.conversation_id };
      const answered = await completed(body);
      expect([answered.artifacts, await costOf(answered)]).toEqual([[], 0]);
    }
    const followUp = await completed({ prompt: 'how much was it?', conversation_id: run.conversation_id });
    expect(followUp.message).toContain(`this conversation ${cost} in total`);
    expect(followUp.message).toContain('place: United States');
  });

  it('costs no more than Quarry-Max-Credits, and says when that is used up', async () => {
    // People that no other test has looked up: a known answer would cost nothing.
    const body = { prompt: '8 people in engineering at software companies in Germany, with work email' };
    const started = await api.post<RunJson>('/v1/runs', body, { 'Quarry-Max-Credits': '2' });
    const run = await api.runEnd(started.body);
    expect(run.status).toBe('completed');
    expect(await costOf(run)).toBe(2);
    const cells = (await rowsOf(run)).map(({ cells: of }) => of['email']!);
    expect(cells.filter(({ status }) => status === 'filled')).toHaveLength(2);
    expect(cells.some(({ status }) => status === 'skipped')).toBe(true);
    expect(run.message).toContain('The credit limit of the run is used up');
    const refused = await api.post('/v1/runs', body, { 'Quarry-Max-Credits': 'much' });
    envelope(refused, 400, 'invalid_request');
  });

  it('is priced again after a correction', async () => {
    const plan = await api.post<PlanJson>('/v1/plans', { prompt: '3 banks in Germany with a blue logo' });
    const intent = {
      ...plan.body.intent,
      not_understood: [],
      count: { value: 2, fragments: [], from: 'user' },
    };
    const corrected = await api.post<PlanJson>('/v1/plans', { plan_id: plan.body.id, intent });
    expect(corrected).toMatchObject({ status: 201, body: { not_understood: [], estimate: { rows: 2 } } });
    expect(corrected.body.id).not.toBe(plan.body.id);
    // A fragment that an added item explains is no longer "not understood".
    const { intent: read, not_understood: open } = plan.body;
    const staff = { of: 'company', filter: 'headcount', op: 'between', value: [{ min: 50, max: null }] };
    const filter = { ...staff, fragments: [open[0]], from: 'prompt' };
    const explained = { ...read, filters: [...(read as { filters: object[] }).filters, filter] };
    const again = await api.post<PlanJson>('/v1/plans', { plan_id: plan.body.id, intent: explained });
    expect([open.length, again.status, again.body.not_understood]).toEqual([1, 201, []]);
  });
});

describe('an output contract', () => {
  it('of tables is published, with frozen rows in pages and a file to download', async () => {
    const output = {
      tables: [
        {
          key: 'firms',
          name: 'Firms',
          entity: 'company',
          max_rows: 7,
          columns: [{ key: 'name' }, { key: 'domain', kind: 'domain' }, { key: 'headcount', kind: 'number' }],
        },
      ],
    };
    const run = await completed({ prompt: 'software companies in the United States', output });
    const published = await api.get<{ type: string; value: { tables: Array<Record<string, unknown>> } }>(
      `/v1/runs/${run.id}/output`,
    );
    expect(published.body).toMatchObject({
      type: 'json',
      value: { tables: [{ key: 'firms', name: 'Firms', row_count: 7 }] },
    });
    expect(run.output).toEqual(published.body);
    const rows: RowJson[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const path: string = `/v1/runs/${run.id}/output/tables/firms/rows?limit=3${cursor ? `&cursor=${cursor}` : ''}`;
      const { body }: ApiAnswer<Page<RowJson>> = await api.get<Page<RowJson>>(path);
      rows.push(...body.items);
      cursor = body.next_cursor ?? null;
    }
    expect(rows.map((row) => row.id)).toEqual((await rowsOf(run)).map((row) => row.id));
    const made = await api.post<{ id: string; byte_length: number; links: { self: string } }>(
      `/v1/runs/${run.id}/exports`,
      { table_key: 'firms', format: 'csv' },
    );
    expect(made.status).toBe(201);
    const csv = await api.text(made.body.links.self);
    expect(Buffer.byteLength(csv)).toBe(made.body.byte_length);
    expect(csv.split('\r\n').filter(Boolean)).toHaveLength(8);
    envelope(await api.get(`/v1/runs/${run.id}/output/tables/other/rows`), 404, 'table_not_found');
  });

  it('with a JSON Schema is met by the published output', async () => {
    const schema = {
      type: 'object',
      required: ['companies', 'summary'],
      properties: {
        companies: {
          type: 'array',
          items: {
            type: 'object',
            required: ['name'],
            properties: { name: { type: 'string' }, city: { type: ['string', 'null'] } },
            additionalProperties: false,
          },
        },
        summary: { type: 'string' },
        total: { type: 'integer' },
      },
    };
    const run = await completed({ prompt: '4 banks in Germany', output: { schema } });
    const { value } = run.output as {
      value: { companies: Array<{ name: string }>; summary: string; total: number };
    };
    expect(value.companies).toHaveLength(value.total);
    expect(value.summary).toBe(run.message);
    expect((await api.get(`/v1/runs/${run.id}/output/tables/companies/rows`)).status).toBe(200);
  });

  it('lists people in their companies, of as many companies as the prompt says', async () => {
    const text = { type: 'string' };
    const person = { type: 'object', properties: { name: text, title: text }, required: ['name', 'title'] };
    const contacts = { type: 'array', items: person, maxItems: 2 };
    const company = {
      type: 'object',
      properties: { name: text, domain: text, contacts },
      required: ['name'],
    };
    const schema = { type: 'object', properties: { companies: { type: 'array', items: company } } };
    const run = await completed({
      prompt: '3 fintech companies in Germany with contacts',
      output: { schema },
    });
    const { companies } = (
      run.output as { value: { companies: Array<{ domain: string; contacts: Array<{ name: string }> }> } }
    ).value;
    expect(new Set(companies.map(({ domain }) => domain)).size).toBe(3);
    expect(companies.map((each) => each.contacts.length)).toEqual([2, 2, 2]);
  });

  it('has the people of the companies that it lists beside them, however the schema orders both', async () => {
    const text = { type: 'string' };
    const listOf = (properties: object) => ({ type: 'array', items: { type: 'object', properties } });
    const people = listOf({ full_name: text, company_domain: text });
    const schema = { type: 'object', properties: { people, companies: listOf({ domain: text }) } };
    const run = await completed({
      prompt: '20 software companies in the US with up to 2 engineers each',
      output: { schema },
    });
    const { value } = run.output as {
      value: { companies: Array<{ domain: string }>; people: Array<{ company_domain: string }> };
    };
    const domains = value.companies.map(({ domain }) => domain);
    expect(new Set(domains).size).toBe(20);
    expect(new Set(value.people.map((each) => each.company_domain))).toEqual(new Set(domains));
    expect(value.people).toHaveLength(40);
  });

  it('has one person of each company in the row of the company, with the office of the schema', async () => {
    const text = { type: 'string' };
    const ceo = { type: 'object', properties: { name: text, title: text } };
    const items = {
      type: 'object',
      properties: { name: text, domain: text, ceo },
      required: ['name', 'ceo'],
    };
    const schema = { type: 'object', properties: { companies: { type: 'array', items } } };
    const run = await completed({ prompt: '4 software companies in Berlin', output: { schema } });
    const { companies } = (
      run.output as {
        value: { companies: Array<{ name: string; domain: string; ceo: { name: string; title: string } }> };
      }
    ).value;
    expect(new Set(companies.map(({ domain }) => domain)).size).toBe(4);
    for (const { name, ceo: person } of companies) {
      expect(person.title).toBe('Chief Executive Officer');
      expect(person.name).not.toBe(name);
    }
  });

  it('is not found on a run without one', async () => {
    const run = await completed({ prompt: '2 banks' });
    envelope(await api.get(`/v1/runs/${run.id}/output`), 404, 'output_not_found');
    envelope(await api.get('/v1/runs/run_0/output'), 404, 'run_not_found');
  });
});
