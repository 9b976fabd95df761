import type { CancellationPoll } from '@quarry/durable-work';

/** Milliseconds until a waiting call checks again whether the run may go on. */
const LOOK_MS = 1000;

/**
 * The calls and lists of one enrichment that are in work. Each holds its worst case until it ends, so a balance that covers no
 * further one may cover it once another has ended: the balance is used up only for one that is refused while no other is in work.
 */
export class BudgetGate {
  private count = 0;
  private readonly waiting: Array<() => void> = [];

  constructor(private readonly watch: Pick<CancellationPoll, 'pause'>) {}

  /**
   * @param ask does a piece of work; asked again, each time that another piece has ended, while it is refused for the balance
   * @param isSpent whether it was refused so
   * @returns its end. @throws what it throws, and what the watch throws
   */
  async readCovered<End>(ask: () => Promise<End>, isSpent: (end: End) => boolean): Promise<End> {
    for (;;) {
      const wasAlone = this.count === 0;
      this.count += 1;
      const end = await ask().finally(() => (this.count -= 1));
      if (wasAlone || !isSpent(end)) {
        this.waiting.shift()?.();
        return end;
      }
      if (this.count > 0) await this.wakeNext();
    }
  }

  /** One is woken for each that ends: all at once would ask for the same few credits. */
  private async wakeNext(): Promise<void> {
    let isOver = false;
    const woken = new Promise<void>((resolve) => this.waiting.push(resolve)).then(() => {
      isOver = true;
    });
    while (!isOver) await Promise.race([woken, this.watch.pause(LOOK_MS)]);
  }
}
