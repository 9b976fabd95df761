import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Database, IdempotentRequests } from '@quarry/postgres';
import { LeaseLostError } from '@quarry/durable-work';
import { AppError } from '@quarry/error-codes';
import { Lifecycle, newId, type Ctx, type Logger } from '@quarry/app';
import type { ColumnEnricher, PaidLinesPort } from '@quarry/runs';
import { waitFor } from '@quarry/test-servers';
import { countWaiting, createTestDatabase, testCtx, type TestDatabase, openWorkspace } from '@quarry/testing';
import type { EnrichableRowsPort } from './enrichable-rows.port.js';
import { EnrichmentAgent } from './enrichment-agent.js';
import { EnrichmentLeaseStore } from './enrichment-lease.store.js';
import { EnrichmentWaiters } from './enrichment-waiters.js';
import { EnrichmentStore, isColumnInUse } from './enrichment.store.js';

const ctx = testCtx('org_enriching');
const BODY = { service: 'getEmail', columns: [{ key: 'work_email' }] };
let test: TestDatabase;
/** The database of a process that only answers calls: its role sees one organisation at a time. */
let serving: Database;
let tables: EnrichableRowsPort;
let leases: EnrichmentLeaseStore;
let store: EnrichmentStore;
let waiters: EnrichmentWaiters;
let workspaceId: string;
const tableId = newId('tbl');
const ROWS = [newId('row'), newId('row'), newId('row')];
const COLUMNS = ['full_name', 'domain'].map((key) => ({
  key,
  name: key,
  kind: 'text' as const,
  qualification: {},
}));
const person = (full_name: string, domain: string | null = 'engines.example') => ({ full_name, domain });
/** The rows that an enrichment finds, and what happens when it marks them. */
let choose: () => string[];
let mark: () => Promise<void>;
const people = new Map<string, Record<string, unknown>>();
beforeEach(() => {
  choose = () => ROWS;
  mark = () => Promise.resolve();
  for (const [i, id] of ROWS.entries()) people.set(id, person(`Ada ${'ABC'[i]}`));
});

beforeAll(async () => {
  test = await createTestDatabase();
  const { database } = test;
  workspaceId = await openWorkspace(database, ctx);
  tables = {
    getTable: async () => ({ workspaceId, columns: COLUMNS }),
    chooseRows: async () => choose(),
    markPending: async () => mark(),
    readRows: async (_ctx, _tableId, ids) => ids.map((id) => ({ id, values: people.get(id)! })),
    skipPending: async () => undefined,
  };
  serving = await Database.open({ url: test.servingUrl, applicationName: 'spec', connectMs: 60_000 });
  waiters = new EnrichmentWaiters(serving, new Lifecycle(() => undefined));
  store = new EnrichmentStore(serving, new IdempotentRequests(serving), tables, waiters, {
    addMessages: () => Promise.resolve(),
  });
  leases = new EnrichmentLeaseStore(database);
});
afterAll(async () => {
  waiters.close();
  await serving.close();
  await test.drop();
});

const read = async (id: string, who: Ctx = ctx) =>
  JSON.parse(await store.readEnrichment(who, id)) as {
    id: string;
    status: string;
    counts: object;
    estimate: object;
  };
const create = async (body: object = {}) =>
  JSON.parse(await store.createEnrichment(ctx, { tableId, body: { ...BODY, ...body }, isFresh: false })) as {
    id: string;
  };

describe('an enrichment', () => {
  let id: string;
  beforeEach(async () => {
    ({ id } = await create());
  });

  it('belongs to one agent until its lease expires, and an earlier agent cannot write any more', async () => {
    const first = (await leases.claimEnrichment(id))!;
    expect(await leases.claimEnrichment(id)).toBeNull();
    await test.database.query(
      ctx,
      "UPDATE runs.enrichments SET lease_until = clock_timestamp() - interval '1 second', delivered_at = '-infinity' WHERE id = $1",
      [id],
    );
    expect(await leases.takeSilent()).toContain(id);
    const second = (await leases.claimEnrichment(id))!;
    expect(await leases.renewLease(first)).toBe(false);
    const step = () =>
      leases.journalOf(first).runStep(
        'a',
        () => ({}),
        () => Promise.resolve({ columns: {} }),
      );
    await expect(step()).rejects.toThrow(LeaseLostError);
    expect(await test.database.transaction(ctx, (tx) => leases.endEnrichment(tx, first, 'completed'))).toBe(
      false,
    );
    expect(await test.database.transaction(ctx, (tx) => leases.endEnrichment(tx, second, 'completed'))).toBe(
      true,
    );
    expect(await read(id)).toMatchObject({ status: 'completed', counts: { skipped: 3, pending: 0 } });
  });

  it('answers a waiting read when it ends', async () => {
    const leased = (await leases.claimEnrichment(id))!;
    const held = store.readEnded(ctx, id, 60_000);
    await waitFor('the read to be held', () => Promise.resolve(waiters.size === 1));
    await test.database.transaction(ctx, (tx) => leases.endEnrichment(tx, leased, 'completed'));
    await waitFor('the end to be noticed', () => Promise.resolve(waiters.size === 0));
    expect(JSON.parse(await held)).toMatchObject({ status: 'completed' });
  });

  it('runs a finished step once, and repeats a started step with its first input', async () => {
    const leased = (await leases.claimEnrichment(id))!;
    const failing = leases.journalOf(leased).runStep(
      'rows-0',
      () => ({ batchId: 'svcbatch_1' }),
      () => Promise.reject(new Error('killed')),
    );
    await expect(failing).rejects.toThrow('killed');
    expect(await leases.openLists(leased)).toEqual(['svcbatch_1']);
    const result = { columns: { work_email: { filled: 2, failed: 1 } }, isSpent: false };
    const given: unknown[] = [];
    for (let times = 0; times < 2; times += 1)
      await leases.journalOf(leased).runStep(
        'rows-0',
        () => ({ batchId: 'svcbatch_2' }),
        (input) => (given.push(input), Promise.resolve(result)),
      );
    expect(given).toEqual([{ batchId: 'svcbatch_1' }]);
    expect(await leases.openLists(leased)).toEqual([]);
    expect((await read(id)).counts).toEqual({ pending: 0, filled: 2, empty: 0, failed: 1, skipped: 0 });
  });

  it('tells its agent once that it was cancelled', async () => {
    const leased = (await leases.claimEnrichment(id))!;
    expect(await store.cancelEnrichment(ctx, id)).toMatchObject({ accepted: true });
    expect(await leases.readSignals(leased)).toMatchObject({ isCancelled: true, workspaceId });
    await test.database.transaction(ctx, (tx) => leases.endEnrichment(tx, leased, 'cancelled'));
    expect(await store.cancelEnrichment(ctx, id)).toMatchObject({ accepted: false });
    expect(await leases.claimEnrichment(id)).toBeNull();
  });

  it('does not exist for another organisation or the other mode', async () => {
    for (const who of [testCtx('org_other'), { ...ctx, mode: 'test' } as Ctx]) {
      await expect(store.readEnrichment(who, id)).rejects.toMatchObject({ code: 'not_found' });
      await expect(store.cancelEnrichment(who, id)).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  it('covers as many rows as max_credits allows, and counts the others as skipped', async () => {
    const { estimate } = (await read(id)) as unknown as { estimate: { credits_max: number } };
    const most = (estimate.credits_max / ROWS.length) * 2;
    const covered = await read((await create({ max_credits: most })).id);
    expect(covered).toMatchObject({ counts: { pending: 2, skipped: 1 }, estimate: { credits_max: most } });
  });

  it.each([
    ['empty', true],
    ['all', true],
    ['failed', false],
  ])(
    'of the rows "%s" reuses what an earlier enrichment of the table paid for: %s',
    async (rows, isGiven) => {
      const made = await create({ rows });
      const { callScope } = (await leases.claimEnrichment(made.id))!;
      expect(callScope).toBe(isGiven ? tableId : made.id);
    },
  );

  it('is estimated by billable calls: rows without input and duplicates cost nothing', async () => {
    const estimate = async (): Promise<unknown> =>
      JSON.parse(await store.estimateEnrichment(ctx, { tableId, body: BODY, isFresh: false }));
    expect(await estimate()).toEqual({ estimate: { rows: 3, credits_min: 0, credits_max: 3 } });
    people.set(ROWS[0]!, person('Ada B')).set(ROWS[2]!, person('Ada C', null));
    expect(await estimate()).toEqual({ estimate: { rows: 2, credits_min: 0, credits_max: 1 } });
    expect(await read((await create()).id)).toMatchObject({ estimate: { credits_max: 1 } });
    expect(await read((await create({ max_credits: 1 })).id)).toMatchObject({ counts: { skipped: 0 } });
  });

  it.each([
    ['service', { service: 'none' }],
    ['inputs.shoe', { inputs: { shoe: 'a' } }],
    ['columns[0].field', { columns: [{ key: 'a', field: 'nothing' }] }],
  ])('with a wrong %s is refused, and the error names it', async (path, body) => {
    const refused = await create(body).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(AppError);
    expect(refused).toMatchObject({ code: 'invalid_request', details: [{ path }] });
  });

  it('leaves out the rows that another one, which is being created, has marked', async () => {
    const [hasBegun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let choices = 0;
    let isMarked = false;
    choose = () => ((choices += 1), isMarked ? [] : ROWS);
    mark = async () => {
      hasBegun.resolve();
      await gate.promise;
      isMarked = true;
    };
    const first = create();
    await hasBegun.promise;
    const second = create();
    await waitFor(
      'the second to wait, or to choose',
      async () => choices === 2 || (await countWaiting(test.database)) > 0,
    ).finally(gate.resolve);
    expect(await read((await first).id)).toMatchObject({ counts: { pending: 3 } });
    expect(await read((await second).id)).toMatchObject({ counts: { pending: 0 } });
  });
});

describe('the agent of enrichments', () => {
  it('ends an enrichment whose table is deleted, without a lookup or an error in the log; until then its columns stay', async () => {
    // Earlier ones, which look up people, read everything in a row.
    await test.database.query(ctx, "UPDATE runs.enrichments SET status = 'cancelled', ended_at = now()");
    const { id } = await create({
      service: 'enrichCompany',
      inputs: { domain: { value: 'www.{{ domain }}' } },
      columns: [{ key: 'own_staff', field: 'name' }],
    });
    const isInUse = (key: string, who: Ctx = ctx) => isColumnInUse(test.database, who, tableId, key);
    expect([await isInUse('own_staff'), await isInUse('domain'), await isInUse('full_name')]).toEqual([
      true,
      true,
      false,
    ]);
    expect(await isInUse('own_staff', testCtx('org_other'))).toBe(false);
    // A run that has not ended may write any column of its table.
    await test.database.query(
      ctx,
      `WITH c AS (INSERT INTO runs.conversations (org_id, mode, id, workspace_id) VALUES ($1, 'live', $4, $3))
       INSERT INTO runs.runs (org_id, mode, id, workspace_id, conversation_id, prompt, status, body_hash, artifacts)
       VALUES ($1, 'live', $2, $3, $4, 'x', 'running', '', jsonb_build_array(jsonb_build_object('id', $5::text)))`,
      [ctx.orgId, newId('run'), workspaceId, newId('conv'), tableId],
    );
    expect(await isInUse('full_name')).toBe(true);
    await test.database.query(
      ctx,
      "UPDATE runs.runs SET status = 'cancelled', ended_at = now() WHERE artifacts <> '[]'",
    );
    const calls: unknown[] = [];
    const count = (...given: unknown[]) => Promise.resolve(void calls.push(given));
    const agent = new EnrichmentAgent(
      test.database,
      leases,
      { enrichColumns: count } as unknown as ColumnEnricher,
      tables,
      {} as PaidLinesPort,
      { createWorkspace: () => Promise.reject(new Error()), workspaceExists: () => Promise.resolve(true) },
      { isKeyRevoked: () => Promise.resolve(false) },
      { error: count } as unknown as Logger,
    );
    await agent.takeTurn({ runId: id });
    expect(await read(id)).toMatchObject({ status: 'cancelled', counts: { skipped: 3 } });
    expect(calls).toEqual([]);
    expect(await isInUse('own_staff')).toBe(false);
  });

  it('ends an enrichment whose workspace is archived in the middle of a write, without an error in the log', async () => {
    const { id } = await create();
    let isOpen = true;
    const logged: unknown[] = [];
    const agent = new EnrichmentAgent(
      test.database,
      leases,
      {
        enrichColumns: () => {
          isOpen = false;
          return Promise.reject(new AppError('table_not_found', 'Table not found.'));
        },
      } as unknown as ColumnEnricher,
      tables,
      {} as PaidLinesPort,
      { createWorkspace: () => Promise.reject(new Error()), workspaceExists: () => Promise.resolve(isOpen) },
      { isKeyRevoked: () => Promise.resolve(false) },
      { error: (_fields: unknown, message: string) => logged.push(message) } as unknown as Logger,
    );
    await agent.takeTurn({ runId: id });
    expect(await read(id)).toMatchObject({ status: 'cancelled', counts: { skipped: 3 } });
    expect(logged).toEqual([]);
  });
});
