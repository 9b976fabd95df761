import { AppError } from '@quarry/error-codes';
import { newId, systemCtx, type Ctx, type Mode } from '@quarry/app';
import { type Database, recordAudit, type TxCtx } from '@quarry/postgres';
import { CreditLedger } from './credit-ledger.js';
import { toCredits, toMillicredits } from './credits.js';
import { SpendLimitStore, type NewCaps, type SpendLimits } from './spend-limits.js';

/** Beginnings of the ids of grants that an operator has named, by the balance that they are for. */
const GRANT_IDS: Readonly<Record<Mode, string>> = { live: 'grant', test: 'test-grant' };

/**
 * Adds credits to a balance of an organisation.
 * @param command.mode of which balance; the live one when left out
 * @param command.grantId a name of the caller's for this grant: the same one again adds nothing; always adds when left out
 * @throws AppError idempotency_conflict if a grant of another amount has this name
 * @returns whether this call added them, and the balance (available and reserved) in credits
 */
export async function grantCredits(
  database: Database,
  command: { orgId: string; amount: number; mode?: Mode; grantId?: string },
): Promise<{ isNew: boolean; balance: number }> {
  const ledger = new CreditLedger(database);
  const { orgId, mode = 'live', grantId } = command;
  const ctx = { ...systemCtx('credits:grant', orgId), mode };
  // Named within the organisation, so that two of them may use the same invoice number.
  const id = grantId === undefined ? newId('led') : `${GRANT_IDS[mode]}:${orgId}:${grantId}`;
  const amount = toMillicredits(command.amount);
  const isNew = await database.transaction(ctx, async (tx) => {
    const isAdded = await ledger.grantCredits(tx, { id, amount, reason: 'Granted by an operator' });
    const facts = { credits: command.amount };
    if (isAdded) await recordAudit(database, tx, { action: 'credits.granted', object: id, facts });
    else await requireAmount(tx, ledger, id, amount);
    return isAdded;
  });
  const { available, reserved } = await ledger.readBalance(ctx);
  return { isNew, balance: toCredits(available + reserved) };
}

/** Refuses a repetition that is none: a typing error must not pass for a grant that was made. @throws AppError idempotency_conflict */
async function requireAmount(tx: TxCtx, ledger: CreditLedger, id: string, amount: number): Promise<void> {
  const before = await ledger.amountOfGrant(tx, id);
  if (before === amount) return;
  throw new AppError(
    'idempotency_conflict',
    `A grant with this id was already made, of ${toCredits(before)} credits: nothing is added. Name another id to add more.`,
  );
}

/** Holder of limits: a key, or with null the organisation in a mode. */
export interface SpendLimitHolder {
  orgId: string;
  keyId: string | null;
  mode: Ctx['mode'];
}

/** Sets spend caps in credits; null takes one away, one that is not named stays. */
export async function setSpendLimits(
  database: Database,
  holder: SpendLimitHolder,
  caps: { day?: number | null; month?: number | null },
): Promise<void> {
  const entries = Object.entries(caps).map(([period, cap]) => [
    period,
    cap === null ? null : toMillicredits(cap),
  ]);
  await new SpendLimitStore(database).setLimit(
    ctxOf(holder),
    holder.keyId,
    Object.fromEntries(entries) as NewCaps,
  );
}

/** @returns caps and what is used of them, in credits */
export function readSpendLimits(database: Database, holder: SpendLimitHolder): Promise<SpendLimits> {
  return new SpendLimitStore(database).readLimit(ctxOf(holder), holder.keyId);
}

function ctxOf({ orgId, mode }: SpendLimitHolder): Ctx {
  return { ...systemCtx('limits', orgId), mode };
}
