const ONE_PRESS_MS = 1000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Opens the parts of a process in order and closes them in reverse, once, whatever happens in between. */
export class Lifecycle {
  private readonly closers: Array<{ name: string; close: () => unknown }> = [];
  private closing: Promise<void> | null = null;

  constructor(private readonly onCloseError: (name: string, error: unknown) => void) {}

  /** Opens a part and remembers how to close it. When opening throws, nothing is remembered. */
  async open<T>(name: string, open: () => Promise<T> | T, close: (part: T) => unknown): Promise<T> {
    if (this.closing) throw new Error(`${name} was not opened: the process is stopping.`);
    const part = await open();
    // A stop that came while this part was opening has passed it by already.
    if (this.closing) await close(part);
    else this.closers.push({ name, close: () => close(part) });
    return part;
  }

  get isClosing(): boolean {
    return this.closing !== null;
  }

  /** Closes everything, last opened first. A part that fails to close does not keep the others open. */
  close(): Promise<void> {
    return (this.closing ??= this.closeAll());
  }

  /** Closes everything, but gives up after `withinMs`: a part that waits for a lost server may never close. */
  async closeWithin(withinMs: number): Promise<'closed' | 'gave up'> {
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<'gave up'>((resolve) => {
      timer = setTimeout(() => resolve('gave up'), withinMs);
    });
    const outcome = await Promise.race([this.close().then(() => 'closed' as const), patience]);
    clearTimeout(timer);
    return outcome;
  }

  /**
   * Closes on the first SIGINT, SIGTERM or SIGHUP (a closed terminal) and exits; a second signal exits at once.
   * @param withinMs after that long the process exits with code 1, whatever has not closed
   */
  closeOnSignals(onClosed: (exitCode: number) => void, withinMs = Infinity): void {
    let firstAt: number | null = null;
    for (const signal of SIGNALS) {
      process.on(signal, () => {
        const now = performance.now();
        // A terminal signals the whole group and a parent passes its own on: two within a moment are one.
        if (firstAt !== null && now - firstAt > ONE_PRESS_MS) onClosed(130);
        if (firstAt !== null) return;
        firstAt = now;
        const closed = withinMs === Infinity ? this.close() : this.closeWithin(withinMs);
        void closed.then((outcome) => onClosed(outcome === 'gave up' ? 1 : 0));
      });
    }
  }

  private async closeAll(): Promise<void> {
    for (const { name, close } of this.closers.reverse()) {
      try {
        await close();
      } catch (error) {
        this.onCloseError(name, error);
      }
    }
  }
}
