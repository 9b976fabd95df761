import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { systemCtx } from '@quarry/platform';
import {
  brokenInvariants,
  createTestDatabase,
  figure,
  SeededRandom,
  testCtx,
  type TestDatabase,
} from '@quarry/testing';
import { CreditLedger } from '../credit-ledger.js';
import { LEDGER_COMMANDS } from './ledger.commands.js';
import { LedgerModel } from './ledger.model.js';

const STEPS_MIN = 100_000;
// Several walks at once, each with an organisation of its own, so that no core waits for the other's answer.
const WALKERS = 4;
const WALKS = 48;
const COMMANDS_MAX = 150;
// Ends the search for a smaller failure before Jest ends the test and says nothing.
const LIMIT_MS = 120_000;

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

describe('the ledger against its model', () => {
  it(
    `gives the model's answers and balances in each of ${STEPS_MIN} steps`,
    async () => {
      const { database } = test;
      const ledger = new CreditLedger(database);
      const tally = { steps: 0 };
      let orgs = 0;
      const walk = fc.asyncProperty(
        fc.commands(LEDGER_COMMANDS, { maxCommands: COMMANDS_MAX, size: 'max' }),
        (commands) =>
          fc.asyncModelRun(
            () => ({
              model: new LedgerModel(),
              real: { database, ledger, tally, ctx: testCtx(`org_${++orgs}`) },
            }),
            commands,
          ),
      );
      const { seed } = SeededRandom.fromEnvironment();
      await Promise.all(
        Array.from({ length: WALKERS }, (_, i) =>
          fc.assert(walk, { seed: seed + i, numRuns: WALKS, interruptAfterTimeLimit: LIMIT_MS }),
        ),
      );
      figure(`the ledger beside its model: ${tally.steps} steps, seed ${seed}`);
      expect(tally.steps).toBeGreaterThanOrEqual(STEPS_MIN);
      expect(await brokenInvariants(database)).toEqual({});
      expect(await ledger.audit(systemCtx('audit'))).toEqual([]);
    },
    LIMIT_MS + 30_000,
  );
});
