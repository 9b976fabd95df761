export { createTestDatabase, testCtx, waitFor, type TestDatabase } from './test-database.js';
