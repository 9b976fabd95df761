import type { Ctx, RpcCall, RpcTransport } from '@quarry/platform';

type Answer = (request: Record<string, unknown>, ctx: Ctx) => unknown;

/** Stands behind the edge's only seam: answers fixed values by pattern, and remembers what it was asked. */
export class FixedRpc implements RpcTransport {
  readonly calls: Array<{ pattern: string; request: Record<string, unknown>; ctx: Ctx }> = [];
  private answers = new Map<string, Answer>();

  on(pattern: string, answer: Answer): void {
    this.answers.set(pattern, answer);
  }

  reset(): void {
    this.calls.length = 0;
    this.answers.clear();
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

  close(): Promise<void> {
    return Promise.resolve();
  }
}
