/** State of the process's stop. */
export class ShutdownState {
  hasBegun = false;

  /** Rejects from the first word of a stop. */
  async assertServing(): Promise<void> {
    if (this.hasBegun) throw new Error('The process is stopping.');
    await Promise.resolve();
  }
}
