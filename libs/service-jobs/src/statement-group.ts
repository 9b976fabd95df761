/** More than this at once is a crowd, and more of it are probably on their way. */
const FEW = 4;

/**
 * Gathers items that are in flight together and writes them as one statement: after `waitMs`, or as soon as `size`
 * are waiting. A few items that meet nothing on its way are written at once, since nobody would join them. Each item
 * gets its own answer, so one refused item harms no other; when the statement itself fails, its items are written one
 * by one, so that only the faulty one is refused.
 * 50 and a few milliseconds: measured to cost a twentieth of one statement per item (docs/performance.md, Bookkeeping).
 */
export class StatementGroup<Item, Answer> {
  private waiting: Array<{
    item: Item;
    resolve: (answer: Answer) => void;
    reject: (error: unknown) => void;
  }> = [];
  private timer: NodeJS.Timeout | null = null;
  private turn: NodeJS.Immediate | null = null;
  private writing = 0;

  constructor(
    private readonly write: (items: Item[]) => Promise<Answer[]>,
    private readonly options: { waitMs: number; size: number },
  ) {}

  /** @returns the item's own answer. @throws what the statement threw for this item */
  add(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (this.waiting.length >= this.options.size) this.flush();
      else if (this.writing === 0) this.turn ??= setImmediate(() => this.flushFew());
      else this.flushLater();
    });
  }

  private flushFew(): void {
    this.turn = null;
    if (this.waiting.length <= FEW) this.flush();
    else this.flushLater();
  }

  private flushLater(): void {
    this.timer ??= setTimeout(() => this.flush(), this.options.waitMs);
  }

  private flush(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    if (this.turn) clearImmediate(this.turn);
    this.turn = null;
    const group = this.waiting;
    this.waiting = [];
    if (group.length === 0) return;
    this.writing += 1;
    void this.writeGroup(group).finally(() => (this.writing -= 1));
  }

  private async writeGroup(group: StatementGroup<Item, Answer>['waiting']): Promise<void> {
    try {
      const answers = await this.write(group.map(({ item }) => item));
      group.forEach(({ resolve }, i) => resolve(answers[i]!));
    } catch (error) {
      if (group.length === 1) return group[0]!.reject(error);
      await Promise.all(group.map((each) => this.writeGroup([each])));
    }
  }
}
