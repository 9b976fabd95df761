import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger, newId, type Ctx, type Database } from '@quarry/platform';
import { createTestDatabase, testCtx, waitFor, type TestDatabase } from '@quarry/testing';
import { RunStore } from '../run.store.js';
import { RunAgent } from './run-agent.js';
import { RunLeaseStore, type LeasedRun } from './run-lease.store.js';
import { LeaseLostError, StepJournal } from './step-journal.js';

let test: TestDatabase;
let db: Database;
let leases: RunLeaseStore;
let store: RunStore;
const ctx = testCtx('org_a', { keyId: 'key_1' });
const logger = createLogger('spec', 'silent');

beforeAll(async () => {
  test = await createTestDatabase();
  db = test.database;
  leases = new RunLeaseStore(db);
  store = new RunStore(db, {
    workspaces: { createWorkspace: (tx) => openWorkspace(tx), workspaceExists: () => Promise.resolve(true) },
    deliver: () => Promise.resolve(),
    appUrl: 'http://app.test',
  });
});
afterAll(() => test.drop());

/** The tables room's own row, as far as runs look at it. */
async function openWorkspace(at: Ctx): Promise<string> {
  const id = newId('ws');
  await db.query(at, 'INSERT INTO tables.workspaces (org_id, id, name) VALUES ($1, $2, $3)', [
    at.orgId,
    id,
    'Spec',
  ]);
  return id;
}

async function queuedRun(): Promise<string> {
  return (await store.create(ctx, { prompt: 'ten banks' }, null)).id;
}

async function statusOf(runId: string): Promise<string> {
  return (JSON.parse(await store.read(ctx, runId)) as { status: string }).status;
}

async function expire(runId: string): Promise<void> {
  await db.query(
    ctx,
    'UPDATE runs.runs SET lease_until = clock_timestamp() - interval $$1 second$$ WHERE id = $1',
    [runId],
  );
}

function journalOf(run: LeasedRun): StepJournal {
  return new StepJournal(db, run.ctx, run);
}

describe('the lease of a run', () => {
  it('is given to one of many agents', async () => {
    const id = await queuedRun();
    const claims = await Promise.all(Array.from({ length: 10 }, () => leases.claim(id)));
    expect(claims.filter(Boolean)).toHaveLength(1);
  });

  it('goes queued, running, recovering, running, and at the third loss failed', async () => {
    const id = await queuedRun();
    const seen = [await statusOf(id)];
    for (let loss = 0; loss < 3; loss += 1) {
      await leases.claim(id);
      seen.push(await statusOf(id));
      await expire(id);
      await leases.reapLost();
      seen.push(await statusOf(id));
    }
    expect(seen).toEqual(['queued', 'running', 'recovering', 'running', 'recovering', 'running', 'failed']);
    expect(JSON.parse(await store.read(ctx, id))).toMatchObject({ error: { code: 'run_lease_lost' } });
    expect(await leases.claim(id)).toBeNull();
  });

  it('handed back at a shutdown is no loss', async () => {
    const id = await queuedRun();
    for (let i = 0; i < 5; i += 1) await leases.release((await leases.claim(id))!);
    expect(await statusOf(id)).toBe('recovering');
  });

  it('lets a superseded agent write nothing: no renewal, no step, no end', async () => {
    const id = await queuedRun();
    const stale = (await leases.claim(id))!;
    await expire(id);
    await leases.reapLost();
    const owner = (await leases.claim(id))!;
    expect(await leases.renew(stale)).toBe(false);
    await expect(
      journalOf(stale).step(
        'plan',
        () => ({}),
        () => Promise.resolve(1),
      ),
    ).rejects.toThrow(LeaseLostError);
    const end = { status: 'completed', message: 'done', output: null } as const;
    expect(await db.transaction(ctx, (tx) => leases.end(tx, stale, end))).toBe(false);
    expect(await db.transaction(ctx, (tx) => leases.end(tx, owner, end))).toBe(true);
  });
});

describe('the journal of a run', () => {
  it('runs a finished step once, and repeats a begun one with the input that it was given first', async () => {
    const run = (await leases.claim(await queuedRun()))!;
    let made = 0;
    const inputs: number[] = [];
    const prepare = () => ({ n: ++made });
    const crash = journalOf(run).step('rows', prepare, ({ n }) => {
      inputs.push(n);
      return Promise.reject(new Error('killed'));
    });
    await expect(crash).rejects.toThrow('killed');
    const work = ({ n }: { n: number }) => {
      inputs.push(n);
      return Promise.resolve({ done: n });
    };
    expect(await journalOf(run).step('rows', prepare, work)).toEqual({ done: 1 });
    expect(await journalOf(run).step('rows', prepare, work)).toEqual({ done: 1 });
    expect({ made, inputs }).toEqual({ made: 1, inputs: [1, 1] });
  });
});

describe('an agent', () => {
  function agent(perform: (run: LeasedRun) => Promise<void>, isRevoked = false): RunAgent {
    return new RunAgent({
      database: db,
      leases,
      script: { perform } as never,
      workspaces: {
        createWorkspace: (tx) => openWorkspace(tx),
        workspaceExists: () => Promise.resolve(true),
      },
      keys: { isRevoked: () => Promise.resolve(isRevoked) },
      logger,
    });
  }
  const never = new AbortController().signal;

  it('ends a run whose key was revoked as run_access_revoked, before any work', async () => {
    const id = await queuedRun();
    await agent(() => Promise.reject(new Error('must not run')), true).work(id, never);
    expect(JSON.parse(await store.read(ctx, id))).toMatchObject({
      status: 'failed',
      error: { code: 'run_access_revoked' },
    });
  });

  it('ends a run that met a surprise as agent_execution_failed, without its text', async () => {
    const id = await queuedRun();
    await agent(() => Promise.reject(new Error('relation "secret" does not exist'))).work(id, never);
    const run = await store.read(ctx, id);
    expect(JSON.parse(run)).toMatchObject({ status: 'failed', error: { code: 'agent_execution_failed' } });
    expect(run).not.toContain('secret');
  });

  it('hands its runs back when the process stops', async () => {
    const id = await queuedRun();
    const stopping = new AbortController();
    stopping.abort();
    await agent(() => Promise.resolve()).work(id, stopping.signal);
    await waitFor('the run to be handed back', async () => (await statusOf(id)) === 'recovering');
  });
});
