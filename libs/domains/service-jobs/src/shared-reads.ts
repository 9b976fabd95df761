/**
 * Reads of something that does not change any more: whoever asks while one is under way gets its answer. A crowd that
 * wakes at the same moment costs one statement instead of one each.
 */
export class SharedReads<T> {
  private readonly underWay = new Map<string, Promise<T>>();

  /** @param key names what is read, the tenant included */
  shareRead(key: string, read: () => Promise<T>): Promise<T> {
    const shared = this.underWay.get(key);
    if (shared) return shared;
    const own = read().finally(() => this.underWay.delete(key));
    this.underWay.set(key, own);
    return own;
  }
}
