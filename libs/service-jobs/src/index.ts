export { BatchStore, type Deliver, type NewBatch } from './batch.store.js';
export { BatchWaiters } from './batch-waiters.js';
export type { ProvidersOf } from './catalogue-json.js';
export { DeliveryReconciler } from './delivery-reconciler.js';
export { JobLeaseStore, type ClaimedJob, type JobEnd } from './job-lease.store.js';
export { LineWorker, type Searcher, type SearcherFor } from './line-worker.js';
export { Retention } from './retention.js';
export { servicesRpcHandlers, type ServicesRpcDependencies } from './services-rpc.handlers.js';
