import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import type { QUEUES } from '@quarry/dto';
import { LOGGER, PeriodicTask, QueueBus, type Logger } from '@quarry/platform';
import { GoAgent } from './go-agent.js';
import { GoLeaseStore } from './go-lease.store.js';
import { GoWaiters } from './go-waiters.js';

// With a lease of 30 s this finds a lost run within 45 s.
const REAP_MS = 3_000;

/** Consumes the queue of Go, and finds runs that lost their worker or their delivery, from the database alone. */
@Injectable()
export class GoConsumer implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private readonly reaper: PeriodicTask;

  constructor(
    @Inject(QueueBus) private readonly queues: QueueBus<typeof QUEUES>,
    private readonly agent: GoAgent,
    private readonly leases: GoLeaseStore,
    private readonly waiters: GoWaiters,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.reaper = new PeriodicTask(() => this.reap(), {
      intervalMs: REAP_MS,
      onError: (error) => logger.warn({ err: error }, 'Go runs could not be looked after'),
    });
  }

  onApplicationBootstrap(): void {
    // Nest does not wait for the start with a stop that comes in the middle of it.
    if (this.stopping.signal.aborted) return;
    this.queues.consume(['go-runs'], { 'go-runs': ({ runId }) => this.work(runId) });
    this.reaper.start();
  }

  /** Hands every run in hand back to the others. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.queues.pause(['go-runs']);
    this.stopping.abort();
    await this.reaper.stop();
    await this.agent.drained();
  }

  private async work(runId: string): Promise<void> {
    await this.agent.work(runId, this.stopping.signal);
    // A reader in this process need not wait for the next tick.
    void this.waiters.check();
  }

  private async reap(): Promise<void> {
    const lost = await this.leases.reapLost();
    if (lost.length > 0) this.logger.warn({ runs: lost }, 'Go runs lost their worker');
    for (const runId of await this.leases.takeSilent())
      await this.queues.add('go-runs', [{ runId }]).catch(() => void this.work(runId));
  }
}
