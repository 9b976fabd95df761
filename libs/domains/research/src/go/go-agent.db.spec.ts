import { beforeAll, describe, expect, it } from '@jest/globals';
import { Person } from '@quarry/dto';
import { LeaseLostError } from '@quarry/durable-work';
import { systemCtx, type Ctx } from '@quarry/app';
import { waitFor } from '@quarry/test-servers';
import { useTestDatabase, testCtx } from '@quarry/testing';
import { eraseFromGo } from './erase-from-go.js';
import { GoJournal, sha256Of } from './go-journal.js';
import type { GoRunEnd } from './go-lease.store.js';
import { goRetention } from './go-retention.js';
import { GoScene, LocalPages, ScriptedModel, unreachable } from './go-scene.fixture.js';

const HOME = 'https://halbrook.example/';
const TEAM = 'https://halbrook.example/team';
const TEXTS = {
  [HOME]: 'Halbrook Pumps makes quiet pumps for breweries.',
  [TEAM]: 'Ada Lovelace leads the 120 people of Halbrook Pumps.',
};
const schema = { type: 'object', properties: { name: { type: 'string' }, staff: { type: 'integer' } } };
const submitName = [
  'submit',
  {
    claims: [{ field: '/name', value: 'Halbrook Pumps', page_id: 'p1', quote: 'Halbrook Pumps makes quiet' }],
    done: false,
  },
] as const;
const submitStaff = [
  'submit',
  { claims: [{ field: '/staff', value: 120, page_id: 'p2', quote: 'leads the 120 people of' }], done: true },
] as const;

const test = useTestDatabase();
let scene: GoScene;
let orgs = 0;

beforeAll(() => {
  scene = new GoScene(test.database, new LocalPages(TEXTS));
});

async function tenant(credits = 100): Promise<Ctx> {
  const ctx = testCtx(`org_go${++orgs}`, { keyId: `key_${orgs}` });
  await scene.ledger.grantCredits(ctx, { id: `grant_${orgs}`, amount: credits * 1000, reason: 'spec' });
  return ctx;
}
const spent = async (ctx: Ctx) => {
  const { spent: used, reserved } = await scene.ledger.readBalance(ctx);
  return { used: used / 1000, reserved };
};
const costs = async (runId: string) =>
  (
    await test.database.query<{ cost: number | null }>(
      systemCtx('spec'),
      'SELECT CASE WHEN finished_at IS NOT NULL THEN cost::int END AS cost FROM go.steps WHERE run_id = $1 ORDER BY position',
      [runId],
    )
  ).map(({ cost }) => cost);
const expire = (runId: string) =>
  test.database.query(systemCtx('spec'), "UPDATE go.runs SET lease_until = '-infinity' WHERE id = $1", [
    runId,
  ]);

describe('a Go run with a model', () => {
  it('charges each page and each model answer once, and publishes what is proved', async () => {
    const ctx = await tenant();
    const $defs = { Name: schema.properties.name };
    const properties = { name: { $ref: '#/$defs/Name' }, staff: schema.properties.staff };
    const id = await scene.create(ctx, {
      urls: [HOME, TEAM, `${HOME}#team`],
      schema: { type: 'object', properties, $defs },
    });
    expect(await spent(ctx)).toEqual({ used: 0, reserved: 5000 });
    await scene.agent(new ScriptedModel([[submitName, submitStaff]])).takeTurn({ runId: id });
    const run = await scene.shown(ctx, id);
    expect(run).toMatchObject({
      status: 'completed',
      stop_reason: 'complete',
      output: { name: 'Halbrook Pumps', staff: 120 },
      credits: { charged: 3, remaining: 97 },
    });
    expect(await costs(id)).toEqual([1000, 1000, 1000]);
    expect(await spent(ctx)).toEqual({ used: 3, reserved: 0 });
    const charges = await test.database.query(
      systemCtx('spec'),
      "SELECT data -> 'charged' #>> '{}' AS charged FROM events.events WHERE subject = $1 ORDER BY seq",
      [id],
    );
    expect(charges.map(({ charged }) => charged)).toEqual(['1', '1', '1', '3']);
  });

  it('that another process took over is not paid twice: the first process cannot write any more', async () => {
    const ctx = await tenant();
    // The first process gets its response late, and with another text.
    const late = new LocalPages({ ...TEXTS, [TEAM]: 'Nobody at all works at Halbrook Pumps.' });
    let release = (): void => undefined;
    late.before = (url) => (url === TEAM ? new Promise((resolve) => (release = resolve)) : Promise.resolve());
    const id = await scene.create(ctx, { urls: [HOME, TEAM], schema });
    const first = new ScriptedModel([[submitName]]);
    const working = new GoScene(test.database, late).agent(first).takeTurn({ runId: id });
    await waitFor('the second page to be read', () => Promise.resolve(late.reads.length === 2));
    await expire(id);
    await scene.leases.reapLost();
    const second = new ScriptedModel([[submitName, submitStaff]]);
    second.before = working.then(() => undefined);
    const taken = scene.agent(second).takeTurn({ runId: id });
    await waitFor('the model to be asked', () => Promise.resolve(second.asks.length === 1));
    release();
    await taken;
    expect(first.asks).toHaveLength(0);
    expect(await costs(id)).toEqual([1000, 1000, 1000]);
    const [step] = await test.database.query<{ sha256: string }>(
      systemCtx('spec'),
      "SELECT result -> 'page' ->> 'sha256' AS sha256 FROM go.steps WHERE run_id = $1 AND position = 1",
      [id],
    );
    expect(step!.sha256).toBe(sha256Of(TEXTS[TEAM]));
    expect(await scene.shown(ctx, id)).toMatchObject({ status: 'completed', credits: { charged: 3 } });
    expect(await spent(ctx)).toEqual({ used: 3, reserved: 0 });
  });

  it('returns to the queue when its process stops, and goes on from the same step', async () => {
    const ctx = await tenant();
    let cut = (): void => undefined;
    const pages = new LocalPages(TEXTS);
    pages.before = (url) =>
      url === TEAM ? new Promise((_, reject) => (cut = () => reject(new Error('cut')))) : Promise.resolve();
    const id = await scene.create(ctx, { urls: [HOME, TEAM], schema });
    const agent = new GoScene(test.database, pages).agent(new ScriptedModel([]));
    const working = agent.takeTurn({ runId: id });
    await waitFor('the second page to be read', () => Promise.resolve(pages.reads.length === 2));
    const stopped = agent.stopWork();
    cut();
    await Promise.all([working, stopped]);
    expect(await scene.shown(ctx, id)).toMatchObject({ status: 'running' });
    expect(await costs(id)).toEqual([1000, null]);
    await scene.agent(new ScriptedModel([[submitName, submitStaff]])).takeTurn({ runId: id });
    expect(await scene.shown(ctx, id)).toMatchObject({ status: 'completed', credits: { charged: 3 } });
  });

  it('that is cancelled while it waits for a model or a page ends at once, and is charged for its earlier steps', async () => {
    const ctx = await tenant();
    const never = new Promise<never>(() => undefined);
    const model = new ScriptedModel([]);
    model.before = never;
    const asking = await scene.create(ctx, { urls: [HOME] });
    const working = scene.agent(model).takeTurn({ runId: asking });
    await waitFor('the model to be asked', () => Promise.resolve(model.asks.length === 1));
    await scene.store.cancelRun(ctx, asking);
    await working;
    expect(await scene.shown(ctx, asking)).toMatchObject({ status: 'cancelled', credits: { charged: 1 } });

    const pages = new LocalPages(TEXTS);
    pages.before = () => never;
    const reading = await scene.create(ctx, { urls: [HOME] });
    const read = new GoScene(test.database, pages).agent(new ScriptedModel([])).takeTurn({ runId: reading });
    await waitFor('the page to be read', () => Promise.resolve(pages.reads.length === 1));
    await scene.store.cancelRun(ctx, reading);
    await read;
    expect(await scene.shown(ctx, reading)).toMatchObject({ status: 'cancelled', credits: { charged: 0 } });
  });

  it('costs nothing when the model fails, its key is revoked or it lost its worker three times', async () => {
    const ctx = await tenant();
    const failed = {
      ok: false,
      status: 'failed',
      stop_reason: 'error',
      output: null,
      credits: { charged: 0, remaining: 100 },
    };
    const silent = await scene.create(ctx, { urls: [HOME], schema });
    await scene.agent(new ScriptedModel([unreachable()])).takeTurn({ runId: silent });
    expect(await scene.shown(ctx, silent)).toMatchObject({
      ...failed,
      error: { code: 'agent_error', message: 'The language model failed: unavailable.' },
    });

    const closed = await scene.create(ctx, { urls: [HOME], schema });
    scene.revoked.add(ctx.keyId!);
    await scene.agent(new ScriptedModel([])).takeTurn({ runId: closed });
    scene.revoked.clear();
    expect(await scene.shown(ctx, closed)).toMatchObject(failed);

    const lost = await scene.create(ctx, { urls: [HOME], schema });
    for (let leaseLosses = 1; leaseLosses <= 3; leaseLosses += 1) {
      expect(await scene.leases.claimRun(lost)).toMatchObject({ leaseLosses: leaseLosses - 1 });
      expect(await scene.leases.claimRun(lost)).toBeNull();
      await expire(lost);
      expect(await scene.leases.reapLost()).toEqual([lost]);
      expect(await scene.leases.takeSilent()).toEqual([lost]);
    }
    const model = new ScriptedModel([]);
    await scene.agent(model).takeTurn({ runId: lost });
    expect([model.asks.length, await scene.shown(ctx, lost)]).toMatchObject([0, failed]);
    expect(await spent(ctx)).toEqual({ used: 0, reserved: 0 });
  });

  it('ends with its budget, or before it starts when it is cancelled in the queue', async () => {
    const ctx = await tenant();
    const id = await scene.create(ctx, { urls: [HOME, TEAM], schema, max_credits: 2.5 });
    // A second page would leave no budget for an answer of the model, and the search would leave none for another search.
    const model = new ScriptedModel([[['search', { query: 'halbrook staff' }]]]);
    await scene.agent(model).takeTurn({ runId: id });
    expect([model.asks.length, await costs(id)]).toEqual([1, [1000, 0, 1000, 0]]);
    expect(await scene.shown(ctx, id)).toMatchObject({
      status: 'completed',
      stop_reason: 'budget',
      credits: { charged: 2 },
    });
    const queued = await scene.create(ctx, { urls: [HOME], schema });
    expect((await scene.store.cancelRun(ctx, queued)).accepted).toBe(true);
    expect(await scene.shown(ctx, queued)).toMatchObject({
      status: 'cancelled',
      stop_reason: 'cancelled',
      output: { name: null, staff: null },
      credits: { charged: 0, remaining: 98 },
    });
    await scene.agent(new ScriptedModel([[submitName]])).takeTurn({ runId: queued });
    expect(await costs(queued)).toEqual([]);
    expect(await spent(ctx)).toEqual({ used: 2, reserved: 0 });
  });
});

describe('a repeated Go run request', () => {
  it('returns the same run, even if no model is configured any more', async () => {
    const ctx = await tenant();
    const request = { body: { prompt: 'Who?' }, heldSeconds: 0 };
    const { id } = await scene.store.createRun(ctx, request, 'again');
    const later = scene.storeWith(null);
    expect((await later.createRun(ctx, request, 'again')).id).toBe(id);
    await expect(later.createRun(ctx, request, 'anew')).rejects.toMatchObject({ code: 'capability_error' });
  });
});

describe('a lease of a Go run', () => {
  const end: GoRunEnd = {
    status: 'completed',
    stopReason: 'complete',
    output: { name: 'Late' },
    basis: [],
    proofs: [],
    charged: 1000,
    remaining: 0,
    failure: null,
  };
  const stateOf = (runId: string) =>
    test.database.queryOne(
      systemCtx('spec'),
      `SELECT status, lease_token, lease_until, ended_at, (SELECT json_agg(s ORDER BY s.position) FROM go.steps s
         WHERE s.run_id = r.id) AS steps FROM go.runs r WHERE id = $1`,
      [runId],
    );

  it('that another process has taken over can write no step, renewal or end', async () => {
    const ctx = await tenant();
    const id = await scene.create(ctx, { urls: [HOME], schema });
    const journal = new GoJournal(test.database);
    const first = (await scene.leases.claimRun(id))!;
    await journal.beginStep(first, 0, { kind: 'read', url: HOME, callId: null });
    await expire(id);
    await scene.leases.reapLost();
    const second = (await scene.leases.claimRun(id))!;
    expect(second.token).not.toBe(first.token);
    const before = await stateOf(id);
    expect(before).toMatchObject({ status: 'running', lease_token: second.token, ended_at: null });

    expect(await scene.leases.renewLease(first)).toBe(false);
    expect(await scene.leases.readSignals(first)).toBeNull();
    await expect(journal.beginStep(first, 1, { kind: 'think' })).rejects.toThrow(LeaseLostError);
    const late = { result: { kind: 'read', page: null, fault: 'late' }, cost: 1000, text: null };
    await expect(journal.finishStep(first, 0, late)).rejects.toThrow(LeaseLostError);
    const ending = test.database.transaction(ctx, (tx) => scene.leases.endRun(tx, first, end));
    await expect(ending).rejects.toThrow(LeaseLostError);
    await scene.leases.releaseRun(first);
    expect(await stateOf(id)).toEqual(before);

    expect(await scene.leases.renewLease(second)).toBe(true);
    await journal.finishStep(second, 0, late);
    await test.database.transaction(ctx, (tx) => scene.leases.endRun(tx, second, end));
    expect(await scene.shown(ctx, id)).toMatchObject({ status: 'completed' });
  });

  it('ends no run as charged if the ledger refuses the charge', async () => {
    const ctx = await tenant();
    const pages = new LocalPages(TEXTS);
    const id = await scene.create(ctx, { urls: [HOME, TEAM], schema });
    pages.before = async (url) => {
      // Its credits are released before it ends, as by a manual repair.
      if (url === TEAM) await scene.ledger.voidHold(ctx, await holdOf(id));
    };
    await new GoScene(test.database, pages)
      .agent(new ScriptedModel([[submitName, submitStaff]]))
      .takeTurn({ runId: id });
    expect(await stateOf(id)).toMatchObject({ status: 'running', ended_at: null });
    expect(await spent(ctx)).toEqual({ used: 0, reserved: 0 });
  });

  async function holdOf(runId: string): Promise<string> {
    const sql = 'SELECT hold_id FROM go.runs WHERE id = $1';
    const row = await test.database.queryOne<{ hold_id: string }>(systemCtx('spec'), sql, [runId]);
    return row!.hold_id;
  }
});

describe.each<[string, Partial<Ctx>]>([
  ['organisation', { orgId: 'org_go_other' }],
  ['mode', { mode: 'test' }],
])('a Go run to another %s', (_of, change) => {
  it('can be neither read nor cancelled, and is in no list', async () => {
    const ctx = await tenant();
    const other = { ...ctx, ...change };
    const id = await scene.create(ctx, { urls: [HOME], schema });
    const unknown = { code: 'not_found' };
    await expect(scene.store.readRun(other, id)).rejects.toMatchObject(unknown);
    await expect(scene.store.cancelRun(other, id)).rejects.toMatchObject(unknown);
    const page = JSON.parse(await scene.store.listRuns(other, { limit: 20, offset: 0, status: null })) as {
      items: Array<{ id: string }>;
    };
    expect(page.items.map((each) => each.id)).not.toContain(id);
    expect(await scene.shown(ctx, id)).toMatchObject({ status: 'queued' });
  });
});

describe('questions of Go runs', () => {
  it('are listed on the same pages as their runs', async () => {
    const ctx = await tenant();
    const ids = [];
    for (const prompt of ['Who makes pumps?', 'Who makes quiet pumps?']) {
      const { id } = await scene.store.createRun(
        ctx,
        { body: { prompt, urls: [HOME] }, heldSeconds: 0 },
        null,
      );
      ids.push(id);
    }
    const page = { limit: 1, offset: 0, status: null };
    expect(JSON.parse(await scene.store.listQuestions(ctx, page))).toEqual({
      items: [{ id: ids[1], prompt: 'Who makes quiet pumps?' }],
      next_offset: 1,
    });
    const other = await tenant();
    expect(JSON.parse(await scene.store.listQuestions(other, page))).toMatchObject({ items: [] });
  });
});

describe('retention of Go runs', () => {
  it('erases a person with every run and page that names them, and nothing else', async () => {
    const mine = await tenant();
    const theirs = await tenant();
    const runs: string[] = [];
    for (const ctx of [mine, theirs, mine]) {
      const id = await scene.create(ctx, {
        urls: [runs.length === 2 ? HOME : TEAM],
        schema,
        ...(runs.length < 2 ? { prompt: 'Who is Ada Lovelace of Halbrook Pumps?' } : {}),
      });
      await scene.agent(new ScriptedModel([])).takeTurn({ runId: id });
      runs.push(id);
    }
    const person = Person.of({ name: 'Ada Lovelace', company: 'Halbrook Pumps' });
    expect(await eraseFromGo(test.database, mine, person)).toEqual({ runs: 1, pages: 1, in_work: 0 });
    await expect(scene.shown(mine, runs[0]!)).rejects.toMatchObject({ code: 'not_found' });
    expect((await scene.shown(theirs, runs[1]!)).status).toBe('completed');
    expect((await scene.shown(mine, runs[2]!)).status).toBe('completed');
  });

  it('deletes a run thirty days after its end', async () => {
    const ctx = await tenant();
    const [old, young] = [
      await scene.create(ctx, { urls: [HOME] }),
      await scene.create(ctx, { urls: [HOME] }),
    ];
    for (const id of [old, young]) await scene.agent(new ScriptedModel([])).takeTurn({ runId: id });
    const age = "UPDATE go.runs SET ended_at = ended_at - interval '30 days' WHERE id = $1";
    await test.database.query(systemCtx('spec'), age, [old]);
    await test.database.query(
      systemCtx('spec'),
      'UPDATE go.pages SET kept_until = clock_timestamp() WHERE org_id = $1',
      [ctx.orgId],
    );
    for (const { removeSome } of goRetention(test.database)) expect(await removeSome()).toBe(1);
    await expect(scene.shown(ctx, old)).rejects.toMatchObject({ code: 'not_found' });
    expect((await scene.shown(ctx, young)).status).toBe('completed');
    expect(await costs(old)).toEqual([]);
    const left = await test.database.query(systemCtx('spec'), 'SELECT 1 FROM go.pages WHERE org_id = $1', [
      ctx.orgId,
    ]);
    expect(left).toEqual([]);
  });
});
