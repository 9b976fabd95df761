import { Module, type DynamicModule } from '@nestjs/common';
import { LOGGER, WorkMetrics, type Logger } from '@quarry/app';
import { leaseTiming } from '@quarry/durable-work';
import { Providers } from '@quarry/engine';
import { Database } from '@quarry/postgres';
import { QueueBus } from '@quarry/queue';
import { SLOW_SERVICES } from '@quarry/service-catalog';
import { BatchWaiters } from './batch-waiters.js';
import type { Deliver } from './batch.store.js';
import { ConsumerPause } from './consumer-pause.js';
import { DeliveryReconciler } from './delivery-reconciler.js';
import { JOB_WORKER_SETTINGS, JobConsumer, type JobWorkerSettings } from './job-consumer.js';
import { JobLeaseStore } from './job-lease.store.js';
import type { JobQueue, Queues } from './job-queues.js';
import { JobWorker } from './job-worker.js';
import { ServiceJobsModule } from './service-jobs.module.js';
import { DELIVER } from './tokens.js';

/** Works on jobs of the queues that the settings name. */
@Module({})
export class JobWorkerModule {
  static forRoot(settings: JobWorkerSettings): DynamicModule {
    const { queueNames, deadlineMaxMs, leaseMs } = settings;
    return {
      module: JobWorkerModule,
      imports: [ServiceJobsModule],
      providers: [
        JobConsumer,
        { provide: JOB_WORKER_SETTINGS, useValue: settings },
        {
          provide: JobLeaseStore,
          useFactory: (database: Database, metrics: WorkMetrics, waiters: BatchWaiters) =>
            new JobLeaseStore(database, leaseTiming(leaseMs), metrics, (ids) => waiters.announceEnds(ids)),
          inject: [Database, WorkMetrics, BatchWaiters],
        },
        {
          provide: JobWorker,
          useFactory: (leases: JobLeaseStore, providers: Providers, logger: Logger) =>
            new JobWorker(leases, (tenant) => providers.searcherFor(tenant), logger, { deadlineMaxMs }),
          inject: [JobLeaseStore, Providers, LOGGER],
        },
        {
          provide: ConsumerPause,
          useFactory: (database: Database, queues: Queues, leases: JobLeaseStore, logger: Logger) =>
            new ConsumerPause(
              {
                ask: () => database.ping(),
                pause: () => queues.pauseQueues(queueNames),
                resume: () => queues.resumeQueues(queueNames),
                logger,
              },
              leases.timing.heartbeatMs,
            ),
          inject: [Database, QueueBus, JobLeaseStore, LOGGER],
        },
        {
          provide: DeliveryReconciler,
          useFactory: (
            database: Database,
            queues: Queues,
            worker: JobWorker,
            deliver: Deliver,
            logger: Logger,
            metrics: WorkMetrics,
          ) =>
            new DeliveryReconciler(database, {
              services: Object.values(SLOW_SERVICES)
                .filter(({ queue }) => queueNames.includes(queue as JobQueue))
                .map(({ name }) => name),
              deliver,
              work: (ids) => worker.workQueue(ids),
              nextLine: async (queue) => (await queues.peekMessage(queue as JobQueue))?.jobIds[0] ?? null,
              logger,
              metrics,
            }),
          inject: [Database, QueueBus, JobWorker, DELIVER, LOGGER, WorkMetrics],
        },
      ],
    };
  }
}
