import { CreditLedger, TEST_CREDITS, toMillicredits } from '@quarry/credit-ledger';
import { IdentityStore, type CreatedOrganisation } from '@quarry/identity';
import { newId, systemCtx } from '@quarry/app';
import { type Database, recordAudit } from '@quarry/postgres';

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
    if (amount > 0) {
      const id = newId('led');
      await ledger.grantCredits(ctx, { id, amount, reason: 'Opening balance', mode: 'live' });
      const facts = { credits: command.credits };
      await recordAudit(database, ctx, { action: 'credits.granted', object: id, facts });
    }
    await ledger.grantCredits(ctx, {
      id: newId('led'),
      amount: toMillicredits(TEST_CREDITS),
      reason: 'Test balance',
      mode: 'test',
    });
    return created;
  });
}
