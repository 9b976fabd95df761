import { toCredits, type CreditLedger, type CreditStatements } from '@quarry/credit-ledger';
import type { SERVICES_RPC, RpcHandlersOf } from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import type { Ctx } from '@quarry/platform';
import { findService } from '@quarry/service-catalog';
import type { BatchStore } from './batch.store.js';
import type { BatchWaiters } from './batch-waiters.js';
import { catalogueItem, catalogueList, type ProvidersOf } from './catalogue-json.js';

export interface ServicesRpcDependencies {
  batches: BatchStore;
  waiters: BatchWaiters;
  ledger: CreditLedger;
  statements: CreditStatements;
  /** Configured providers of a service for a mode of key. */
  providersOf: ProvidersOf;
}

/** The services side of the API. */
export function servicesRpcHandlers(deps: ServicesRpcDependencies): RpcHandlersOf<typeof SERVICES_RPC, Ctx> {
  const { batches, waiters, ledger, statements, providersOf } = deps;
  return {
    createBatch: (ctx, request) => batches.create(ctx, request),
    getBatch: async (ctx, { batchId, waitSeconds }) => {
      const now = await batches.read(ctx, batchId);
      if (now.done || waitSeconds === 0) return now.json;
      await waiters.wait(batchId, waitSeconds * 1000);
      return (await batches.read(ctx, batchId)).json;
    },
    listJobs: (ctx, query) => batches.listJobs(ctx, query),
    listServices: (ctx, query) =>
      Promise.resolve(catalogueList(query, (name) => providersOf(name, ctx.mode))),
    getService: async (ctx, { name }) => {
      const service = findService(name);
      if (!service) throw new AppError('not_found', 'There is no service with this name.');
      return Promise.resolve(JSON.stringify(catalogueItem(service, providersOf(name, ctx.mode))));
    },
    cancelBatch: (ctx, { batchId }) => batches.cancel(ctx, batchId),
    estimate: (ctx, request) => batches.estimate(ctx, request),
    listLedger: (ctx, query) => statements.list(ctx, query),
    getCredits: async (ctx) => {
      const { available, reserved, updatedAt } = await ledger.balance(ctx);
      return JSON.stringify({
        remaining: toCredits(available),
        reserved: toCredits(reserved),
        balance: toCredits(available + reserved),
        updated_at: updatedAt.toISOString(),
      });
    },
  };
}
