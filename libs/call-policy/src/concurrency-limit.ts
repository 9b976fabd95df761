/**
 * Lets a number of calls in at once; the others wait. Kinds take turns, and within a kind the first to come is the
 * first to go: a list of ten thousand addresses must not keep a single research waiting until all of it is done.
 */
export class ConcurrencyLimit {
  private inside = 0;
  /** Those inside, by kind. */
  private readonly insideByKind = new Map<string, number>();
  /** Who waits, by kind. The first kind of the map has the next turn. */
  private readonly lines = new Map<string, Set<() => void>>();

  /** @param mostOfKind how many of one kind may be inside; as many as of all when left out */
  constructor(
    private readonly most: number,
    private readonly mostOfKind: number = most,
  ) {}

  get open(): number {
    return this.inside;
  }

  get waiting(): number {
    return [...this.lines.values()].reduce((sum, line) => sum + line.size, 0);
  }

  /**
   * Waits for a place.
   * @returns what gives the place back; to be called once
   * @throws the signal's reason when it fires before
   */
  async enter(kind: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.inside < this.most && this.mayEnter(kind)) this.admit(kind);
    else await this.turn(kind, signal);
    return () => this.leave(kind);
  }

  private mayEnter(kind: string): boolean {
    return (this.insideByKind.get(kind) ?? 0) < this.mostOfKind;
  }

  private admit(kind: string): void {
    this.inside += 1;
    this.insideByKind.set(kind, (this.insideByKind.get(kind) ?? 0) + 1);
  }

  /** A place is handed from the one who leaves to the one who waits, so nobody can slip in between. */
  private turn(kind: string, signal: AbortSignal): Promise<void> {
    const line = this.lines.get(kind) ?? new Set();
    this.lines.set(kind, line);
    return new Promise((resolve, reject) => {
      const go = (): void => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = (): void => {
        line.delete(go);
        if (line.size === 0) this.lines.delete(kind);
        reject(signal.reason as Error);
      };
      line.add(go);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  private leave(left: string): void {
    this.inside -= 1;
    const rest = this.insideByKind.get(left)! - 1;
    if (rest > 0) this.insideByKind.set(left, rest);
    else this.insideByKind.delete(left);
    const next = [...this.lines].find(([kind]) => this.mayEnter(kind));
    if (!next) return;
    const [kind, line] = next;
    const [go] = line;
    line.delete(go!);
    this.lines.delete(kind);
    if (line.size > 0) this.lines.set(kind, line);
    this.admit(kind);
    go!();
  }
}
