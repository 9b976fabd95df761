import type { Ctx } from '../context/ctx.js';
import { isDatabaseUnavailable, isOutOfRoom } from '../database/database.js';
import type { RpcCall, RpcHandlerTable } from './rpc-transport.js';
import { outOfRoom, unavailable } from './unavailable.js';

/** The calls of one area with the handlers that answer them. */
export interface RpcHandlerSet {
  api: Readonly<Record<string, RpcCall<never, unknown>>>;
  handlers: RpcHandlerTable;
}

export type PatternHandler = (ctx: Ctx, request: unknown) => Promise<unknown>;

/**
 * Joins declared calls and handlers.
 * @throws Error when a declared call has no handler, or when two calls share a pattern
 */
export function handlersByPattern(sets: RpcHandlerSet[]): Map<string, PatternHandler> {
  const found = new Map<string, PatternHandler>();
  for (const { api, handlers } of sets) {
    for (const [key, call] of Object.entries(api)) {
      const handler = handlers[key] as PatternHandler | undefined;
      if (!handler) throw new Error(`The call ${call.pattern} has no handler.`);
      if (found.has(call.pattern)) throw new Error(`The call ${call.pattern} has two handlers.`);
      found.set(call.pattern, (ctx, request) => answered(call.pattern, handler.call(handlers, ctx, request)));
    }
  }
  return found;
}

/** A database that cannot be reached is the area's own refusal, not a surprise. */
async function answered(pattern: string, answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    if (isOutOfRoom(error)) throw outOfRoom(pattern, error);
    throw isDatabaseUnavailable(error) ? unavailable(pattern, 'storage', error) : error;
  }
}
