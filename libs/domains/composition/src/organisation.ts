import { CreditLedger, TEST_CREDITS, toMillicredits } from '@quarry/credit-ledger';
import { IdentityStore, type CreatedOrganisation } from '@quarry/identity';
import { newId, systemCtx } from '@quarry/app';
import { AuditLog, type Database } from '@quarry/postgres';
import { statement } from './statements.types.js';

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
      await new AuditLog(database).recordEntry(ctx, { action: 'credits.granted', object: id, facts });
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

/**
 * Adds credits to the live balance of an organisation.
 * @param command.grantId a name of the caller's for this grant: the same one again adds nothing; always adds when left out
 * @returns whether this call added them, and the balance (available and reserved) in credits
 */
export async function grantCredits(
  database: Database,
  command: { orgId: string; amount: number; grantId?: string },
): Promise<{ isNew: boolean; balance: number }> {
  const ledger = new CreditLedger(database);
  const ctx = systemCtx('credits:grant', command.orgId);
  // Named within the organisation, so that two of them may use the same invoice number.
  const id = command.grantId === undefined ? newId('led') : `grant:${command.orgId}:${command.grantId}`;
  const amount = toMillicredits(command.amount);
  const isNew = await database.transaction(ctx, async (tx) => {
    const isAdded = await ledger.grantCredits(tx, { id, amount, reason: 'Granted by an operator' });
    const facts = { credits: command.amount };
    if (isAdded)
      await new AuditLog(database).recordEntry(tx, { action: 'credits.granted', object: id, facts });
    return isAdded;
  });
  const { available, reserved } = await ledger.readBalance(ctx);
  return { isNew, balance: (available + reserved) / 1000 };
}

/** Recomputes every balance from its transfers. @returns what disagrees, in sentences */
export function auditLedger(database: Database): Promise<string[]> {
  const ctx = systemCtx('audit');
  return database.transaction(ctx, async (tx) => {
    // A large ledger takes longer than any request may.
    await database.query(tx, ALLOW_LONG);
    return new CreditLedger(database).auditLedger(tx);
  });
}

const ALLOW_LONG = statement('organisation.allowLong', 'SET LOCAL statement_timeout = 0');
