export {
  AuditLog,
  type AuditAction,
  type AuditEntry,
  type AuditHead,
  recordAudit,
} from './audit/audit-log.js';
export type { Transaction, TxCtx } from './database/transaction.js';
export { lockTenant } from './database/lock-tenant.js';
export { ofTenant, TENANT, TENANT_ORG, tenantOf } from './database/tenant.js';
export {
  afterCommit,
  Database,
  isDatabaseUnavailable,
  isLockedOut,
  violatedConstraint,
  isOutOfResources,
  type RawClient,
} from './database/database.js';
export { CONNECTION_BUDGETS, connectionsIn, type ConnectionBudget } from './database/connection-budget.js';
export { processIdOf } from './database/connection-settings.js';
export { declaredStatements, statementsOf, type Row, type Statement } from './database/statement.js';
export type { BigNum, Flag, Num, Text, Texts, Time, Typed } from './database/statement.js';
export {
  migrate,
  migrateUpTo,
  schemaStateOf,
  type MigrateOptions,
  type SchemaState,
} from './schema/migrate.js';
export { MIGRATION_NAMES } from './migrations/index.js';
export { openReadyDatabase } from './schema/ready-database.js';
export { ROLES, roleSql, RolesMissingError, ensureRoles, type RoleName } from './database/roles.js';
export { retentionRule } from './database/retention-rule.js';
export { WriteBatcher } from './database/write-batcher.js';
export { sqlState } from './database/sql-state.js';
export { erasurePages } from './erasure/erasure-pages.js';
export type { ErasurePart } from './erasure/erasure-part.js';
export { lookingForPerson, type SoughtPerson } from './erasure/person-search.js';
export { ElicitationMailbox } from './requests/elicitation-mailbox.js';
export { IdempotentRequests, type KeepAnswer } from './requests/idempotent-requests.js';
export { isoTime } from './database/sql.js';
export { TimeoutClient } from './database/timeout-client.js';
export { databaseMetrics } from './database/database-metrics.js';
