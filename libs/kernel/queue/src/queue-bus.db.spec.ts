import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from './spec-kit.js';
import {
  printMeasurement,
  OwnRedis,
  startTestRedis,
  TcpFaultProxy,
  waitFor,
  type TestRedis,
} from '@quarry/test-servers';
import { IsString } from 'class-validator';
import { systemCtx } from '@quarry/app';
import { QueueBus } from './queue-bus.js';
import { migrateQueues } from './queue-schema.js';

class Note {
  @IsString() text!: string;
}
const QUEUES = {
  notes: { payload: Note, concurrency: 4, lockMs: 30_000 },
  others: { payload: Note, concurrency: 4, lockMs: 30_000 },
};
const note = (text: string): Note => ({ text });

describe('a queue that is first used while its Redis is down', () => {
  it('fails soon, and works again when Redis is back', async () => {
    const redis = await OwnRedis.start();
    const bus = await QueueBus.open(QUEUES, { url: redis.url });
    await redis.end();
    await Promise.all([
      expect(bus.peekMessage('notes')).rejects.toThrow(),
      expect(bus.addMessages('notes', [note('lost')])).rejects.toThrow(),
    ]);
    await redis.begin();
    await waitFor('the queue', () =>
      bus.addMessages('notes', [note('kept')]).then(
        () => true,
        () => false,
      ),
    );
    expect(await bus.countWaiting('notes')).toBeGreaterThan(0);
    await bus.close();
    await redis.stop();
  });
});

describe('consumers whose Redis is gone', () => {
  it.each([
    ['before', false],
    ['during', true],
  ])('close when their current messages have ended, if it went %s the stop', async (_when, isLate) => {
    const redis = await OwnRedis.start();
    const bus = await QueueBus.open(QUEUES, { url: redis.url });
    const begun = Promise.withResolvers<string>();
    const end = Promise.withResolvers<void>();
    let isEnded = false;
    const take = async ({ text }: Note): Promise<void> => {
      begun.resolve(text);
      await end.promise;
      isEnded = true;
    };
    bus.consumeQueue(['notes', 'others'], { notes: take, others: take });
    // From another process, so that the queue holds the message.
    const producer = await QueueBus.open(QUEUES, { url: redis.url });
    await producer.addMessages('notes', [note('long')]);
    await producer.close();
    await begun.promise;
    if (!isLate) await redis.end();
    const closed = bus.close(60_000);
    if (isLate) {
      // Its answer comes after the one to the question of the stop itself.
      await bus.countWaiting('notes');
      await redis.end();
    }
    end.resolve();
    await closed;
    expect(isEnded).toBe(true);
    await redis.begin();
    await redis.stop();
  });
});

describe('consumers whose Redis refuses their login', () => {
  it('say so, leave the process responsive, and close', async () => {
    const redis = await OwnRedis.start();
    const url = redis.url.replace(/^redis:\/\/[^@]*@|^redis:\/\//, 'redis://nobody:wrong@');
    const errors: string[] = [];
    const bus = await QueueBus.open(QUEUES, { url, onError: ({ message }) => void errors.push(message) });
    bus.consumeQueue(['notes'], { notes: () => Promise.resolve() });
    await waitFor('the refusal', () => Promise.resolve(errors.some((each) => each.startsWith('WRONGPASS'))));
    await bus.close();
    await redis.stop();
  });
});

describe('connections of queues on PostgreSQL', () => {
  let database: TestDatabase;
  let proxy: TcpFaultProxy;
  let bus: QueueBus<typeof QUEUES>;
  let seen: string[];

  beforeAll(async () => {
    database = await createTestDatabase();
    await migrateQueues(database.ownerUrl, Object.keys(QUEUES));
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    proxy = await TcpFaultProxy.before(database.url);
    bus = await QueueBus.open(QUEUES, { url: proxy.through(database.url) });
    seen = [];
    const take = ({ text }: Note): Promise<void> => Promise.resolve(void seen.push(text));
    bus.consumeQueue(['notes', 'others'], { notes: take, others: take });
  });
  afterEach(async () => {
    await bus.close();
    await proxy.close();
  });

  const listening = async (): Promise<number[]> =>
    (
      await database.database.query<{ pid: number }>(
        systemCtx('spec'),
        "SELECT pid FROM pg_stat_activity WHERE application_name = 'queues' AND datname = current_database() AND query ~ 'LISTEN|^SELECT 1$'",
      )
    ).map(({ pid }) => pid);

  it('stay within the budget, however many queues and requests there are', async () => {
    const texts = Array.from({ length: 100 }, (_, i) => `n${i}`);
    // Messages that are added while the consumers are paused go into the queues.
    await bus.pauseQueues();
    await Promise.all([
      ...texts.map((text, i) => bus.addMessages(i % 2 ? 'notes' : 'others', [note(text)])),
      ...texts.map((_, i) => bus.countMessages(i % 2 ? 'notes' : 'others')),
    ]);
    await bus.resumeQueues();
    await waitFor('all messages', () => Promise.resolve(seen.length >= texts.length));
    const [row] = await database.database.query<{ n: number }>(
      systemCtx('spec'),
      "SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'queues' AND datname = current_database()",
    );
    const budget = Object.values(QueueBus.connectionsOf(database.url)).reduce((sum, n) => sum + n, 0);
    expect(row!.n).toBeGreaterThan(1);
    expect(row!.n).toBeLessThanOrEqual(budget);
    expect(QueueBus.connectionsOf('redis://localhost')).toEqual({});
  });

  /** Source: docs/reliability.md, Connections to PostgreSQL: a check every 2 s, 6 s for its response; then some margin. */
  const NOTICED_WITHIN_MS = 15_000;

  it('that may add nothing report why, and producers continue without the queue', async () => {
    const errors: string[] = [];
    const refused = await QueueBus.open(QUEUES, {
      url: database.metricsUrl,
      onError: ({ message }, queue) => errors.push(`${queue}: ${message}`),
    });
    await expect(refused.addMessages('notes', [note('a')])).rejects.toThrow('add_job');
    expect(errors).toEqual([expect.stringMatching(/^notes: function add_job/)]);
    await refused.close();
  });

  it('are replaced if the listening one goes silent, and messages arrive meanwhile', async () => {
    // A separate bus: one's own consumer would get the message directly, without the queue.
    const producer = await QueueBus.open(QUEUES, { url: database.url });
    await producer.addMessages('notes', [note('before')]);
    await waitFor('the first message', () => Promise.resolve(seen.includes('before')));
    const [before] = await waitFor('the listening', async () => {
      const pids = await listening();
      return pids.length === 1 && pids;
    });
    // The next thing on this connection is a notification, which is not followed by anything else.
    await proxy.set({ kind: 'dead-link', at: 'bullmq_jobs' });
    await producer.addMessages('notes', [note('missed')]);
    await waitFor('a dead link', () => Promise.resolve(proxy.deadLinks > 0));
    await proxy.set({ kind: 'pass' });
    await waitFor(
      'the message nobody was told of',
      () => Promise.resolve(seen.includes('missed')),
      NOTICED_WITHIN_MS,
    );
    await waitFor(
      'another connection that listens',
      async () => (await listening()).some((pid) => pid !== before),
      NOTICED_WITHIN_MS,
    );
    const addedAt = performance.now();
    await producer.addMessages('others', [note('after')]);
    await waitFor('the message after', () => Promise.resolve(seen.includes('after')), NOTICED_WITHIN_MS);
    printMeasurement(
      `a message after the listening was replaced came after ${Math.round(performance.now() - addedAt)} ms`,
    );
    await producer.close();
  });
});

describe.each(['postgres', 'redis'] as const)('queues on %s', (backend) => {
  let database: TestDatabase;
  let redis: TestRedis | null = null;
  const open: Array<QueueBus<typeof QUEUES>> = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    await migrateQueues(database.ownerUrl, Object.keys(QUEUES));
    redis = backend === 'redis' ? await startTestRedis() : null;
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((bus) => bus.close()));
  });
  afterAll(async () => {
    await redis?.stop();
    await database.drop();
  });

  async function bus(): Promise<QueueBus<typeof QUEUES>> {
    const opened = await QueueBus.open(QUEUES, { url: redis?.url ?? database.url });
    open.push(opened);
    return opened;
  }

  it('deliver every message to one consumer, once, and keep nothing of it', async () => {
    const [producer, first, second] = [await bus(), await bus(), await bus()];
    const seen: string[] = [];
    for (const consumer of [first, second])
      consumer.consumeQueue(['notes'], { notes: ({ text }) => Promise.resolve(void seen.push(text)) });
    const texts = Array.from({ length: 40 }, (_, i) => `n${i}`);
    await producer.addMessages('notes', texts.map(note));
    await waitFor('all messages', () => Promise.resolve(seen.length >= 40));
    expect(seen.sort()).toEqual(texts.sort());
    await waitFor('an empty queue', async () => (await producer.countMessages('notes')) === 0);
  });

  it('continue after a message whose handler throws', async () => {
    const consumer = await bus();
    const seen: string[] = [];
    consumer.consumeQueue(['others'], {
      others: ({ text }) => {
        seen.push(text);
        return text === 'bad' ? Promise.reject(new Error('bad message')) : Promise.resolve();
      },
    });
    await consumer.addMessages('others', [note('bad'), note('good')]);
    await waitFor('both messages', () => Promise.resolve(seen.length === 2));
    const producer = await bus();
    await producer.addMessages('others', [note('bad'), note('good')]);
    await waitFor('both from the queue', () => Promise.resolve(seen.length === 4));
  });

  it('show the message that has waited longest, and leave it in place', async () => {
    const producer = await bus();
    expect(await producer.peekMessage('notes')).toBeNull();
    await producer.addMessages('notes', [note('first')]);
    await producer.addMessages(
      'notes',
      Array.from({ length: 19 }, (_, i) => note(`later ${i}`)),
    );
    expect(await producer.peekMessage('notes')).toEqual({ text: 'first' });
    expect(await producer.countWaiting('notes')).toBe(20);
    const consumer = await bus();
    consumer.consumeQueue(['notes'], { notes: () => Promise.resolve() });
    await waitFor('an empty queue', async () => (await producer.countMessages('notes')) === 0);
    expect(await producer.peekMessage('notes')).toBeNull();
  });

  it('deliver nothing while paused, and continue when resumed', async () => {
    const [producer, consumer] = [await bus(), await bus()];
    const seen: string[] = [];
    consumer.consumeQueue(['notes', 'others'], {
      notes: ({ text }) => Promise.resolve(void seen.push(text)),
      others: ({ text }) => Promise.resolve(void seen.push(text)),
    });
    await consumer.pauseQueues(['notes']);
    // A fetch that was pending when the pause started may still return a message.
    await producer.addMessages('notes', [note('first'), note('second')]);
    await producer.addMessages('others', [note('other')]);
    await waitFor('the other queue', () => Promise.resolve(seen.includes('other')));
    expect(await producer.countMessages('notes')).toBeGreaterThan(0);
    await consumer.resumeQueues(['notes']);
    await waitFor('both', () => Promise.resolve(seen.includes('first') && seen.includes('second')));
    await waitFor('an empty queue', async () => (await producer.countMessages('notes')) === 0);
  });

  it('refuse a payload that its class does not allow', async () => {
    const producer = await bus();
    await expect(producer.addMessages('notes', [{ text: 5 } as unknown as Note])).rejects.toThrow('text');
    expect(await producer.countMessages('notes')).toBe(0);
  });

  it('do not start with a missing or a second handler', async () => {
    const consumer = await bus();
    expect(() => consumer.consumeQueue(['notes'], {} as never)).toThrow('no handler');
    consumer.consumeQueue(['notes'], { notes: () => Promise.resolve() });
    expect(() => consumer.consumeQueue(['notes'], { notes: () => Promise.resolve() })).toThrow(
      'two handlers',
    );
  });

  it('pass messages within the process up to their capacity, and queue the others', async () => {
    const consumer = await bus();
    const seen: string[] = [];
    const ends: Array<() => void> = [];
    consumer.consumeQueue(['notes'], {
      notes: ({ text }) => {
        seen.push(text);
        return text === 'short' ? Promise.resolve() : new Promise((resolve) => ends.push(resolve));
      },
    });
    await consumer.addMessages('notes', [note('1'), note('2')]);
    await consumer.addMessages('notes', [note('3')]);
    expect(seen).toEqual(['1', '2', '3']);
    // The fourth slot is reserved for messages from the queue.
    await consumer.addMessages('notes', [note('short'), note('short')]);
    await waitFor('what the queue has had', () => Promise.resolve(seen.length === 5));
    await consumer.pauseQueues(['notes']);
    for (const end of ends) end();
    await consumer.addMessages('notes', [note('paused')]);
    expect(await consumer.countMessages('notes')).toBe(1);
    await consumer.resumeQueues(['notes']);
    await waitFor('what came during the pause', () => Promise.resolve(seen.length === 6));
    for (const end of ends) end();
  });

  it('handle no more messages at once than configured, wherever they come from', async () => {
    const [consumer, producer] = [await bus(), await bus()];
    const ends: Array<() => void> = [];
    let [atOnce, most] = [0, 0];
    consumer.consumeQueue(['notes'], {
      notes: async () => {
        most = Math.max(most, (atOnce += 1));
        await new Promise<void>((resolve) => ends.push(resolve));
        atOnce -= 1;
      },
    });
    const own = ['1', '2', '3'].map(note);
    await consumer.addMessages('notes', own);
    await producer.addMessages('notes', [note('4'), note('5'), note('6')]);
    await waitFor('one more from the queue', () => Promise.resolve(ends.length === own.length + 1));
    while (ends.length < 6) {
      for (const end of ends) end();
      await waitFor('the next', () => Promise.resolve(ends.length === 6 || atOnce > 0));
    }
    for (const end of ends) end();
    expect(most).toBe(QUEUES.notes.concurrency);
  });

  it.each(['of its own process', 'of another'])(
    'abort a handler that outlives the grace period of a stop, for a message %s',
    async (of) => {
      const consumer = await bus();
      let aborted = false;
      const started = new Promise<void>((resolve) => {
        consumer.consumeQueue(['notes'], {
          notes: (_payload, signal) =>
            new Promise((end) => {
              resolve();
              signal.addEventListener('abort', () => {
                aborted = true;
                end();
              });
            }),
        });
      });
      const producer = of === 'of another' ? await bus() : consumer;
      await producer.addMessages('notes', [note('long')]);
      await started;
      await consumer.close(50);
      expect(aborted).toBe(true);
    },
  );
});
