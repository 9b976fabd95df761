import { describe, expect, it } from '@jest/globals';
import { OpenRequests } from './open-requests';

function openRequests() {
  let made = 0;
  return new OpenRequests(
    () => `key ${(made += 1)}`,
    (error) => error instanceof Error && error.message === '409: revoked',
  );
}

describe('a request that is carried out once', () => {
  it('is sent once, however often it is triggered while it is open', async () => {
    const requests = openRequests();
    const sent: string[] = [];
    const press = () =>
      requests.send('run plan_1', async (key) => {
        sent.push(key);
        await Promise.resolve();
        return key;
      });
    expect(await Promise.all([press(), press()])).toEqual(['key 1', 'key 1']);
    expect(sent).toEqual(['key 1']);
  });

  it('is a new one after its answer', async () => {
    const requests = openRequests();
    const press = () => requests.send('run plan_1', (key) => Promise.resolve(key));
    expect([await press(), await press()]).toEqual(['key 1', 'key 2']);
  });

  it('keeps its key until then: after a cut it may have arrived, and a refusal may be one of the repetition', async () => {
    const requests = openRequests();
    for (const error of [new Error('cut'), new Error('409: still being processed')])
      await expect(requests.send('run plan_1', () => Promise.reject(error))).rejects.toBe(error);
    expect(await requests.send('run plan_1', (key) => Promise.resolve(key))).toBe('key 1');
  });

  it('is a new one after the key is spent, as when an API key of a lost answer was revoked', async () => {
    const requests = openRequests();
    for (const error of [new Error('cut'), new Error('409: revoked')])
      await expect(requests.send('key CI', () => Promise.reject(error))).rejects.toBe(error);
    expect(await requests.send('key CI', (key) => Promise.resolve(key))).toBe('key 2');
  });
});
