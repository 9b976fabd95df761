export { startProduct, type Product, type ProductEnd, type ProductOptions } from './product-process.js';
export { createTestDatabase, testCtx, waitFor, type TestDatabase } from './test-database.js';
export { startTestRedis, type TestRedis } from './test-redis.js';
