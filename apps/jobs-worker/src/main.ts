import {
  addProviderMetrics,
  batchPart,
  fastServicesPart,
  openServiceProcess,
  searchPart,
  serveRpc,
  vendorOf,
  workerPart,
} from '@quarry/composition';
import { loadEnvOrExit } from '@quarry/platform';
import { JobsWorkerEnv } from './jobs-worker.env.js';

const env = loadEnvOrExit(JobsWorkerEnv);
const service = await openServiceProcess('jobs-worker', env);
const { life, database, queues, logger } = service;
const search = searchPart(env.SANDBOX, vendorOf(env));
if (service.metrics) addProviderMetrics(service.metrics, search.figures);
const batches = await life.open(
  'batches',
  () => batchPart({ database, queues, search, cursorSecret: env.CURSOR_SECRET }),
  (part) => part.close(),
);
await life.open(
  'workers',
  () =>
    workerPart({
      database,
      queues,
      search,
      queueNames: env.WORKER_QUEUES,
      deadlineMaxMs: env.SEARCH_DEADLINE_MS,
      deliver: batches.deliver,
      leaseMs: env.LEASE_MS,
      onEnded: () => void batches.waiters.check(),
      logger,
    }),
  (part) => part.close(env.DRAIN_MS),
);
if (env.SERVICES_RPC) {
  const fastServices = await life.open(
    'fast services',
    () => fastServicesPart({ database, search, logger }),
    (part) => part.close(),
  );
  await serveRpc(env, service, [batches.handlers, fastServices.handlers]);
  // Closed before the calls are drained: a held read must be answered at once, not waited for.
  await life.open(
    'held reads',
    () => batches,
    (part) => part.close(),
  );
}
logger.info({ queues: env.WORKER_QUEUES }, 'lines are worked on');
