import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import type { MailboxTurn, QUEUES } from '@quarry/dto';
import { Lifecycle, LOGGER, PeriodicTask, QueueBus, type Logger } from '@quarry/platform';
import { InboxReader } from './inbox-reader.js';
import { ReadingLeaseStore } from './reading-lease.store.js';

/** How soon an inbox is read that it is time for. */
const SWEEP_MS = 500;

/**
 * Consumes the queue of inboxes, and finds those that it is time to read, from the database alone: a turn that was lost with its
 * process comes again.
 */
@Injectable()
export class ReceiveConsumer implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly sweep: PeriodicTask;

  constructor(
    @Inject(QueueBus) private readonly queues: QueueBus<typeof QUEUES>,
    private readonly reader: InboxReader,
    private readonly leases: ReadingLeaseStore,
    private readonly life: Lifecycle,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.sweep = new PeriodicTask(async () => this.deliver(await this.leases.takeDue()), {
      intervalMs: SWEEP_MS,
      onError: (error) => logger.warn({ err: error }, 'inboxes could not be looked after'),
    });
  }

  onApplicationBootstrap(): void {
    // Nest does not wait for the start with a stop that comes in the middle of it.
    if (this.life.isClosing) return;
    this.queues.consume(['outreach-receive'], { 'outreach-receive': (turn) => this.work(turn) });
    this.sweep.start();
  }

  /** Takes no more turns, and gives those in hand back. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.queues.pause(['outreach-receive']);
    await this.sweep.stop();
    await this.reader.stop();
  }

  private async work(turn: MailboxTurn): Promise<void> {
    if ((await this.reader.takeTurn(turn)) === 'more') await this.deliver([turn]);
  }

  /** Where the queue takes nothing, this process reads by itself. */
  private async deliver(turns: MailboxTurn[]): Promise<void> {
    await this.queues.add('outreach-receive', turns).catch(() => {
      for (const turn of turns) void this.work(turn);
    });
  }
}
