import type { Ctx } from '@quarry/app';

/** The structural part of a declared call; the typed part is in the contracts. */
export interface RpcCall<Request, Response> {
  readonly pattern: string;
  readonly effect: 'read' | 'write';
  readonly timeoutMs: number;
  readonly __types?: (request: Request) => Response;
}

/** Areas of calls (`tables`, `runs`), each with whether it can be reached now. */
export interface Reach {
  readonly reached: readonly string[];
  readonly missing: readonly string[];
}

/** Sends calls to the service that answers them: in this process, or over TCP. */
export interface RpcTransport {
  /**
   * @throws AppError a refusal of the service; `runs_unavailable` or `upstream_error` when it cannot be reached or does not
   * answer in time
   */
  call<Request, Response>(ctx: Ctx, call: RpcCall<Request, Response>, request: Request): Promise<Response>;
  /** Opens a connection to each area that has none, without calling anything. Ends within 2 s. */
  reach(): Promise<Reach>;
  close(): Promise<void>;
}
