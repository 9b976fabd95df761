import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { systemCtx } from '@quarry/app';
import {
  brokenInvariants,
  createTestDatabase,
  seedsOf,
  testCtx,
  walkBesideModel,
  type TestDatabase,
} from '@quarry/testing';
import { printMeasurement } from '@quarry/test-servers';
import { CreditLedger } from '../credit-ledger.js';
import { SpendLimitStore } from '../spend-limits.js';
import { LEDGER_COMMANDS, type LedgerTally } from './ledger.commands.js';
import { LedgerModel } from './ledger.model.js';
import { SpecClock } from './spec-clock.js';

/** Minimum number of steps. QUARRY_LEDGER_STEPS=100000 makes long walks; SEED repeats a walk. */
const STEPS_MIN = Number(process.env.QUARRY_LEDGER_STEPS ?? 8000);
const WALKS_AT_ONCE = 4;
const COMMANDS_MAX = 150;
const LIMIT_MS = Math.max(120_000, STEPS_MIN * 4);

let test: TestDatabase;
let clock: SpecClock;
beforeAll(async () => {
  test = await createTestDatabase();
  clock = await SpecClock.in(test);
});
afterAll(async () => {
  await clock.database.close();
  await test.drop();
});

describe('the ledger against its model', () => {
  const seeds = seedsOf('ledger model');
  const stepsOfSeed = Math.ceil(STEPS_MIN / seeds.length);
  it.each(seeds)(
    `gives the model's answers, balances and limits in each of ${stepsOfSeed} steps, with seed %i`,
    async (seed) => {
      const { database } = clock;
      const ledger = new CreditLedger(database);
      const limits = new SpendLimitStore(database);
      let orgs = 0;
      const begin = async (tally: LedgerTally) => {
        const model = new LedgerModel();
        const ctx = testCtx(`org_${seed}_${++orgs}`);
        await clock.set(ctx, model.now);
        return { model, real: { database, ledger, limits, clock, tally, ctx } };
      };
      const tallies = await walkBesideModel({
        seed,
        stepsMin: stepsOfSeed,
        walksAtOnce: WALKS_AT_ONCE,
        limitMs: LIMIT_MS,
        tally: (): LedgerTally => ({ steps: 0, insufficient: 0, capped: 0 }),
        walk: (tally) =>
          fc.asyncProperty(
            fc.commands(LEDGER_COMMANDS, { maxCommands: COMMANDS_MAX, size: 'max' }),
            async (commands) => {
              const { model, real } = await begin(tally);
              await fc.asyncModelRun(() => ({ model, real }), commands);
            },
          ),
      });
      const sum = (of: keyof LedgerTally) => tallies.reduce((total, tally) => total + tally[of], 0);
      printMeasurement(
        `the ledger beside its model: ${sum('steps')} steps, of which the balance refused ${sum('insufficient')} and a cap ${sum('capped')}, seed ${seed}`,
      );
      // A walk that meets neither would show nothing about them. Usual: 28 % and 3 % of the steps.
      expect(sum('insufficient')).toBeGreaterThan(stepsOfSeed / 100);
      expect(sum('capped')).toBeGreaterThan(stepsOfSeed / 1000);
      expect(await brokenInvariants(database)).toEqual({});
      expect(await ledger.auditLedger(systemCtx('audit'))).toEqual([]);
    },
    LIMIT_MS + 30_000,
  );
});
