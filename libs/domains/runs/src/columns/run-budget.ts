import type { Millicredits } from '@quarry/credit-ledger';

/** Keeps a run within its limit by reserving the worst-case cost of calls before they begin. */
export class RunBudget {
  private reserved: Millicredits = 0;
  private turn: Promise<unknown> = Promise.resolve();
  private wake: () => void = () => undefined;

  /**
   * @param most the limit, in thousandths of a credit
   * @param spentSoFar returns what the run has been charged, in thousandths
   */
  constructor(
    private readonly most: Millicredits,
    private readonly spentSoFar: () => Promise<Millicredits>,
  ) {}

  /**
   * Reserves the price of as many calls as the budget covers. When it covers none, waits for calls in progress, which may cost
   * less than was reserved.
   * @returns the number of calls that may be made
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

  /** Reserves the price of calls that an earlier agent has started. */
  restoreReservation(calls: number, price: Millicredits): void {
    this.reserved += calls * price;
  }

  /** Releases the reservation of calls that have ended: the ledger has their actual cost. */
  releaseCredits(calls: number, price: Millicredits): void {
    this.reserved -= calls * price;
    this.wake();
  }
}
