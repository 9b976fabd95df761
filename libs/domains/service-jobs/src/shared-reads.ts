/**
 * Shares reads of data that no longer changes: a caller that comes while one is running gets its result. A crowd of waiters that
 * wake together costs one statement instead of one each.
 */
export class SharedReads<T> {
  private readonly underWay = new Map<string, Promise<T>>();

  /** @param key identifies what is read, including the tenant */
  shareRead(key: string, read: () => Promise<T>): Promise<T> {
    const shared = this.underWay.get(key);
    if (shared) return shared;
    const own = read().finally(() => this.underWay.delete(key));
    this.underWay.set(key, own);
    return own;
  }
}
