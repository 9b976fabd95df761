import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createTestDatabase,
  OwnRedis,
  startTestRedis,
  waitFor,
  type TestDatabase,
  type TestRedis,
} from '@quarry/testing';
import { IsString } from 'class-validator';
import { QueueBus } from './queue-bus.js';

class Note {
  @IsString() text!: string;
}
const QUEUES = {
  notes: { payload: Note, concurrency: 4, lockMs: 30_000 },
  others: { payload: Note, concurrency: 4, lockMs: 30_000 },
};
const note = (text: string): Note => ({ text });

describe('a queue that is first asked while its Redis is away', () => {
  it('says so soon, and is asked again when it is back', async () => {
    const redis = await OwnRedis.start();
    const bus = await QueueBus.open(QUEUES, { url: redis.url });
    await redis.end();
    await expect(bus.next('notes')).rejects.toThrow();
    await expect(bus.add('notes', [note('lost')])).rejects.toThrow();
    await redis.begin();
    await waitFor('the queue', () =>
      bus.add('notes', [note('kept')]).then(
        () => true,
        () => false,
      ),
    );
    expect(await bus.waiting('notes')).toBeGreaterThan(0);
    await bus.close();
    await redis.stop();
  }, 60_000);
});

describe.each(['postgres', 'redis'] as const)('queues on %s', (backend) => {
  let database: TestDatabase;
  let redis: TestRedis | null = null;
  const open: Array<QueueBus<typeof QUEUES>> = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    redis = backend === 'redis' ? await startTestRedis() : null;
  }, 60_000);
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

  it('hands every message to one consumer, once, and keeps nothing of it', async () => {
    const [producer, first, second] = [await bus(), await bus(), await bus()];
    const seen: string[] = [];
    for (const consumer of [first, second])
      consumer.consume(['notes'], { notes: ({ text }) => Promise.resolve(void seen.push(text)) });
    const texts = Array.from({ length: 40 }, (_, i) => `n${i}`);
    await producer.add('notes', texts.map(note));
    await waitFor('all messages', () => Promise.resolve(seen.length >= 40));
    expect(seen.sort()).toEqual(texts.sort());
    await waitFor('an empty queue', async () => (await producer.depth('notes')) === 0);
  });

  it('goes on after a message whose handler throws', async () => {
    const consumer = await bus();
    const seen: string[] = [];
    consumer.consume(['others'], {
      others: ({ text }) => {
        seen.push(text);
        return text === 'bad' ? Promise.reject(new Error('bad message')) : Promise.resolve();
      },
    });
    await consumer.add('others', [note('bad'), note('good')]);
    await waitFor('both messages', () => Promise.resolve(seen.length === 2));
  });

  it('shows the message that has waited longest, and leaves it where it is', async () => {
    const producer = await bus();
    expect(await producer.next('notes')).toBeNull();
    await producer.add('notes', [note('first')]);
    await producer.add(
      'notes',
      Array.from({ length: 19 }, (_, i) => note(`later ${i}`)),
    );
    expect(await producer.next('notes')).toEqual({ text: 'first' });
    expect(await producer.waiting('notes')).toBe(20);
    const consumer = await bus();
    consumer.consume(['notes'], { notes: () => Promise.resolve() });
    await waitFor('an empty queue', async () => (await producer.depth('notes')) === 0);
    expect(await producer.next('notes')).toBeNull();
  });

  it('takes nothing while it is paused, and goes on when it is resumed', async () => {
    const [producer, consumer] = [await bus(), await bus()];
    const seen: string[] = [];
    consumer.consume(['notes', 'others'], {
      notes: ({ text }) => Promise.resolve(void seen.push(text)),
      others: ({ text }) => Promise.resolve(void seen.push(text)),
    });
    await consumer.pause(['notes']);
    // What was being waited for when the pause began may still come.
    await producer.add('notes', [note('first'), note('second')]);
    await producer.add('others', [note('other')]);
    await waitFor('the other queue', () => Promise.resolve(seen.includes('other')));
    expect(await producer.depth('notes')).toBeGreaterThan(0);
    await consumer.resume(['notes']);
    await waitFor('both', () => Promise.resolve(seen.includes('first') && seen.includes('second')));
    await waitFor('an empty queue', async () => (await producer.depth('notes')) === 0);
  });

  it('refuses a payload that its class does not allow', async () => {
    const producer = await bus();
    await expect(producer.add('notes', [{ text: 5 } as unknown as Note])).rejects.toThrow('text');
    expect(await producer.depth('notes')).toBe(0);
  });

  it('does not start with a missing or a second handler', async () => {
    const consumer = await bus();
    expect(() => consumer.consume(['notes'], {} as never)).toThrow('no handler');
    consumer.consume(['notes'], { notes: () => Promise.resolve() });
    expect(() => consumer.consume(['notes'], { notes: () => Promise.resolve() })).toThrow('two handlers');
  });

  it('tells a handler that outlives the grace of a stop', async () => {
    const consumer = await bus();
    let aborted = false;
    const started = new Promise<void>((resolve) => {
      consumer.consume(['notes'], {
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
    await consumer.add('notes', [note('long')]);
    await started;
    await consumer.close(50);
    expect(aborted).toBe(true);
  });
});
