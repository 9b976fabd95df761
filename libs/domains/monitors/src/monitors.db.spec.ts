import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CreditLedger } from '@quarry/credit-ledger';
import { parseResource, type ChangeMonitorRequest } from '@quarry/dto';
import { emptyIntent, type PlanIntent } from '@quarry/plan';
import { compilePlan, type StoredPlan } from '@quarry/plan-compiler';
import { CursorSigner, newId, type Ctx } from '@quarry/app';
import { Database, IdempotentRequests } from '@quarry/postgres';
import { createTestDatabase, openWorkspace, runBehind, testCtx, type TestDatabase } from '@quarry/testing';
import {
  RunStore,
  type MonitoredRun,
  type FoundItem,
  type MonitorMemory,
  type SeenRow,
  type PlanStore,
  type SourcedRow,
} from '@quarry/runs';
import type { ItemRowsPort } from './item-rows.port.js';
import { MonitorDates } from './monitor-dates.js';
import { MonitorItems } from './monitor-items.js';
import { monitorRetention } from './monitor-retention.js';
import { MonitorStore } from './monitor.store.js';

const DAILY = { cron: '0 9 * * *', time_zone: 'UTC' };
const PAID: Partial<PlanIntent> = {
  columns: [
    { source: { from: 'service', service: 'enrichCompany' }, required: false, fragments: [], from: 'user' },
  ],
};

let test: TestDatabase;
/** The database of a process that only answers calls: its role sees one organisation at a time. */
let serving: Database;
let dates: MonitorDates;
let store: MonitorStore;
let items: MonitorItems;
let ctx: Ctx;
let orgs = 0;
let intent: Partial<PlanIntent>;
/** Happens between the reading of a plan and the creation of its monitor. */
let afterPlanRead: () => Promise<unknown>;

beforeAll(async () => {
  test = await createTestDatabase();
  const { database } = test;
  serving = await Database.open({ url: test.servingUrl, applicationName: 'spec', connectMs: 60_000 });
  const workspaces = {
    createWorkspace: (at: Ctx) => openWorkspace(serving, at),
    workspaceExists: async (at: Ctx, id: string) =>
      (await serving.queryOne(
        at,
        'SELECT 1 FROM tables.workspaces WHERE org_id = $1 AND mode = $2 AND id = $3 AND archived_at IS NULL',
        [at.orgId, at.mode, id],
      )) !== null,
  };
  const datesOf = (db: Database) => {
    const runs = new RunStore(db, {
      workspaces,
      deliver: () => Promise.resolve(),
      appUrl: 'http://app.test',
    });
    return { runs, dates: new MonitorDates(db, runs, workspaces, new CreditLedger(db)) };
  };
  const plans = {
    createPlan: async (at: Ctx) => {
      const id = newId('plan');
      await database.query(
        at,
        `INSERT INTO runs.plans (org_id, mode, id, prompt, planner, plans, understood) VALUES ($1, $2, $3, 'firms', 'rules', '[]', '[]')`,
        [at.orgId, at.mode, id],
      );
      return JSON.stringify({ id });
    },
    readStored: async () => {
      await afterPlanRead();
      return { request: { prompt: 'firms' }, plans: [planOf(intent)] };
    },
  } as unknown as PlanStore;
  ({ dates } = datesOf(database));
  items = new MonitorItems(database);
  const cursors = new CursorSigner([{ id: 'k1', secret: 'spec' }]);
  const requests = new IdempotentRequests(serving);
  const { runs, dates: begun } = datesOf(serving);
  store = new MonitorStore(serving, requests, cursors, plans, runs, begun, {} as ItemRowsPort, workspaces);
});
afterAll(async () => {
  await serving.close();
  await test.drop();
});
beforeEach(() => {
  ctx = { ...testCtx(`org_monitors_${++orgs}`), keyId: newId('key') };
  intent = {};
  afterPlanRead = () => Promise.resolve();
});

function planOf(more: Partial<PlanIntent>): StoredPlan {
  const whole = { ...emptyIntent('company', { source: { kind: 'directory' }, output_table: null }), ...more };
  return { intent: whole, plan: compilePlan(whole, { output: null, table: null }), shape: null };
}

/** Creates a monitor whose first date is tomorrow at nine. */
async function made(
  more: {
    max_credits_per_run?: number;
    max_credits_per_month?: number;
    first_run?: 'silent';
    watch?: string[];
  } = {},
): Promise<string> {
  const body = { name: 'Spec', prompt: 'firms', schedule: DAILY, ...more };
  return parseResource(await store.createMonitor(ctx, body, null)).id;
}

const read = async (id: string) => parseResource(await store.readMonitor(ctx, id));
const runsOf = async (id: string) =>
  parseResource(await store.listRuns(ctx, id, { limit: 100, cursor: null })).items;

/** Returns nine in the morning, some days from now. */
function morning(days: number): Date {
  const at = new Date();
  at.setUTCHours(9, 0, 0, 0);
  return new Date(at.getTime() + (at > new Date() ? days - 1 : days) * 86_400_000);
}

/** Starts all runs that are due. */
async function begin(now: Date): Promise<void> {
  while (await dates.beginDue(now));
}

async function end(monitorId: string, status: string, code: string | null = null): Promise<void> {
  await test.database.query(
    ctx,
    `UPDATE runs.runs SET status = $3, ended_at = clock_timestamp(), error = CASE WHEN $4::text IS NOT NULL THEN jsonb_build_object('code', $4::text) END
     WHERE org_id = $1 AND monitor_id = $2 AND ended_at IS NULL`,
    [ctx.orgId, monitorId, status, code],
  );
}

const eventsOf = async (id: string) =>
  (
    await test.database.query(
      ctx,
      'SELECT type, data FROM events.events WHERE org_id = $1 AND subject = $2 ORDER BY seq',
      [ctx.orgId, id],
    )
  ).map(({ type, data }) => [type, (data as { reason?: string }).reason]);

describe('a scheduled date', () => {
  it('starts one run, however many processes look for it', async () => {
    const ids = await Promise.all(Array.from({ length: 12 }, () => made()));
    for (const day of [1, 2, 3]) {
      await Promise.all(Array.from({ length: 5 }, () => begin(morning(day))));
      for (const id of ids) await end(id, 'completed');
    }
    for (const id of ids) {
      const begun = await runsOf(id);
      expect(begun.map(({ due_at: at }) => at)).toEqual([3, 2, 1].map((day) => morning(day).toISOString()));
      expect(new Set(begun.map(({ run_id: run }) => run)).size).toBe(3);
    }
    const [count] = await test.database.query(
      ctx,
      'SELECT count(*)::int AS n FROM runs.runs WHERE org_id = $1',
      [ctx.orgId],
    );
    expect(count).toEqual({ n: 36 });
  });

  it('starts no run before its time, nor while the monitor is paused', async () => {
    const id = await made();
    await begin(new Date(morning(1).getTime() - 1000));
    await store.pauseMonitor(ctx, id);
    await begin(morning(3));
    expect(await runsOf(id)).toEqual([]);
    // Dates that passed in the meantime are not caught up.
    await store.resumeMonitor(ctx, id);
    expect((await read(id)).next_runs[0]).toBe(morning(1).toISOString());
  });

  it('is made up for once after nine days, and not at all if the next one is nearer', async () => {
    const [near, far] = [await made(), await made()];
    await begin(new Date(morning(9).getTime() + 3_600_000));
    expect((await runsOf(near)).map(({ due_at: at }) => at)).toEqual([morning(9).toISOString()]);
    await end(far, 'completed');
    await begin(new Date(morning(11).getTime() + 13 * 3_600_000));
    expect(await runsOf(far)).toHaveLength(1);
    await begin(morning(12));
    expect((await runsOf(far)).map(({ due_at: at }) => at)).toEqual(
      [12, 9].map((day) => morning(day).toISOString()),
    );
  });

  it('is skipped while the previous run is still working', async () => {
    const id = await made();
    await begin(morning(1));
    await begin(morning(2));
    expect(await runsOf(id)).toMatchObject([
      { status: 'overlapped', run_id: null },
      { status: 'working', run_id: expect.any(String) },
    ]);
    await expect(store.triggerMonitor(ctx, id, null)).rejects.toMatchObject({ code: 'conversation_busy' });
    expect(await runsOf(id)).toHaveLength(2);
  });

  it('triggered by many requests at once starts one run', async () => {
    const id = await made();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 8 }, () => store.triggerMonitor(ctx, id, null)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await runsOf(id)).toMatchObject([{ status: 'working', trigger: 'manual' }]);
  });

  it('triggered with an idempotency key starts a run with its stored response, or neither', async () => {
    const id = await made();
    // The state after a crash in between: the response was not stored.
    await test.asOwner(
      "ALTER TABLE requests.keys ADD CONSTRAINT unanswered CHECK (key <> 'lost' OR answer IS NULL)",
    );
    await expect(store.triggerMonitor(ctx, id, 'lost')).rejects.toThrow('unanswered');
    expect(await runsOf(id)).toEqual([]);
    const begun = await store.triggerMonitor(ctx, id, 'kept');
    await end(id, 'completed');
    expect(await store.triggerMonitor(ctx, id, 'kept')).toBe(begun);
    expect(await runsOf(id)).toHaveLength(1);
    await store.removeMonitor(ctx, id);
  });

  it('that cannot start delays no other', async () => {
    const [broken, whole] = [await made(), await made()];
    await test.database.query(
      ctx,
      `UPDATE runs.monitors SET plans = '[{"version": 99}]' WHERE org_id = $1 AND id = $2`,
      [ctx.orgId, broken],
    );
    for (let i = 0; i < 3; i += 1) await dates.beginDue(morning(1)).catch(() => undefined);
    expect(await runsOf(whole)).toMatchObject([{ status: 'working' }]);
    await store.removeMonitor(ctx, broken);
  });
});

describe('a monitor', () => {
  it('is deleted together with its working run, or not at all', async () => {
    const id = await made();
    await begin(morning(1));
    const runs = () =>
      test.database.query(
        ctx,
        'SELECT status, cancellation_requested FROM runs.runs WHERE org_id = $1 AND monitor_id = $2',
        [ctx.orgId, id],
      );
    // The state after a process has died in between: a run that no process cancels.
    await test.asOwner(
      `ALTER TABLE runs.runs ADD CONSTRAINT goes_on CHECK (org_id <> '${ctx.orgId}' OR NOT cancellation_requested)`,
    );
    await expect(store.removeMonitor(ctx, id)).rejects.toThrow('goes_on');
    expect(await read(id)).toMatchObject({ status: 'active' });
    await test.asOwner('ALTER TABLE runs.runs DROP CONSTRAINT goes_on');
    await store.removeMonitor(ctx, id);
    expect(await runs()).toEqual([{ status: 'cancelled', cancellation_requested: true }]);
  });

  it('is paused after three failures in a row, with an event', async () => {
    const id = await made();
    const ends = ['failed', 'failed', 'completed', 'failed', 'failed', 'cancelled', 'failed'];
    for (const [i, status] of ends.entries()) {
      expect(await read(id)).toMatchObject({ status: 'active' });
      await begin(morning(i + 1));
      await end(id, status, status === 'failed' ? 'agent_error' : null);
    }
    expect(await read(id)).toMatchObject({ status: 'paused', pause_reason: 'failures', next_runs: [] });
    expect(await eventsOf(id)).toEqual([
      ...['failed', 'failed', 'completed', 'failed', 'failed', 'failed'].map((how) => [
        `monitor.run.${how}`,
        undefined,
      ]),
      ['monitor.paused', 'failures'],
    ]);
    await begin(morning(9));
    expect(await runsOf(id)).toHaveLength(7);
  });

  it('is paused if its key is revoked, and resumes under the key that resumes it', async () => {
    const id = await made();
    await begin(morning(1));
    await end(id, 'failed', 'run_access_revoked');
    expect(await read(id)).toMatchObject({ status: 'paused', pause_reason: 'key_revoked' });
    ctx = { ...ctx, keyId: newId('key') };
    await store.resumeMonitor(ctx, id);
    await begin(morning(1));
    const [run] = await runsOf(id);
    await begin(morning(2));
    const rows = await test.database.query(
      ctx,
      'SELECT key_id FROM runs.runs WHERE org_id = $1 AND monitor_id = $2 AND ended_at IS NULL',
      [ctx.orgId, id],
    );
    expect([run!.status, rows]).toEqual(['failed', [{ key_id: ctx.keyId }]]);
  });

  it('is paused if its workspace is archived', async () => {
    const [before, during] = [await made(), await made()];
    await begin(morning(1));
    await end(before, 'completed');
    await test.database.query(ctx, 'UPDATE tables.workspaces SET archived_at = now() WHERE org_id = $1', [
      ctx.orgId,
    ]);
    await end(during, 'failed', 'run_access_revoked');
    await begin(morning(2));
    expect(await runsOf(before)).toMatchObject([{ status: 'skipped', reason: 'workspace_archived' }, {}]);
    for (const id of [before, during])
      expect(await read(id)).toMatchObject({ status: 'paused', pause_reason: 'workspace_archived' });
    await expect(store.resumeMonitor(ctx, before)).rejects.toMatchObject({ code: 'workspace_not_found' });
    expect(await read(before)).toMatchObject({ status: 'paused', pause_reason: 'workspace_archived' });
  });

  it('is paused if the balance covers no row, resumes after a top-up, and uses what it covers', async () => {
    intent = PAID;
    const [id, other] = [await made(), await made()];
    await store.pauseMonitor(ctx, other);
    await begin(morning(1));
    expect(await runsOf(id)).toMatchObject([{ status: 'skipped', reason: 'credits', run_id: null }]);
    expect(await read(id)).toMatchObject({ status: 'paused', pause_reason: 'credits' });
    expect(await eventsOf(id)).toEqual([['monitor.paused', 'credits']]);
    await new CreditLedger(test.database).grantCredits(ctx, {
      id: newId('led'),
      amount: 3500,
      reason: 'spec',
    });
    expect(await read(id)).toMatchObject({ status: 'active', pause_reason: null });
    expect(await read(other)).toMatchObject({ status: 'paused', pause_reason: 'requested' });
    await begin(morning(2));
    expect(await runsOf(id)).toMatchObject([{ status: 'working', rows_max: 3 }, {}]);
  });

  it('stays paused if a person paused it, even when it could resume by itself', async () => {
    intent = PAID;
    const id = await made();
    await begin(morning(1));
    expect(await read(id)).toMatchObject({ status: 'paused', pause_reason: 'credits' });
    await store.pauseMonitor(ctx, id);
    await new CreditLedger(test.database).grantCredits(ctx, {
      id: newId('led'),
      amount: 3500,
      reason: 'spec',
    });
    expect(await read(id)).toMatchObject({ status: 'paused', pause_reason: 'requested' });
  });

  it('that spent its monthly budget resumes with the next month', async () => {
    intent = PAID;
    await new CreditLedger(test.database).grantCredits(ctx, {
      id: newId('led'),
      amount: 9000,
      reason: 'spec',
    });
    const id = await made({ max_credits_per_month: 2 });
    const today = new Date();
    const nine = (months: number, day: number): Date =>
      new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + months, day, 9));
    await begin(nine(2, 1));
    await end(id, 'completed');
    await test.database.query(ctx, 'UPDATE runs.monitor_runs SET charged = 2000 WHERE monitor_id = $1', [id]);
    for (const day of [2, 3, 28]) await begin(nine(2, day));
    expect(await runsOf(id)).toMatchObject([{ status: 'skipped', reason: 'budget' }, { rows_max: 2 }]);
    expect(await read(id)).toMatchObject({ status: 'paused', pause_reason: 'budget', next_runs: [] });
    await begin(nine(3, 1));
    expect(await read(id)).toMatchObject({ status: 'active', pause_reason: null });
    expect(await runsOf(id)).toMatchObject([{ status: 'working', rows_max: 2 }, {}, {}]);
  });

  it('whose budget per run does not cover a row stays paused', async () => {
    intent = PAID;
    const id = await made({ max_credits_per_run: 0.5 });
    for (const days of [1, 2, 70]) await begin(morning(days));
    expect(await runsOf(id)).toMatchObject([{ status: 'skipped', reason: 'budget' }]);
  });

  it('keeps each of its budgets until it is removed', async () => {
    const id = await made({ max_credits_per_run: 5, max_credits_per_month: 50 });
    const change = async (body: ChangeMonitorRequest) =>
      parseResource(await store.changeMonitor(ctx, id, body));
    const both = { max_credits_per_run: 5, max_credits_per_month: 50 };
    expect(await change({ name: 'Other' })).toMatchObject({ ...both, name: 'Other' });
    expect(await change({ max_credits_per_run: null })).toMatchObject({ ...both, max_credits_per_run: null });
    expect(await change({ max_credits_per_month: null })).toMatchObject({ max_credits_per_month: null });
  });

  it('reports nothing until a run has completed, whatever the balance', async () => {
    intent = PAID;
    const id = await made({ first_run: 'silent' });
    await begin(morning(1));
    await end(id, 'failed', 'agent_error');
    await begin(morning(2));
    await end(id, 'completed');
    await begin(morning(3));
    expect(await runsOf(id)).toMatchObject([
      { status: 'skipped', reason: 'credits', is_silent: false },
      { status: 'completed', is_silent: true },
      { status: 'failed', is_silent: true },
    ]);
  });
});

describe('a plan', () => {
  it('that an erasure deletes while it is read makes no monitor, which would keep its words', async () => {
    afterPlanRead = () => test.database.query(ctx, 'DELETE FROM runs.plans WHERE org_id = $1', [ctx.orgId]);
    await expect(made()).rejects.toMatchObject({ code: 'not_found', message: 'Plan not found.' });
    expect(parseResource(await store.listMonitors(ctx)).items).toEqual([]);
  });
});

describe('retention of monitors', () => {
  it('deletes dates after a year, and monitors with their workspace', async () => {
    const [old, gone] = [await made(), await made()];
    await begin(morning(1));
    await end(old, 'completed');
    await end(gone, 'completed');
    await test.database.query(
      ctx,
      "UPDATE runs.monitor_runs SET ended_at = ended_at - interval '366 days' WHERE org_id = $1 AND monitor_id = $2",
      [ctx.orgId, old],
    );
    await test.database.query(ctx, 'DELETE FROM tables.workspaces WHERE org_id = $1 AND id = $2', [
      ctx.orgId,
      (await read(gone)).workspace_id,
    ]);
    for (const { removeSome } of monitorRetention(test.database)) await removeSome();
    expect(await runsOf(old)).toEqual([]);
    await expect(read(gone)).rejects.toMatchObject({ code: 'not_found' });
    const left = 'SELECT 1 FROM runs.monitor_runs WHERE org_id = $1';
    expect(await test.database.query(ctx, left, [ctx.orgId])).toEqual([]);
  });
});

describe('what a monitor remembers', () => {
  const rowOf = (attributes: Record<string, unknown>): SourcedRow => ({
    key: 'k',
    values: {},
    subject: null,
    attributes,
  });
  async function openRun(more: { watch?: string[] } = {}): Promise<{ id: string; run: MonitoredRun }> {
    const id = await made(more);
    await begin(morning(1));
    const [date] = await runsOf(id);
    return { id, run: { id: date!.run_id!, ctx, monitorId: id } };
  }

  const itemOf = (identity: string, watched: string | null = null, isUpdated = false) => ({
    identity,
    watched,
    isUpdated,
    tableId: newId('tbl'),
    rowId: newId('row'),
  });
  const knownOf = async (memory: MonitorMemory, identities: string[]) => [
    ...(await memory.findKnown(identities.map((identity) => ({ identity, watched: null })))).keys(),
  ];

  it('of a domain, profile or name cannot be read back', async () => {
    const { run } = await openRun();
    const memory = (await items.openMemory(run))!;
    const { plan } = planOf({});
    const of = (attributes: Record<string, unknown>) => memory.seenOf(plan, rowOf(attributes)).identity;
    expect(of({ domain: 'www.acme.example', name: 'Acme' })).toBe(
      of({ domain: 'ACME.example', name: 'Acme Ltd' }),
    );
    expect(of({ linkedin_url: 'https://www.linkedin.com/company/acme/' })).toBe(
      of({ linkedin_url: 'de.linkedin.com/company/ACME?x=1', name: 'A' }),
    );
    expect(of({ name: 'Acme' })).toBe(of({ name: ' ACME ' }));
    expect(new Set([of({ name: 'Acme' }), of({ name: 'Bcme' }), of({ domain: 'acme.example' })]).size).toBe(
      3,
    );
    expect(of({ name: 'Acme' })).toMatch(/^[\w-]{43}$/);
    const other = (await items.openMemory((await openRun()).run))!;
    expect(other.seenOf(plan, rowOf({ name: 'Acme' })).identity).not.toBe(of({ name: 'Acme' }));
  });

  it('of watched columns is a hash, replaced when a run ends and reports the change, once', async () => {
    const { id, run } = await openRun({ watch: ['name'] });
    const memory = (await items.openMemory(run))!;
    const { plan } = planOf({});
    const seenAs = (name: string | null, domain = 'acme.example') =>
      memory.seenOf(plan, { ...rowOf({ domain, name }), values: { name, domain } });
    const [before, after] = [seenAs('Acme'), seenAs('Acme Ltd')];
    expect([after.identity, seenAs('Acme').watched]).toEqual([before.identity, before.watched]);
    expect(new Set([before, after, seenAs('Acme', 'b.example')].map(({ watched }) => watched)).size).toBe(3);
    expect(after.watched).toMatch(/^[\w-]{43}$/);

    const add = (...found: FoundItem[]) =>
      test.database.transaction(ctx, (tx) => items.addItems(tx, run, { items: found, known: 0 }));
    const hasChanged = async (row: SeenRow) => (await memory.findKnown([row])).get(row.identity)?.hasChanged;
    const stored = (identity: string) =>
      test.database.queryOne(
        ctx,
        `SELECT i.*, r.new_rows, r.updated_rows FROM runs.monitor_items i JOIN runs.monitor_runs r USING (org_id, mode, monitor_id)
         WHERE i.org_id = $1 AND i.monitor_id = $2 AND i.identity = $3`,
        [ctx.orgId, id, identity],
      );
    const first = itemOf(before.identity, before.watched);
    // Found by a version that stored no watched values.
    const older = seenAs('Bolt', 'bolt.example');
    await add(first, itemOf(older.identity));
    expect([await hasChanged(before), await hasChanged(after)]).toEqual([false, true]);
    expect(await hasChanged(older)).toBe(false);
    expect(await hasChanged(seenAs('Bolt Ltd', 'bolt.example'))).toBe(true);
    expect(await hasChanged(seenAs('Core', 'core.example'))).toBeUndefined();
    // If two rows share an identity, the first one counts.
    expect((await memory.findKnown([before, after])).get(before.identity)).toEqual({ hasChanged: false });

    const change = itemOf(after.identity, after.watched, true);
    const failing = test.database.transaction(ctx, async (tx) => {
      await items.addItems(tx, run, { items: [change], known: 0 });
      throw new Error('The run fails.');
    });
    await expect(failing).rejects.toThrow('The run fails.');
    expect(await hasChanged(after)).toBe(true);
    await add(change);
    expect([await hasChanged(before), await hasChanged(after)]).toEqual([true, false]);
    const reported = await stored(after.identity);
    expect(reported).toMatchObject({
      new_rows: 0,
      updated_rows: 1,
      row_id: change.rowId,
      table_id: change.tableId,
      first_row_id: first.rowId,
      first_table_id: first.tableId,
      updated_at: expect.any(Date),
    });
    await add(change);
    expect((await stored(after.identity))!['updated_at']).toEqual(reported!['updated_at']);
  });

  it("is what its own completed runs found, and not another monitor's", async () => {
    const { id, run } = await openRun();
    const memory = (await items.openMemory(run))!;
    const found = ['a', 'b'].map((identity) => itemOf(identity));
    const failing = test.database.transaction(ctx, async (tx) => {
      await items.addItems(tx, run, { items: found, known: 0 });
      throw new Error('The run fails.');
    });
    await expect(failing).rejects.toThrow('The run fails.');
    expect(await knownOf(memory, ['a', 'b', 'c'])).toEqual([]);
    await test.database.transaction(ctx, (tx) => items.addItems(tx, run, { items: found, known: 5 }));
    expect(await knownOf(memory, ['a', 'b', 'c'])).toEqual(['a', 'b']);
    await test.database.transaction(ctx, (tx) =>
      items.addItems(tx, run, { items: found.slice(1), known: 5 }),
    );
    expect(await knownOf((await items.openMemory((await openRun()).run))!, ['a'])).toEqual([]);
    const left = async () =>
      test.database.queryOne(
        ctx,
        `SELECT (SELECT count(*)::int FROM runs.monitors WHERE org_id = $1 AND id = $2) AS monitors,
           (SELECT count(*)::int FROM runs.monitor_runs WHERE org_id = $1 AND monitor_id = $2) AS runs,
           (SELECT count(*)::int FROM runs.monitor_items WHERE org_id = $1 AND monitor_id = $2) AS items`,
        [ctx.orgId, id],
      );
    expect(await left()).toEqual({ monitors: 1, runs: 1, items: 2 });
    await store.removeMonitor(ctx, id);
    expect(await left()).toEqual({ monitors: 0, runs: 0, items: 0 });
    await expect(items.openMemory(run)).rejects.toMatchObject({ code: 'agent_execution_failed' });
  });
});

describe('a trigger', () => {
  it('is refused while a run in the conversation of the monitor is being accepted', async () => {
    const id = await made();
    const accept = `INSERT INTO runs.runs (id, org_id, mode, workspace_id, conversation_id, prompt, status, body_hash)
      SELECT $2, org_id, mode, workspace_id, conversation_id, prompt, 'queued', '' FROM runs.monitors WHERE id = $1`;
    const trigger = runBehind(
      test.database,
      ctx,
      (tx) => test.database.query(tx, accept, [id, newId('run')]),
      () => store.triggerMonitor(ctx, id, null),
    );
    await expect(trigger).rejects.toMatchObject({ code: 'conversation_busy' });
    expect(await runsOf(id)).toEqual([]);
  });
});
