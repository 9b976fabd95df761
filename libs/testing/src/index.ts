export { brokenInvariants } from './invariants.checker.js';
export { startProduct, type Product, type ProductOptions } from './product-process.js';
export { ApiClient, type ApiAnswer } from './api-client.js';
export { AppProcess } from './app-process.js';
export { createTestDatabase, testCtx, waitFor, type TestDatabase } from './test-database.js';
export { startTestRedis, type TestRedis } from './test-redis.js';
export { generatePrompts, type GeneratedPrompt } from './prompts/generated-prompts.fixture.js';
export { WRITTEN_PROMPTS, type Expected } from './prompts/written-prompts.fixture.js';
export { ProviderSimulator, type SimulatedCall } from './provider-simulator.js';
