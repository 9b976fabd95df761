import { Server, type CustomTransportStrategy, type MessageHandler } from '@nestjs/microservices';
import { firstValueFrom, isObservable } from 'rxjs';
import type { Ctx } from '../context/ctx.js';
import { isDatabaseUnavailable, isOutOfRoom } from '../database/database.js';
import type { RpcCall } from './rpc-transport.js';
import { outOfRoom, unavailable } from './unavailable.js';

/** Declared calls of one area, by their names in the code. */
export type DeclaredCalls = Readonly<Record<string, RpcCall<never, unknown>>>;

/**
 * A transport of a Nest microservice that answers declared calls: Nest finds the handlers (`Answers`) of the controllers,
 * and this class sees to it that each declared call has exactly one.
 */
export abstract class DeclaredCallsServer extends Server implements CustomTransportStrategy {
  protected readonly patterns: ReadonlySet<string>;

  /** @param apis what this process answers */
  constructor(apis: readonly DeclaredCalls[]) {
    super();
    this.patterns = new Set(apis.flatMap((api) => Object.values(api).map(({ pattern }) => pattern)));
  }

  /**
   * Told by Nest of every handler.
   * @throws Error when a call has two handlers, or is none that this process answers
   */
  override addHandler(pattern: string, handler: MessageHandler): void {
    // Nest's own would put the second in the place of the first.
    if (this.messageHandlers.has(pattern)) throw new Error(`The call ${pattern} has two handlers.`);
    if (!this.patterns.has(pattern))
      throw new Error(`The call ${pattern} is none that this process answers.`);
    super.addHandler(pattern, handler);
  }

  override listen(callback: (error?: unknown) => void): void {
    for (const pattern of this.patterns) {
      if (this.messageHandlers.has(pattern)) continue;
      callback(new Error(`The call ${pattern} has no handler.`));
      return;
    }
    this.open(callback);
  }

  /** Begins to take calls. */
  protected abstract open(callback: (error?: unknown) => void): void;

  abstract override close(): unknown;

  /** Hands a call to its handler. @throws AppError what it refuses with; anything else is a surprise */
  protected async answer(pattern: string, ctx: Ctx, request: unknown): Promise<unknown> {
    // Not by `getHandlerByPattern`, which parses the pattern as JSON and throws inside at every call of ours.
    const handler = this.messageHandlers.get(pattern);
    if (!handler) throw unavailable(pattern, 'unreachable', new Error('Nobody answers this.'));
    try {
      const answer: unknown = await handler(request, ctx);
      // A handler answers with a value; Nest turns what it throws into a stream that fails.
      return isObservable(answer) ? await firstValueFrom(answer) : answer;
    } catch (error) {
      // A database that cannot be reached is the area's own refusal, not a surprise.
      if (isOutOfRoom(error)) throw outOfRoom(pattern, error);
      throw isDatabaseUnavailable(error) ? unavailable(pattern, 'storage', error) : error;
    }
  }
}
