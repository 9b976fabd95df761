import { describe, expect, it } from '@jest/globals';
import { CreditLedger } from '@quarry/credit-ledger';
import { newId } from '@quarry/app';
import { useTestDatabase, testCtx, openWorkspace } from '@quarry/testing';
import { StepJournals } from './execution/step-journal.js';
import { RunLeaseStore } from './execution/run-lease.store.js';
import { RunStepStore } from './run-steps.store.js';
import { RunStore } from './run.store.js';

const ctx = testCtx('org_steps');
const test = useTestDatabase();

describe('the steps of a run', () => {
  it('show the prompt, their order, the current work and the charges of each batch', async () => {
    const { database } = test;
    const ledger = new CreditLedger(database);
    await ledger.grantCredits(ctx, { id: newId('hold'), amount: 10_000, reason: 'spec' });
    const createWorkspace = () => openWorkspace(database, ctx);
    const store = new RunStore(database, {
      workspaces: { createWorkspace, workspaceExists: () => Promise.resolve(true) },
      deliver: () => Promise.resolve(),
      appUrl: 'http://app.test',
    });
    const { id } = await store.createRun(ctx, { prompt: 'ten banks' }, null);
    const leases = new RunLeaseStore(database);
    const run = (await leases.claimRun(id))!;
    const journal = new StepJournals(database).openJournal(run);
    const done = () => Promise.resolve(null);
    const given =
      (input: object = {}) =>
      () =>
        input;
    await journal.runStep('plan', given(), done);
    await journal.runStep('table-0.create', given(), done);
    await journal.runStep('table-0.rows', given(), done);
    for (const part of ['0', '0.1']) {
      const batchId = newId('svcbatch');
      const hold = { id: newId('hold'), amount: 1_000, service: 'getEmail', batchId, runId: id };
      await ledger.holdCredits(ctx, hold);
      await ledger.postHold(ctx, hold.id, 750);
      await journal.runStep(`table-0.fill.work_email.${part}`, given({ batchId }), done);
    }
    const sourcing = { id: newId('hold'), amount: 2_000, service: 'sourcing', runId: id };
    await ledger.holdCredits(ctx, sourcing);
    await ledger.postHold(ctx, sourcing.id, 1_250);
    for (const step of ['hold', '0', 'used']) await journal.runStep(`table-0.web.${step}`, given(), done);
    // Direct calls, which two columns make.
    const direct = { id: newId('hold'), amount: 1_000, service: 'enrichCompany', runId: id };
    await ledger.holdCredits(ctx, direct);
    await ledger.postHold(ctx, direct.id, 500);
    for (const step of ['staff.0', 'staff.0.1', 'city.0'])
      await journal.runStep(
        `table-0.fill.${step}`,
        given({ batchId: newId('svcbatch'), service: 'enrichCompany' }),
        done,
      );
    const working = journal.runStep('table-0.fit', given(), async () => {
      const steps = new RunStepStore(database);
      return JSON.parse(await steps.readSteps(ctx, id)) as Record<string, unknown>;
    });
    expect(await working).toMatchObject({
      run_id: id,
      prompt: 'ten banks',
      completed_at: null,
      charged: 3.25,
      items: [
        { title: 'Read the prompt', status: 'completed', charged: 0 },
        { title: 'Find rows', status: 'completed' },
        { name: 'table-0.fill.work_email', title: 'Look up work email', status: 'completed', charged: 1.5 },
        { title: 'Look on the web', charged: 1.25 },
        { title: 'Look up staff', charged: 0.5 },
        { title: 'Look up city', charged: 0 },
        { title: 'Judge which rows fit', status: 'running', completed_at: null },
      ],
    });
  });
});
