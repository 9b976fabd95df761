export { systemCtx, type Ctx, type Transaction, type TxCtx } from './context/ctx.js';
export { CursorSigner, type CursorBinding, type CursorKey } from './cursor/signed-cursor.js';
export {
  afterCommit,
  Database,
  sqlState,
  violatedConstraint,
  type DatabaseOptions,
  type RawClient,
  type Row,
} from './database/database.js';
export {
  EnvError,
  EnvVar,
  envVarsOf,
  loadEnv,
  toList,
  toNumber,
  toSwitch,
  type EnvVarDoc,
} from './env/env.js';
export { isId, newId, type IdPrefix } from './ids/ids.js';
export { freePort, PostgresServer, type PostgresServerOptions } from './postgres-server/postgres-server.js';
export { PostgresServerError } from './postgres-server/postgres-server.error.js';
export type { RpcCall, RpcHandlerTable, RpcTransport } from './rpc/rpc-transport.js';
export type { RpcHandlerSet } from './rpc/handlers-by-pattern.js';
export { LocalRpcTransport } from './rpc/local-rpc.transport.js';
