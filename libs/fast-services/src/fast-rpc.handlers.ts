import type { FAST_SERVICES_RPC, RpcHandlersOf } from '@quarry/dto';
import type { Ctx } from '@quarry/platform';
import type { FastServiceRunner } from './fast-service.runner.js';

/** The direct calls of the API. */
export function fastRpcHandlers(runner: FastServiceRunner): RpcHandlersOf<typeof FAST_SERVICES_RPC, Ctx> {
  return {
    run: async (ctx, { service, input, idempotencyKey }) =>
      JSON.stringify(await runner.run(ctx, service, input, idempotencyKey)),
  };
}
