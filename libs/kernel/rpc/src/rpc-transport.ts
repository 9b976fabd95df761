import type { Ctx } from '@quarry/app';

/** Structural half of a declared call; the typed half lives with the contracts. */
export interface RpcCall<Request, Response> {
  readonly pattern: string;
  readonly effect: 'read' | 'write';
  readonly timeoutMs: number;
  readonly __types?: (request: Request) => Response;
}

/** Areas of calls (`tables`, `runs`) that can be reached now, and those that cannot. */
export interface Reach {
  readonly reached: readonly string[];
  readonly missing: readonly string[];
}

/** A way to the service that answers a call: within this process, or over TCP. */
export abstract class RpcTransport {
  /**
   * @throws AppError what the service refused with; `runs_unavailable` or `upstream_error` when it cannot be
   * reached or does not answer in time
   */
  abstract call<Request, Response>(
    ctx: Ctx,
    call: RpcCall<Request, Response>,
    request: Request,
  ): Promise<Response>;
  /** Connects to each area where no connection is open, and calls nothing. Ends within 2 s. */
  abstract reach(): Promise<Reach>;
  abstract close(): Promise<void>;
}
