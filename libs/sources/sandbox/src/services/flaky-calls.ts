// Jobs are short-lived; the limit bounds the memory of a long-lived process.
const REMEMBERED_MAX = 10_000;

/** Remembers which searches have failed once, for the control domain whose first call fails. */
export class FlakyCalls {
  private readonly failed = new Set<string>();

  /** @returns true for the first call of a search, false afterwards */
  isFirst(searchId: string): boolean {
    if (this.failed.delete(searchId)) return false;
    if (this.failed.size >= REMEMBERED_MAX) this.failed.clear();
    this.failed.add(searchId);
    return true;
  }
}
