import { withDeadline } from '@quarry/resilience';
const ONE_PRESS_MS = 1000;
/** Milliseconds that a stop may still take once a second signal came. */
const FORCE_MS = 10_000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Opens the parts of a process in order and closes them in reverse, once, whatever happens in between. */
export class Lifecycle {
  private readonly closers: Array<{ name: string; close: () => unknown }> = [];
  private closing: Promise<void> | null = null;
  private readonly forcing = new AbortController();
  private readonly beginning = new AbortController();

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

  /** Fires when a stop is to wait for nothing more: parts end what they have in hand, and still hand back. */
  get force(): AbortSignal {
    return this.forcing.signal;
  }

  /**
   * Fires at the first word of a stop, before any part closes: for those who hold something that others wait for, as a
   * held read holds the connection that it came on.
   */
  get stopping(): AbortSignal {
    return this.beginning.signal;
  }

  get isClosing(): boolean {
    return this.closing !== null;
  }

  /** Closes everything, last opened first. A part that fails to close does not keep the others open. */
  close(): Promise<void> {
    return (this.closing ??= this.closeAll());
  }

  /** Closes everything, but gives up after `withinMs`: a part that waits for a lost server may never close. */
  closeWithin(withinMs: number): Promise<'closed' | 'gave up'> {
    const gaveUp = new Error('It took too long.');
    return withDeadline(this.close(), { ms: withinMs, late: () => gaveUp }).then(
      () => 'closed',
      (error: unknown) => {
        if (error !== gaveUp) throw error;
        return 'gave up';
      },
    );
  }

  /** As {@link closeWithin}, but parts end what they have in hand at once, and hand it back. */
  forceClose(withinMs: number): Promise<'closed' | 'gave up'> {
    this.forcing.abort();
    return this.closeWithin(withinMs);
  }

  /**
   * Closes on the first SIGINT, SIGTERM or SIGHUP (a closed terminal) and exits. A second signal forces it: parts
   * wait no longer, but hand back what they have, for 10 s at most. A third exits at once.
   * @param withinMs after that long the process exits with code 1, whatever has not closed
   */
  closeOnSignals(onClosed: (exitCode: number) => void, withinMs = Infinity): void {
    let presses = 0;
    let lastAt = -Infinity;
    for (const signal of SIGNALS) {
      process.on(signal, () => {
        const now = performance.now();
        // A terminal signals the whole group and a parent passes its own on: two within a moment are one.
        if (now - lastAt < ONE_PRESS_MS) return;
        lastAt = now;
        presses += 1;
        if (presses > 2) return onClosed(130);
        if (presses === 2) return this.forceExit(onClosed);
        const closed = withinMs === Infinity ? this.close() : this.closeWithin(withinMs);
        void closed.then((outcome) => onClosed(outcome === 'gave up' ? 1 : 0));
      });
    }
  }

  private forceExit(onClosed: (exitCode: number) => void): void {
    this.forcing.abort();
    setTimeout(() => onClosed(130), FORCE_MS).unref();
  }

  private async closeAll(): Promise<void> {
    this.beginning.abort();
    for (const { name, close } of this.closers.reverse()) {
      try {
        await close();
      } catch (error) {
        this.onCloseError(name, error);
      }
    }
  }
}
