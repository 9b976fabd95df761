export { CursorSigner, type PageQuery } from './cursor/signed-cursor.js';
export { systemCtx, type Ctx, type Mode } from './context/ctx.js';
export {
  childEnvironment,
  EnvError,
  EnvVar,
  envVarsOf,
  loadEnv,
  loadEnvOrExit,
  namedVariable,
  orExit,
  toList,
  IsExistingPath,
  IsSwitch,
  IsWholeNumber,
} from './env/env.js';
export { IsNetworkList, IsServerUrl } from './env/server-url.validator.js';
export { canonicalJson } from './ids/canonical-json.js';
export { derivedId, isId, newId } from './ids/ids.js';
export { notFound, requireId, resourceNameOf } from './ids/require-id.js';
export { parseJson } from './json/parse-json.js';
export { createFailpoints as failpoints, type Failpoints } from './lifecycle/failpoints.js';
export { FolderLock } from './lifecycle/folder-lock.js';
export { EndWaiters } from './lifecycle/end-waiters.js';
export { HeldReads } from './lifecycle/held-reads.js';
export { Lifecycle } from './lifecycle/lifecycle.js';
export { startOrExit } from './lifecycle/start-or-exit.js';
export { PeriodicTask } from './lifecycle/periodic-task.js';
export { RetentionTask, type RetentionRule } from './lifecycle/retention-task.js';
export { ByteBudget } from './memory/byte-budget.js';
export { collectGarbage } from './memory/collect-garbage.js';
export { IdleMemory } from './memory/idle-memory.js';
export {
  SealedSecrets,
  ENCRYPTION_KEY_CHARACTERS_MIN,
  type SecretBinding,
} from './secrets/sealed-secrets.js';
export { SecretsModule } from './secrets/secrets.module.js';
export { createLogger, LOGGER, type Logger } from './telemetry/logger.js';
export { NestLogger } from './telemetry/nest-logger.js';
export { TrafficMetrics } from './telemetry/traffic-metrics.js';
export { WorkMetrics, type LeasedWork } from './telemetry/work-metrics.js';
export { openTracing, withTracing } from './tracing/tracing.env.js';
export {
  addCounter,
  addGauge,
  createMetrics,
  probesOf,
  serveOperations,
  type MetricsRegistry,
} from './telemetry/metrics.js';
export { RepeatedFaults } from './telemetry/repeated-faults.js';
