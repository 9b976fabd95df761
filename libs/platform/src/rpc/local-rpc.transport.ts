import type { Ctx } from '../context/ctx.js';
import { handlersByPattern, type PatternHandler, type RpcHandlerSet } from './handlers-by-pattern.js';
import type { RpcCall, RpcTransport } from './rpc-transport.js';

/** Calls within one process: the handler is a function call away. */
export class LocalRpcTransport implements RpcTransport {
  private readonly handlers: Map<string, PatternHandler>;

  /** @throws Error when a declared call has no handler or two */
  constructor(sets: RpcHandlerSet[]) {
    this.handlers = handlersByPattern(sets);
  }

  async call<Request, Response>(
    ctx: Ctx,
    call: RpcCall<Request, Response>,
    request: Request,
  ): Promise<Response> {
    const handler = this.handlers.get(call.pattern);
    if (!handler) throw new Error(`No handler answers ${call.pattern}.`);
    return (await handler(ctx, request)) as Response;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
