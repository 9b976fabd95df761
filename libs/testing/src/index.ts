export { createTestDatabase, testCtx, waitFor, type TestDatabase } from './test-database.js';
export { startTestRedis, type TestRedis } from './test-redis.js';
