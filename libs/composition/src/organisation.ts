import { CreditLedger, toMillicredits } from '@quarry/credit-ledger';
import { IdentityStore, type CreatedOrganisation } from '@quarry/edge';
import { newId, systemCtx, type Database } from '@quarry/platform';

/** A test key's play money: the same amount for every organisation. */
const TEST_CREDITS = 1000;

/** Creates an organisation with its first user, that user's keys and its credits, all or nothing. */
export async function createOrganisation(
  database: Database,
  command: { name: string; credits: number },
): Promise<CreatedOrganisation> {
  const ledger = new CreditLedger(database);
  const amount = toMillicredits(command.credits);
  return database.transaction(systemCtx('org:create'), async (tx) => {
    const created = await new IdentityStore(database).createOrganisation(tx, { name: command.name });
    const ctx = { ...tx, orgId: created.orgId };
    if (amount > 0)
      await ledger.grant(ctx, { id: newId('led'), amount, reason: 'Opening balance', mode: 'live' });
    await ledger.grant(ctx, {
      id: newId('led'),
      amount: toMillicredits(TEST_CREDITS),
      reason: 'Test balance',
      mode: 'test',
    });
    return created;
  });
}

/** Adds credits to the live balance of an organisation. @returns its balance (available and reserved) in credits */
export async function grantCredits(
  database: Database,
  command: { orgId: string; amount: number },
): Promise<number> {
  const ledger = new CreditLedger(database);
  const ctx = systemCtx('credits:grant', command.orgId);
  await ledger.grant(ctx, {
    id: newId('led'),
    amount: toMillicredits(command.amount),
    reason: 'Granted by an operator',
  });
  const { available, reserved } = await ledger.balance(ctx);
  return (available + reserved) / 1000;
}
