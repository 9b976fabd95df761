import type { Logger } from '@quarry/app';
import type { WorkDefinition } from './work-definition.js';

/** Result of a turn: there is more to do at once, or nothing is due. */
export type TurnEnd = 'more' | 'idle';

/**
 * Does one kind of work, a turn at a time. A turn takes the lease of what its message names, works for a bounded time, writes what
 * it has done in the name of the lease, and gives the lease back. A turn that dies with its process comes again when its lease has
 * run out.
 */
export abstract class WorkHandler<Message extends object> {
  private readonly turns = new Set<Promise<TurnEnd>>();
  private readonly ending = new AbortController();
  private readonly cutting = new AbortController();

  constructor(
    readonly definition: WorkDefinition,
    protected readonly logger: Logger,
  ) {}

  /** @returns messages for work that is due and that nobody has; it counts as queued from now on */
  abstract takeDue(): Promise<Message[]>;

  /** @returns whether a message of its queue is for this handler; others of the queue may be for others */
  acceptsWork(_message: Message): boolean {
    return true;
  }

  /** @returns how the turn has ended; what it throws is logged, and its lease runs out */
  protected abstract performWork(message: Message): Promise<TurnEnd>;

  /** Fires when this process stops: nothing more begins. */
  protected get stopping(): AbortSignal {
    return this.ending.signal;
  }

  /** Fires when what is in hand has had its time at a stop. */
  protected get cutOff(): AbortSignal {
    return this.cutting.signal;
  }

  /** Takes a turn, unless another process has it. Never throws. */
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

  /** Begins nothing more, and gives what is in hand a moment. */
  async stopWork(): Promise<void> {
    this.ending.abort(new Error('The process is stopping.'));
    const timer = setTimeout(() => this.cutting.abort(this.stopping.reason), this.definition.drainMs);
    await Promise.all(this.turns);
    clearTimeout(timer);
  }
}
