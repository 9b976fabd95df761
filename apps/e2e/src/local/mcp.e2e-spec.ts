import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  Client,
  StreamableHTTPClientTransport,
  type VersionNegotiationOptions,
} from '@modelcontextprotocol/client';
import { printMeasurement } from '@quarry/test-servers';
import { ApiClient, startProduct, type Product } from '@quarry/testing';

/** Number of rows. QUARRY_MCP_ROWS=100000 makes a longer test. */
const ROWS = Number(process.env.QUARRY_MCP_ROWS ?? 20_000);

type Json = Record<string, unknown>;

const PEOPLE = ['Ada', 'Bob', 'Cid'].map((first_name) => ({
  first_name,
  last_name: 'Agent',
  domain: 'slow-1s.sandbox.test',
}));
const SIX = Array.from({ length: 6 }, (_, i) => ({
  first_name: `P${i}`,
  last_name: 'Many',
  domain: 'slow-1s.sandbox.test',
}));
const WANTED = '12 software companies in Germany';

describe('an agent using the official MCP client', () => {
  let product: Product;
  let api: ApiClient;
  const open: Client[] = [];

  beforeAll(async () => {
    product = await startProduct({ env: { RATE_LIMIT_SCALE: '1000', LOG_LEVEL: 'error' } });
    api = new ApiClient(product.baseUrl, product.credentials.api_key);
  });
  afterAll(async () => {
    await Promise.all(open.map((client) => client.close()));
    await product.dispose();
  });

  async function agent(
    key = product.credentials.api_key,
    approve?: boolean,
    mode: VersionNegotiationOptions['mode'] = { pin: '2026-07-28' },
  ): Promise<Client> {
    const client = new Client(
      { name: 'spec', version: '1' },
      { versionNegotiation: { mode }, capabilities: approve === undefined ? {} : { elicitation: {} } },
    );
    if (approve !== undefined)
      client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { approve } }));
    const requestInit = { headers: { authorization: `Bearer ${key}` } };
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${product.baseUrl}/mcp`), { requestInit }),
    );
    open.push(client);
    return client;
  }

  async function use(client: Client, name: string, args: Json = {}): Promise<Json> {
    const { isError, structuredContent, content } = await client.callTool({ name, arguments: args });
    if (isError) throw new Error(`${name}: ${JSON.stringify(content)}`);
    return structuredContent as Json;
  }

  async function refusal(client: Client, name: string, args: Json): Promise<Json> {
    const { isError, _meta } = await client.callTool({ name, arguments: args });
    expect(isError).toBe(true);
    return _meta!['quarry/error'] as Json;
  }

  const money = async () => {
    const { balance } = (await api.get<{ balance: number }>('/credits')).body;
    const { items } = (await api.get<{ items: Array<{ amount: number }> }>('/credits/ledger?limit=1000'))
      .body;
    return { balance, ledger: items.reduce((sum, { amount }) => sum + Math.round(amount * 1000), 0) / 1000 };
  };

  it('discovers, estimates, starts a batch, follows it, and is charged what the ledger says', async () => {
    const client = await agent();
    const before = await money();
    const found = await use(client, 'service_discover', { query: 'find the e-mail address of a person' });
    expect((found.items as Json[]).map(({ name }) => name)).toContain('getEmail');
    const described = await use(client, 'service_discover', { service: 'getEmail' });
    expect(described).toMatchObject({ items: [{ input_schema: { type: 'object' } }], next_cursor: null });
    const estimate = await use(client, 'service_estimate', { service: 'getEmail', inputs: PEOPLE });
    expect(estimate).toMatchObject({ max: 3, new_lines: 3, affordable: true });
    const list = { service: 'getEmail', inputs: PEOPLE, idempotency_key: 'agent-1' };
    const started = await use(client, 'service_batch_execute', list);
    const progressSeen: number[] = [];
    const { structuredContent } = await client.callTool(
      { name: 'service_batch_get', arguments: { batch_id: started.batch_id, wait_seconds: 50 } },
      { onprogress: ({ progress }) => progressSeen.push(progress) },
    );
    const ended = structuredContent as Json;
    expect(ended).toMatchObject({ status: 'completed', size: 3, charged: 3, counts: { completed: 3 } });
    expect(progressSeen).toEqual([...progressSeen].sort((a, b) => a - b));
    expect(progressSeen.at(-1)).toBe(3);
    const again = await use(client, 'service_batch_execute', list);
    expect(again.batch_id).toBe(started.batch_id);
    expect(
      await refusal(client, 'service_batch_execute', { ...list, inputs: SIX.slice(0, 1) }),
    ).toMatchObject({ code: 'idempotency_conflict' });
    const after = await money();
    expect(after.balance).toBe(before.balance - 3);
    expect(after.ledger).toBe(after.balance);
    expect(await use(client, 'service_credits_get', { batch_id: started.batch_id })).toMatchObject({
      balance: after.balance,
      next_cursor: null,
    });
  });

  it('runs a fast service once per key, and is charged its full price', async () => {
    const client = await agent();
    const before = await money();
    const search = {
      service: 'searchCompanies',
      input: { industries: ['software'], limit: 4 },
      idempotency_key: 'agent-2',
    };
    const first = await use(client, 'service_execute', search);
    expect(await use(client, 'service_execute', search)).toEqual(first);
    const { charged } = first.credits as { charged: number };
    expect(charged).toBeGreaterThan(0);
    expect((await money()).balance).toBe(before.balance - charged);
  });

  it.each([{ pin: '2026-07-28' }, 'legacy'] as const)(
    'is asked before it spends more than 5 credits, in the protocol %j',
    async (mode) => {
      const list = { service: 'getEmail', inputs: SIX, fresh: true };
      const before = await money();
      const declining = await agent(undefined, false, mode);
      expect(await refusal(declining, 'service_batch_execute', list)).toMatchObject({
        code: 'confirmation_required',
      });
      expect(await money()).toEqual(before);
      const approving = await agent(undefined, true, mode);
      const batch = await use(approving, 'service_batch_execute', list);
      const wait = { batch_id: batch.batch_id, wait_seconds: 50 };
      expect(await use(approving, 'service_batch_get', wait)).toMatchObject({
        status: 'completed',
        charged: 6,
      });
      expect((await money()).balance).toBe(before.balance - 6);
    },
  );

  it('builds a list, reads its rows, live and frozen, exports it and excludes one of its companies', async () => {
    const client = await agent();
    const run = await use(client, 'retriever_build_list_start', { prompt: WANTED, wait_seconds: 50 });
    expect(run).toMatchObject({ status: 'completed', error: null });
    expect(await use(client, 'retriever_build_list_get', { run_id: run.run_id })).toEqual(run);
    expect(await use(client, 'retriever_build_list_cancel', { run_id: run.run_id })).toEqual(run);
    expect(run).toMatchObject({
      understood: expect.arrayContaining([expect.objectContaining({ fragment: 'software companies' })]),
      not_understood: [],
    });
    const [table] = run.tables as Array<{ id: string; key: string }>;
    const { id: table_id, key: table_key } = table!;
    expect(run.tables).toEqual([
      { id: table_id, key: 'companies', name: expect.any(String) as unknown, row_count: 12 },
    ]);
    expect(await use(client, 'table_get', { table_id })).toMatchObject({ row_count: 12 });
    const rows: Json[] = [];
    for (let cursor: unknown; cursor !== null;) {
      const page = await use(client, 'table_rows_get', { table_id, limit: 5, ...(cursor ? { cursor } : {}) });
      rows.push(...(page.items as Json[]));
      cursor = page.next_cursor;
    }
    expect(new Set(rows.map(({ row_id }) => row_id)).size).toBe(12);
    const frozen = await use(client, 'table_rows_get', {
      run_id: run.run_id,
      table_key,
      columns: ['domain'],
    });
    const domains = (frozen.items as Array<{ values: Json }>).map(({ values }) => values);
    expect(domains).toEqual(rows.map(({ values }) => ({ domain: (values as Json).domain })));
    const { url, byte_length } = await use(client, 'table_export', {
      run_id: run.run_id,
      table_key,
      format: 'csv',
    });
    expect(url).toMatch(new RegExp(`^${product.baseUrl}/v1/links/org_`));
    // The address alone permits reading the file, without a key.
    const file = await fetch(url as string);
    expect([file.status, (await file.arrayBuffer()).byteLength]).toEqual([200, byte_length]);
    const forged = await fetch((url as string).replace(/.$/, (end) => (end === 'A' ? 'B' : 'A')));
    expect([forged.status, await forged.json()]).toMatchObject([
      404,
      { error: { code: 'export_not_found' } },
    ]);
    const { domain } = domains[0]!;
    const exclusion = { kind: 'companies', add: [{ domain }] };
    const rehearsed = await use(client, 'table_exclusions_update', { ...exclusion, dry_run: true });
    expect(await use(client, 'table_exclusions_get', { kind: 'companies' })).toMatchObject({ items: [] });
    expect(rehearsed).toEqual({ created: 1, deleted: 0, unchanged: 0, rejected: [] });
    expect(await use(client, 'table_exclusions_update', exclusion)).toEqual(rehearsed);
    expect(await use(client, 'table_exclusions_get', { kind: 'companies' })).toMatchObject({
      items: [{ domain }],
    });
    const later = await use(client, 'retriever_build_list_start', { prompt: WANTED, wait_seconds: 50 });
    const [other] = later.tables as Array<{ id: string }>;
    const { items } = await use(client, 'table_rows_get', { table_id: other!.id, columns: ['domain'] });
    expect((items as Array<{ values: Json }>).map(({ values }) => values.domain)).not.toContain(domain);
    await use(client, 'table_exclusions_update', { kind: 'companies', remove: [{ domain }] });
  });

  it('gets a plan before it runs, and then runs that plan, once per key', async () => {
    const client = await agent();
    const prompt = '4 marketing directors in Germany with work email, and gumption';
    const before = await money();
    const shown = { prompt, plan_only: true, idempotency_key: 'plan-1' };
    const plan = await use(client, 'retriever_build_list_start', shown);
    expect(await use(client, 'retriever_build_list_start', shown)).toEqual(plan);
    expect(plan).toMatchObject({ status: 'planned', estimate: { rows: 4, max: 4 }, tables: [], error: null });
    expect(plan).not.toHaveProperty('run_id');
    expect(JSON.stringify(plan.not_understood)).toContain('gumption');
    expect(await money()).toEqual(before);
    const start = { prompt, plan_id: plan.plan_id, idempotency_key: 'plan-1', wait_seconds: 50 };
    const run = await use(client, 'retriever_build_list_start', start);
    expect(run).toMatchObject({ status: 'completed', understood: plan.understood });
    expect((await use(client, 'retriever_build_list_start', start)).run_id).toBe(run.run_id);
    const spent = before.balance - (await money()).balance;
    expect([spent > 0, spent <= 4]).toEqual([true, true]);
    const otherTenant = await agent(product.credentials.test_key);
    expect(await refusal(otherTenant, 'retriever_build_list_start', start)).toMatchObject({
      code: 'not_found',
    });
  });

  it(`reaches every row of ${ROWS} by cursors, in answers below 50,000 bytes`, async () => {
    const client = await agent();
    const made = await use(client, 'table_import', {
      name: 'Many rows',
      columns: [
        { key: 'n', name: 'N', kind: 'number' },
        { key: 'text', name: 'Text', kind: 'text' },
      ],
      rows: [],
    });
    const { table_id } = made;
    await product.database!.asOwner(
      `BEGIN; SET LOCAL app.org_id = '*';
       WITH made AS (
         INSERT INTO tables.rows (org_id, row_set, id, position, cell_values)
         SELECT t.org_id, t.row_set, 'row_' || lpad(n::text, 26, '0'), n, jsonb_build_object('n', n, 'text', repeat('x', n % 150))
         FROM tables.tables t, generate_series(0, ${ROWS - 1}) AS n WHERE t.id = '${table_id as string}')
       UPDATE tables.tables SET row_count = ${ROWS} WHERE id = '${table_id as string}';
       COMMIT`,
    );
    let [rows, largest, answers] = [0, 0, 0];
    for (let cursor: unknown; cursor !== null;) {
      const args = { table_id, limit: 200, ...(cursor ? { cursor } : {}) };
      const result = await client.callTool({ name: 'table_rows_get', arguments: args });
      const page = result.structuredContent as { items: Array<{ values: Json }>; next_cursor: string | null };
      // A plain comparison: one expect per row takes longer than the reads.
      if (page.items.some(({ values }) => values.n !== rows++))
        throw new Error(`Row ${rows - 1} is missing.`);
      largest = Math.max(largest, Buffer.byteLength(JSON.stringify(result)));
      answers += 1;
      cursor = page.next_cursor;
    }
    printMeasurement(`${ROWS} rows in ${answers} answers, the largest of ${largest} bytes`);
    expect([rows, largest <= 50_000]).toEqual([ROWS, true]);
  });

  it('imports a table, finds it in the list, and shows another tenant nothing of it', async () => {
    const client = await agent();
    const made = await use(client, 'table_import', {
      name: 'Imported by an agent',
      columns: [{ key: 'a', name: 'A' }],
      rows: [{ a: 'x' }, { a: null }],
    });
    expect(made).toMatchObject({ row_count: 2 });
    const listed = await use(client, 'table_list', { query: 'by an AGENT' });
    expect(listed.items).toMatchObject([{ table_id: made.table_id, columns: ['a'] }]);
    const { table_id } = made;
    const { url } = await use(client, 'table_export', { table_id, format: 'json' });
    expect(await (await fetch(url as string)).json()).toHaveLength(2);
    const spaces = async () => (await api.get<{ items: unknown[] }>('/v1/workspaces')).body.items.length;
    const known = await spaces();
    expect(
      await refusal(client, 'table_import', {
        name: 'x',
        columns: [{ key: 'a', name: 'A' }],
        rows: [{ b: 1 }],
      }),
    ).toMatchObject({ code: 'invalid_request', details: [{ path: 'rows[0].b' }] });
    expect(await spaces()).toBe(known);
    const run = (await api.get<{ items: Array<{ id: string }> }>('/v1/runs')).body.items[0]!.id;
    const batch = (await api.get<{ items: Array<{ poll_url: string }> }>('/v1/services/jobs')).body.items[0]!;
    const batch_id = /svcbatch_\w+/.exec(batch.poll_url)![0];
    // The test key of the same organisation is another tenant than its live key.
    const otherTenant = await agent(product.credentials.test_key);
    const codes = await Promise.all(
      (
        [
          ['table_get', { table_id }],
          ['table_rows_get', { table_id }],
          ['table_rows_get', { run_id: run, table_key: 'companies' }],
          ['table_list', { workspace_id: made.workspace_id }],
          ['table_export', { run_id: run, table_key: 'companies', format: 'csv' }],
          ['table_export', { table_id, format: 'csv' }],
          [
            'table_import',
            { workspace_id: made.workspace_id, name: 'x', columns: [{ key: 'a', name: 'A' }], rows: [] },
          ],
          ['retriever_build_list_get', { run_id: run, wait_seconds: 1 }],
          ['retriever_build_list_cancel', { run_id: run }],
          ['retriever_build_list_start', { prompt: WANTED, workspace_id: made.workspace_id }],
          ['service_batch_get', { batch_id }],
          ['service_batch_cancel', { batch_id }],
        ] as const
      ).map(async ([name, args]) => (await refusal(otherTenant, name, args)).code),
    );
    expect(codes).toEqual([
      'table_not_found',
      'table_not_found',
      'run_not_found',
      'workspace_not_found',
      'run_not_found',
      'table_not_found',
      'workspace_not_found',
      'run_not_found',
      'run_not_found',
      'workspace_not_found',
      'not_found',
      'not_found',
    ]);
    expect(await use(otherTenant, 'table_list')).toEqual({ items: [], next_cursor: null, truncated: false });
    expect(await use(otherTenant, 'table_exclusions_get', { kind: 'companies' })).toMatchObject({
      items: [],
    });
  });
});
