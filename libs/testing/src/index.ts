export { brokenInvariants, DELIVERED_LATELY, type ProviderCallRecord } from './invariants.checker.js';
export { FaultWatch, OWN_CANARY, type AllowedTraces } from './fault-watch.js';
export { StateSampler } from './state-sampler.js';
export { LeaseAudit } from './lease-audit.js';
export { ClientHistory, type ClientCall } from './client-history.js';
export { TcpFaultProxy, type TcpFault } from './tcp-fault-proxy.js';
export { HeldReads, type HeldAnswer } from './held-reads.js';
export { SeededRandom } from './seeded-random.js';
export { JumpingClock } from './shifted-clock.js';
export { type CrashPlan } from './crash-points.preload.js';
export { figure } from './figure.js';
export { CONSTITUENTS_FILE } from './constituents.fixture.js';
export {
  descendantsOf,
  isRunning,
  startProduct,
  type Product,
  type ProductOptions,
} from './product-process.js';
export { ApiClient, type ApiAnswer } from './api-client.js';
export { AppProcess, type ProcessFaults } from './app-process.js';
export { createTestDatabase, testCtx, waitFor, type TestDatabase } from './test-database.js';
export { OwnRedis, startTestRedis, type TestRedis } from './test-redis.js';
export { generatePrompts, type GeneratedPrompt } from './prompts/generated-prompts.fixture.js';
export { WRITTEN_PROMPTS, type Expected } from './prompts/written-prompts.fixture.js';
export { ProviderSimulator, type SimulatedCall } from './provider-simulator.js';
