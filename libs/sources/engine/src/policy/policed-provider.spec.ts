import { describe, expect, it } from '@jest/globals';
import {
  ProviderFailure,
  type ProviderAnswer,
  type ProviderCall,
  type LookupProvider,
} from '../ports/lookup.port.js';
import { timedSignal } from '../ports/timed-signal.js';
import type { Clock } from '@quarry/resilience';
import { PolicedProvider } from './policed.provider.js';
import { VENDOR_POLICY, type ProviderPolicy } from './provider-policy.js';

const found = (email = 'a@b.example'): ProviderAnswer => ({
  found: true,
  deep: false,
  provider: 'p',
  output: { email },
});
const call = (signal = new AbortController().signal): ProviderCall => ({
  service: 'getEmail',
  input: {},
  searchId: 'svcjob_1',
  signal,
});
type Failing = ConstructorParameters<typeof ProviderFailure>;
const failure = (code: Failing[0] = 'provider_error', options: Partial<Failing[2]> = {}) =>
  new ProviderFailure(code, `${code} of p`, { provider: 'p', isTransient: true, ...options });

/** Clock that only moves when somebody waits, and then at once. */
class FakeClock implements Clock {
  time = 0;
  readonly waits: number[] = [];
  now = () => this.time;
  wait = (ms: number, signal: AbortSignal): Promise<void> => {
    if (signal.aborted) return Promise.reject(signal.reason as Error);
    this.waits.push(ms);
    this.time += ms;
    return Promise.resolve();
  };
}

/** Creates a provider that fails with the given errors, then finds something. Counts its calls. */
function scripted(...errors: unknown[]): LookupProvider & { calls: number } {
  const provider = {
    id: 'p',
    services: ['getEmail'],
    calls: 0,
    answerCall: async () => {
      const error = errors[provider.calls++];
      if (error !== undefined) throw error;
      return found();
    },
  };
  return provider;
}

function policed(provider: LookupProvider, policy: Partial<ProviderPolicy> = {}) {
  const clock = new FakeClock();
  return {
    clock,
    search: new PolicedProvider(provider, { ...VENDOR_POLICY, ...policy }, { clock, random: () => 0.5 }),
  };
}
const always = (error: unknown) => Array.from({ length: 1000 }, () => error);
const codesOf = async (search: PolicedProvider, times: number) => {
  const codes: string[] = [];
  for (let i = 0; i < times; i += 1)
    await search.answerCall(call()).then(
      () => codes.push('found'),
      (error: ProviderFailure) => codes.push(error.code),
    );
  return codes;
};

describe('a search whose provider fails for a moment', () => {
  it('is repeated once, after a part of the longest wait', async () => {
    const provider = scripted(failure());
    const { clock, search } = policed(provider);
    expect(await search.answerCall(call())).toEqual(found());
    expect([provider.calls, clock.waits]).toEqual([2, [100]]);
    const down = scripted(...always(failure()));
    await expect(policed(down).search.answerCall(call())).rejects.toThrow('provider_error of p');
    expect(down.calls).toBe(2);
  });

  it('is not repeated when the failure would come again', async () => {
    for (const final of [failure('provider_rejected', { isTransient: false }), new Error('bug')]) {
      const provider = scripted(final);
      await expect(policed(provider).search.answerCall(call())).rejects.toBe(final);
      expect(provider.calls).toBe(1);
    }
  });

  it('is not repeated beyond a tenth of all calls, however many fail', async () => {
    const provider = scripted(...always(failure()));
    const { search } = policed(provider, { breaker: null });
    await codesOf(search, 200);
    expect(provider.calls).toBe(220);
    expect(search.readMetrics().retries).toBe(20);
  });

  it('ends with that failure when its line is taken away before the second call', async () => {
    const abort = new AbortController();
    const failed = failure();
    const provider: LookupProvider = {
      ...scripted(),
      answerCall: async () => {
        abort.abort();
        throw failed;
      },
    };
    await expect(policed(provider).search.answerCall(call(abort.signal))).rejects.toBe(failed);
  });
});

describe('a provider that asks for a pause', () => {
  it('gets it from every search, and is asked again afterwards', async () => {
    const provider = scripted(failure('capacity', { retryAfterMs: 3000 }));
    const { clock, search } = policed(provider, { callsMax: 1 });
    expect(await codesOf(search, 1)).toEqual(['capacity']);
    expect(await codesOf(search, 1)).toEqual(['found']);
    expect(clock.time).toBe(3000);
  });

  it('gets one also when it names no time', async () => {
    const { clock, search } = policed(scripted(failure('capacity')));
    expect(await codesOf(search, 1)).toEqual(['found']);
    expect(clock.time).toBe(1000);
  });

  it('is not called during a long one: searches end capacity at once', async () => {
    const provider = scripted(failure('capacity', { retryAfterMs: 60_000 }));
    const { clock, search } = policed(provider);
    expect(await codesOf(search, 5)).toEqual(Array(5).fill('capacity'));
    expect([provider.calls, clock.time, search.readMetrics().refusals.pause]).toEqual([1, 0, 4]);
    clock.time = 31_000;
    expect(await codesOf(search, 1)).toEqual(['found']);
    expect(clock.time).toBe(60_000);
  });

  it('is not believed for ever', async () => {
    const { clock, search } = policed(scripted(failure('capacity', { retryAfterMs: 1e12 })));
    await codesOf(search, 1);
    clock.time = VENDOR_POLICY.pauseHeldMs;
    expect(await codesOf(search, 1)).toEqual(['found']);
  });
});

describe('a provider with a rate', () => {
  it('is called no faster, and services with a rate of their own keep that one', async () => {
    const [shared, own] = [[{ calls: 2, windowMs: 1000 }], [{ calls: 1, windowMs: 5000 }]];
    const starts: Array<[string, number]> = [];
    const provider: LookupProvider = {
      id: 'p',
      services: ['a', 'b', 'c'],
      answerCall: async ({ service }) => (starts.push([service, clock.time]), found()),
    };
    const ratesOf = (service: string) => (service === 'c' ? own : shared);
    const { clock, search } = policed(provider, { ratesOf });
    for (const service of ['a', 'b', 'a', 'c', 'c']) await search.answerCall({ ...call(), service });
    expect(starts).toEqual([
      ['a', 0],
      ['b', 0],
      ['a', 1000],
      ['c', 1000],
      ['c', 6000],
    ]);
  });
});

describe('a search that would have to wait for the rate', () => {
  const rate = [{ calls: 1, windowMs: 60_000 }];
  const slow = () => policed(scripted(), { ratesOf: () => rate });

  it('is refused at once when its time is too short, and keeps neither a place nor a start', async () => {
    const { clock, search } = slow();
    await search.answerCall(call());
    for (let i = 0; i < 10; i += 1)
      await expect(search.answerCall(call(timedSignal(100_000)))).rejects.toMatchObject({ code: 'capacity' });
    expect(search.readMetrics()).toMatchObject({ open: 0, waiting: 0, refusals: { wait: 10 } });
    expect(clock.waits).toEqual([]);
    // The refused calls used no start of the rate.
    await search.answerCall(call(timedSignal(121_000)));
    expect(clock.waits).toEqual([60_000]);
  });

  it('waits half of a request where nobody says how long it lasts, and as it must where the deadline stands still', async () => {
    const { clock, search } = slow();
    await search.answerCall(call());
    clock.time = 44_000;
    await expect(search.answerCall(call())).rejects.toMatchObject({ code: 'capacity' });
    clock.time = 46_000;
    await search.answerCall(call());
    await search.answerCall({ ...call(), holdDeadline: () => () => undefined });
    expect(clock.waits).toEqual([14_000, 60_000]);
  });

  it('gives its start to the next one when it is taken away', async () => {
    const { clock, search } = slow();
    await search.answerCall(call());
    const patient = { holdDeadline: () => () => undefined };
    const { wait } = clock;
    clock.wait = () => Promise.reject(new Error('taken away'));
    for (let i = 0; i < 10; i += 1)
      await expect(search.answerCall({ ...call(), ...patient })).rejects.toMatchObject({ code: 'capacity' });
    clock.wait = wait;
    await search.answerCall({ ...call(), ...patient });
    expect(clock.waits).toEqual([60_000]);
  });

  it('does not keep a place from a service with a rate of its own', async () => {
    const { search } = policed(scripted(), {
      concurrency: 1,
      ratesOf: (service: string) => (service === 'getEmail' ? rate : []),
    });
    await search.answerCall(call());
    const refused = search.answerCall(call());
    expect(search.readMetrics()).toMatchObject({ open: 0, waiting: 0 });
    await expect(refused).rejects.toMatchObject({ code: 'capacity' });
    expect(await search.answerCall({ ...call(), service: 'enrichPerson' })).toEqual(found());
  });
});

describe('a provider that is down', () => {
  const dead = () => scripted(...always(failure('provider_unavailable', { isTransient: false })));

  it('is not called any more after twenty failures, and tried once in ten seconds', async () => {
    const provider = dead();
    const { clock, search } = policed(provider);
    expect(await codesOf(search, 50)).toEqual(Array(50).fill('provider_unavailable'));
    expect([provider.calls, search.readMetrics().refusals.breaker]).toEqual([20, 30]);
    clock.time += 10_000;
    await codesOf(search, 5);
    expect(provider.calls).toBe(21);
  });

  it('is called as before once the probe finds it up', async () => {
    const provider = scripted(...always(failure('provider_error', { isTransient: false })).slice(0, 20));
    const { clock, search } = policed(provider);
    await codesOf(search, 30);
    clock.time += 10_000;
    expect(await codesOf(search, 3)).toEqual(['found', 'found', 'found']);
  });

  it.each(['provider_rejected', 'invalid_output', 'capacity'] as const)(
    'is not one that answers %s',
    async (code) => {
      const provider = scripted(...always(failure(code, { isTransient: false })));
      await codesOf(policed(provider).search, 50);
      expect(provider.calls).toBe(50);
    },
  );

  it('is one whose calls reach their deadline, and not one whose calls we took back', async () => {
    const late = scripted(...always(new DOMException('late', 'TimeoutError')));
    const taken = scripted(...always(new Error('The worker is stopping.')));
    for (const [provider, calls] of [
      [late, 20],
      [taken, 50],
    ] as const) {
      const { search } = policed(provider);
      const run = provider.answerCall;
      for (let i = 0; i < 50; i += 1) {
        const abort = new AbortController();
        provider.answerCall = async (each) => {
          abort.abort(provider === late ? new DOMException('late', 'TimeoutError') : new Error('stop'));
          return run(each);
        };
        await search.answerCall(call(abort.signal)).catch(() => undefined);
      }
      expect(provider.calls).toBe(calls);
    }
  });
});

describe('a provider with all its places taken', () => {
  it('gets the next search when one has ended, and never more at once', async () => {
    let open = 0;
    let most = 0;
    const provider: LookupProvider = {
      ...scripted(),
      answerCall: async () => {
        most = Math.max(most, ++open);
        await new Promise((resolve) => setImmediate(resolve));
        open -= 1;
        return found();
      },
    };
    const { search } = policed(provider, { concurrency: 3 });
    await Promise.all(Array.from({ length: 20 }, () => search.answerCall(call())));
    expect(most).toBe(3);
  });

  it('ends a search capacity when it has waited too long for its turn, without a call', async () => {
    const provider = {
      ...scripted(),
      calls: 0,
      answerCall: () => new Promise<never>(() => provider.calls++),
    };
    const { search } = policed(provider, { concurrency: 1, waitMaxMs: 20 });
    void search.answerCall(call());
    const waiting = search.answerCall(call());
    expect(search.readMetrics()).toMatchObject({ open: 1, waiting: 1 });
    await expect(waiting).rejects.toMatchObject({ code: 'capacity' });
    expect([provider.calls, search.readMetrics().refusals.wait]).toEqual([1, 1]);
  });

  it('lets the deadline stand still while a search waits for its turn, and only then', async () => {
    const provider = { ...scripted(), leave: () => undefined as unknown };
    provider.answerCall = () => new Promise((resolve) => (provider.leave = () => resolve(found())));
    const { search } = policed(provider, { concurrency: 1 });
    const held: boolean[] = [];
    const one = (at: number) => {
      const holdDeadline = () => {
        held[at] = true;
        return () => (held[at] = false);
      };
      return search.answerCall({ ...call(), holdDeadline });
    };
    const [first, second] = [one(0), one(1)];
    await new Promise((resolve) => setImmediate(resolve));
    expect(held).toEqual([false, true]);
    provider.leave();
    await first;
    await new Promise((resolve) => setImmediate(resolve));
    expect(held).toEqual([false, false]);
    provider.leave();
    await second;
  });
});

describe('an answer', () => {
  it('with text that PostgreSQL cannot hold is cleaned, and counted', async () => {
    const provider = { ...scripted(), answerCall: async () => found('a\0b\ud800@c.example') };
    const { search } = policed(provider);
    expect((await search.answerCall(call())).output).toEqual({ email: 'a\ufffdb\ufffd@c.example' });
    expect(search.readMetrics()).toMatchObject({ cleanedStrings: 1 });
    expect([...search.readMetrics().calls]).toEqual([['found', 1]]);
  });
});
