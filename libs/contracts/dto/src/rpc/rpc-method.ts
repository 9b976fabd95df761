/** Part of every call that makes or spends something. */
export interface Keyed {
  /** The request's Idempotency-Key, if it has one. Not sent by gateways of before keys were for every such call. */
  idempotencyKey?: string | null;
}

/** One call between processes. The type parameters say what goes in and what comes out. */
export interface RpcMethod<Request, Response> {
  /** Name on the wire: area.noun.verb. */
  readonly pattern: string;
  /** A read whose connection breaks may be sent once more; a write may not. */
  readonly effect: 'read' | 'write';
  readonly timeoutMs: number;
  /** Carries the types; never present at run time. */
  readonly __types?: (request: Request) => Response;
}

export type RpcApi = Readonly<Record<string, RpcMethod<never, unknown>>>;

/** Request of a declared call. */
export type RequestOf<Method> = Method extends RpcMethod<infer Request, unknown> ? Request : never;

/** Response of a declared call. */
export type ResponseOf<Method> = Method extends RpcMethod<never, infer Response> ? Response : never;

/**
 * Declares a call. Ten seconds: longer than any single statement of ours should take, shorter than the patience
 * of a load balancer (see the docs/reliability.md, Deadlines).
 */
export function defineMethod<Request, Response>(
  pattern: string,
  effect: 'read' | 'write',
  timeoutMs = 10_000,
): RpcMethod<Request, Response> {
  return { pattern, effect, timeoutMs };
}
