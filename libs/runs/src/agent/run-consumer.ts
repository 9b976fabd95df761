import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import type { QUEUES } from '@quarry/dto';
import { LOGGER, QueueBus, type Logger } from '@quarry/platform';
import { RunAgent } from './run-agent.js';
import { RunLeaseStore } from './run-lease.store.js';
import { RunReaper } from './run-reaper.js';

/** Consumes the agent's queue: plans runs and performs them. */
@Injectable()
export class RunConsumer implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private readonly reaper: RunReaper;

  constructor(
    @Inject(QueueBus) private readonly queues: QueueBus<typeof QUEUES>,
    private readonly agent: RunAgent,
    leases: RunLeaseStore,
    @Inject(LOGGER) logger: Logger,
  ) {
    const deliver = (runId: string): Promise<void> =>
      queues.add('agent-runs', [{ runId }]).catch(() => void this.work(runId));
    this.reaper = new RunReaper(leases, deliver, logger);
  }

  onApplicationBootstrap(): void {
    // Nest does not wait for the start with a stop that comes in the middle of it.
    if (this.stopping.signal.aborted) return;
    this.queues.consume(['agent-runs'], { 'agent-runs': ({ runId }) => this.work(runId) });
    this.reaper.start();
  }

  /** Hands every run in hand back to the others. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.queues.pause();
    this.stopping.abort();
    await this.reaper.stop();
    await this.agent.drained();
  }

  private work(runId: string): Promise<void> {
    return this.agent.work(runId, this.stopping.signal);
  }
}
