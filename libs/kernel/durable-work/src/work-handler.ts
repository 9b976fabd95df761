import type { Logger } from '@quarry/app';
import type { WorkDefinition } from './work-definition.js';

/** Result of a turn: `more` when there is more to do at once, `idle` when nothing is due. */
export type TurnEnd = 'more' | 'idle';

/**
 * Does one kind of work, one turn at a time. A turn leases the work that its message names, works for a bounded time, writes its
 * results under the lease, and releases it. If its process dies, the turn is repeated after the lease has expired.
 */
export abstract class WorkHandler<Message extends object> {
  private readonly turns = new Set<Promise<TurnEnd>>();
  private readonly ending = new AbortController();
  private readonly cutting = new AbortController();

  constructor(
    readonly definition: WorkDefinition,
    protected readonly logger: Logger,
  ) {}

  /** Marks the work it returns as queued. @returns messages for work that is due and not leased */
  abstract takeDue(): Promise<Message[]>;

  /** @returns whether a message of its queue is for this handler; the queue may have several */
  acceptsWork(_message: Message): boolean {
    return true;
  }

  /** @returns how the turn has ended; an error is logged, and the lease then expires */
  protected abstract performWork(message: Message): Promise<TurnEnd>;

  /** Aborted when this process stops: no further work starts. */
  protected get stopping(): AbortSignal {
    return this.ending.signal;
  }

  /** Aborted when work in progress has used up its drain time. */
  protected get cutOff(): AbortSignal {
    return this.cutting.signal;
  }

  /** Performs a turn, unless another process has leased it. Never throws. */
  takeTurn(message: Message): Promise<TurnEnd> {
    const turn = this.performWork(message).catch((error: unknown): TurnEnd => {
      const fields: object = { err: error, work: this.definition.name, ...message };
      if (!this.cutOff.aborted)
        this.logger.error(fields, 'work could not be done; it comes again after its lease');
      return 'idle';
    });
    this.turns.add(turn);
    return turn.finally(() => this.turns.delete(turn));
  }

  /** Starts no further work, and gives work in progress its drain time. */
  async stopWork(): Promise<void> {
    this.ending.abort(new Error('The process is stopping.'));
    const timer = setTimeout(() => this.cutting.abort(this.stopping.reason), this.definition.drainMs);
    await Promise.all(this.turns);
    clearTimeout(timer);
  }
}
