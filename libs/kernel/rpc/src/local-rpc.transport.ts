import { withDeadline } from '@quarry/resilience';
import type { Ctx } from '@quarry/app';
import { DeclaredCallsServer } from './declared-calls.server.js';
import type { Reach, RpcCall, RpcTransport } from './rpc-transport.js';
import { unavailableError } from './unavailable.js';

/** Calls within one process: the transport of the Nest microservice that answers, and the client of it. */
export class LocalRpcTransport extends DeclaredCallsServer implements RpcTransport {
  async call<Request, Response>(
    ctx: Ctx,
    call: RpcCall<Request, Response>,
    request: Request,
  ): Promise<Response> {
    const timeoutMs = Math.min(call.timeoutMs, ctx.timeoutMs ?? call.timeoutMs);
    const answer = this.answer(call.pattern, { ...ctx, timeoutMs }, request);
    // Like over TCP, a call is answered at its time limit at the latest. The handler may go on, but its answer is dropped.
    const late = (): Error =>
      unavailableError(call.pattern, 'unreachable', new Error(`No answer within ${timeoutMs} ms.`));
    return (await withDeadline(answer, { ms: timeoutMs, late })) as Response;
  }

  /** Every area is answered in this process, otherwise it would not have started. */
  reach(): Promise<Reach> {
    return Promise.resolve({ reached: [], missing: [] });
  }

  override close(): Promise<void> {
    return Promise.resolve();
  }

  override on(): void {
    // Without an underlying server there are no events.
  }

  override unwrap<T>(): T {
    return this as unknown as T;
  }

  protected override open(callback: () => void): void {
    callback();
  }
}
