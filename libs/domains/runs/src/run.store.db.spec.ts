import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Lifecycle } from '@quarry/app';
import { Database } from '@quarry/postgres';
import { createTestDatabase, openWorkspace, testCtx, type TestDatabase } from '@quarry/testing';
import { RunStore } from './run.store.js';
import { RunWaiters } from './run-waiters.js';

let test: TestDatabase;
/** The database as a process that only answers calls about runs uses it: in a role that sees one organisation at a time. */
let serving: Database;
let store: RunStore;
const ctx = testCtx('org_a');

beforeAll(async () => {
  test = await createTestDatabase();
  serving = await Database.open({ url: test.servingUrl, applicationName: 'spec', connectMs: 60_000 });
  store = new RunStore(serving, {
    workspaces: {
      createWorkspace: (at) => openWorkspace(serving, at),
      workspaceExists: () => Promise.resolve(true),
    },
    deliver: () => Promise.resolve(),
    appUrl: 'http://app.test',
  });
});
afterAll(async () => {
  await serving.close();
  await test.drop();
});

describe('starting a run', () => {
  it('gives one run to equal requests with one key, even if they are concurrent', async () => {
    const output = { schema: { type: 'object' } };
    const body = { prompt: 'ten banks', output };
    const inAnotherOrder = { output, prompt: 'ten banks' };
    const all = await Promise.all(
      Array.from({ length: 8 }, (_, i) => store.createRun(ctx, i % 2 ? body : inAnotherOrder, 'once')),
    );
    expect(new Set(all.map((run) => run.id)).size).toBe(1);
    await expect(store.createRun(ctx, { prompt: 'nine banks' }, 'once')).rejects.toMatchObject({
      code: 'idempotency_conflict',
    });
    expect((await store.createRun(testCtx('org_b'), body, 'once')).id).not.toBe(all[0]!.id);
  });

  it('accepts one of several concurrent runs in a conversation', async () => {
    const first = await store.createRun(ctx, { prompt: 'ten banks' }, null);
    const { conversation_id } = JSON.parse(first.json) as { conversation_id: string };
    await store.cancelRun(ctx, first.id);
    const body = { prompt: 'ten more', conversation_id };
    const all = await Promise.allSettled(Array.from({ length: 8 }, () => store.createRun(ctx, body, null)));
    const refused = all.filter((each) => each.status === 'rejected');
    expect(refused).toHaveLength(7);
    for (const { reason } of refused) expect(reason).toMatchObject({ code: 'conversation_busy' });
  });
});

describe('a held read of a run', () => {
  it('learns of an end in another process', async () => {
    const waiters = new RunWaiters(serving, new Lifecycle(() => undefined));
    const { id } = await store.createRun(ctx, { prompt: 'ten banks' }, null);
    const wait = waiters.waitForEnd(id, 10_000);
    await test.database.query(
      ctx,
      "UPDATE runs.runs SET status = 'completed', ended_at = clock_timestamp() WHERE id = $1",
      [id],
    );
    expect(await wait).toBe(true);
  });
});
