import type { Mode } from '@quarry/app';
import type { HoldOutcome } from '../credit-ledger.js';
import type { NewCaps, SpendLimits } from '../spend-limits.js';

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

/** A requested hold; without a key it counts only against the organisation. */
export interface Wish extends End {
  mode: Mode;
  key: string | null;
}

interface StandingHold extends Wish {
  end: number | null;
  /** Date of its placement: the day and month that it counts in, also when it ends later. */
  day: string;
}

const PERIODS = ['day', 'month'] as const;
type Period = (typeof PERIODS)[number];

const DAY_MS = 86_400_000;
/** Two days before the end of a month, noon: a walk of some days meets both kinds of borders. */
const FIRST_DAY = Date.UTC(2026, 0, 30, 12);

/** Model of the ledger's promises to one organisation, in memory. Ids are numbers; equal numbers are retries. */
export class LedgerModel {
  private readonly sums: Record<Mode, Sums | null> = { live: null, test: null };
  private readonly grants = new Set<number>();
  private readonly holds = new Map<number, StandingHold>();
  /** Amounts by mode, holder (nothing for the organisation) and period. */
  private readonly caps = new Map<string, number>();
  private time = FIRST_DAY;

  get now(): Date {
    return new Date(this.time);
  }

  letDaysGoBy(count: number): void {
    this.time += count * DAY_MS;
  }

  balance(mode: Mode): Sums {
    return this.sums[mode] ?? { available: 0, reserved: 0, spent: 0, granted: 0 };
  }

  held(slot: number): number | null {
    return this.holds.get(slot)?.amount ?? null;
  }

  /** @returns whether it was added; `refused` when less than that is available */
  grant(mode: Mode, slot: number, amount: number): boolean | 'refused' {
    const isKnown = this.grants.has(slot);
    if (!isKnown && this.balance(mode).available + amount < 0) return 'refused';
    const sums = (this.sums[mode] ??= this.balance(mode));
    if (isKnown) return false;
    this.grants.add(slot);
    sums.granted += amount;
    sums.available += amount;
    return true;
  }

  /** Sets new caps of a key, or with null of the organisation; earlier usage counts. */
  setCaps(mode: Mode, holder: string | null, caps: NewCaps): void {
    this.sums[mode] ??= this.balance(mode);
    for (const period of PERIODS) {
      const cap = caps[period];
      if (cap === null) this.caps.delete(capId(mode, holder, period));
      else if (cap !== undefined) this.caps.set(capId(mode, holder, period), cap);
    }
  }

  limits(mode: Mode, holder: string | null): SpendLimits {
    const limitOf = (period: Period) => ({
      cap: inCredits(this.caps.get(capId(mode, holder, period)) ?? null),
      used: inCredits(this.used(mode, holder, period)),
      resets_at: this.endOf(period).toISOString(),
    });
    return { day: limitOf('day'), month: limitOf('month') };
  }

  /** @returns `held` also for a hold that existed before, whatever its state; otherwise the reason of the refusal */
  hold(wish: Wish): HoldOutcome['kind'] {
    if (this.holds.has(wish.slot)) return 'held';
    const sums = this.sums[wish.mode];
    if (sums === null) return 'insufficient';
    const outlook = this.outlook(wish);
    if (outlook !== 'held') return outlook;
    sums.available -= wish.amount;
    sums.reserved += wish.amount;
    this.holds.set(wish.slot, { ...wish, end: null, day: this.today });
    return 'held';
  }

  /** @returns the result that a new hold would have */
  outlook({ mode, key, amount }: Omit<Wish, 'slot'>): HoldOutcome['kind'] {
    if (amount > this.balance(mode).available) return 'insufficient';
    const holders = key === null ? [null] : [null, key];
    const isCapped = holders.some((holder) =>
      PERIODS.some((period) => {
        const cap = this.caps.get(capId(mode, holder, period));
        return cap !== undefined && amount > cap - this.used(mode, holder, period);
      }),
    );
    return isCapped ? 'capped' : 'held';
  }

  /** @returns whether the hold has ended in this way; it can end only once */
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

  private get today(): string {
    return this.now.toISOString().slice(0, 10);
  }

  /** Returns the sum of charges and open holds of this day or month. */
  private used(mode: Mode, holder: string | null, period: Period): number {
    const since = period === 'day' ? this.today : this.today.slice(0, 7);
    let sum = 0;
    for (const hold of this.holds.values())
      if (hold.mode === mode && (holder === null || hold.key === holder) && hold.day.startsWith(since))
        sum += hold.end ?? hold.amount;
    return sum;
  }

  private endOf(period: Period): Date {
    const { now } = this;
    const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
    return new Date(
      period === 'day' ? Date.UTC(year, month, now.getUTCDate() + 1) : Date.UTC(year, month + 1, 1),
    );
  }
}

function capId(mode: Mode, holder: string | null, period: Period): string {
  return `${mode} ${holder ?? ''} ${period}`;
}

function inCredits<T extends number | null>(amount: T): T {
  return (amount === null ? null : amount / 1000) as T;
}
