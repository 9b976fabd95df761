import {
  toCredits,
  type CreditLedger,
  type CreditStatements,
  type SpendLimitStore,
} from '@quarry/credit-ledger';
import type { BatchAccepted, RpcHandlersOf, SERVICES_RPC } from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import type { Ctx } from '@quarry/platform';
import { findService } from '@quarry/service-catalog';
import type { BatchStore } from './batch.store.js';
import type { BatchWaiters } from './batch-waiters.js';
import { SharedReads } from './shared-reads.js';
import { catalogueItem, catalogueList, type ProvidersOf } from './catalogue-json.js';

export interface ServicesRpcDependencies {
  batches: BatchStore;
  waiters: BatchWaiters;
  ledger: CreditLedger;
  statements: CreditStatements;
  limits: SpendLimitStore;
  /** Configured providers of a service for a mode of key. */
  providersOf: ProvidersOf;
}

/** The services side of the API. */
export function servicesRpcHandlers(deps: ServicesRpcDependencies): RpcHandlersOf<typeof SERVICES_RPC, Ctx> {
  const { batches, waiters, ledger, statements, limits, providersOf } = deps;
  const endedReads = new SharedReads<BatchAccepted>();
  return {
    createBatch: (ctx, request) => batches.create(ctx, request),
    getBatch: async (ctx, { batchId, waitSeconds }) => {
      const now = await batches.read(ctx, batchId);
      if (now.done || waitSeconds === 0) return now.json;
      const ended = await waiters.wait(batchId, waitSeconds * 1000);
      const last = ended
        ? await endedReads.read(`${ctx.orgId} ${ctx.mode} ${batchId}`, () => batches.read(ctx, batchId))
        : await batches.read(ctx, batchId);
      return last.json;
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
    getLimits: async (ctx) => {
      const [organisation, key] = await Promise.all([
        limits.read(ctx, null),
        // A call without a key, as the system makes it, has the key of nobody.
        limits.read(ctx, ctx.keyId ?? '-'),
      ]);
      return JSON.stringify({ organisation, key });
    },
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
