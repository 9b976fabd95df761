import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Lifecycle, type Logger } from '@quarry/app';
import type { QueueBus, QueueDefinitions } from '@quarry/queue';
import { WorkConsumer } from './work-consumer.js';
import { defineWork } from './work-definition.js';
import { WorkHandler, type TurnEnd } from './work-handler.js';

interface Message {
  id: string;
}

const SWEEP_MS = 1_000;
const DRAIN_MS = 5_000;

/** Handler whose turns the tests script. */
class ScriptedHandler extends WorkHandler<Message> {
  due: string[] = [];
  readonly taken: string[] = [];
  find: () => Promise<void> = async () => undefined;
  turn: (id: string) => Promise<TurnEnd> = async () => 'idle';

  constructor(
    private readonly prefix: string,
    logger: Logger,
  ) {
    super(
      defineWork({ name: 'run', queue: 'spec', sweepMs: SWEEP_MS, drainMs: DRAIN_MS, leaseMs: 30_000 }),
      logger,
    );
  }

  get isCutOff(): boolean {
    return this.cutOff.aborted;
  }

  override acceptsWork({ id }: Message): boolean {
    return id.startsWith(this.prefix);
  }

  async takeDue(): Promise<Message[]> {
    await this.find();
    return this.due.splice(0).map((id) => ({ id }));
  }

  protected performWork({ id }: Message): Promise<TurnEnd> {
    this.taken.push(id);
    return this.turn(id);
  }
}

describe('a consumer of durable work', () => {
  let handler: ScriptedHandler;
  let other: ScriptedHandler;
  let consumer: WorkConsumer<Message>;
  let logged: string[];
  let isQueueAway: boolean;
  let take: (message: Message) => Promise<void>;

  beforeEach(() => {
    jest.useFakeTimers();
    [logged, isQueueAway] = [[], false];
    const log = (_facts: unknown, message: string) => logged.push(message);
    const logger = { warn: log, error: log } as unknown as Logger;
    [handler, other] = [new ScriptedHandler('a', logger), new ScriptedHandler('b', logger)];
    const queues = {
      consumeQueue: (_names: unknown, handlers: { spec: typeof take }) => (take = handlers.spec),
      addMessages: async (_name: string, messages: Message[]) => {
        if (isQueueAway) throw new Error('away');
        for (const message of messages) void take(message);
      },
      pauseQueues: async () => undefined,
    } as unknown as QueueBus<QueueDefinitions>;
    consumer = new WorkConsumer([handler, other], queues, new Lifecycle(() => undefined), logger);
  });
  afterEach(async () => {
    await consumer.beforeApplicationShutdown();
    jest.useRealTimers();
  });

  it('finds waiting work at once, and later work within a sweep', async () => {
    handler.due = ['a1'];
    consumer.onApplicationBootstrap();
    await jest.advanceTimersByTimeAsync(0);
    expect(handler.taken).toEqual(['a1']);
    handler.due = ['a2'];
    await jest.advanceTimersByTimeAsync(SWEEP_MS);
    expect(handler.taken).toEqual(['a1', 'a2']);
  });

  it('gives each handler of a queue its own messages', async () => {
    consumer.onApplicationBootstrap();
    await Promise.all(['a1', 'b1', 'c1'].map((id) => take({ id })));
    expect([handler.taken, other.taken]).toEqual([['a1'], ['b1']]);
  });

  it('takes another turn while there is more, and works without the queue if that accepts nothing', async () => {
    consumer.onApplicationBootstrap();
    isQueueAway = true;
    handler.turn = async () => (handler.taken.length < 3 ? 'more' : 'idle');
    await take({ id: 'a1' });
    await jest.advanceTimersByTimeAsync(0);
    expect(handler.taken).toEqual(['a1', 'a1', 'a1']);
  });

  it('continues after a failed sweep or turn', async () => {
    handler.find = () => Promise.reject(new Error('storage is away'));
    consumer.onApplicationBootstrap();
    await jest.advanceTimersByTimeAsync(0);
    handler.find = async () => undefined;
    handler.turn = () => Promise.reject(new Error('storage is away'));
    handler.due = ['a1'];
    await jest.advanceTimersByTimeAsync(SWEEP_MS);
    handler.turn = async () => 'idle';
    handler.due = ['a2'];
    await jest.advanceTimersByTimeAsync(SWEEP_MS);
    expect(handler.taken).toEqual(['a1', 'a2']);
    expect(logged).toEqual([
      'work that is due could not be looked for',
      'work could not be done; it comes again after its lease',
    ]);
  });

  it('stops after the running turn, which is aborted after its time', async () => {
    let end: (how: TurnEnd) => void = () => undefined;
    handler.turn = () => new Promise((resolve) => (end = resolve));
    consumer.onApplicationBootstrap();
    void take({ id: 'a1' });
    let isStopped = false;
    const stopped = consumer.beforeApplicationShutdown().then(() => (isStopped = true));
    await jest.advanceTimersByTimeAsync(DRAIN_MS - 1);
    expect([handler.isCutOff, isStopped]).toEqual([false, false]);
    await jest.advanceTimersByTimeAsync(1);
    expect([handler.isCutOff, isStopped]).toEqual([true, false]);
    end('idle');
    await stopped;
    handler.due = ['a2'];
    await jest.advanceTimersByTimeAsync(10 * SWEEP_MS);
    expect(handler.taken).toEqual(['a1']);
  });
});
