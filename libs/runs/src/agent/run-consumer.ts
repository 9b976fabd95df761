import {
  Inject,
  Injectable,
  Optional,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import type { QUEUES, RunReady } from '@quarry/dto';
import { isId, LOGGER, QueueBus, type Logger } from '@quarry/platform';
import { EnrichmentAgent } from '../enrichments/enrichment-agent.js';
import { RunAgent } from './run-agent.js';
import { RunLeaseStore, type RunQueue } from './run-lease.store.js';
import { RunReaper } from './run-reaper.js';

/** Token of the queue that the runs of a module come from. */
export const RUN_QUEUE = Symbol('quarry:runs:queue');

/** Consumes a queue of runs: plans them and performs them. */
@Injectable()
export class RunConsumer implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private readonly reaper: RunReaper;

  constructor(
    @Inject(QueueBus) private readonly queues: QueueBus<typeof QUEUES>,
    private readonly agent: RunAgent,
    @Inject(RUN_QUEUE) private readonly queue: RunQueue,
    leases: RunLeaseStore,
    @Inject(LOGGER) logger: Logger,
    /** Absent where no enrichments are worked on. */
    @Optional() private readonly enrichments?: EnrichmentAgent,
  ) {
    const deliver = (runId: string): Promise<void> =>
      queues.add(queue, [{ runId }]).catch(() => void this.work(runId));
    this.reaper = new RunReaper(leases, deliver, logger, queue);
  }

  onApplicationBootstrap(): void {
    // Nest does not wait for the start with a stop that comes in the middle of it.
    if (this.stopping.signal.aborted) return;
    const handler = ({ runId: id }: RunReady): Promise<void> =>
      isId('enr', id) ? (this.enrichments?.work(id) ?? Promise.resolve()) : this.work(id);
    this.queues.consume([this.queue], { 'agent-runs': handler, 'sourcing-runs': handler });
    this.reaper.start();
  }

  /** Hands every run in hand back to the others. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.queues.pause([this.queue]);
    this.stopping.abort();
    await this.reaper.stop();
    await this.agent.drained();
  }

  private work(runId: string): Promise<void> {
    return this.agent.work(runId, this.stopping.signal, this.queue);
  }
}
