import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { IdempotentRequests } from '@quarry/postgres';
import { CreditLedger } from '@quarry/credit-ledger';
import { systemCtx } from '@quarry/app';
import {
  DELIVERED_LATELY,
  brokenInvariants,
  useTestDatabase,
  seedsOf,
  testCtx,
  walkBesideModel,
} from '@quarry/testing';
import { printMeasurement } from '@quarry/test-servers';
import { BatchStore } from '../batch.store.js';
import { JobLeaseStore } from '../job-lease.store.js';
import { expectAgreement, JOBS_COMMANDS } from './jobs.commands.js';
import { JobsModel } from './jobs.model.js';

/** Minimum number of steps. QUARRY_MODEL_STEPS=30000 makes long walks; SEED repeats a walk. */
const STEPS_MIN = Number(process.env.QUARRY_MODEL_STEPS ?? 2000);
const WALKS_AT_ONCE = 2;
const COMMANDS_MAX = 100;
// Enough for a few lines of each organisation, so that walks start with work and end without credits.
const FIRST_GRANT = 12_000;
const LIMIT_MS = Math.max(120_000, STEPS_MIN * 10);

const test = useTestDatabase();

describe('batches, jobs and the ledger against their model', () => {
  const seeds = seedsOf('jobs model');
  const stepsOfSeed = Math.ceil(STEPS_MIN / seeds.length);
  it.each(seeds)(
    `show what the model shows in each of ${stepsOfSeed} steps, with seed %i`,
    async (seed) => {
      const { database } = test;
      const ledger = new CreditLedger(database);
      const store = new BatchStore(database, new IdempotentRequests(database), ledger, () =>
        Promise.resolve(),
      );
      let walks = 0;
      const begin = async (tally: { steps: number }) => {
        const orgs = [testCtx(`org_${seed}_${(walks += 1)}a`), testCtx(`org_${seed}_${walks}b`)];
        // One lease store per walk: a shared one would group the writes of two walks.
        const leases = new JobLeaseStore(database);
        for (const ctx of orgs)
          await ledger.grantCredits(ctx, { id: `${ctx.orgId}-first`, amount: FIRST_GRANT, reason: 'model' });
        return {
          model: new JobsModel(FIRST_GRANT),
          real: { database, store, leases, ledger, orgs, claimed: new Map(), tally },
        };
      };
      // An ended line must not change, so all batches are read again at the end of a walk.
      const walkOf = (tally: { steps: number }) =>
        fc.asyncProperty(
          fc.commands(JOBS_COMMANDS, { maxCommands: COMMANDS_MAX, size: 'max' }),
          async (commands) => {
            const { model, real } = await begin(tally);
            await fc.asyncModelRun(() => ({ model, real }), commands);
            await expectAgreement(model, real, model.batches);
            // Jobs that a worker has handed back are not delivered again, because no reconciler runs here.
            expect(await brokenInvariants(database, { leaveOut: DELIVERED_LATELY })).toEqual({});
          },
        );
      const tallies = await walkBesideModel({
        seed,
        stepsMin: stepsOfSeed,
        walksAtOnce: WALKS_AT_ONCE,
        limitMs: LIMIT_MS,
        tally: () => ({ steps: 0 }),
        walk: walkOf,
      });
      const total = tallies.reduce((sum, { steps }) => sum + steps, 0);
      printMeasurement(`lists, jobs and the ledger beside their model: ${total} steps, seed ${seed}`);
      expect(await ledger.auditLedger(systemCtx('audit'))).toEqual([]);
    },
    LIMIT_MS + 30_000,
  );
});
