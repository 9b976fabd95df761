export { CursorSigner, type CursorBinding, type CursorKey } from './cursor/signed-cursor.js';
export { systemCtx, type Ctx, type Transaction, type TxCtx } from './context/ctx.js';
export {
  afterCommit,
  Database,
  isDatabaseUnavailable,
  sqlState,
  violatedConstraint,
  type DatabaseOptions,
  type RawClient,
} from './database/database.js';
export type { PreparedStatement, Row } from './database/statement.js';
export {
  EnvError,
  EnvVar,
  envVarsOf,
  loadEnv,
  loadEnvOrExit,
  toList,
  toNumber,
  toSwitch,
  type EnvVarDoc,
} from './env/env.js';
export { IsNetworkList, IsServerUrl } from './env/server-url.validator.js';
export { canonicalJson } from './ids/canonical-json.js';
export { derivedId, isId, newId, type IdPrefix } from './ids/ids.js';
export { parseJson } from './json/parse-json.js';
export { FolderLock, type LockHolder } from './lifecycle/folder-lock.js';
export { Lifecycle } from './lifecycle/lifecycle.js';
export {
  OutboundError,
  postJson,
  type OutboundAnswer,
  type OutboundFault,
  type OutboundPost,
} from './outbound/post-json.js';
export { freePort, PostgresServer, type PostgresServerOptions } from './postgres-server/postgres-server.js';
export { PostgresServerError } from './postgres-server/postgres-server.error.js';
export {
  QueueBus,
  type QueueDefinition,
  type QueueDefinitions,
  type QueueHandler,
  type QueueHandlers,
} from './queue/queue-bus.js';
export type { RpcCall, RpcHandlerTable, RpcTransport } from './rpc/rpc-transport.js';
export type { RpcHandlerSet } from './rpc/handlers-by-pattern.js';
export { LocalRpcTransport } from './rpc/local-rpc.transport.js';
export { TcpRpcServer, type TcpRpcServerOptions } from './rpc/tcp-rpc.server.js';
export { TcpRpcTransport, type TcpRpcOptions } from './rpc/tcp-rpc.transport.js';
export { createLogger, type Logger } from './telemetry/logger.js';
export {
  addCounter,
  addGauge,
  createMetrics,
  serveOperations,
  type MetricsRegistry,
  type OperationsServerOptions,
} from './telemetry/metrics.js';
export { isoTime } from './database/sql.js';
export { openRedis, type RedisClient } from './redis/redis-client.js';
