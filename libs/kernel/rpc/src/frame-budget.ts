interface Waiter {
  bytes: number;
  go: () => void;
}

/**
 * A budget of bytes for the unfinished frames that a process keeps at once. Frames are served in their order, and a
 * frame gets all of its bytes or none: two halves would wait for each other.
 */
export class FrameBudget {
  private readonly waiting: Waiter[] = [];

  constructor(private left: number) {}

  /**
   * @param go called when the bytes are there, at once when they are
   * @returns what gives the bytes back, or the place in the line; to be called once
   */
  take(bytes: number, go: () => void): () => void {
    const waiter = { bytes, go };
    this.waiting.push(waiter);
    this.serveWaiters();
    return () => {
      const at = this.waiting.indexOf(waiter);
      if (at >= 0) this.waiting.splice(at, 1);
      else this.left += bytes;
      this.serveWaiters();
    };
  }

  private serveWaiters(): void {
    while (this.waiting.length > 0 && this.waiting[0]!.bytes <= this.left) {
      const { bytes, go } = this.waiting.shift()!;
      this.left -= bytes;
      go();
    }
  }
}
