export { migrateQueues, missingQueueSchema, PooledQueueError, requireQueueSession } from './queue-schema.js';
export { QueueBus, type QueueDefinitions } from './queue-bus.js';
export { openRedis, type RedisClient } from './redis-client.js';
