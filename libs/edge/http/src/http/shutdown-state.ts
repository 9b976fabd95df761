/** Tells whether the process is stopping. */
export class ShutdownState {
  hasBegun = false;

  /** Rejects as soon as a stop has started. */
  async assertServing(): Promise<void> {
    if (this.hasBegun) throw new Error('The process is stopping.');
    await Promise.resolve();
  }
}
