export {
  brokenAttempts,
  brokenInvariants,
  DELIVERED_LATELY,
  type ProviderCallRecord,
} from './invariants.checker.js';
export { FaultWatch, OWN_CANARY, type AllowedTraces } from './fault-watch.js';
export { StateSampler } from './state-sampler.js';
export { LeaseAudit } from './lease-audit.js';
export { ClientHistory } from './client-history.js';
export { HeldReads, type HeldAnswer } from './held-reads.js';
export { SeededRandom } from './seeded-random.js';
export { seedsOf } from './seeds.js';
export { walkBesideModel } from './model-walks.js';
export { JumpingClock } from './shifted-clock.js';
export type { FailpointAction } from './failpoints.preload.js';
export { descendantsOf, isRunning, startProduct, type Product } from './product-process.js';
export { ApiClient, type ApiAnswer } from './api-client.js';
export { AppProcess, type ProcessFaults } from './app-process.js';
export {
  countWaiting,
  createTestDatabase,
  dropWhenLeft,
  openWorkspace,
  runBehind,
  testCtx,
  type TestDatabase,
  useTestDatabase,
} from './test-database.js';
export { ProviderSimulator } from './provider-simulator.js';
export { AnswerCheck } from './answer-check.js';
export { runAdmin, type AdminRun } from './admin-command.js';
export { appEnv, mainOf } from './app-main.js';
export { directoryContract } from './directory-contract.js';
