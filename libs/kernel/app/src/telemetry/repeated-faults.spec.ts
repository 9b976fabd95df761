import { describe, expect, it } from '@jest/globals';
import { createLogger } from './logger.js';
import { isAway, RepeatedFaults } from './repeated-faults.js';

const refused = (): Error =>
  Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });

describe('the log while a server is unreachable', () => {
  it('repeats a message once a minute, with the number of omitted ones', () => {
    let nowMs = 0;
    const faults = new RepeatedFaults(() => nowMs);
    const admitted = Array.from({ length: 13 }, () => {
      const { isDue, unsaid } = faults.admitMessage('runs could not be looked after');
      nowMs += 10_000;
      return isDue ? unsaid : null;
    });
    expect(admitted).toEqual([0, null, null, null, null, null, 5, null, null, null, null, null, 5]);
    expect(faults.admitMessage('another').isDue).toBe(true);
  });

  it('omits only errors of an unreachable server', () => {
    const lines: string[] = [];
    const logger = createLogger('spec', 'debug', { write: (line) => void lines.push(line) });
    for (let i = 0; i < 3; i += 1) {
      logger.warn({ err: refused() }, 'leases could not be renewed');
      logger.error({ err: new Error('of ours') }, 'a call ended with an unexpected error');
      logger.info({ n: i }, 'listening');
    }
    const messages = lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
    expect(messages.filter((msg) => msg.startsWith('leases'))).toHaveLength(1);
    expect(messages.filter((msg) => msg.startsWith('a call'))).toHaveLength(3);
    expect(messages.filter((msg) => msg === 'listening')).toHaveLength(3);
  });

  it.each<[boolean, unknown]>([
    [true, refused()],
    [true, Object.assign(new Error('x'), { code: '57P01' })],
    [true, new Error('asked in vain', { cause: refused() })],
    [true, new Error('Connection terminated unexpectedly')],
    [true, new Error('The queue agent-runs does not answer.')],
    [true, new Error('WRONGPASS invalid username-password pair or user is disabled.')],
    [true, Object.assign(new Error('x'), { code: '28P01' })],
    [false, Object.assign(new Error('x'), { code: '23505' })],
    [false, new Error('of ours')],
    [false, null],
  ])('recognises such an error, even as a cause: %s', (expected, error) => {
    expect(isAway(error)).toBe(expected);
  });
});
