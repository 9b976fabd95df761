export { migrateQueues, missingQueueSchema, PooledQueueError, requireQueueSession } from './queue-schema.js';
export type { QueueDefinition } from './queue-backend.js';
export { QueueBus, type QueueDefinitions, type QueueHandler, type QueueHandlers } from './queue-bus.js';
export { openRedis, type RedisClient } from './redis-client.js';
