import type { Ctx } from '@quarry/app';
import type { TxCtx } from '@quarry/postgres';

/** Spend caps of a key in credits; null for none. */
export interface KeyCaps {
  day: number | null;
  month: number | null;
}

/** Access of keys to their spend caps, which the ledger owns. */
export abstract class KeyCapsPort {
  /** Sets the caps of a new key of the context's mode, in the caller's transaction. */
  abstract setCaps(tx: TxCtx, keyId: string, caps: KeyCaps): Promise<void>;
  /** @returns the caps of a key of the context's mode */
  abstract capsOf(ctx: Ctx, keyId: string): Promise<KeyCaps>;
}
