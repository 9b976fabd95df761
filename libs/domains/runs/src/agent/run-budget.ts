import type { Millicredits } from '@quarry/credit-ledger';

/** Keeps a run within the most that it may cost: what its calls in work can cost at most is set aside before they begin. */
export class RunBudget {
  private reserved: Millicredits = 0;
  private turn: Promise<unknown> = Promise.resolve();
  private wake: () => void = () => undefined;

  /**
   * @param most thousandths of a credit
   * @param spentSoFar reads what the run has been charged
   */
  constructor(
    private readonly most: Millicredits,
    private readonly spentSoFar: () => Promise<Millicredits>,
  ) {}

  /**
   * Sets aside the price of as many calls as the budget covers. Where it covers none, calls in work are waited for: they may
   * cost less than was set aside for them.
   * @returns how many of them may be made
   */
  reserveCredits(calls: number, price: Millicredits): Promise<number> {
    const reserved = this.turn.then(async () => {
      if (price === 0) return calls;
      for (;;) {
        const released = new Promise<void>((resolve) => (this.wake = resolve));
        const left = this.most - this.reserved - (await this.spentSoFar());
        const covered = Math.max(0, Math.min(calls, Math.floor(left / price)));
        this.reserved += covered * price;
        if (covered > 0 || this.reserved === 0) return covered;
        await released;
      }
    });
    this.turn = reserved.catch(() => undefined);
    return reserved;
  }

  /** Sets aside the price of calls that an earlier agent has begun. */
  restoreReservation(calls: number, price: Millicredits): void {
    this.reserved += calls * price;
  }

  /** Frees what was set aside for calls that have ended: the ledger has what they cost. */
  releaseCredits(calls: number, price: Millicredits): void {
    this.reserved -= calls * price;
    this.wake();
  }
}
