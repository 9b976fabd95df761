import { withDeadline } from '@quarry/resilience';
const ONE_PRESS_MS = 1000;
/** Maximum duration of a shutdown after the second signal, in milliseconds. */
const FORCE_MS = 10_000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Opens the parts of a process in order and closes them once, in reverse order. */
export class Lifecycle {
  private readonly closers: Array<{ name: string; close: () => unknown }> = [];
  private closing: Promise<void> | null = null;
  private readonly forcing = new AbortController();
  private readonly beginning = new AbortController();

  constructor(private readonly onCloseError: (name: string, error: unknown) => void) {}

  /** Opens a part and registers its close function. If opening throws, nothing is registered. */
  async open<T>(name: string, open: () => Promise<T> | T, close: (part: T) => unknown): Promise<T> {
    if (this.closing) throw new Error(`${name} was not started: the process is stopping.`);
    const part = await open();
    // A shutdown that started while this part was opening has already skipped it.
    if (this.closing) await close(part);
    else this.closers.push({ name, close: () => close(part) });
    return part;
  }

  /** Fires when the shutdown is forced: parts abort their current work, but still hand it back. */
  get force(): AbortSignal {
    return this.forcing.signal;
  }

  /**
   * Fires when a shutdown starts, before any part closes: for parts that hold a resource that others wait for, for example
   * a held read that keeps its connection open.
   */
  get stopping(): AbortSignal {
    return this.beginning.signal;
  }

  get isClosing(): boolean {
    return this.closing !== null;
  }

  /** Closes everything, last opened first. A part that fails to close does not prevent the others from closing. */
  close(): Promise<void> {
    return (this.closing ??= this.closeAll());
  }

  /** Closes everything, but gives up after `withinMs`: a part that waits for an unreachable server may never close. */
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

  /** Like {@link closeWithin}, but parts abort their current work immediately and hand it back. */
  forceClose(withinMs: number): Promise<'closed' | 'gave up'> {
    this.forcing.abort();
    return this.closeWithin(withinMs);
  }

  /**
   * Closes on the first SIGINT, SIGTERM or SIGHUP (a closed terminal) and exits. A second signal forces the shutdown:
   * parts stop waiting but hand back their work, for 10 s at most. A third one exits immediately.
   * @param withinMs time after which the process exits with code 1, even if something has not closed
   */
  closeOnSignals(onClosed: (exitCode: number) => void, withinMs = Infinity): void {
    let presses = 0;
    let lastAt = -Infinity;
    for (const signal of SIGNALS) {
      process.on(signal, () => {
        const now = performance.now();
        // A terminal signals the whole process group and a parent forwards its own signal: two at almost the same time are one.
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
