import { describe, expect, it } from '@jest/globals';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { startFault } from './start-or-exit.js';

/** @returns the error of a server that cannot listen */
async function listenError(port: number, host: string): Promise<unknown> {
  const [error] = await once(createServer().listen(port, host), 'error').catch((fault: unknown) => [fault]);
  return error;
}

describe('the reason for a failed start', () => {
  it('names an unknown host name', async () =>
    expect(startFault(await listenError(0, 'no host.invalid'))).toBe(
      'the host name "no host.invalid" is unknown: check the variable that contains it',
    ));

  it('names an address that is not of this machine', async () =>
    expect(startFault(await listenError(4000, '192.0.2.1'))).toContain('is not an address of this machine'));
});
