import { beforeAll, describe, expect, it } from '@jest/globals';
import { parseResource, type JsonText, type Run } from '@quarry/dto';
import { PlanningTimeoutError, type PlanIntent, type Planner } from '@quarry/plan';
import { readStoredPlans } from '@quarry/plan-compiler';
import { newId, type Ctx } from '@quarry/app';
import { IdempotentRequests } from '@quarry/postgres';
import { FakePlanner } from '@quarry/prompt-fixtures';
import { waitFor } from '@quarry/test-servers';
import { countWaiting, useTestDatabase, openWorkspace, testCtx } from '@quarry/testing';
import type { ResearchWebs } from '@quarry/research';
import { PromptPlans } from './prompt-plans.js';
import { PlanStore } from './plan.store.js';
import type { TableReaderPort } from '../ports/table-writer.port.js';
import { runRetention } from '../run-retention.js';
import { RunStore } from '../run.store.js';

const PROMPT = '20 fintech companies with emails';
const FINTECH = {
  of: 'company',
  filter: 'industries',
  op: 'any_of',
  value: ['fintech'],
  fragments: ['fintech'],
  from: 'prompt',
} as const;
const INTENT: Partial<PlanIntent> = {
  count: { value: 20, fragments: ['20'], from: 'prompt' },
  filters: [FINTECH],
  notes: ['Companies of any size.'],
  not_understood: ['with emails'],
};

const test = useTestDatabase();
let runs: RunStore;
/** Called before the workspace of a run is created. */
let beforeWorkspace: () => Promise<void> = () => Promise.resolve();
const ctx = testCtx('org_plans');

beforeAll(async () => {
  runs = new RunStore(test.database, {
    workspaces: {
      createWorkspace: async (at: Ctx) => {
        await beforeWorkspace();
        return openWorkspace(test.database, at);
      },
      workspaceExists: (_at, id) => Promise.resolve(id !== NOWHERE),
    },
    deliver: () => Promise.resolve(),
    appUrl: 'http://app.test',
  });
});

const NOWHERE = newId('ws');

function storeWith(planner: Planner): PlanStore {
  const tables = { listNames: () => Promise.resolve([]) } as unknown as TableReaderPort;
  const web = { canSource: () => Promise.resolve(false) } as unknown as ResearchWebs;
  const plans = new PromptPlans(test.database, planner, tables, web);
  const workspaces = {
    createWorkspace: (at: Ctx) => openWorkspace(test.database, at),
    workspaceExists: (_at: unknown, id: string) => Promise.resolve(id !== NOWHERE),
  };
  return new PlanStore(test.database, plans, workspaces, runs, new IdempotentRequests(test.database));
}

const planned = async (at = ctx) =>
  parseResource(await storeWith(new FakePlanner(() => INTENT)).createPlan(at, { prompt: PROMPT }));

/** Returns the first step of a run as its journal holds it. */
async function stepOf(runId: string) {
  const row = await test.database.queryOne(
    ctx,
    'SELECT result, finished_at IS NOT NULL AS finished FROM runs.steps WHERE run_id = $1 AND name = $2',
    [runId, 'plan'],
  );
  return { finished: row?.finished, intents: readStoredPlans(row?.result).map(({ intent }) => intent) };
}

describe('a plan', () => {
  it('says how the prompt was read and what it can cost, also when it is read later', async () => {
    const plan = await planned();
    expect(plan).toMatchObject({
      prompt: PROMPT,
      planner: 'rules',
      intent: { entity: 'company', filters: [FINTECH] },
      understood: [
        { fragment: 'fintech', reading: expect.stringMatching(/fintech/i) as unknown },
        { fragment: '20', reading: 'at most 20 rows' },
      ],
      not_understood: ['with emails'],
      notes: ['Companies of any size.'],
      estimate: { rows: 20, credits_min: 0, credits_max: 0 },
    });
    const store = storeWith(new FakePlanner());
    expect(parseResource(await store.getPlan(ctx, plan.id))).toEqual(plan);
  });

  it('is of its organisation and mode alone', async () => {
    const { id } = await planned();
    const store = storeWith(new FakePlanner());
    for (const other of [testCtx('org_other'), { ...ctx, mode: 'test' } as const])
      await expect(store.getPlan(other, id)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is refused with the fault of its request', async () => {
    const store = storeWith(new FakePlanner());
    const refused = (body: object) => expect(store.createPlan(ctx, { prompt: PROMPT, ...body })).rejects;
    await refused({ prompt: undefined }).toMatchObject({
      code: 'invalid_request',
      details: [{ path: 'prompt', message: expect.stringContaining('prompt is required') }],
    });
    await refused({ output: { tables: [] } }).toMatchObject({ code: 'invalid_request' });
    await refused({ workspace_id: NOWHERE }).toMatchObject({ code: 'workspace_not_found' });
    await refused({ conversation_id: newId('conv') }).toMatchObject({ code: 'conversation_not_found' });
    const late: Planner = { createPlan: () => Promise.reject(new PlanningTimeoutError('Too late.')) };
    await expect(storeWith(late).createPlan(ctx, { prompt: PROMPT })).rejects.toMatchObject({
      code: 'agent_error',
    });
  });

  it('is deleted after thirty days, and not before', async () => {
    const [old, young] = [await planned(), await planned()];
    await test.database.query(
      ctx,
      `UPDATE runs.plans SET created_at = clock_timestamp() - interval '30 days 1 minute' WHERE id = $1`,
      [old.id],
    );
    const rule = runRetention(test.database, { detailDays: 90 }).find(({ what }) => what === 'plans')!;
    while (await rule.removeSome());
    const store = storeWith(new FakePlanner());
    await expect(store.getPlan(ctx, old.id)).rejects.toMatchObject({ code: 'not_found' });
    expect(parseResource(await store.getPlan(ctx, young.id)).id).toBe(young.id);
  });
});

describe('the corrected intent of a plan', () => {
  it('is a plan of its own, with a new estimate, in which corrected parts count as understood', async () => {
    const plan = await planned();
    expect(plan.not_understood).toEqual(['with emails']);
    const email = {
      source: { from: 'service', service: 'detectTech' },
      required: false,
      fragments: ['with emails'],
      from: 'user',
    };
    const intent = { ...plan.intent, columns: [email], count: { value: 3, fragments: [], from: 'user' } };
    const store = storeWith(new FakePlanner());
    const corrected = parseResource(await store.createPlan(ctx, { plan_id: plan.id, intent }));
    expect(corrected.id).not.toBe(plan.id);
    expect(corrected).toMatchObject({
      prompt: PROMPT,
      not_understood: [],
      estimate: { rows: 3, credits_max: 1.5 },
      intent: { count: { value: 3 }, not_understood: [] },
    });
    expect(parseResource(await store.getPlan(ctx, corrected.id))).toEqual(corrected);
  });

  it('is refused with the path of each error, and if the prompt is sent again', async () => {
    const { id, intent } = await planned();
    const store = storeWith(new FakePlanner());
    const refused = (body: object) => expect(store.createPlan(ctx, body)).rejects;
    await refused({ plan_id: id, intent: { ...intent, entity: 'planet' } }).toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(/^intent\.entity: /),
    });
    await refused({ plan_id: id }).toMatchObject({ details: [{ path: 'intent' }] });
    await refused({ plan_id: id, intent, prompt: PROMPT }).toMatchObject({ details: [{ path: 'prompt' }] });
    await refused({ intent }).toMatchObject({ message: expect.stringMatching(/^prompt is required/) });
    await refused({ plan_id: newId('plan'), intent }).toMatchObject({ code: 'not_found' });
    const several = { ...intent, tables: [intent, intent] };
    await refused({ plan_id: id, intent: several }).toMatchObject({ details: [{ path: 'intent.tables' }] });
  });
});

describe('a run of a plan', () => {
  it('skips the planner, and the same key returns the same run', async () => {
    const { id, intent } = await planned();
    const never: Planner = { createPlan: () => Promise.reject(new Error('Nobody asks again.')) };
    const store = storeWith(never);
    const run = await store.createRun(ctx, id, {}, 'once');
    expect(await stepOf(run.id)).toEqual({ finished: true, intents: [intent] });
    expect((await store.createRun(ctx, id, {}, 'once')).id).toBe(run.id);
    await expect(store.createRun(ctx, id, { written: intent }, 'once')).rejects.toMatchObject({
      code: 'idempotency_conflict',
    });
  });

  it('continues in the conversation in which the plan, or a correction of it, ran before', async () => {
    const { id, intent } = await planned();
    const store = storeWith(new FakePlanner());
    const corrected = { ...intent, count: { value: 10, fragments: [], from: 'user' } };
    const few = parseResource(await store.createPlan(ctx, { plan_id: id, intent: corrected }));
    const first = parseResource((await store.createRun(ctx, few.id, {}, null)).json);
    await runs.cancelRun(ctx, first.id);
    const rest = parseResource((await store.createRun(ctx, id, {}, null)).json);
    expect([rest.conversation_id, rest.workspace_id]).toEqual([first.conversation_id, first.workspace_id]);
    expect((await stepOf(rest.id)).intents).toEqual([intent]);
    const other = testCtx('org_other_plans');
    await expect(storeWith(new FakePlanner()).createRun(other, id, {}, null)).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('is found by its key when the plan is deleted, and the same key of another plan is a different one', async () => {
    const [one, other] = [await planned(), await planned()];
    const store = storeWith(new FakePlanner());
    const run = await store.createRun(ctx, one.id, {}, 'each-plan');
    expect((await store.createRun(ctx, other.id, {}, 'each-plan')).id).not.toBe(run.id);
    await test.database.query(ctx, 'DELETE FROM runs.plans WHERE id = $1', [one.id]);
    expect((await store.createRun(ctx, one.id, {}, 'each-plan')).id).toBe(run.id);
  });

  it('continues from the run that the plan referred to, whatever ran since', async () => {
    const contract = { tables: [{ key: 'few', columns: [{ key: 'name' }], max_rows: 5 }] };
    const start = async (intent: Partial<PlanIntent>, request: object = {}) => {
      const store = storeWith(new FakePlanner(() => intent));
      const plan = parseResource(await store.createPlan(ctx, { prompt: PROMPT, ...request }));
      return { plan, run: () => store.createRun(ctx, plan.id, {}, null) };
    };
    const ended = async ({ id, json }: { id: string; json: JsonText<typeof Run> }) => {
      await runs.cancelRun(ctx, id);
      return parseResource(json).conversation_id;
    };
    const conversation_id = await ended(await (await start({}, { output: contract })).run());
    const next = await start({ continues: true }, { conversation_id });
    expect(next.plan.estimate.rows).toBe(5);
    await ended(await (await start({}, { conversation_id })).run());
    const { id } = await next.run();
    const step = await test.database.queryOne(ctx, 'SELECT result FROM runs.steps WHERE run_id = $1', [id]);
    expect(readStoredPlans(step?.result)).toMatchObject([{ plan: { limit: 5, table: { key: 'few' } } }]);
  });

  it('runs what somebody has corrected', async () => {
    const { id, intent } = await planned();
    const filters = [{ ...FINTECH, value: ['insurance'], fragments: [], from: 'user' }];
    const { id: runId } = await storeWith(new FakePlanner()).createRun(
      ctx,
      id,
      { written: { ...intent, filters } },
      null,
    );
    expect((await stepOf(runId)).intents).toMatchObject([{ filters }]);
  });

  it('is refused with all errors in the message, too', async () => {
    const { id } = await planned();
    const started = storeWith(new FakePlanner()).createRun(ctx, id, { written: { version: 1 } }, null);
    await expect(started).rejects.toThrow(/intent\.source: .*; intent\.entity: .*; intent\.filters: /);
  });

  it.each([
    [{ filters: [{ ...FINTECH, value: ['wizardry'] }] }, 'intent.filters.0'],
    [{ filters: [{ ...FINTECH, fragments: ['bank'] }] }, 'intent.filters.0.fragments'],
    [{ colour: 'red' }, 'intent'],
    [{ filters: Array.from({ length: 101 }, () => FINTECH) }, 'intent.filters'],
    [{ notes: ['x'.repeat(70_000)] }, 'intent'],
  ])('is refused with the path of each error: %j', async (change, path) => {
    const { id, intent } = await planned();
    const started = storeWith(new FakePlanner()).createRun(
      ctx,
      id,
      { written: { ...intent, ...change } },
      null,
    );
    await expect(started).rejects.toMatchObject({
      code: 'invalid_request',
      details: [{ path: expect.stringContaining(path) as unknown }],
    });
  });

  it('is one run if the plan is run twice at once', async () => {
    const { id } = await planned();
    const [hasBegun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let places = 0;
    beforeWorkspace = () => {
      places += 1;
      hasBegun.resolve();
      return gate.promise;
    };
    const store = storeWith(new FakePlanner());
    const first = store.createRun(ctx, id, {}, null);
    await hasBegun.promise;
    const second = store.createRun(ctx, id, {}, null);
    second.catch(() => undefined);
    await waitFor(
      'the second to wait, or to create a workspace',
      async () => places === 2 || (await countWaiting(test.database)) > 0,
    ).finally(gate.resolve);
    await first;
    await expect(second).rejects.toMatchObject({ code: 'conversation_busy' });
  });
});
