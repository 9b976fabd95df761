/**
 * A budget of bytes for the large objects that a process holds at once. Whoever finds too few left is refused, rather
 * than let the process grow until the system ends it.
 */
export class ByteBudget {
  private left: number;
  /** Takers that found too few left. */
  refusals = 0;

  constructor(readonly bytes: number) {
    this.left = bytes;
  }

  /** Bytes that are in hand. */
  get taken(): number {
    return this.bytes - this.left;
  }

  /**
   * Takes bytes, all or none. One that is larger than the whole budget is let in when nobody else is.
   * @returns what gives them back, to be called once at least; null when there are too few
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
