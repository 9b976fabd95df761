// Lines are short-lived; a bound keeps a long-lived process from remembering every one.
const REMEMBERED_MAX = 10_000;

/** Remembers which lines have failed once, for the control domain whose first call fails. */
export class FlakyCalls {
  private readonly failed = new Set<string>();

  /** @returns true for the first call of a line, false from then on */
  isFirst(searchId: string): boolean {
    if (this.failed.delete(searchId)) return false;
    if (this.failed.size >= REMEMBERED_MAX) this.failed.clear();
    this.failed.add(searchId);
    return true;
  }
}
