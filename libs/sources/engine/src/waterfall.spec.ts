import { describe, expect, it } from '@jest/globals';
import {
  ProviderFailure,
  SearchLostError,
  type LookupProvider,
  type ProviderAnswer,
  type ProviderCall,
  type TrailStep,
} from './ports/lookup.port.js';
import { Waterfall } from './waterfall.js';

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

/** Keeps the names of those that were asked. */
function waterfallOf(ends: Record<string, End>, order?: readonly string[]) {
  const asked: string[] = [];
  const providers = Object.entries(ends).map(([id, end]): LookupProvider => ({
    id,
    services: ['getEmail'],
    takes: () => end !== 'skip',
    run: async () => {
      asked.push(id);
      if (end instanceof Error) throw end;
      return { found: false, deep: false, provider: id, output: {}, ...(end as Partial<ProviderAnswer>) };
    },
  }));
  return { asked, waterfall: new Waterfall(providers, order ? { getEmail: order } : {}) };
}

async function endOf(ends: Record<string, End>, order?: readonly string[]) {
  const { asked, waterfall } = waterfallOf(ends, order);
  const end = await waterfall.run(call()).catch((error: unknown) => error as ProviderFailure);
  const said =
    end instanceof Error ? ((end as ProviderFailure).code ?? end.message) : `${end.provider} ${end.found}`;
  return { asked, said, trail: (end as { trail?: readonly TrailStep[] }).trail };
}

describe('a waterfall', () => {
  it('asks nobody else for a search that it has lost', async () => {
    const { asked, said } = await endOf({ a: miss, b: new SearchLostError('The lease was lost.'), c: hit });
    expect([asked, said]).toEqual([['a', 'b'], 'The lease was lost.']);
  });

  it.each<[string, Record<string, End>, string, string[]]>([
    ['ends with the first find', { a: miss, b: hit, c: hit }, 'b true', ['a', 'b']],
    ['is a miss when all have missed', { a: miss, b: miss }, 'a false', ['a', 'b']],
    [
      'is a miss when one has missed and one has failed',
      { a: failed('capacity', true), b: miss },
      'b false',
      ['a', 'b'],
    ],
    ['passes over who cannot work with the input', { a: 'skip', b: miss }, 'b false', ['b']],
    [
      'tells no miss when those who were asked have failed',
      { a: 'skip', b: failed('capacity') },
      'capacity',
      ['b'],
    ],
    ['is rejected when nobody can work with the input', { a: 'skip', b: 'skip' }, 'provider_rejected', []],
    [
      'is rejected when everybody rejects',
      { a: failed('provider_rejected'), b: failed('provider_rejected') },
      'provider_rejected',
      ['a', 'b'],
    ],
    [
      'tells what may pass in a moment before what comes later',
      { a: failed('capacity', true), b: failed('provider_unavailable'), c: failed('invalid_output') },
      'capacity',
      ['a', 'b', 'c'],
    ],
    [
      'tells what may pass some day before a refusal',
      { a: failed('provider_unavailable'), b: failed('provider_rejected') },
      'provider_unavailable',
      ['a', 'b'],
    ],
    [
      'tells the last of failures that are alike',
      { a: failed('provider_unavailable'), b: failed('provider_error') },
      'provider_error',
      ['a', 'b'],
    ],
    [
      'tells a mistake of its own before all',
      { a: new Error('bug'), b: failed('capacity', true) },
      'bug',
      ['a', 'b'],
    ],
    ['is unavailable when nobody answers', {}, 'provider_unavailable', []],
  ])('%s', async (_what, ends, said, asked) => {
    expect(await endOf(ends)).toMatchObject({ said, asked });
  });

  it('asks in the order that it is given, and nobody else', async () => {
    expect(await endOf({ a: hit, b: miss, c: miss }, ['c', 'b'])).toMatchObject({
      said: 'c false',
      asked: ['c', 'b'],
    });
    expect(await endOf({ a: hit }, [])).toMatchObject({ said: 'provider_unavailable', asked: [] });
  });

  it('keeps the trail of everybody, with the answer and with the failure', async () => {
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

  it('that is too late is a timeout with its trail; one that is taken away ends with the reason, and asks nobody else', async () => {
    for (const reason of [new DOMException('late', 'TimeoutError'), new Error('the lease was lost')]) {
      const abort = new AbortController();
      const asked: string[] = [];
      const slow = (id: string): LookupProvider => ({
        id,
        services: ['getEmail'],
        run: async () => {
          asked.push(id);
          abort.abort(reason);
          throw abort.signal.reason;
        },
      });
      const end: unknown = await new Waterfall([slow('a'), slow('b')])
        .run(call(abort.signal))
        .catch((error) => error);
      expect(asked).toEqual(['a']);
      if (reason.name === 'TimeoutError')
        expect(end).toMatchObject({
          code: 'timeout',
          trail: [{ provider: 'a', outcome: 'failed', code: 'timeout' }],
        });
      else expect(end).toBe(reason);
    }
  });
});
