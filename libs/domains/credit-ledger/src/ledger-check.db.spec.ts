import { beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger, systemCtx } from '@quarry/app';
import { useTestDatabase, testCtx } from '@quarry/testing';
import { CreditLedger } from './credit-ledger.js';
import { LedgerCheck } from './ledger-check.js';

const ctx = systemCtx('spec');

describe('the ledger check', () => {
  const test = useTestDatabase();
  let ledger: CreditLedger;
  const logged: Array<Record<string, unknown>> = [];
  const logger = Object.assign(createLogger('spec', 'silent'), {
    error: (facts: Record<string, unknown>) => void logged.push(facts),
  });

  beforeAll(async () => {
    ledger = new CreditLedger(test.database);
    await ledger.grantCredits(testCtx('org_1'), { id: 'g1', amount: 5000, reason: 'top-up' });
  });

  const overdue = () =>
    test.database.query(ctx, "UPDATE credits.ledger_checks SET checked_at = checked_at - interval '1 hour'");

  it('runs once an hour, however many processes look for it', async () => {
    const checks = Array.from({ length: 8 }, () => new LedgerCheck(test.database, ledger, logger));
    const made = async () =>
      (await Promise.all(checks.map((check) => check.checkIfDue()))).filter((faults) => faults !== null);
    expect(await made()).toEqual([[]]);
    expect(await made()).toEqual([]);
    await overdue();
    expect(await made()).toEqual([[]]);
    expect(await LedgerCheck.readLast(test.database)).toMatchObject({ faultCount: 0 });
    expect(logged).toEqual([]);
  });

  it('reports each time that the books disagree', async () => {
    await test.database.query(
      ctx,
      "UPDATE credits.accounts SET granted = granted + 7, available = available + 7 WHERE org_id = 'org_1'",
    );
    const check = new LedgerCheck(test.database, ledger, logger);
    for (const times of [1, 2]) {
      await overdue();
      expect(await check.checkIfDue()).toEqual([expect.stringContaining('org_1:live')]);
      expect(await LedgerCheck.readLast(test.database)).toMatchObject({ faultCount: 1 });
      expect(logged).toHaveLength(times);
    }
  });
});
