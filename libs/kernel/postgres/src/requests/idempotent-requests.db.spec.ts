import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { waitFor } from '@quarry/test-servers';
import { AppError } from '@quarry/error-codes';
import { CONNECTION_BUDGETS } from '../database/connection-budget.js';
import { Database, isDatabaseUnavailable } from '../database/database.js';
import { createTestDatabase, testCtx, type TestDatabase } from '../database/spec-kit.js';
import type { Ctx } from '@quarry/app';
import type { TxCtx } from '../database/transaction.js';
import { IdempotentRequests, type KeyedRequest } from './idempotent-requests.js';

const mine = testCtx('org_spec');
const LEASE_MS = 60_000;

describe('a request with an Idempotency-Key', () => {
  let test: TestDatabase;
  let requests: IdempotentRequests;
  let effects = 0;
  let keys = 0;

  beforeAll(async () => {
    test = await createTestDatabase({ as: 'owner' });
    requests = new IdempotentRequests(test.database);
    await test.database.query(
      mine,
      'CREATE TABLE public.effects (request text, at timestamptz DEFAULT now())',
    );
  });
  afterAll(() => test.drop());

  const newRequest = (): KeyedRequest => ({ route: 'spec', key: `key-${++keys}`, body: { a: 1 } });

  /** Inserts a row, so that the database shows which effects were carried out. */
  const effect = async (tx: TxCtx, request: KeyedRequest): Promise<{ n: number }> => {
    await test.database.query(tx, 'INSERT INTO public.effects (request) VALUES ($1)', [request.key]);
    return { n: ++effects };
  };
  const effectsOf = async (request: KeyedRequest): Promise<number> =>
    (await test.database.query(mine, 'SELECT 1 FROM public.effects WHERE request = $1', [request.key]))
      .length;

  const refusal = (call: Promise<unknown>) =>
    call.then(
      () => null,
      (error: unknown) => {
        if (!(error instanceof AppError)) throw error;
        return { code: error.code, retryAfter: error.headers['Retry-After'] ?? null };
      },
    );
  const CONFLICT = { code: 'idempotency_conflict', retryAfter: null };
  const IN_WORK = { code: 'idempotency_conflict', retryAfter: '1' };

  /** Both ways to run the work of a request. */
  const WAYS: Array<[string, (ctx: Ctx, request: KeyedRequest) => Promise<{ n: number }>]> = [
    [
      'in one transaction',
      (ctx, request) => requests.inTransaction(ctx, request, (tx) => effect(tx, request)),
    ],
    [
      'under a lease',
      (ctx, request) =>
        requests.whileLeased<{ n: number }>(ctx, request, LEASE_MS, (keep) =>
          test.database.transaction(ctx, async (tx) => {
            const answer = await effect(tx, request);
            await keep(tx, answer);
            return answer;
          }),
        ),
    ],
  ];

  describe.each(WAYS)('%s', (_name, send) => {
    it('is performed once and replayed, whatever the order of its JSON members', async () => {
      const request = { ...newRequest(), body: { a: 1, b: 2 } };
      const first = await send(mine, request);
      expect(await send(mine, { ...request, body: { b: 2, a: 1 } })).toEqual(first);
      expect(await effectsOf(request)).toBe(1);
    });

    it('with another body is refused', async () => {
      const request = newRequest();
      await send(mine, request);
      expect(await refusal(send(mine, { ...request, body: { a: 2 } }))).toEqual(CONFLICT);
      expect(await effectsOf(request)).toBe(1);
    });

    it('has a separate key per organisation, mode and route', async () => {
      const request = newRequest();
      const others: Array<[Ctx, KeyedRequest]> = [
        [mine, request],
        [testCtx('org_other'), { ...request, body: 2 }],
        [
          { ...mine, mode: 'test' as const },
          { ...request, body: 3 },
        ],
        [mine, { ...request, route: 'other', body: 4 }],
      ];
      for (const [ctx, each] of others) await send(ctx, each);
      expect(await effectsOf(request)).toBe(4);
    });

    it('that races itself 32 times is performed once, and never answered in two ways', async () => {
      const request = newRequest();
      const outcomes = await Promise.allSettled(Array.from({ length: 32 }, () => send(mine, request)));
      const answers = outcomes.flatMap((each) => (each.status === 'fulfilled' ? [each.value.n] : []));
      const refusals = outcomes.flatMap((each) =>
        each.status === 'rejected' ? [each.reason as AppError] : [],
      );
      expect(new Set(answers).size).toBe(1);
      // On a busy machine some may time out waiting for a connection; they have no effect.
      const others = refusals.filter((error) => !isDatabaseUnavailable(error));
      expect(others.filter(({ code }) => code !== 'idempotency_conflict')).toEqual([]);
      expect(await effectsOf(request)).toBe(1);
    });
  });

  describe.each<[string, Ctx]>([
    ['organisation', testCtx('org_other')],
    ['mode', { ...mine, mode: 'test' }],
  ])('of another %s with the same key', (_of, theirs) => {
    const both = [mine, theirs];

    it('is answered from its own', async () => {
      const request = newRequest();
      const send = (ctx: Ctx) =>
        requests.inTransaction(ctx, { ...request, body: ctx }, () => Promise.resolve(ctx));
      for (const ctx of both) await send(ctx);
      for (const ctx of both) expect(await send(ctx)).toEqual(ctx);
    });

    it('keeps its own answer when both are in work', async () => {
      const request = newRequest();
      const done = (ctx: Ctx, during: () => Promise<unknown>) =>
        requests.whileLeased<Ctx>(ctx, { ...request, body: ctx }, LEASE_MS, async (keep) => {
          await during();
          await test.database.transaction(ctx, (tx) => keep(tx, ctx));
          return ctx;
        });
      expect(await done(mine, () => done(theirs, () => Promise.resolve()))).toEqual(mine);
    });

    it('frees its own key when both are in work', async () => {
      const request = newRequest();
      const kept = requests.whileLeased<number>(mine, request, LEASE_MS, async (keep) => {
        const failing = requests.whileLeased(theirs, request, LEASE_MS, () =>
          Promise.reject(new AppError('provider_error', 'No.')),
        );
        expect(await refusal(failing)).toMatchObject({ code: 'provider_error' });
        await test.database.transaction(mine, (tx) => keep(tx, 1));
        return 1;
      });
      expect(await kept).toBe(1);
    });
  });

  it('that is refused in its transaction leaves its key free', async () => {
    const request = newRequest();
    const refused = requests.inTransaction(mine, request, async (tx) => {
      await effect(tx, request);
      throw new AppError('insufficient_credits', 'No.');
    });
    expect(await refusal(refused)).toMatchObject({ code: 'insufficient_credits' });
    await requests.inTransaction(mine, { ...request, body: 'other' }, (tx) => effect(tx, request));
    expect(await effectsOf(request)).toBe(1);
  });

  it('is refused while the first is in work under a lease, and accepted if that fails', async () => {
    const request = newRequest();
    let during: unknown;
    const first = requests.whileLeased(mine, request, LEASE_MS, async () => {
      during = await refusal(requests.whileLeased(mine, request, LEASE_MS, () => Promise.resolve(1)));
      throw new AppError('provider_error', 'No.');
    });
    expect(await refusal(first)).toMatchObject({ code: 'provider_error' });
    expect(during).toEqual(IN_WORK);
    expect(await requests.whileLeased(mine, request, LEASE_MS, () => Promise.resolve('done'))).toBe('done');
  });

  it('whose lease has run out is taken over, and what the first does then is discarded', async () => {
    const request = newRequest();
    const late = requests.whileLeased<{ n: number }>(mine, request, 0, async (keep) => {
      await requests.whileLeased<{ n: number }>(mine, request, LEASE_MS, (keepNow) =>
        test.database.transaction(mine, async (tx) => {
          const answer = await effect(tx, request);
          await keepNow(tx, answer);
          return answer;
        }),
      );
      return test.database.transaction(mine, async (tx) => {
        const answer = await effect(tx, request);
        await keep(tx, answer);
        return answer;
      });
    });
    expect(await refusal(late)).toEqual(IN_WORK);
    expect(await effectsOf(request)).toBe(1);
  });

  describe('that takes long', () => {
    const TEN_MINUTES_MS = 600_000;
    const isLeasedFor = async (interval: string, { key }: KeyedRequest): Promise<boolean> =>
      (
        await test.database.query(
          mine,
          'SELECT 1 FROM requests.keys WHERE key = $1 AND lease_until > clock_timestamp() + $2::interval',
          [key, interval],
        )
      ).length > 0;
    afterEach(() => void jest.useRealTimers());

    it('blocks its key for a minute at most if its process crashes', async () => {
      const request = newRequest();
      await requests.whileLeased(mine, request, TEN_MINUTES_MS, async () => {
        expect(await isLeasedFor('50 seconds', request)).toBe(true);
        expect(await isLeasedFor('1 minute', request)).toBe(false);
      });
    });

    const fakeIntervals = (): unknown =>
      jest.useFakeTimers({
        now: Date.now(),
        doNotFake: ['nextTick', 'setImmediate', 'setTimeout', 'Date', 'performance', 'queueMicrotask'],
      });
    const isRenewed = async (request: KeyedRequest): Promise<void> => {
      await test.database.query(mine, 'UPDATE requests.keys SET lease_until = now() WHERE key = $1', [
        request.key,
      ]);
      jest.advanceTimersByTime(20_000);
      await waitFor('the renewal', () => isLeasedFor('0', request));
    };

    it('keeps its key while its process is at work', async () => {
      fakeIntervals();
      const request = newRequest();
      await requests.whileLeased(mine, request, TEN_MINUTES_MS, () => isRenewed(request));
    });

    it('does not prolong the lease of who has its key now', async () => {
      fakeIntervals();
      const request = newRequest();
      const queries = jest.spyOn(test.database, 'query');
      await requests.whileLeased(mine, request, TEN_MINUTES_MS, async () => {
        const taken =
          'UPDATE requests.keys SET token = gen_random_uuid(), lease_until = now() WHERE key = $1';
        await test.database.query(mine, taken, [request.key]);
        queries.mockClear();
        jest.advanceTimersByTime(20_000);
        expect(await Promise.all(queries.mock.results.map(({ value }) => value))).toEqual([[]]);
        expect(await isLeasedFor('0', request)).toBe(false);
      });
      queries.mockRestore();
    });

    it('keeps its key while such work has every connection for transactions', async () => {
      const url = test.ownerUrl;
      const connections = { ...CONNECTION_BUDGETS.tables, transactions: 1 };
      const own = await Database.open({ url, applicationName: 'spec-busy', connectMs: 60_000, connections });
      fakeIntervals();
      const request = newRequest();
      const work = () => own.transaction(mine, () => isRenewed(request));
      await new IdempotentRequests(own).whileLeased(mine, request, TEN_MINUTES_MS, work).finally(() => {
        jest.useRealTimers();
        return own.close();
      });
    });
  });

  it('whose commit stands but whose answer was lost is replayed at once', async () => {
    const request = newRequest();
    const answered = requests.whileLeased<{ n: number }>(mine, request, LEASE_MS, async (keep) => {
      await test.database.transaction(mine, async (tx) => keep(tx, await effect(tx, request)));
      throw new Error('Connection terminated');
    });
    expect(await answered).toEqual({ n: effects });
    expect(await effectsOf(request)).toBe(1);
  });

  it('is forgotten after a day, and not before', async () => {
    const [old, young] = [newRequest(), newRequest()];
    for (const each of [old, young]) await requests.inTransaction(mine, each, (tx) => effect(tx, each));
    const sql = `UPDATE requests.keys SET kept_until = kept_until - interval '24 hours' WHERE key = $1`;
    await test.database.query(mine, sql, [old.key]);
    expect(await requests.deleteOld(mine)).toBe(1);
    for (const each of [old, young]) await requests.inTransaction(mine, each, (tx) => effect(tx, each));
    expect([await effectsOf(old), await effectsOf(young)]).toEqual([2, 1]);
  });
});
