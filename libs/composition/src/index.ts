export { fastServicesPart, ledgerCheckPart } from './fast-services-part.js';
export { readSpendLimits, setSpendLimits, type SpendLimitHolder } from './spend-limits.js';
export {
  borrowLocalDatabase,
  DatabaseSetUpError,
  lockFileOf,
  migratedDatabase,
  migrateProduct,
  openLocalDatabase,
  type LocalDatabase,
} from './local-database.js';
export { retentionPart, type KeepingRoom } from './retention-part.js';
export { retentionOf, withRetention, type RetentionSettings } from './retention.env.js';
export { auditLedger, createOrganisation, grantCredits } from './organisation.js';
export { requireQueueServer } from './queue-server.js';
export { agentPart, runsPart, type AgentPart, type RunsPart } from './runs-part.js';
export {
  batchPart,
  expireLeases,
  LINE_QUEUES,
  searchPart,
  workerPart,
  type BatchPart,
  type LineQueue,
  type Queues,
  type SearchPart,
  type WorkerPart,
} from './services-part.js';
export { tablesPart, type TablesPart } from './tables-part.js';
export { LinkingServiceEnv, ServiceEnv } from './service.env.js';
export { vendorOf, withVendor, type VendorSettings } from './vendor.env.js';
export { openServiceProcess, serveRpc, type ServiceProcess } from './service-process.js';
export { addProviderMetrics } from './provider-metrics.js';
export { productMetrics } from './product-metrics.js';
export { erasurePart, PersonErasure, type Erased, type ErasureReceipt } from './person-erasure.js';
