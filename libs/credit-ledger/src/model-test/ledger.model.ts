import type { AccountMode } from '../credit-ledger.js';

export interface Sums {
  available: number;
  reserved: number;
  spent: number;
  granted: number;
}

/** One end of a hold: an amount above zero posts it, zero voids. */
export interface End {
  slot: number;
  amount: number;
}

/** One hold that is asked for. */
export interface Wish extends End {
  mode: AccountMode;
}

/** What the ledger promises one organisation, in memory. Ids are numbers; equal numbers are retries. */
export class LedgerModel {
  private readonly sums: Record<AccountMode, Sums | null> = { live: null, test: null };
  private readonly grants = new Set<number>();
  private readonly holds = new Map<number, Wish & { end: number | null }>();

  balance(mode: AccountMode): Sums {
    return this.sums[mode] ?? { available: 0, reserved: 0, spent: 0, granted: 0 };
  }

  held(slot: number): number | null {
    return this.holds.get(slot)?.amount ?? null;
  }

  /** @returns whether it was added; `refused` when less than that is available */
  grant(mode: AccountMode, slot: number, amount: number): boolean | 'refused' {
    const isKnown = this.grants.has(slot);
    if (!isKnown && this.balance(mode).available + amount < 0) return 'refused';
    const sums = (this.sums[mode] ??= this.balance(mode));
    if (isKnown) return false;
    this.grants.add(slot);
    sums.granted += amount;
    sums.available += amount;
    return true;
  }

  /** @returns whether the hold stands: also when it stood before, whatever became of it */
  hold({ mode, slot, amount }: Wish): boolean {
    if (this.holds.has(slot)) return true;
    const sums = this.sums[mode];
    if (sums === null || amount > sums.available) return false;
    sums.available -= amount;
    sums.reserved += amount;
    this.holds.set(slot, { mode, slot, amount, end: null });
    return true;
  }

  /** @returns whether the hold has this end now; it has one end at most */
  end({ slot, amount }: End): boolean {
    const hold = this.holds.get(slot);
    if (!hold) return false;
    if (hold.end !== null) return hold.end === amount;
    if (amount > hold.amount) return false;
    hold.end = amount;
    const sums = this.sums[hold.mode]!;
    sums.reserved -= hold.amount;
    sums.available += hold.amount - amount;
    sums.spent += amount;
    return true;
  }
}
