import type { CancellationPoll } from '@quarry/durable-work';

/** Milliseconds until a waiting call checks again whether the run may go on. */
const LOOK_MS = 1000;

/**
 * Calls and batches of one enrichment that are in progress. Each holds its worst-case price until it ends, so a refusal may be
 * temporary: the balance counts as used up only when a call is refused while nothing else is in progress.
 */
export class BudgetGate {
  private count = 0;
  private readonly waiting: Array<() => void> = [];

  constructor(private readonly watch: Pick<CancellationPoll, 'pause'>) {}

  /**
   * @param ask starts one piece of work; while the balance refuses it, it is called again each time another piece ends
   * @param isSpent tells whether the balance refused it
   * @returns the result of `ask`
   * @throws what `ask` and the watch throw
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

  /** Only one caller is woken for each piece that ends: all at once would compete for the same few credits. */
  private async wakeNext(): Promise<void> {
    let isOver = false;
    const woken = new Promise<void>((resolve) => this.waiting.push(resolve)).then(() => {
      isOver = true;
    });
    while (!isOver) await Promise.race([woken, this.watch.pause(LOOK_MS)]);
  }
}
