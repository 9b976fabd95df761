import type { Ctx } from '@quarry/app';
import type { Reach, RpcCall, RpcTransport } from '@quarry/rpc';

type Answer = (request: Record<string, unknown>, ctx: Ctx) => unknown;

/** Fake RPC transport of the edge: returns fixed responses by pattern, and records the requests. */
export class FixedRpc implements RpcTransport {
  readonly calls: Array<{ pattern: string; request: Record<string, unknown>; ctx: Ctx }> = [];
  /** Result of {@link reach}. */
  areas: Reach = { reached: [], missing: [] };
  private answers = new Map<string, Answer>();

  on(pattern: string, answer: Answer): void {
    this.answers.set(pattern, answer);
  }

  reset(): void {
    this.calls.length = 0;
    this.answers.clear();
    this.areas = { reached: [], missing: [] };
  }

  async call<Request, Response>(
    ctx: Ctx,
    call: RpcCall<Request, Response>,
    request: Request,
  ): Promise<Response> {
    const plain = request as Record<string, unknown>;
    this.calls.push({ pattern: call.pattern, request: plain, ctx });
    const answer = this.answers.get(call.pattern);
    if (!answer) throw new Error(`SELECT secret FROM nowhere: nothing answers ${call.pattern}`);
    return (await answer(plain, ctx)) as Response;
  }

  reach(): Promise<Reach> {
    return Promise.resolve(this.areas);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
