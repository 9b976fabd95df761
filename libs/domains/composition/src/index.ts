export { migratedDatabase, migrateProduct } from './product-database.js';
export {
  AgentPortsModule,
  GoPortsModule,
  IdentityPortsModule,
  RunReaderModule,
  TablePortsModule,
} from './ports.module.js';
export { RetentionModule } from './retention.module.js';
export { retentionOf, withRetention } from './retention.env.js';
export { createOrganisation } from './organisation.js';
export { LinkingServiceEnv, ServiceEnv } from './service.env.js';
export { outreachNetworkOf, webhookNetworkOf } from './networks.js';
export { operationsOf } from './operations.js';
export { ServiceHost } from './service-host.js';
export { PRODUCT_ERASURE } from './product-erasure.js';
export { ApiClient } from './api-client.js';
export { demonstrationCredentials } from './demonstration.js';
