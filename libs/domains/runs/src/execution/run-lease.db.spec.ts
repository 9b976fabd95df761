import { beforeAll, describe, expect, it } from '@jest/globals';
import { LeaseLostError, type StepJournal } from '@quarry/durable-work';
import type { RunArtifact } from '@quarry/dto';
import { createLogger, newId, type Ctx } from '@quarry/app';
import type { Database } from '@quarry/postgres';
import { useTestDatabase, openWorkspace, testCtx } from '@quarry/testing';
import { waitFor } from '@quarry/test-servers';
import { RunStore } from '../run.store.js';
import { CreditLedger } from '@quarry/credit-ledger';
import { RunAccount } from '../run-account.js';
import { RunAgent } from '../agent/run-agent.js';
import { RunLeaseStore, type LeasedRun } from './run-lease.store.js';
import { RunEnding } from '../agent/run-ending.js';
import { StepJournals } from './step-journal.js';

const test = useTestDatabase();
let db: Database;
let leases: RunLeaseStore;
let store: RunStore;
const ctx = testCtx('org_a', { keyId: 'key_1' });
const logger = createLogger('spec', 'silent');

beforeAll(() => {
  db = test.database;
  leases = new RunLeaseStore(db);
  store = new RunStore(db, {
    workspaces: {
      createWorkspace: (tx) => openWorkspace(db, tx),
      workspaceExists: () => Promise.resolve(true),
    },
    deliver: () => Promise.resolve(),
    appUrl: 'http://app.test',
  });
});

async function queuedRun(): Promise<string> {
  return (await store.createRun(ctx, { prompt: 'ten banks' }, null)).id;
}

async function statusOf(runId: string): Promise<string> {
  return (JSON.parse(await store.readRun(ctx, runId)) as { status: string }).status;
}

async function expire(runId: string): Promise<void> {
  await db.query(
    ctx,
    'UPDATE runs.runs SET lease_until = clock_timestamp() - interval $$1 second$$ WHERE id = $1',
    [runId],
  );
}

/** Expires the lease of a run and claims the run for another agent. */
async function supersede(runId: string): Promise<LeasedRun> {
  await expire(runId);
  await leases.reapLost();
  return (await leases.claimRun(runId))!;
}

function artifact(id: string, effect: RunArtifact['effect']): RunArtifact {
  const self = `/v1/tables/${id}`;
  return { type: 'table', id, name: 'Leads', effect, links: { self, rows: `${self}/rows` } };
}

async function artifactsOf(runId: string): Promise<unknown[]> {
  return (JSON.parse(await store.readRun(ctx, runId)) as { artifacts: unknown[] }).artifacts;
}

function journalOf(run: LeasedRun): StepJournal {
  return new StepJournals(db).openJournal(run);
}

describe('the lease of a run', () => {
  it('is given to one of many agents', async () => {
    const id = await queuedRun();
    const claims = await Promise.all(Array.from({ length: 10 }, () => leases.claimRun(id)));
    expect(claims.filter(Boolean)).toHaveLength(1);
  });

  it('goes queued, running, recovering, running, and failed at the third loss', async () => {
    const id = await queuedRun();
    const seen = [await statusOf(id)];
    for (let loss = 0; loss < 3; loss += 1) {
      await leases.claimRun(id);
      seen.push(await statusOf(id));
      await expire(id);
      await leases.reapLost();
      seen.push(await statusOf(id));
    }
    expect(seen).toEqual(['queued', 'running', 'recovering', 'running', 'recovering', 'running', 'failed']);
    expect(JSON.parse(await store.readRun(ctx, id))).toMatchObject({ error: { code: 'run_lease_lost' } });
    expect(await leases.claimRun(id)).toBeNull();
  });

  it('handed back at a shutdown does not count as lost', async () => {
    const id = await queuedRun();
    for (let i = 0; i < 10; i += 1) await leases.releaseRun((await leases.claimRun(id))!);
    expect(await statusOf(id)).toBe('recovering');
    await leases.claimRun(id);
    await expire(id);
    await leases.reapLost();
    expect(await statusOf(id)).toBe('recovering');
  });

  it('put back does not count as lost either, and waits before it is delivered again', async () => {
    const id = await queuedRun();
    await leases.putBack((await leases.claimRun(id))!);
    expect([await statusOf(id), await leases.takeSilent()]).toEqual([
      'recovering',
      expect.not.arrayContaining([id]),
    ]);
    await leases.releaseRun((await leases.claimRun(id))!);
    expect(await leases.takeSilent()).toContain(id);
    expect(await leases.claimRun(id)).toMatchObject({ leaseLosses: 0 });
  });

  it('that is valid is not reaped, and can be expired by a process that knows that no other lives', async () => {
    const id = await queuedRun();
    const owner = (await leases.claimRun(id))!;
    expect(await leases.reapLost()).not.toContain(id);
    expect(await leases.renewLease(owner)).toBe(true);
    await leases.expireAll();
    expect(await leases.reapLost()).toContain(id);
  });

  it("that was superseded neither hands back nor shows anything of its successor's, and reads no signals", async () => {
    const id = await queuedRun();
    const stale = (await leases.claimRun(id))!;
    const owner = await supersede(id);
    await leases.releaseRun(stale);
    expect(await statusOf(id)).toBe('running');
    expect(await leases.readSignals(stale)).toBeNull();
    expect(await leases.readSignals(owner)).toMatchObject({ isCancelled: false });
    await leases.addArtifact(ctx, stale, artifact('tbl_1', 'created'));
    expect(await artifactsOf(id)).toEqual([]);
  });

  it('tells its agent that a table of it is gone', async () => {
    const run = (await leases.claimRun(await queuedRun()))!;
    const tableId = newId('tbl');
    await db.query(
      ctx,
      `INSERT INTO tables.tables (org_id, mode, id, workspace_id, name, columns)
       SELECT org_id, mode, $2, workspace_id, 'Leads', '[]' FROM runs.runs WHERE id = $1`,
      [run.id, tableId],
    );
    await leases.addArtifact(ctx, run, artifact(tableId, 'created'));
    expect(await leases.readSignals(run)).toMatchObject({ isTableGone: false });
    await db.query(ctx, 'DELETE FROM tables.tables WHERE id = $1', [tableId]);
    expect(await leases.readSignals(run)).toMatchObject({ isTableGone: true });
  });

  it('lets a superseded agent write nothing: no renewal, no step, no end', async () => {
    const id = await queuedRun();
    const stale = (await leases.claimRun(id))!;
    await expire(id);
    await leases.reapLost();
    const owner = (await leases.claimRun(id))!;
    expect(await leases.renewLease(stale)).toBe(false);
    await expect(
      journalOf(stale).runStep(
        'plan',
        () => ({}),
        () => Promise.resolve(1),
      ),
    ).rejects.toThrow(LeaseLostError);
    const end = { status: 'completed', message: 'done', output: null } as const;
    expect(await db.transaction(ctx, (tx) => leases.endRun(tx, stale, end))).toBe(false);
    expect(await db.transaction(ctx, (tx) => leases.endRun(tx, owner, end))).toBe(true);
  });
});

describe('the artifacts of a run', () => {
  it('exist once per table: an artifact that the run created stays "created" after an update', async () => {
    const run = (await leases.claimRun(await queuedRun()))!;
    for (const [table, effect] of [
      ['tbl_1', 'created'],
      ['tbl_2', 'updated'],
      ['tbl_1', 'updated'],
      ['tbl_2', 'updated'],
      ['tbl_1', 'created'],
    ] as const)
      await leases.addArtifact(ctx, run, artifact(table, effect));
    expect(await artifactsOf(run.id)).toEqual([artifact('tbl_1', 'created'), artifact('tbl_2', 'updated')]);
  });
});

describe('the journal of a run', () => {
  it('begins nothing for a superseded agent: the work of the step is not done', async () => {
    const id = await queuedRun();
    const stale = (await leases.claimRun(id))!;
    await supersede(id);
    let isDone = false;
    const step = journalOf(stale).runStep(
      'rows',
      () => ({}),
      () => Promise.resolve((isDone = true)),
    );
    await expect(step).rejects.toThrow(LeaseLostError);
    expect(isDone).toBe(false);
    expect(await db.query(ctx, 'SELECT 1 FROM runs.steps WHERE run_id = $1', [id])).toEqual([]);
  });

  it('finishes nothing for an agent superseded during a step: the successor finishes it', async () => {
    const id = await queuedRun();
    const stale = (await leases.claimRun(id))!;
    let owner: LeasedRun | null = null;
    const step = journalOf(stale).runStep(
      'rows',
      () => ({ n: 1 }),
      async () => {
        owner = await supersede(id);
        return 'late';
      },
    );
    await expect(step).rejects.toThrow(LeaseLostError);
    const again = journalOf(owner!).runStep(
      'rows',
      () => ({ n: 2 }),
      ({ n }) => Promise.resolve(`done with ${n}`),
    );
    expect(await again).toBe('done with 1');
  });

  it('runs a finished step once, and repeats a started one with its first input', async () => {
    const run = (await leases.claimRun(await queuedRun()))!;
    let made = 0;
    const inputs: number[] = [];
    const prepare = () => ({ n: ++made });
    const crash = journalOf(run).runStep('rows', prepare, ({ n }) => {
      inputs.push(n);
      return Promise.reject(new Error('killed'));
    });
    await expect(crash).rejects.toThrow('killed');
    const work = ({ n }: { n: number }) => {
      inputs.push(n);
      return Promise.resolve({ done: n });
    };
    expect(await journalOf(run).runStep('rows', prepare, work)).toEqual({ done: 1 });
    expect(await journalOf(run).runStep('rows', prepare, work)).toEqual({ done: 1 });
    expect({ made, inputs }).toEqual({ made: 1, inputs: [1, 1] });
  });
});

describe('a run agent', () => {
  const [cancelled, swept]: [string[], unknown[]] = [[], []];
  function agent(perform: (run: LeasedRun) => Promise<void>, isRevoked = false): RunAgent {
    const account = new RunAccount(db, new CreditLedger(db));
    return new RunAgent(
      leases,
      new StepJournals(db),
      { performRun: perform } as never,
      { createWorkspace: (tx) => openWorkspace(db, tx), workspaceExists: () => Promise.resolve(true) },
      { isKeyRevoked: () => Promise.resolve(isRevoked) },
      new RunEnding(
        db,
        leases,
        { cancelLines: async (_ctx: Ctx, batchId: string) => void cancelled.push(batchId) } as never,
        { skipPending: async (_tx: Ctx, ...of: unknown[]) => void swept.push(of) } as never,
        account,
      ),
      () => Promise.resolve(),
      logger,
      'agent-runs',
    );
  }

  it('ends a run whose key was revoked as run_access_revoked, before any work', async () => {
    const id = await queuedRun();
    await agent(() => Promise.reject(new Error('must not run')), true).takeTurn({ runId: id });
    expect(JSON.parse(await store.readRun(ctx, id))).toMatchObject({
      status: 'failed',
      error: { code: 'run_access_revoked' },
    });
  });

  it('ends a run that met an unexpected error as agent_execution_failed, without its text', async () => {
    const id = await queuedRun();
    await agent(() => Promise.reject(new Error('relation "secret" does not exist'))).takeTurn({ runId: id });
    const run = await store.readRun(ctx, id);
    expect(JSON.parse(run)).toMatchObject({ status: 'failed', error: { code: 'agent_execution_failed' } });
    expect(run).not.toContain('secret');
  });

  it('ends a run with a table that was lost for the third time: batches are cancelled, no cell stays pending', async () => {
    const id = await queuedRun();
    for (let loss = 0; loss < 3; loss += 1) {
      const journal = journalOf((await leases.claimRun(id))!);
      await journal.runStep(
        'table-0.create',
        () => ({ tableId: 'tbl_1' }),
        async () => ({ tableId: 'tbl_1' }),
      );
      await journal.runStep(
        'table-0.fill.a.0',
        () => ({ batchId: 'svcbatch_1' }),
        async () => ({}),
      );
      await journal
        .runStep(
          'table-0.fill.b.0',
          () => ({ batchId: 'svcbatch_2' }),
          () => Promise.reject(new Error('killed')),
        )
        .catch(() => undefined);
      await expire(id);
      await leases.reapLost();
    }
    expect(await statusOf(id)).toBe('recovering');
    await agent(() => Promise.reject(new Error('must not run'))).takeTurn({ runId: id });
    expect(JSON.parse(await store.readRun(ctx, id))).toMatchObject({
      status: 'failed',
      error: { code: 'run_lease_lost' },
    });
    expect(cancelled).toEqual(['svcbatch_2']);
    expect(swept).toEqual([['tbl_1', expect.objectContaining({ code: 'run_lease_lost' })]]);
  });

  it('hands its runs back when the process stops', async () => {
    const id = await queuedRun();
    const stopped = agent(() => Promise.resolve());
    await stopped.stopWork();
    await stopped.takeTurn({ runId: id });
    await waitFor('the run to be handed back', async () => (await statusOf(id)) === 'recovering');
  });
});
