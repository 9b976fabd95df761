import { SpendLimitStore, toMillicredits, type NewCaps, type SpendLimits } from '@quarry/credit-ledger';
import { systemCtx, type Ctx } from '@quarry/app';
import type { Database } from '@quarry/postgres';

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
