import { describe, expect, it } from '@jest/globals';
import { OpenRequests } from './open-requests';

const REFUSAL = new Error('refused');
const FAILURE = new Error('failed');

function openRequests() {
  let made = 0;
  return new OpenRequests(
    () => `key ${(made += 1)}`,
    (error) => (error === REFUSAL ? 402 : error === FAILURE ? 504 : 0),
  );
}

describe('a request that costs credits', () => {
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

  it('is a new one after a response, even after a refusal', async () => {
    const requests = openRequests();
    const press = (answer: () => string) =>
      requests.send('run plan_1', (key) => Promise.resolve(`${key}${answer()}`));
    await press(() => '');
    await expect(
      press(() => {
        throw REFUSAL;
      }),
    ).rejects.toBe(REFUSAL);
    expect(await press(() => '')).toBe('key 3');
  });

  it.each([new Error('cut'), FAILURE])('keeps its key after %s, since it may have arrived', async (error) => {
    const requests = openRequests();
    await expect(requests.send('run plan_1', () => Promise.reject(error))).rejects.toBe(error);
    expect(await requests.send('run plan_1', (key) => Promise.resolve(key))).toBe('key 1');
  });
});
