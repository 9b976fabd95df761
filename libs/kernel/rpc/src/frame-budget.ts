interface Waiter {
  bytes: number;
  go: () => void;
}

/**
 * Bytes that the unfinished frames of a process may occupy together. Frames are served in order, and a frame gets all of its
 * bytes or none: two half-served ones would wait for each other.
 */
export class FrameBudget {
  private readonly waiting: Waiter[] = [];

  constructor(private left: number) {}

  /**
   * @param go called when the bytes are available, which may be at once
   * @returns a function that returns the bytes or leaves the queue; to be called once
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
