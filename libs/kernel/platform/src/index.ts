export {
  AuditLog,
  type AuditAction,
  type AuditEntry,
  type AuditEvent,
  type AuditHead,
  type AuditVerdict,
} from './audit/audit-log.js';
export { BackupFileError } from './backup/backup-frames.js';
export { RestoreRefusedError, restoreBackup } from './backup/restore-backup.js';
export { writeBackup, type BackupSummary } from './backup/write-backup.js';
export { CursorSigner, type CursorBinding, type CursorKey } from './cursor/signed-cursor.js';
export { systemCtx, type Ctx, type Mode, type Transaction, type TxCtx } from './context/ctx.js';
export { ofTenant, TENANT, TENANT_ORG, tenantOf } from './context/tenant.js';
export {
  afterCommit,
  Database,
  isDatabaseUnavailable,
  isLockedOut,
  violatedConstraint,
  type RawClient,
} from './database/database.js';
export { CONNECTION_BUDGETS, connectionsIn, type ConnectionBudget } from './database/connection-budget.js';
export { type DatabaseOptions } from './database/connection-settings.js';
export {
  declaredStatements,
  statementsOf,
  type PreparedStatement,
  type Row,
  type Statement,
  type StatementKind,
} from './database/statement.js';
export { migrate, schemaStateOf, type MigrateOptions, type SchemaState } from './database/migrate.js';
export { MIGRATION_NAMES } from './database/migrations/index.js';
export { awaitDatabase, openReadyDatabase, SchemaBehindError } from './database/ready-database.js';
export { ROLES, roleSql, RolesMissingError, type RoleName } from './database/roles.js';
export { WriteBatcher } from './database/write-batcher.js';
export { sqlState } from './database/sql-state.js';
export { lookingForPerson } from './erasure/person-search.js';
export {
  childEnvironment,
  EnvError,
  EnvVar,
  type EnvVarDoc,
  envVarsOf,
  loadEnv,
  loadEnvOrExit,
  namedVariable,
  orExit,
  toList,
  toNumber,
  toSwitch,
} from './env/env.js';
export { IsNetworkList, IsServerUrl } from './env/server-url.validator.js';
export { canonicalJson } from './ids/canonical-json.js';
export { derivedId, isId, newId, type IdPrefix } from './ids/ids.js';
export { requireId } from './ids/require-id.js';
export { parseJson } from './json/parse-json.js';
export { crashPoints, NO_CRASH_POINTS, type CrashPoints } from './lifecycle/crash-points.js';
export { FolderLock, type LockHolder } from './lifecycle/folder-lock.js';
export { EndWaiters } from './lifecycle/end-waiters.js';
export { HeldReads } from './lifecycle/held-reads.js';
export { Lifecycle } from './lifecycle/lifecycle.js';
export { startOrExit } from './lifecycle/start-or-exit.js';
export { PeriodicTask } from './lifecycle/periodic-task.js';
export { RetentionTask, type RetentionRule } from './lifecycle/retention-task.js';
export { ByteBudget } from './memory/byte-budget.js';
export { collectGarbage } from './memory/collect-garbage.js';
export {
  isQueueSchemaReady,
  migrateQueues,
  PooledQueueError,
  requireQueueSession,
} from './queue/queue-schema.js';
export type { QueueDefinition } from './queue/queue-backend.js';
export { QueueBus, type QueueDefinitions, type QueueHandler, type QueueHandlers } from './queue/queue-bus.js';
export { ElicitationMailbox } from './requests/elicitation-mailbox.js';
export { IdempotentRequests, type KeepAnswer, type KeyedRequest } from './requests/idempotent-requests.js';
export { LOGGER, PlatformModule, type PlatformOptions } from './platform.module.js';
export { Answers } from './rpc/answers.decorator.js';
export type { DeclaredCalls } from './rpc/declared-calls.server.js';
export { openLocalCalls, type LocalCalls, type LocalCallsOptions } from './rpc/local-calls.js';
export type { Reach, RpcCall, RpcTransport } from './rpc/rpc-transport.js';
export { OPEN_RPC, type RpcSecurity, type RpcTls } from './rpc/rpc-security.js';
export { RPC_PEERS } from './rpc/peer-list.js';
export { rpcSecurityOf, withRpcSecurity } from './rpc/rpc-security.env.js';
export { LocalRpcTransport } from './rpc/local-rpc.transport.js';
export { reportRefusedCallers } from './rpc/refused-callers.js';
export { TcpRpcServer, type TcpRpcServerOptions } from './rpc/tcp-rpc.server.js';
export { TcpRpcTransport, type TcpRpcOptions } from './rpc/tcp-rpc.transport.js';
export {
  SealedSecrets,
  ENCRYPTION_KEY_CHARACTERS_MIN,
  type SecretBinding,
} from './secrets/sealed-secrets.js';
export { SecretsModule } from './secrets/secrets.module.js';
export { createLogger, type Logger } from './telemetry/logger.js';
export { OperationsModule, type OperationsOptions } from './telemetry/operations.module.js';
export { NestLogger } from './telemetry/nest-logger.js';
export { TrafficFigures } from './telemetry/traffic-figures.js';
export { WorkFigures, type LeasedWork } from './telemetry/work-figures.js';
export { openTracing, withTracing } from './telemetry/tracing.env.js';
export { addCounter, addGauge, createMetrics, type MetricsRegistry } from './telemetry/metrics.js';
export { isoTime } from './database/sql.js';
export { openRedis, type RedisClient } from './redis/redis-client.js';
