import type { RpcHandlersOf, RUNS_RPC } from '@quarry/dto';
import type { Ctx } from '@quarry/platform';
import type { RunStore } from './run.store.js';

/** The runs side of the API. */
export function runsRpcHandlers(store: RunStore): RpcHandlersOf<typeof RUNS_RPC, Ctx> {
  return {
    createRun: (ctx, { body, idempotencyKey = null }) => store.create(ctx, body, idempotencyKey),
    listRuns: (ctx, query) => store.list(ctx, query),
    getRun: (ctx, { runId }) => store.read(ctx, runId),
    cancelRun: (ctx, { runId }) => store.cancel(ctx, runId),
    getOutput: (ctx, { runId }) => store.output(ctx, runId),
  };
}
