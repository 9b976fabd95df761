import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import type { QUEUES, WebhookTurn } from '@quarry/dto';
import { Lifecycle, LOGGER, PeriodicTask, QueueBus, type Logger } from '@quarry/platform';
import { WebhookLeaseStore } from './webhook-lease.store.js';
import { WebhookSender } from './webhook-sender.js';

/** How soon an event is on its way. */
const SWEEP_MS = 500;

/**
 * Consumes the queue of webhooks, and finds those that something is due for, from the database alone: who writes an event tells no
 * queue, a retry comes by its time, and a turn that was lost with its process comes again.
 */
@Injectable()
export class WebhookConsumer implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly sweep: PeriodicTask;

  constructor(
    @Inject(QueueBus) private readonly queues: QueueBus<typeof QUEUES>,
    private readonly sender: WebhookSender,
    private readonly leases: WebhookLeaseStore,
    private readonly life: Lifecycle,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.sweep = new PeriodicTask(() => this.queueDue(), {
      intervalMs: SWEEP_MS,
      onError: (error) => logger.warn({ err: error }, 'webhooks could not be looked after'),
    });
  }

  onApplicationBootstrap(): void {
    // Nest does not wait for the start with a stop that comes in the middle of it.
    if (this.life.isClosing) return;
    this.queues.consume(['webhook-delivery'], { 'webhook-delivery': (turn) => this.work(turn) });
    this.sweep.start();
  }

  /** Takes no more turns, and gives those in hand back. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.queues.pause(['webhook-delivery']);
    await this.sweep.stop();
    await this.sender.stop();
  }

  private async queueDue(): Promise<void> {
    await this.deliver(await this.leases.takeDue());
  }

  private async work(turn: WebhookTurn): Promise<void> {
    if ((await this.sender.takeTurn(turn)) === 'more') await this.deliver([turn]);
  }

  /** Where the queue takes nothing, this process sends by itself. */
  private async deliver(turns: WebhookTurn[]): Promise<void> {
    await this.queues.add('webhook-delivery', turns).catch(() => {
      for (const turn of turns) void this.work(turn);
    });
  }
}
