/** Part of every call that creates or spends something. */
export interface Keyed {
  /**
   * Idempotency-Key of the request, if any. Not sent by gateways of versions that did not support keys for every such call.
   */
  idempotencyKey?: string | null;
}

/** Call between processes. The type parameters are its request and its response. */
export interface RpcMethod<Request, Response> {
  /** Name in the protocol: area.noun.verb. */
  readonly pattern: string;
  /** A read may be retried once when its connection breaks; a write must not. */
  readonly effect: 'read' | 'write';
  readonly timeoutMs: number;
  /** Type-level only; never present at runtime. */
  readonly __types?: (request: Request) => Response;
}

/** Request of a declared call. */
export type RequestOf<Method> = Method extends RpcMethod<infer Request, unknown> ? Request : never;

/** Response of a declared call. */
export type ResponseOf<Method> = Method extends RpcMethod<never, infer Response> ? Response : never;

/**
 * Declares a call. Default timeout ten seconds: longer than any single statement should take, shorter than the timeout of a
 * load balancer (see docs/reliability.md, Deadlines).
 */
export function defineMethod<Request, Response>(
  pattern: string,
  effect: 'read' | 'write',
  timeoutMs = 10_000,
): RpcMethod<Request, Response> {
  return { pattern, effect, timeoutMs };
}
