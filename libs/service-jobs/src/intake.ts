import type { Logger } from '@quarry/platform';

/** How soon after its return PostgreSQL is noticed. */
const CLOSED_BEAT_MS = 1000;

/**
 * Takes no messages while PostgreSQL does not answer. A worker that is cut off from it, and not from the queue, would
 * keep what it can neither claim nor work on from those who can, and over a refused connection would go through a whole
 * backlog within seconds.
 */
export class Intake {
  private isOpen = true;
  private isStopped = false;
  private isBeating = false;
  private timer: NodeJS.Timeout | undefined;
  /** The question under way: over a dead connection there is never more than one. */
  private asking: Promise<boolean> | null = null;

  /** @param beatMs how often PostgreSQL is asked, and how long it may take to answer */
  constructor(
    private readonly ports: {
      /** Any statement. */
      ask: () => Promise<unknown>;
      pause: () => Promise<void>;
      resume: () => Promise<void>;
      logger: Logger;
    },
    private readonly beatMs: number,
  ) {}

  start(): void {
    this.next();
  }

  stop(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
  }

  /** Asks now instead of at the next beat, because something has just failed. */
  doubt(): void {
    if (!this.isOpen || this.isStopped || this.isBeating) return;
    clearTimeout(this.timer);
    void this.beat();
  }

  private next(): void {
    if (this.isStopped) return;
    const inMs = this.isOpen ? this.beatMs : Math.min(this.beatMs, CLOSED_BEAT_MS);
    this.timer = setTimeout(() => void this.beat(), inMs).unref();
  }

  private async beat(): Promise<void> {
    this.isBeating = true;
    const isAnswered = await this.isAnswered();
    this.isBeating = false;
    if (this.isStopped) return;
    try {
      if (isAnswered !== this.isOpen) await this.turn(isAnswered);
    } catch (error) {
      // The queue is away too; the next beat tries again.
      this.ports.logger.warn({ err: error }, 'the way in from the queue could not be opened or closed');
    }
    this.next();
  }

  private async turn(isOpen: boolean): Promise<void> {
    const { pause, resume, logger } = this.ports;
    if (isOpen) logger.info('PostgreSQL answers again; lines are taken again');
    else logger.warn('PostgreSQL does not answer; no lines are taken until it does');
    await (isOpen ? resume() : pause());
    this.isOpen = isOpen;
  }

  private async isAnswered(): Promise<boolean> {
    this.asking ??= this.ports
      .ask()
      .then(
        () => true,
        () => false,
      )
      .finally(() => (this.asking = null));
    let patience: NodeJS.Timeout | undefined;
    const impatient = new Promise<boolean>((resolve) => {
      patience = setTimeout(() => resolve(false), this.beatMs).unref();
    });
    try {
      return await Promise.race([this.asking, impatient]);
    } finally {
      clearTimeout(patience);
    }
  }
}
