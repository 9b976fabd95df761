/** Waits of one key at once in a process: each costs a read now and then, which no limit counts. */
const WAITS_MAX = 20;

/** Counts the calls that wait for something to end, by key. */
export class WaitsByKey {
  private readonly counts = new Map<string, number>();

  /** @returns what ends the wait; null when the key has as many as it may */
  enter(keyId: string | null): (() => void) | null {
    const key = keyId ?? '';
    const count = this.counts.get(key) ?? 0;
    if (count >= WAITS_MAX) return null;
    this.counts.set(key, count + 1);
    return () => {
      const left = this.counts.get(key)! - 1;
      if (left > 0) this.counts.set(key, left);
      else this.counts.delete(key);
    };
  }
}
