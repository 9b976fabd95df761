const ONE_PRESS_MS = 1000;

/** Opens the parts of a process in order and closes them in reverse, once, whatever happens in between. */
export class Lifecycle {
  private readonly closers: Array<{ name: string; close: () => unknown }> = [];
  private closing: Promise<void> | null = null;

  constructor(private readonly onCloseError: (name: string, error: unknown) => void) {}

  /** Opens a part and remembers how to close it. When opening throws, nothing is remembered. */
  async open<T>(name: string, open: () => Promise<T> | T, close: (part: T) => unknown): Promise<T> {
    if (this.closing) throw new Error(`${name} was not opened: the process is stopping.`);
    const part = await open();
    this.closers.push({ name, close: () => close(part) });
    return part;
  }

  /** Closes everything, last opened first. A part that fails to close does not keep the others open. */
  close(): Promise<void> {
    return (this.closing ??= this.closeAll());
  }

  /** Closes on the first SIGINT or SIGTERM and exits; a second signal exits at once. */
  closeOnSignals(onClosed: (exitCode: number) => void): void {
    let firstAt: number | null = null;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        const now = performance.now();
        // A terminal signals the whole group and a parent passes its own on: two within a moment are one.
        if (firstAt !== null && now - firstAt > ONE_PRESS_MS) onClosed(130);
        if (firstAt !== null) return;
        firstAt = now;
        void this.close().then(() => onClosed(0));
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
