/**
 * Lets a number of calls in at once; the others wait. Kinds take turns, and within a kind the first to come is the
 * first to go: a list of ten thousand addresses must not keep a single research waiting until all of it is done.
 */
export class ConcurrencyLimit {
  private inside = 0;
  /** Who waits, by kind. The first kind of the map has the next turn. */
  private readonly lines = new Map<string, Set<() => void>>();

  constructor(private readonly most: number) {}

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
    if (this.inside >= this.most) await this.turn(kind, signal);
    else this.inside += 1;
    return () => this.leave();
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

  private leave(): void {
    const [next] = this.lines;
    if (!next) {
      this.inside -= 1;
      return;
    }
    const [kind, line] = next;
    const [go] = line;
    line.delete(go!);
    this.lines.delete(kind);
    if (line.size > 0) this.lines.set(kind, line);
    go!();
  }
}
