import type { Ctx } from '../context/ctx.js';
import { handlersByPattern, type PatternHandler, type RpcHandlerSet } from './handlers-by-pattern.js';
import type { RpcCall, RpcTransport } from './rpc-transport.js';
import { unavailable } from './unavailable.js';

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
    const timeoutMs = Math.min(call.timeoutMs, ctx.timeoutMs ?? call.timeoutMs);
    let timer: NodeJS.Timeout | undefined;
    // As over TCP: who asks is answered in time. What the handler does further is nobody's answer.
    const deadline = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () =>
          reject(unavailable(call.pattern, 'unreachable', new Error(`No answer within ${timeoutMs} ms.`))),
        timeoutMs,
      );
    });
    try {
      return (await Promise.race([handler({ ...ctx, timeoutMs }, request), deadline])) as Response;
    } finally {
      clearTimeout(timer);
    }
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
