import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Ctx } from '@quarry/app';
import { useTestDatabase, openWorkspace, testCtx } from '@quarry/testing';
import { RunLeaseStore } from './execution/run-lease.store.js';
import { planOfRunBefore, StepJournals } from './execution/step-journal.js';
import { RunStepStore } from './run-steps.store.js';
import { RunStore, runExists } from './run.store.js';

const owner = testCtx('org_owner');
/** Tenants other than the owner: another organisation, and the other mode of the same organisation. */
const OTHER_TENANTS = [
  { of: 'organisation', who: testCtx('org_other') },
  { of: 'mode', who: { ...owner, mode: 'test' } as Ctx },
];
const CONTRACT = { schema: { type: 'object', properties: { name: { type: 'string' } } } };

interface Ids {
  id: string;
  conversation_id: string;
}

describe.each(OTHER_TENANTS)('runs, to another $of', ({ who }) => {
  const test = useTestDatabase();
  let store: RunStore;
  let steps: RunStepStore;
  let leases: RunLeaseStore;
  let ended: Ids;
  let waiting: Ids;

  beforeAll(async () => {
    leases = new RunLeaseStore(test.database);
    store = new RunStore(test.database, {
      workspaces: {
        createWorkspace: (at) => openWorkspace(test.database, at),
        workspaceExists: () => Promise.resolve(true),
      },
      deliver: () => Promise.resolve(),
      appUrl: 'http://app.test',
    });
    steps = new RunStepStore(test.database);
    ended = await endedRun(owner);
    waiting = await queuedRun(owner, ended.conversation_id);
  });

  async function queuedRun(at: Ctx, conversation?: string): Promise<Ids> {
    const body = { prompt: 'ten banks', output: CONTRACT };
    const named = conversation === undefined ? body : { ...body, conversation_id: conversation };
    return JSON.parse((await store.createRun(at, named, null)).json) as Ids;
  }

  /** Creates a run that has finished its plan and published an output. */
  async function endedRun(at: Ctx): Promise<Ids> {
    const ids = await queuedRun(at);
    const run = (await leases.claimRun(ids.id))!;
    await new StepJournals(test.database).openJournal(run).runStep(
      'plan',
      () => ({}),
      () => Promise.resolve(`the plan of ${at.orgId} ${at.mode}`),
    );
    const end = { status: 'completed', message: 'done', output: { name: 'secret' } } as const;
    await test.database.transaction(at, (tx) => leases.endRun(tx, run, end));
    return ids;
  }

  const planBefore = (id: string, conversationId: string) =>
    planOfRunBefore(test.database, { ctx: who, id, conversationId });

  it('are unknown when they are read, cancelled or asked for their output', async () => {
    for (const call of [
      () => store.readRun(who, waiting.id),
      () => store.cancelRun(who, waiting.id),
      () => store.readOutput(who, ended.id),
      () => steps.readSteps(who, ended.id),
    ])
      await expect(call()).rejects.toMatchObject({ code: 'run_not_found' });
    expect(await runExists(test.database, who, waiting.id)).toBe(false);
    expect(await runExists(test.database, owner, waiting.id)).toBe(true);
  });

  it('continue even if the other tenant cancels them', async () => {
    await store.cancelRun(who, waiting.id).catch(() => undefined);
    expect(JSON.parse(await store.readRun(owner, waiting.id))).toMatchObject({
      status: 'queued',
      cancellation_requested: false,
    });
  });

  it('publish nothing', async () => {
    expect(await store.readOutput(owner, ended.id)).toContain('secret');
    expect(await store.readOutput(who, ended.id).catch(() => null)).toBeNull();
  });

  it('are in no list', async () => {
    const page = { limit: 10, offset: 0, workspaceId: null, conversationId: ended.conversation_id };
    expect(JSON.parse(await store.listRuns(who, page))).toEqual({ items: [], next_offset: null });
    const own = JSON.parse(await store.listRuns(owner, page)) as { items: Ids[] };
    expect(own.items.map(({ id }) => id)).toEqual([waiting.id, ended.id]);
  });

  it('are in no conversation', async () => {
    const body = { prompt: 'ten more', conversation_id: ended.conversation_id };
    await expect(store.createRun(who, body, null)).rejects.toMatchObject({ code: 'conversation_not_found' });
  });

  it('are not what a run of its own can continue from', async () => {
    const mine = await endedRun(who);
    expect(await planBefore(mine.id, ended.conversation_id)).toBeNull();
  });

  it('are not continued by its own runs', async () => {
    const mine = await endedRun(who);
    const later = await queuedRun(who, mine.conversation_id);
    expect(await planBefore(later.id, mine.conversation_id)).toBe(`the plan of ${who.orgId} ${who.mode}`);
    const foreign = await queuedRun(owner);
    expect(await planBefore(foreign.id, mine.conversation_id)).toBeNull();
  });
});
