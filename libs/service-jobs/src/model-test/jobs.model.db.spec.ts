import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CreditLedger } from '@quarry/credit-ledger';
import { systemCtx } from '@quarry/platform';
import {
  DELIVERED_LATELY,
  brokenInvariants,
  createTestDatabase,
  figure,
  SeededRandom,
  testCtx,
  type TestDatabase,
} from '@quarry/testing';
import { BatchStore } from '../batch.store.js';
import { JobLeaseStore } from '../job-lease.store.js';
import { expectAgreement, JOBS_COMMANDS } from './jobs.commands.js';
import { JobsModel } from './jobs.model.js';

/** QUARRY_MODEL_STEPS=30000 for a long walk; SEED repeats one. */
const STEPS_MIN = Number(process.env.QUARRY_MODEL_STEPS ?? 5000);
// Several walks at once, each with organisations of its own, so that no core waits for the other's answer.
const WALKERS = 4;
const WALKS = Math.ceil(STEPS_MIN / 400);
const COMMANDS_MAX = 100;
// Some lines for each organisation, so that walks begin with work and end in want.
const FIRST_GRANT = 12_000;
// Ends the search for a smaller failure before Jest ends the test and says nothing.
const LIMIT_MS = Math.max(120_000, STEPS_MIN * 10);

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

describe('lists, jobs and the ledger against their model', () => {
  it(
    `show what the model shows in each of ${STEPS_MIN} steps`,
    async () => {
      const { database } = test;
      const ledger = new CreditLedger(database);
      const store = new BatchStore(database, ledger, () => Promise.resolve());
      const tally = { steps: 0 };
      let walks = 0;
      const begin = async () => {
        const orgs = [testCtx(`org_${(walks += 1)}a`), testCtx(`org_${walks}b`)];
        // One store of leases for each walk, or the groups of two walks would be one.
        const leases = new JobLeaseStore(database);
        for (const ctx of orgs)
          await ledger.grant(ctx, { id: `${ctx.orgId}-first`, amount: FIRST_GRANT, reason: 'model' });
        return {
          model: new JobsModel(FIRST_GRANT),
          real: { database, store, leases, ledger, orgs, claimed: new Map(), tally },
        };
      };
      // What has ended must not change, so all lists are read again when a walk is over.
      const walk = fc.asyncProperty(
        fc.commands(JOBS_COMMANDS, { maxCommands: COMMANDS_MAX, size: 'max' }),
        async (commands) => {
          const { model, real } = await begin();
          await fc.asyncModelRun(() => ({ model, real }), commands);
          await expectAgreement(model, real, model.batches);
          // Nothing delivers again what a worker handed back: there are stores here, and no reconciler.
          expect(await brokenInvariants(database, { leaveOut: DELIVERED_LATELY })).toEqual({});
        },
      );
      const { seed } = SeededRandom.fromEnvironment();
      await Promise.all(
        Array.from({ length: WALKERS }, (_, i) =>
          fc.assert(walk, { seed: seed + i, numRuns: WALKS, interruptAfterTimeLimit: LIMIT_MS }),
        ),
      );
      figure(`lists, jobs and the ledger beside their model: ${tally.steps} steps, seed ${seed}`);
      expect(tally.steps).toBeGreaterThanOrEqual(STEPS_MIN);
      expect(await ledger.audit(systemCtx('audit'))).toEqual([]);
    },
    LIMIT_MS + 30_000,
  );
});
