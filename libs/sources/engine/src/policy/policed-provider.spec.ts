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

describe('a search with a transient provider failure', () => {
  it('is retried once, after a part of the maximum wait', async () => {
    const provider = scripted(failure());
    const { clock, search } = policed(provider);
    expect(await search.answerCall(call())).toEqual(found());
    expect([provider.calls, clock.waits]).toEqual([2, [100]]);
    const down = scripted(...always(failure()));
    await expect(policed(down).search.answerCall(call())).rejects.toThrow('provider_error of p');
    expect(down.calls).toBe(2);
  });

  it('is not retried if the failure would occur again', async () => {
    for (const final of [failure('provider_rejected', { isTransient: false }), new Error('bug')]) {
      const provider = scripted(final);
      await expect(policed(provider).search.answerCall(call())).rejects.toBe(final);
      expect(provider.calls).toBe(1);
    }
  });

  it('is not retried beyond a tenth of all calls, however many fail', async () => {
    const provider = scripted(...always(failure()));
    const { search } = policed(provider, { breaker: null });
    await codesOf(search, 200);
    expect(provider.calls).toBe(220);
    expect(search.readMetrics().retries).toBe(20);
  });

  it('ends with that failure if its line is taken away before the retry', async () => {
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
  it('gets it from every search, and is called again afterwards', async () => {
    const provider = scripted(failure('capacity', { retryAfterMs: 3000 }));
    const { clock, search } = policed(provider, { callsMax: 1 });
    expect(await codesOf(search, 1)).toEqual(['capacity']);
    expect(await codesOf(search, 1)).toEqual(['found']);
    expect(clock.time).toBe(3000);
  });

  it('gets a default pause if it names no time', async () => {
    const { clock, search } = policed(scripted(failure('capacity')));
    expect(await codesOf(search, 1)).toEqual(['found']);
    expect(clock.time).toBe(1000);
  });

  it('is not called during a long one: searches fail with capacity at once', async () => {
    const provider = scripted(failure('capacity', { retryAfterMs: 60_000 }));
    const { clock, search } = policed(provider);
    expect(await codesOf(search, 5)).toEqual(Array(5).fill('capacity'));
    expect([provider.calls, clock.time, search.readMetrics().refusals.pause]).toEqual([1, 0, 4]);
    clock.time = 31_000;
    expect(await codesOf(search, 1)).toEqual(['found']);
    expect(clock.time).toBe(60_000);
  });

  it('is not paused for longer than a limit', async () => {
    const { clock, search } = policed(scripted(failure('capacity', { retryAfterMs: 1e12 })));
    await codesOf(search, 1);
    clock.time = VENDOR_POLICY.pauseHeldMs;
    expect(await codesOf(search, 1)).toEqual(['found']);
  });
});

describe('a provider with a rate limit', () => {
  it('is called no faster, and services with their own limit keep that', async () => {
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

describe('a search that would have to wait for the rate limit', () => {
  const rate = [{ calls: 1, windowMs: 60_000 }];
  const slow = () => policed(scripted(), { ratesOf: () => rate });

  it('is refused at once if its time is too short, and books neither a place nor a start', async () => {
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

  it('waits up to half a request by default, and longer if its deadline is on hold', async () => {
    const { clock, search } = slow();
    await search.answerCall(call());
    clock.time = 44_000;
    await expect(search.answerCall(call())).rejects.toMatchObject({ code: 'capacity' });
    clock.time = 46_000;
    await search.answerCall(call());
    await search.answerCall({ ...call(), holdDeadline: () => () => undefined });
    expect(clock.waits).toEqual([14_000, 60_000]);
  });

  it('returns its booked start when it is taken away', async () => {
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

  it('does not block a service with its own rate limit', async () => {
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

  it('is not called after twenty failures, and is probed every ten seconds', async () => {
    const provider = dead();
    const { clock, search } = policed(provider);
    expect(await codesOf(search, 50)).toEqual(Array(50).fill('provider_unavailable'));
    expect([provider.calls, search.readMetrics().refusals.breaker]).toEqual([20, 30]);
    clock.time += 10_000;
    await codesOf(search, 5);
    expect(provider.calls).toBe(21);
  });

  it('is reported once, and again after it has recovered in between', async () => {
    const down = always(failure('timeout', { isTransient: false })).slice(0, 20);
    const outages: string[] = [];
    const clock = new FakeClock();
    const search = new PolicedProvider(scripted(...down, down[0], undefined, ...down), VENDOR_POLICY, {
      clock,
      onOutage: (provider, code) => void outages.push(`${provider} ${code}`),
    });
    await codesOf(search, 30);
    clock.time += 10_000;
    await codesOf(search, 1);
    expect(outages).toEqual(['p timeout']);
    clock.time += 10_000;
    await codesOf(search, 30);
    expect(outages).toEqual(['p timeout', 'p timeout']);
  });

  it('is called as before once a probe succeeds', async () => {
    const provider = scripted(...always(failure('provider_error', { isTransient: false })).slice(0, 20));
    const { clock, search } = policed(provider);
    await codesOf(search, 30);
    clock.time += 10_000;
    expect(await codesOf(search, 3)).toEqual(['found', 'found', 'found']);
  });

  it.each(['provider_rejected', 'invalid_output', 'capacity'] as const)(
    'is not assumed if it answers %s',
    async (code) => {
      const provider = scripted(...always(failure(code, { isTransient: false })));
      await codesOf(policed(provider).search, 50);
      expect(provider.calls).toBe(50);
    },
  );

  it('is assumed if calls reach their deadline, and not if we cancelled them', async () => {
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

describe('a provider with all places taken', () => {
  it('gets the next search when one ends, and never more at once', async () => {
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

  it('fails a search with capacity after it has waited too long, without a call', async () => {
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

  it('puts the deadline of a search on hold while it waits for its turn, and only then', async () => {
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

describe('an answer of a provider', () => {
  it('with text that PostgreSQL cannot store is cleaned, and counted', async () => {
    const provider = { ...scripted(), answerCall: async () => found('a\0b\ud800@c.example') };
    const { search } = policed(provider);
    expect((await search.answerCall(call())).output).toEqual({ email: 'a\ufffdb\ufffd@c.example' });
    expect(search.readMetrics()).toMatchObject({ cleanedStrings: 1 });
    expect([...search.readMetrics().calls]).toEqual([['found', 1]]);
  });
});
