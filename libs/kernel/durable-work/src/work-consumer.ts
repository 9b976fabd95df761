import type {
  BeforeApplicationShutdown,
  FactoryProvider,
  OnApplicationBootstrap,
  Type,
} from '@nestjs/common';
import { Lifecycle, LOGGER, PeriodicTask, type Logger } from '@quarry/app';
import { QueueBus, type QueueDefinitions } from '@quarry/queue';
import type { WorkHandler } from './work-handler.js';

/**
 * Gives turns to the handlers of a queue: for messages, and for work that a sweep finds in the database, because not every writer
 * sends a message, retries become due by time, and a turn is lost with its process.
 */
export class WorkConsumer<Message extends object>
  implements OnApplicationBootstrap, BeforeApplicationShutdown
{
  private readonly sweeps: PeriodicTask[];

  /** @param handlers of one queue; the first that accepts a message gets it */
  constructor(
    private readonly handlers: ReadonlyArray<WorkHandler<Message>>,
    private readonly queues: QueueBus<QueueDefinitions>,
    private readonly life: Lifecycle,
    logger: Logger,
  ) {
    this.sweeps = handlers.map((handler) => {
      const { name: work, sweepMs: intervalMs } = handler.definition;
      return new PeriodicTask(async () => this.deliverMessages(await handler.takeDue()), {
        intervalMs,
        onError: (error) => logger.warn({ err: error, work }, 'work that is due could not be looked for'),
      });
    });
  }

  onApplicationBootstrap(): void {
    // Nest may call the stop hook while this one is still running.
    if (this.life.isClosing) return;
    this.queues.consumeQueue([this.queue], {
      [this.queue]: (message: unknown) => this.workOn(message as Message),
    });
    for (const sweep of this.sweeps) sweep.start();
  }

  /** Takes no more turns, and hands back those in progress. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.queues.pauseQueues([this.queue]);
    await Promise.all(this.sweeps.map((sweep) => sweep.stop()));
    await Promise.all(this.handlers.map((handler) => handler.stopWork()));
  }

  private get queue(): string {
    return this.handlers[0]!.definition.queue;
  }

  private async workOn(message: Message): Promise<void> {
    const handler = this.handlers.find((each) => each.acceptsWork(message));
    if ((await handler?.takeTurn(message)) === 'more') await this.deliverMessages([message]);
  }

  /** Sends messages to the queue; if it is unavailable, works on them in this process. */
  private async deliverMessages(messages: Message[]): Promise<void> {
    await this.queues.addMessages(this.queue, messages).catch(() => {
      for (const message of messages) void this.workOn(message);
    });
  }
}

/** @returns the provider of a consumer for handlers of one queue, which must be providers of the same module */
export function consumeWork<Message extends object>(
  ...handlers: Array<Type<WorkHandler<Message>>>
): FactoryProvider<WorkConsumer<Message>> {
  return {
    provide: Symbol(`quarry:durable-work:${handlers.map(({ name }) => name).join(',')}`),
    inject: [QueueBus, Lifecycle, LOGGER, ...handlers],
    useFactory: (
      queues: QueueBus<QueueDefinitions>,
      life: Lifecycle,
      logger: Logger,
      ...made: Array<WorkHandler<Message>>
    ) => new WorkConsumer(made, queues, life, logger),
  };
}
