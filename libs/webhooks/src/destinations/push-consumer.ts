import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import type { DestinationTurn, QUEUES } from '@quarry/dto';
import { Lifecycle, LOGGER, PeriodicTask, QueueBus, type Logger } from '@quarry/platform';
import { DestinationLeaseStore } from './destination-lease.store.js';
import { PushSender } from './push-sender.js';

/** How soon a push begins. */
const SWEEP_MS = 500;

/**
 * Consumes the queue of pushes, and finds destinations whose next push is due, from the database alone: a retry comes by its time,
 * and a turn that was lost with its process comes again.
 */
@Injectable()
export class PushConsumer implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly sweep: PeriodicTask;

  constructor(
    @Inject(QueueBus) private readonly queues: QueueBus<typeof QUEUES>,
    private readonly sender: PushSender,
    private readonly leases: DestinationLeaseStore,
    private readonly life: Lifecycle,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.sweep = new PeriodicTask(async () => this.deliver(await this.leases.takeDue()), {
      intervalMs: SWEEP_MS,
      onError: (error) => logger.warn({ err: error }, 'destinations could not be looked after'),
    });
  }

  onApplicationBootstrap(): void {
    // Nest does not wait for the start with a stop that comes in the middle of it.
    if (this.life.isClosing) return;
    this.queues.consume(['destination-push'], { 'destination-push': (turn) => this.work(turn) });
    this.sweep.start();
  }

  /** Takes no more turns, and gives those in hand back. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.queues.pause(['destination-push']);
    await this.sweep.stop();
    await this.sender.stop();
  }

  private async work(turn: DestinationTurn): Promise<void> {
    if ((await this.sender.takeTurn(turn)) === 'more') await this.deliver([turn]);
  }

  /** Where the queue takes nothing, this process sends by itself. */
  private async deliver(turns: DestinationTurn[]): Promise<void> {
    await this.queues.add('destination-push', turns).catch(() => {
      for (const turn of turns) void this.work(turn);
    });
  }
}
