import { describe, expect, it } from '@jest/globals';
import {
  ProviderFailure,
  SearchLostError,
  type LookupProvider,
  type ProviderAnswer,
  type ProviderCall,
  type TrailStep,
} from './ports/lookup.port.js';
import { Waterfall, type RouteStep } from './waterfall.js';

const call = (signal = new AbortController().signal): ProviderCall => ({
  service: 'getEmail',
  input: {},
  searchId: 'svcjob_1',
  signal,
});

type End = Partial<ProviderAnswer> | Error | 'skip';
const hit = { found: true, cost: { amount: 1, unit: 'x_credit' } };
const miss = { found: false };
const failed = (code: ProviderFailure['code'], isTransient = false) =>
  new ProviderFailure(code, code, { provider: 'p', isTransient });

/** Records the names of the providers that were called. */
function waterfallOf(ends: Record<string, End>) {
  const requests: string[] = [];
  const providers = Object.entries(ends).map(([id, end]): LookupProvider => ({
    id,
    services: ['getEmail'],
    acceptsCall: () => end !== 'skip',
    answerCall: async () => {
      requests.push(id);
      if (end instanceof Error) throw end;
      return { found: false, deep: false, provider: id, output: {}, ...(end as Partial<ProviderAnswer>) };
    },
  }));
  return { requests, waterfall: new Waterfall(() => providers.map((each) => stepOf(each))) };
}

function stepOf(provider: LookupProvider, step: Partial<RouteStep> = {}): RouteStep {
  return { provider, worlds: 'any', paidBy: 'operator', stopsAt: null, ...step };
}

async function endOf(ends: Record<string, End>) {
  const { requests, waterfall } = waterfallOf(ends);
  const end = await waterfall.answerCall(call()).catch((error: unknown) => error as ProviderFailure);
  const outcome =
    end instanceof Error ? ((end as ProviderFailure).code ?? end.message) : `${end.provider} ${end.found}`;
  return { requests, outcome, trail: (end as { trail?: readonly TrailStep[] }).trail };
}

describe('a waterfall of providers', () => {
  it("asks no further provider after the search's lease was lost", async () => {
    const { requests, outcome } = await endOf({
      a: miss,
      b: new SearchLostError('The lease was lost.'),
      c: hit,
    });
    expect([requests, outcome]).toEqual([['a', 'b'], 'The lease was lost.']);
  });

  it.each<[string, Record<string, End>, string, string[]]>([
    ['ends with the first find', { a: miss, b: hit, c: hit }, 'b true', ['a', 'b']],
    ['is a miss if all providers miss', { a: miss, b: miss }, 'a false', ['a', 'b']],
    [
      'is a miss if one provider misses and another fails',
      { a: failed('capacity', true), b: miss },
      'b false',
      ['a', 'b'],
    ],
    ['skips a provider that cannot use the input', { a: 'skip', b: miss }, 'b false', ['b']],
    [
      'reports no miss if all requested providers fail',
      { a: 'skip', b: failed('capacity') },
      'capacity',
      ['b'],
    ],
    ['is rejected if no provider can use the input', { a: 'skip', b: 'skip' }, 'provider_rejected', []],
    [
      'is rejected if all providers reject the input',
      { a: failed('provider_rejected'), b: failed('provider_rejected') },
      'provider_rejected',
      ['a', 'b'],
    ],
    [
      'reports a transient failure before any later one',
      { a: failed('capacity', true), b: failed('provider_unavailable'), c: failed('invalid_output') },
      'capacity',
      ['a', 'b', 'c'],
    ],
    [
      'reports an unavailable provider before a rejection',
      { a: failed('provider_unavailable'), b: failed('provider_rejected') },
      'provider_unavailable',
      ['a', 'b'],
    ],
    [
      'reports the last of several failures of equal weight',
      { a: failed('provider_unavailable'), b: failed('provider_error') },
      'provider_error',
      ['a', 'b'],
    ],
    [
      'reports an unexpected error before any failure',
      { a: new Error('bug'), b: failed('capacity', true) },
      'bug',
      ['a', 'b'],
    ],
    ['is unavailable if there is no provider', {}, 'provider_unavailable', []],
  ])('%s', async (_what, ends, outcome, requests) => {
    expect(await endOf(ends)).toMatchObject({ outcome, requests });
  });

  it.each<[string, Array<RouteStep['worlds']>, boolean, string[]]>([
    ['asks every provider that covers any world', ['any', 'any'], true, ['0', '1']],
    ['asks only the sandbox about its own world', ['real', 'sandbox'], true, ['1']],
    ['asks every provider but the sandbox about the real world', ['real', 'sandbox'], false, ['0']],
  ])('%s', async (_what, worlds, isOfSandbox, requests) => {
    const route = worlds.map((each, i) => {
      const run = () => Promise.resolve({ found: false, deep: false, provider: `${i}`, output: {} });
      return stepOf({ id: `${i}`, services: ['getEmail'], answerCall: run }, { worlds: each });
    });
    const { trail = [] } = await new Waterfall(() => route, { isOfSandbox: () => isOfSandbox }).answerCall(
      call(),
    );
    expect(trail.flatMap(({ provider, outcome }) => (outcome === 'miss' ? [provider] : []))).toEqual(
      requests,
    );
  });

  it.each([[['verified']], [null]])('tells a provider at which statuses it stops: %j', async (stopsAt) => {
    const stops: Array<ProviderCall['stopsAt']> = [];
    const run = (requests: ProviderCall) => {
      stops.push(requests.stopsAt);
      return Promise.resolve({ found: true, deep: false, provider: 'a', output: {} });
    };
    await new Waterfall(() => [
      stepOf({ id: 'a', services: ['getEmail'], answerCall: run }, { stopsAt }),
    ]).answerCall(call());
    expect(stops).toEqual([stopsAt ?? undefined]);
  });

  it.each(['operator', 'organisation'] as const)(
    'reports that the %s pays for its answer',
    async (paidBy) => {
      const run = () => Promise.resolve({ found: true, deep: false, provider: 'a', output: {} });
      const route = [stepOf({ id: 'a', services: ['getEmail'], answerCall: run }, { paidBy })];
      const answer = await new Waterfall(() => route).answerCall(call());
      expect(answer.paidBy).toBe(paidBy === 'operator' ? undefined : paidBy);
    },
  );

  it('records the trail of all providers, for answers and failures', async () => {
    const { trail } = await endOf({
      a: 'skip',
      b: failed('provider_unavailable'),
      c: { found: false, isDeclined: true, cost: { amount: 2, unit: 'c_credit' } },
      d: hit,
      e: hit,
    });
    const time = { started_at: expect.stringMatching(/^\d{4}-.*Z$/), duration_ms: expect.any(Number) };
    expect(trail).toEqual([
      { provider: 'a', outcome: 'skipped', code: null, cost: null, ...time },
      { provider: 'b', outcome: 'failed', code: 'provider_unavailable', cost: null, ...time },
      {
        provider: 'c',
        outcome: 'miss',
        code: 'not_accepted',
        cost: { amount: 2, unit: 'c_credit' },
        ...time,
      },
      { provider: 'd', outcome: 'hit', code: null, cost: { amount: 1, unit: 'x_credit' }, ...time },
    ]);
    const { trail: ofFailure } = await endOf({ a: 'skip', b: failed('capacity') });
    expect(ofFailure?.map(({ provider, outcome, code }) => [provider, outcome, code])).toEqual([
      ['a', 'skipped', null],
      ['b', 'failed', 'capacity'],
    ]);
  });

  it('that is too late is a timeout with its trail; a cancelled one ends with its reason, and asks no more', async () => {
    for (const reason of [new DOMException('late', 'TimeoutError'), new Error('the lease was lost')]) {
      const abort = new AbortController();
      const requests: string[] = [];
      const slow = (id: string): LookupProvider => ({
        id,
        services: ['getEmail'],
        answerCall: async () => {
          requests.push(id);
          abort.abort(reason);
          throw abort.signal.reason;
        },
      });
      const end: unknown = await new Waterfall(() => [stepOf(slow('a')), stepOf(slow('b'))])
        .answerCall(call(abort.signal))
        .catch((error) => error);
      expect(requests).toEqual(['a']);
      if (reason.name === 'TimeoutError')
        expect(end).toMatchObject({
          code: 'timeout',
          trail: [{ provider: 'a', outcome: 'failed', code: 'timeout' }],
        });
      else expect(end).toBe(reason);
    }
  });
});
