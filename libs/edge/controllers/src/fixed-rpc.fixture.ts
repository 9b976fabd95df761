import type { Ctx } from '@quarry/app';
import type { Reach, RpcCall, RpcTransport } from '@quarry/rpc';

type Answer = (request: Record<string, unknown>, ctx: Ctx) => unknown;

/** Stands behind the edge's only seam: answers fixed values by pattern, and remembers what it was asked. */
export class FixedRpc implements RpcTransport {
  readonly calls: Array<{ pattern: string; request: Record<string, unknown>; ctx: Ctx }> = [];
  /** Answer to a request for its reach. */
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
