import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openRedis, type RedisClient } from '@quarry/queue';
import { startTestRedis, waitFor, type TestRedis } from '@quarry/test-servers';
import { MemoryRateLimitStore } from './memory-rate-limit.store.js';
import { RATE_WINDOW_MS, type RateClass } from './rate-class.catalogue.js';
import { PLACE_TTL_MS, type RateLimitStore, type RateRequest } from './rate-limit.store.js';
import { RedisRateLimitStore } from './redis-rate-limit.store.js';

/** A store, and a way to advance its time. */
interface Subject {
  store: RateLimitStore;
  /** Moves everything that the store has recorded about a user into the past by `ms`. */
  age(userId: string, ms: number): Promise<void>;
  close(): Promise<void>;
}

let redis: TestRedis;
beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());

function openMemory(): Promise<Subject> {
  let nowMs = 0;
  const store = new MemoryRateLimitStore(() => nowMs);
  return Promise.resolve({
    store,
    age: (_userId, ms) => {
      nowMs += ms;
      return Promise.resolve();
    },
    close: () => store.close(),
  });
}

async function openInRedis(): Promise<Subject> {
  const client = await connected(redis.url);
  const admin = await connected(redis.url);
  const store = new RedisRateLimitStore(client);
  return {
    store,
    age: (userId, ms) => ageInRedis(admin, userId, ms),
    close: async () => {
      await store.close();
      admin.disconnect();
    },
  };
}

async function connected(url: string): Promise<RedisClient> {
  const client = await openRedis(url, 2_000);
  await waitFor('Redis', () => Promise.resolve(client.status === 'ready'));
  return client;
}

/** Moves recorded times into the past, because the clock of the Redis server cannot be changed. */
async function ageInRedis(admin: RedisClient, userId: string, ms: number): Promise<void> {
  for (const name of await admin.keys(`quarry:rate:{${userId}}:*`)) {
    if ((await admin.type(name)) === 'list') {
      const times = await admin.lrange(name, 0, -1);
      for (const [i, time] of times.entries()) await admin.lset(name, i, Number(time) - ms);
    } else {
      for (const place of await admin.zrange(name, 0, -1)) await admin.zincrby(name, -ms, place);
    }
  }
}

describe.each([
  ['in memory', openMemory],
  ['in Redis', openInRedis],
])('the rate limit store %s', (_name, open) => {
  let subject: Subject;
  let users = 0;
  let requests = 0;
  beforeAll(async () => {
    subject = await open();
  });
  afterAll(() => subject.close());

  function someone(rateClass: Partial<RateClass> = {}) {
    users += 1;
    const number = users;
    const userId = `usr_${process.pid}_${number}`;
    const classOf: RateClass = { name: 'reads', budget: 3, concurrency: null, ...rateClass };
    const request = (key = 'a'): RateRequest => {
      requests += 1;
      return { keyId: `key_${number}_${key}`, userId, rateClass: classOf, requestId: `r${requests}` };
    };
    const take = async (key?: string) => subject.store.takeRequest(request(key));
    return { userId, request, take, outcome: async (key?: string) => (await take(key)).outcome };
  }

  it('admits the budget, returns the remainder, and refuses the next request', async () => {
    const { take } = someone();
    const remaining = [(await take()).remaining, (await take()).remaining, (await take()).remaining];
    expect(remaining).toEqual([2, 1, 0]);
    const refused = await take();
    expect(refused).toMatchObject({ outcome: 'window', limit: 3, remaining: 0 });
    // The length of the window, minus the time that the four requests took.
    expect(refused.resetSeconds).toBeGreaterThan(0);
    expect(refused.resetSeconds).toBeLessThanOrEqual(60);
  });

  it('has a sliding window: each request frees its place one window later', async () => {
    const { userId, outcome } = someone();
    await outcome();
    await subject.age(userId, RATE_WINDOW_MS / 2);
    await outcome();
    await outcome();
    await subject.age(userId, RATE_WINDOW_MS / 2);
    expect([await outcome(), await outcome()]).toEqual(['admitted', 'window']);
  });

  it('does not count refused requests', async () => {
    const { userId, outcome } = someone({ budget: 1 });
    await outcome();
    await subject.age(userId, RATE_WINDOW_MS / 2);
    expect(await outcome()).toBe('window');
    await subject.age(userId, RATE_WINDOW_MS / 2);
    expect(await outcome()).toBe('admitted');
  });

  it('limits all keys of a user to twice the budget of one', async () => {
    const { take, outcome } = someone();
    for (const key of ['a', 'a', 'a', 'b', 'b']) expect(await outcome(key)).toBe('admitted');
    expect((await take('c')).remaining).toBe(0);
    expect(await outcome('c')).toBe('window');
  });

  it('counts classes and users separately', async () => {
    const one = someone({ budget: 1 });
    const other = someone({ budget: 1 });
    expect([await one.outcome(), await other.outcome()]).toEqual(['admitted', 'admitted']);
    const heavy = { ...one.request(), rateClass: { name: 'heavy', budget: 1, concurrency: null } };
    expect((await subject.store.takeRequest(heavy)).outcome).toBe('admitted');
  });

  it('refuses too many concurrent requests, without using the window, until one ends', async () => {
    const { request, take } = someone({ budget: 100, concurrency: 2 });
    const first = request();
    await subject.store.takeRequest(first);
    await take();
    expect(await take()).toMatchObject({ outcome: 'concurrency', remaining: 98 });
    subject.store.releaseRequest(first);
    await waitFor('the place', async () => (await take()).outcome === 'admitted');
  });

  it('counts concurrent requests per key', async () => {
    const { outcome } = someone({ budget: 100, concurrency: 1 });
    expect([await outcome('a'), await outcome('b'), await outcome('a')]).toEqual([
      'admitted',
      'admitted',
      'concurrency',
    ]);
  });

  it('frees the places of a process that died', async () => {
    const { userId, outcome } = someone({ budget: 100, concurrency: 1 });
    await outcome();
    await subject.age(userId, PLACE_TTL_MS + 1);
    expect(await outcome()).toBe('admitted');
  });

  it('admits no more than the budget of concurrent requests', async () => {
    const { take } = someone({ budget: 20 });
    const verdicts = await Promise.all(Array.from({ length: 50 }, () => take()));
    expect(verdicts.filter(({ outcome }) => outcome === 'admitted')).toHaveLength(20);
  });
});

describe('two gateways on one Redis', () => {
  it('share one rate limit', async () => {
    const gateways = await Promise.all([openInRedis(), openInRedis()]);
    const rateClass = { name: 'reads', budget: 4, concurrency: null };
    const outcomes: string[] = [];
    for (let i = 0; i < 6; i += 1) {
      const request = { keyId: 'key_s', userId: `usr_s_${process.pid}`, rateClass, requestId: `s${i}` };
      outcomes.push((await gateways[i % 2]!.store.takeRequest(request)).outcome);
    }
    expect(outcomes.filter((outcome) => outcome === 'admitted')).toHaveLength(4);
    await Promise.all(gateways.map((gateway) => gateway.close()));
  });

  it('leave nothing behind in Redis for a user without requests', async () => {
    const { store, close } = await openInRedis();
    const admin = await connected(redis.url);
    const rateClass = { name: 'heavy', budget: 4, concurrency: 2 };
    await store.takeRequest({ keyId: 'key_g', userId: 'usr_gone', rateClass, requestId: 'g' });
    const names = await admin.keys('quarry:rate:{usr_gone}:*');
    const lives = await Promise.all(names.map((name) => admin.pttl(name)));
    expect(names).toHaveLength(3);
    for (const life of lives) expect(life).toBeGreaterThan(0);
    admin.disconnect();
    await close();
  });
});
