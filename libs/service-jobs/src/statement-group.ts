interface Waiting<Item, Answer> {
  item: Item;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
}

/**
 * Gathers items that are in flight together and writes them as one statement: what is added in one turn goes together,
 * and while `writers` statements are under way everything else gathers for the next. So a lone item waits for nobody,
 * and the busier it is, the larger the groups are, up to `size`.
 * Each item gets its own answer, so one refused item harms no other; when the statement itself fails, its items are
 * written one by one, so that only the faulty one is refused.
 * A statement for fifty costs a twentieth of fifty statements (docs/performance.md, Bookkeeping).
 */
export class StatementGroup<Item, Answer> {
  private readonly waiting: Array<Waiting<Item, Answer>> = [];
  private turn: NodeJS.Immediate | null = null;
  private writing = 0;

  constructor(
    private readonly write: (items: Item[]) => Promise<Answer[]>,
    private readonly options: { size: number; writers: number },
  ) {}

  /** @returns the item's own answer. @throws what the statement threw for this item */
  add(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      this.turn ??= setImmediate(() => {
        this.turn = null;
        this.flush();
      });
    });
  }

  private flush(): void {
    while (this.waiting.length > 0 && this.writing < this.options.writers) {
      this.writing += 1;
      void this.writeGroup(this.waiting.splice(0, this.options.size)).finally(() => {
        this.writing -= 1;
        this.flush();
      });
    }
  }

  private async writeGroup(group: Array<Waiting<Item, Answer>>): Promise<void> {
    try {
      const answers = await this.write(group.map(({ item }) => item));
      group.forEach(({ resolve }, i) => resolve(answers[i]!));
    } catch (error) {
      if (group.length === 1) return group[0]!.reject(error);
      await Promise.all(group.map((each) => this.writeGroup([each])));
    }
  }
}
