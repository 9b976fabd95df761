import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createLogger } from '@quarry/app';
import { ConsumerPause } from './consumer-pause.js';

const INTERVAL_MS = 10_000;

describe('the queue consumer', () => {
  let answer: () => Promise<unknown>;
  let requests: number;
  let turns: string[];
  let consumerPause: ConsumerPause;

  beforeEach(() => {
    jest.useFakeTimers();
    [requests, turns] = [0, []];
    answer = () => Promise.resolve();
    consumerPause = new ConsumerPause(
      {
        ask: () => {
          requests += 1;
          return answer();
        },
        pause: () => Promise.resolve(void turns.push('closed')),
        resume: () => Promise.resolve(void turns.push('open')),
        logger: createLogger('spec', 'silent'),
      },
      INTERVAL_MS,
    );
    consumerPause.start();
  });
  afterEach(() => {
    consumerPause.stop();
    jest.useRealTimers();
  });
  const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

  it('stays open while PostgreSQL answers', async () => {
    await pass(10 * INTERVAL_MS);
    expect({ requests, turns }).toEqual({ requests: 10, turns: [] });
  });

  it('pauses when an answer is missing, keeps checking, and opens at the first answer', async () => {
    answer = () => new Promise(() => undefined);
    await pass(2 * INTERVAL_MS);
    expect({ requests, turns }).toEqual({ requests: 1, turns: ['closed'] });
    await pass(1000);
    expect(requests).toBe(2);
    // The check in progress may never be answered; the next one is.
    answer = () => Promise.resolve();
    await pass(INTERVAL_MS + 1000);
    expect({ requests, turns }).toEqual({ requests: 3, turns: ['closed', 'open'] });
  });

  it('runs one check at a time, however many messages fail', async () => {
    answer = () => Promise.reject(new Error('connection refused'));
    for (let i = 0; i < 30; i += 1) {
      consumerPause.checkNow();
      await Promise.resolve();
    }
    await pass(5000);
    expect({ requests, turns }).toEqual({ requests: 6, turns: ['closed'] });
  });

  it('pauses at once when a message has failed and PostgreSQL does not answer', async () => {
    answer = () => Promise.reject(new Error('connection refused'));
    consumerPause.checkNow();
    await pass(0);
    expect(turns).toEqual(['closed']);
    consumerPause.checkNow();
    await pass(999);
    expect(requests).toBe(1);
    answer = () => Promise.resolve();
    await pass(1);
    expect(turns).toEqual(['closed', 'open']);
  });

  it('stays open when a message has failed for another reason', async () => {
    consumerPause.checkNow();
    await pass(0);
    expect({ requests, turns }).toEqual({ requests: 1, turns: [] });
  });

  it('checks nothing after it is stopped', async () => {
    answer = () => Promise.reject(new Error('connection refused'));
    consumerPause.stop();
    consumerPause.checkNow();
    await pass(5 * INTERVAL_MS);
    expect({ requests, turns }).toEqual({ requests: 0, turns: [] });
  });
});
