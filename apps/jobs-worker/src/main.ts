import {
  addProviderMetrics,
  batchPart,
  erasurePart,
  fastServicesPart,
  ledgerCheckPart,
  openServiceProcess,
  retentionOf,
  retentionPart,
  searchPart,
  serveRpc,
  vendorOf,
  workerPart,
} from '@quarry/composition';
import { CONNECTION_BUDGETS, loadEnvOrExit } from '@quarry/platform';
import { JobsWorkerEnv } from './jobs-worker.env.js';

const env = loadEnvOrExit(JobsWorkerEnv);
const budget = CONNECTION_BUDGETS[env.SERVICES_RPC ? 'jobs-worker, SERVICES_RPC=on' : 'jobs-worker'];
const service = await openServiceProcess('jobs-worker', env, budget);
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
  (part) => part.close(env.DRAIN_MS, life.hurry),
);
await life.open(
  'retention',
  () =>
    retentionPart({
      database,
      logger,
      settings: retentionOf(env),
      rooms: env.SERVICES_RPC ? ['lines', 'tables'] : ['lines'],
    }),
  (part) => part.close(),
);
if (env.SERVICES_RPC) {
  const fastServices = await life.open(
    'fast services',
    () => fastServicesPart({ database, search, logger }),
    (part) => part.close(),
  );
  await life.open(
    'ledger check',
    () => ledgerCheckPart({ database, logger }),
    (part) => part.close(),
  );
  await serveRpc(env, service, [batches.handlers, fastServices.handlers, erasurePart(database)]);
  // Closed before the calls are drained: a held read must be answered at once, not waited for.
  await life.open(
    'held reads',
    () => batches,
    (part) => part.close(),
  );
}
logger.info({ queues: env.WORKER_QUEUES }, 'lines are worked on');
