import { beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger, newId, RetentionTask } from '@quarry/app';
import type { Database } from '@quarry/postgres';
import { useTestDatabase, openWorkspace, testCtx } from '@quarry/testing';
import { StepJournals } from './execution/step-journal.js';
import { RunLeaseStore } from './execution/run-lease.store.js';
import { runRetention } from './run-retention.js';
import { RunStore } from './run.store.js';

describe('retention of runs', () => {
  const test = useTestDatabase();
  let db: Database;
  let store: RunStore;
  let leases: RunLeaseStore;
  const ctx = testCtx('org_keeping');
  const sweep = () =>
    new RetentionTask(runRetention(db, { detailDays: 90 }), createLogger('spec', 'silent')).removeDue();

  beforeAll(() => {
    db = test.database;
    leases = new RunLeaseStore(db);
    store = new RunStore(db, {
      workspaces: {
        createWorkspace: (at) => openWorkspace(db, at),
        workspaceExists: () => Promise.resolve(true),
      },
      deliver: () => Promise.resolve(),
      appUrl: 'http://app.test',
    });
  });

  /** Creates a run that an agent has leased, with one finished step. @returns its id */
  async function begun(): Promise<string> {
    const { id } = await store.createRun(ctx, { prompt: 'call ann@acme.example' }, newId('run'));
    const run = (await leases.claimRun(id))!;
    await new StepJournals(db).openJournal(run).runStep(
      'plan',
      () => ({ prompt: 'ann@acme.example' }),
      () => Promise.resolve({}),
    );
    return id;
  }

  async function endedAgo(id: string, days: number): Promise<void> {
    await db.query(
      ctx,
      `UPDATE runs.runs SET status = 'completed', lease_token = NULL, lease_until = NULL, message = 'Done',
         created_at = created_at - make_interval(days => $2), ended_at = clock_timestamp() - make_interval(days => $2) WHERE id = $1`,
      [id, days],
    );
  }

  const detailsOf = (id: string) =>
    db.queryOne(
      ctx,
      `SELECT r.prompt, (SELECT count(*)::int FROM runs.steps s WHERE s.run_id = r.id) AS steps FROM runs.runs r WHERE id = $1`,
      [id],
    );

  it('clears prompt and steps 90 days after the end of a run, and keeps the run readable', async () => {
    const [old, young, working] = [await begun(), await begun(), await begun()];
    await endedAgo(old, 91);
    await endedAgo(young, 89);
    await db.query(ctx, "UPDATE runs.runs SET created_at = created_at - interval '1 year' WHERE id = $1", [
      working,
    ]);
    await sweep();
    expect(await detailsOf(old)).toEqual({ prompt: '', steps: 0 });
    expect(await detailsOf(young)).toEqual({ prompt: 'call ann@acme.example', steps: 1 });
    expect(await detailsOf(working)).toEqual({ prompt: 'call ann@acme.example', steps: 1 });
    expect(JSON.parse(await store.readRun(ctx, old))).toMatchObject({ status: 'completed', message: 'Done' });
  });

  it('deletes ended runs and their conversation with their workspace, and no run in work', async () => {
    const [ended, working, other] = [await begun(), await begun(), await begun()];
    await endedAgo(ended, 1);
    await endedAgo(other, 1);
    await db.query(
      ctx,
      'DELETE FROM tables.workspaces w USING runs.runs r WHERE r.workspace_id = w.id AND r.id = ANY ($1)',
      [[ended, working]],
    );
    await sweep();
    const left = await db.query<{ id: string }>(ctx, 'SELECT id FROM runs.runs WHERE id = ANY ($1)', [
      [ended, working, other],
    ]);
    expect(left.map(({ id }) => id).sort()).toEqual([working, other].sort());
    const conversations = `SELECT 1 FROM runs.conversations c WHERE NOT EXISTS (SELECT 1 FROM runs.runs r WHERE r.conversation_id = c.id)`;
    expect(await db.query(ctx, conversations)).toEqual([]);
  });
});
