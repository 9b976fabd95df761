import { describe, expect, it } from '@jest/globals';
import { ProviderFailure, type ProviderAnswer, type SlowServiceProvider } from './ports/slow-service.port.js';
import { RetryingProvider } from './retrying.provider.js';

const found: ProviderAnswer = { found: true, deep: false, provider: 'p', output: {} };
const call = { service: 'getEmail', input: {}, lineId: 'svcjob_1', signal: new AbortController().signal };
const failure = (options: Partial<ProviderFailure['options']>) =>
  new ProviderFailure('provider_error', 'failed', { provider: 'p', ...options });

/** Fails with the given errors, then finds. */
function scripted(...errors: Error[]): SlowServiceProvider & { calls: number } {
  const provider = {
    id: 'p',
    services: ['getEmail'],
    calls: 0,
    run: () => {
      const error = errors[provider.calls];
      provider.calls += 1;
      return error ? Promise.reject(error) : Promise.resolve(found);
    },
  };
  return provider;
}
const POLICY = { callsMax: 3, waitMs: 1, retryAfterMaxMs: 5 };

describe('a search whose provider fails for a moment', () => {
  it('is repeated, up to the number of calls that the policy allows', async () => {
    const hiccup = scripted(failure({ isTransient: true }));
    expect(await new RetryingProvider(hiccup, POLICY).run(call)).toBe(found);
    const outage = scripted(...Array.from({ length: 9 }, () => failure({ isTransient: true })));
    await expect(new RetryingProvider(outage, POLICY).run(call)).rejects.toThrow('failed');
    expect([hiccup.calls, outage.calls]).toEqual([2, 3]);
  });

  it('is not repeated when the failure is final, or when the provider asks for too much patience', async () => {
    const final = scripted(failure({}));
    const busy = scripted(failure({ isTransient: true, retryAfterMs: 60_000 }));
    for (const provider of [final, busy])
      await expect(new RetryingProvider(provider, POLICY).run(call)).rejects.toThrow('failed');
    expect([final.calls, busy.calls]).toEqual([1, 1]);
  });

  it('is given up at once when its line is aborted', async () => {
    const abort = new AbortController();
    const provider = scripted(failure({ isTransient: true }));
    const search = new RetryingProvider(provider, { ...POLICY, waitMs: 60_000 }, () => 1).run({
      ...call,
      signal: abort.signal,
    });
    abort.abort();
    await expect(search).rejects.toThrow();
    expect(provider.calls).toBe(1);
  });
});
