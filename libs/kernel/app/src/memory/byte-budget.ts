/**
 * A byte budget for large objects that a process holds concurrently. A request that exceeds the rest is refused, so that
 * the process does not grow until the system kills it.
 */
export class ByteBudget {
  private left: number;
  /** Number of refused requests for bytes. */
  refusals = 0;

  constructor(readonly bytes: number) {
    this.left = bytes;
  }

  /** Bytes in use. */
  get taken(): number {
    return this.bytes - this.left;
  }

  /**
   * Takes bytes, all or none. A request larger than the whole budget is admitted when nothing else is in use.
   * @returns the release function, which may be called more than once; null if too few bytes are left
   */
  takeBytes(bytes: number): (() => void) | null {
    const taken = Math.min(bytes, this.bytes);
    if (taken > this.left) {
      this.refusals += 1;
      return null;
    }
    this.left -= taken;
    let isTaken = true;
    return () => {
      if (isTaken) this.left += taken;
      isTaken = false;
    };
  }
}
