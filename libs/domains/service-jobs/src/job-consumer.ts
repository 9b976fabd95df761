import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import type { JobsReady } from '@quarry/dto';
import { Lifecycle } from '@quarry/app';
import { QueueBus } from '@quarry/queue';
import { BatchWaiters } from './batch-waiters.js';
import { DeliveryReconciler } from './delivery-reconciler.js';
import { ConsumerPause } from './consumer-pause.js';
import type { JobQueue, Queues } from './job-queues.js';
import { JobWorker } from './job-worker.js';

/** Settings of a worker process. */
export interface JobWorkerSettings {
  /** Queues that it consumes. */
  queueNames: readonly JobQueue[];
  /** Upper bound for the deadline of every search. */
  deadlineMaxMs?: number | undefined;
  /** Length of a job's lease in milliseconds; the default when left out. */
  leaseMs?: number | undefined;
  /** Milliseconds that jobs in progress get at a stop before they are handed back. */
  drainMs: number;
}

export const JOB_WORKER_SETTINGS = Symbol('quarry:service-jobs:job-worker-settings');

/** Consumes the queues of slow services. */
@Injectable()
export class JobConsumer implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(
    @Inject(QueueBus) private readonly queues: Queues,
    private readonly worker: JobWorker,
    private readonly consumerPause: ConsumerPause,
    private readonly reconciler: DeliveryReconciler,
    private readonly waiters: BatchWaiters,
    private readonly life: Lifecycle,
    @Inject(JOB_WORKER_SETTINGS) private readonly settings: JobWorkerSettings,
  ) {}

  onApplicationBootstrap(): void {
    // Nest may call the stop hook while this one is still running.
    if (this.life.isClosing) return;
    const { queueNames } = this.settings;
    const work = (message: JobsReady): Promise<void> => this.takeMessage(message);
    this.queues.consumeQueue(
      queueNames,
      Object.fromEntries(queueNames.map((name) => [name, work])) as Record<JobQueue, typeof work>,
    );
    this.reconciler.start();
    if (queueNames.length > 0) this.consumerPause.start();
  }

  /** Stops consuming, gives lines in progress their drain time (less when the stop is forced), and hands the rest back. */
  async beforeApplicationShutdown(): Promise<void> {
    this.consumerPause.stop();
    await this.queues.pauseQueues();
    await this.reconciler.stop();
    await this.worker.stop(this.settings.drainMs, this.life.force);
  }

  private async takeMessage({ jobIds }: JobsReady): Promise<void> {
    await this.worker.workQueue(jobIds).catch((error: unknown) => {
      this.consumerPause.checkNow();
      throw error;
    });
    // Wakes held reads in this process at once: a claim, too, may have ended a line.
    void this.waiters.checkEnds();
  }
}
