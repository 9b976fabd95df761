import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import type { MailboxTurn, QUEUES } from '@quarry/dto';
import { Lifecycle, LOGGER, PeriodicTask, QueueBus, type Logger } from '@quarry/platform';
import { MailSender } from './mail-sender.js';
import { OutgoingMessageStore } from './outgoing-message.store.js';
import { SendingLeaseStore } from './sending-lease.store.js';

/** How soon a message is on its way. */
const SWEEP_MS = 500;

/**
 * Consumes the queue of mailboxes that send, and finds those that something is due from, from the database alone: who approves or
 * drafts a message tells no queue, a step comes by its time, and a turn that was lost with its process comes again.
 */
@Injectable()
export class SendConsumer implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly sweep: PeriodicTask;

  constructor(
    @Inject(QueueBus) private readonly queues: QueueBus<typeof QUEUES>,
    private readonly sender: MailSender,
    private readonly leases: SendingLeaseStore,
    private readonly messages: OutgoingMessageStore,
    private readonly life: Lifecycle,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.sweep = new PeriodicTask(() => this.look(), {
      intervalMs: SWEEP_MS,
      onError: (error) => logger.warn({ err: error }, 'mailboxes that send could not be looked after'),
    });
  }

  onApplicationBootstrap(): void {
    // Nest does not wait for the start with a stop that comes in the middle of it.
    if (this.life.isClosing) return;
    this.queues.consume(['outreach-send'], { 'outreach-send': (turn) => this.work(turn) });
    this.sweep.start();
  }

  /** Takes no more turns, and gives those in hand back. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.queues.pause(['outreach-send']);
    await this.sweep.stop();
    await this.sender.stop();
  }

  private async look(): Promise<void> {
    await this.messages.reap();
    await this.deliver(await this.leases.takeDue());
  }

  private async work(turn: MailboxTurn): Promise<void> {
    if ((await this.sender.takeTurn(turn)) === 'more') await this.deliver([turn]);
  }

  /** Where the queue takes nothing, this process sends by itself. */
  private async deliver(turns: MailboxTurn[]): Promise<void> {
    await this.queues.add('outreach-send', turns).catch(() => {
      for (const turn of turns) void this.work(turn);
    });
  }
}
