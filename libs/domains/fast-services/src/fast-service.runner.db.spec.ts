import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { CreditLedger, SpendLimitStore } from '@quarry/credit-ledger';
import { AppError } from '@quarry/error-codes';
import { createLogger, type Ctx } from '@quarry/app';
import { IdempotentRequests, Database } from '@quarry/postgres';
import { companyValues } from '@quarry/directory';
import {
  ProviderFailure,
  type DirectorySearchProvider,
  type FoundPage,
  type Providers,
} from '@quarry/engine';
import { SandboxDirectory, SandboxSearchProvider } from '@quarry/prompt-fixtures';
import { useTestDatabase, testCtx } from '@quarry/testing';
import { TcpFaultProxy, waitFor } from '@quarry/test-servers';
import { FastServiceRunner, type FastResult } from './fast-service.runner.js';
import { HoldReaper } from './hold-reaper.js';
import type { ExclusionPort } from './ports/exclusion.port.js';

const logger = createLogger('spec', 'silent');
const directory = new SandboxDirectory();
const sandbox = new SandboxSearchProvider(directory);
const nobodyExcluded: ExclusionPort = { excludedAmong: () => Promise.resolve(new Set()) };
const FINTECH = { industries: ['Fintech'] };

const test = useTestDatabase();
let ledger: CreditLedger;
let orgs = 0;

beforeAll(() => {
  ledger = new CreditLedger(test.database);
});
// The ledger balances after every test, whatever happened in it.
afterEach(async () => expect(await ledger.auditLedger(testCtx(''))).toEqual([]));

interface Setting {
  lookup?: ReturnType<Providers['searcherFor']> | null;
  provider?: DirectorySearchProvider | null;
  exclusions?: ExclusionPort;
  deadlineMs?: number;
  database?: Database;
}

function runnerWith({
  provider = sandbox,
  lookup = null,
  exclusions = nobodyExcluded,
  deadlineMs,
  database = test.database,
}: Setting = {}) {
  return new FastServiceRunner(
    database,
    new IdempotentRequests(database),
    new CreditLedger(database),
    {
      directorySearchFor: () => Promise.resolve(provider),
      lookupFor: () => Promise.resolve(lookup),
      vocabularyFor: () => Promise.resolve(null),
      unavailableReason: () => 'Nobody answers it.',
    } as unknown as Providers,
    exclusions,
    logger,
    deadlineMs,
  );
}

async function orgWith(amount: number): Promise<Ctx> {
  const ctx = testCtx(`org_${++orgs}`);
  await ledger.grantCredits(ctx, { id: `grant-${orgs}`, amount, reason: 'top-up' });
  return ctx;
}

const sums = async (ctx: Ctx) => {
  const { available, reserved, spent } = await ledger.readBalance(ctx);
  return { available, reserved, spent };
};
const refusal = (call: Promise<FastResult>) =>
  call.then(
    () => 'answered',
    (error: unknown) => (error instanceof AppError ? error.code : String(error)),
  );

const itemsOf = <Item>({ output }: FastResult): Item[] => output.items as Item[];

/** Creates a provider that returns the result of the work, after the hold is placed. */
const providerThat = (work: () => Promise<FoundPage>): DirectorySearchProvider => ({
  id: 'spec',
  services: ['searchCompanies'],
  answerCall: work,
});

describe('a direct call', () => {
  it('is charged for the items of its answer, and the rest of the hold is released', async () => {
    const ctx = await orgWith(10_000);
    const answer = await runnerWith().runService(ctx, 'searchCompanies', { ...FINTECH, limit: 4 });
    expect(answer.output.items).toHaveLength(4);
    expect(answer.credits).toEqual({ charged: 1, remaining: 9 });
    expect(await sums(ctx)).toEqual({ available: 9000, reserved: 0, spent: 1000 });
  });

  it("costs a tenth of a credit with the organisation's own vendor key, found or not", async () => {
    const ctx = await orgWith(10_000);
    const page = { title: 'Pumps', url: 'https://halbrook.example/', snippet: '', published_at: null };
    const answer = { deep: false, provider: 'serper', output: { items: [page] } };
    const charged = async (found: boolean, paidBy?: 'organisation') => {
      const run = () => Promise.resolve({ ...answer, found, ...(paidBy ? { paidBy } : {}) });
      return (
        await runnerWith({ lookup: { answerCall: run } }).runService(ctx, 'webSearch', { query: 'pumps' })
      ).credits;
    };
    expect(await charged(true, 'organisation')).toEqual({ charged: 0.1, remaining: 9.9 });
    expect(await charged(false, 'organisation')).toEqual({ charged: 0.1, remaining: 9.8 });
    expect(await charged(true)).toEqual({ charged: 0.5, remaining: 9.3 });
    expect(await sums(ctx)).toEqual({ available: 9300, reserved: 0, spent: 700 });
  });

  it('costs nothing if nothing is found', async () => {
    const ctx = await orgWith(10_000);
    const answer = await runnerWith().runService(ctx, 'searchCompanies', { names: ['Nobody at All'] });
    expect(answer.credits).toEqual({ charged: 0, remaining: 10 });
    expect(await sums(ctx)).toEqual({ available: 10_000, reserved: 0, spent: 0 });
  });

  it('is refused if a spend cap does not cover its limit, and counts against the cap only what it finds', async () => {
    const ctx = { ...(await orgWith(10_000)), keyId: 'key_a' };
    await new SpendLimitStore(test.database).setLimit(ctx, 'key_a', { month: 1500 });
    const call = (limit: number) => runnerWith().runService(ctx, 'searchCompanies', { ...FINTECH, limit });
    expect(await refusal(call(7))).toBe('usage_limit');
    const answer = await runnerWith().runService(ctx, 'searchCompanies', {
      names: ['Nobody at All'],
      limit: 6,
    });
    expect(answer.credits.charged).toBe(0);
    expect((await call(6)).credits).toEqual({ charged: 1.5, remaining: 8.5 });
    expect(await refusal(call(1))).toBe('usage_limit');
    expect(await refusal(call(100))).toBe('insufficient_credits');
    expect(await sums(ctx)).toEqual({ available: 8500, reserved: 0, spent: 1500 });
  });

  it('holds the price of its full limit while the provider works', async () => {
    const ctx = await orgWith(10_000);
    let during = await sums(ctx);
    const provider = providerThat(async () => {
      during = await sums(ctx);
      return { found: false, deep: false, provider: 'spec', output: { items: [] }, isLast: true };
    });
    await runnerWith({ provider }).runService(ctx, 'searchCompanies', { ...FINTECH, limit: 8 });
    expect(during).toEqual({ available: 8000, reserved: 2000, spent: 0 });
  });

  it.each([
    ['provider_error', new ProviderFailure('timeout', 'Too late.', { provider: 'spec' })],
    ['capability_error', new ProviderFailure('provider_unavailable', 'Nobody.', { provider: 'spec' })],
    [
      'provider_error',
      new ProviderFailure('provider_unavailable', 'Down.', { provider: 'spec', isTransient: true }),
    ],
    ['validation_error', new ProviderFailure('provider_rejected', 'No.', { provider: 'spec' })],
    ['Error: unexpected error', new Error('unexpected error')],
  ])('that fails ends as %s and is not charged', async (code, failure) => {
    const ctx = await orgWith(5000);
    const runner = runnerWith({ provider: providerThat(() => Promise.reject(failure)) });
    expect(await refusal(runner.runService(ctx, 'searchCompanies', FINTECH))).toBe(code);
    expect(await sums(ctx)).toEqual({ available: 5000, reserved: 0, spent: 0 });
  });

  it('that a provider refuses names the field if the call has only one', async () => {
    const ctx = await orgWith(5000);
    const failure = new ProviderFailure('provider_rejected', 'It is not a web address.', {
      provider: 'spec',
    });
    const runner = runnerWith({ provider: providerThat(() => Promise.reject(failure)) });
    const refused = (input: Record<string, unknown>) =>
      expect(runner.runService(ctx, 'searchCompanies', input)).rejects;
    await refused({ names: ['x'] }).toMatchObject({
      message: 'names was rejected: It is not a web address.',
      details: [{ path: ['names'] }],
    });
    await refused({ names: ['x'], limit: 2 }).toMatchObject({
      message: 'It is not a web address.',
      details: [{ path: [] }],
    });
  });

  it('is not charged for an answer that breaks the contract or comes too late', async () => {
    const ctx = await orgWith(5000);
    const odd = { found: true, deep: false, provider: 'spec', output: { items: [{ odd: 1 }] }, isLast: true };
    const runner = runnerWith({ provider: providerThat(() => Promise.resolve(odd)) });
    expect(await refusal(runner.runService(ctx, 'searchCompanies', FINTECH))).toBe('provider_error');
    const slow = { ...FINTECH, domains: ['slow-9s.sandbox.test'] };
    expect(await refusal(runnerWith({ deadlineMs: 50 }).runService(ctx, 'searchCompanies', slow))).toBe(
      'provider_error',
    );
    expect(await sums(ctx)).toEqual({ available: 5000, reserved: 0, spent: 0 });
  });

  it('is refused if the balance is below the price of its limit', async () => {
    const ctx = await orgWith(1750);
    const call = (limit: number) => runnerWith().runService(ctx, 'searchCompanies', { ...FINTECH, limit });
    expect(await refusal(call(8))).toBe('insufficient_credits');
    expect(await refusal(call(7))).toBe('answered');
    expect(await sums(ctx)).toEqual({ available: 0, reserved: 0, spent: 1750 });
  });

  it('buys exactly the 7 items that a balance covers when 50 calls race for it', async () => {
    const ctx = await orgWith(1750);
    const race = Array.from({ length: 50 }, () =>
      refusal(runnerWith().runService(ctx, 'searchCompanies', { ...FINTECH, limit: 1 })),
    );
    const ends = await Promise.all(race);
    expect(ends.filter((end) => end === 'answered')).toHaveLength(7);
    expect(ends.filter((end) => end === 'insufficient_credits')).toHaveLength(43);
    expect(await sums(ctx)).toEqual({ available: 0, reserved: 0, spent: 1750 });
  });

  it('is accepted or refused by itself when one process writes fifty together', async () => {
    const ctx = await orgWith(1750);
    const runner = runnerWith();
    const ends = await Promise.all(
      Array.from({ length: 50 }, () =>
        refusal(runner.runService(ctx, 'searchCompanies', { ...FINTECH, limit: 1 })),
      ),
    );
    expect(ends.filter((end) => end === 'answered')).toHaveLength(7);
    expect(ends.filter((end) => end === 'insufficient_credits')).toHaveLength(43);
    expect(await sums(ctx)).toEqual({ available: 0, reserved: 0, spent: 1750 });
  });

  it('whose hold was released meanwhile is refused alone, and the others of its group are charged', async () => {
    const ctx = await orgWith(10_000);
    const gate = Promise.withResolvers<void>();
    const holds: string[] = [];
    const provider: DirectorySearchProvider = {
      ...providerThat(() => Promise.reject(new Error('unused'))),
      answerCall: async (call) => {
        holds.push(call.searchId);
        await gate.promise;
        return sandbox.answerCall(call);
      },
    };
    const runner = runnerWith({ provider });
    const calls = [1, 2, 3].map((limit) =>
      refusal(runner.runService(ctx, 'searchCompanies', { ...FINTECH, limit })),
    );
    await waitFor('all calls to be in work', () => Promise.resolve(holds.length === 3));
    await ledger.voidHold(ctx, holds[1]!);
    gate.resolve();
    const ends = await Promise.all(calls);
    expect(ends.toSorted()).toEqual(['answered', 'answered', 'provider_error']);
    expect(await sums(ctx)).toMatchObject({
      reserved: 0,
      available: 10_000 - (ends[1] === 'answered' ? 0 : 1000),
    });
  });

  it('of a run is charged once per run and row, also if another caller uses the same key', async () => {
    const ctx = await orgWith(10_000);
    const send = (caller: { runId: string; inputIndex: number } | null) =>
      runnerWith().runService(ctx, 'searchCompanies', { ...FINTECH, limit: 1 }, 'same-key', caller);
    for (const inputIndex of [4, 5]) await send({ runId: 'run_1', inputIndex });
    await send(null);
    const entries = await test.database.query(
      ctx,
      "SELECT run_id, input_index, amount::int FROM credits.transfers WHERE kind = 'post' AND account_id = $1 ORDER BY at",
      [`${ctx.orgId}:live`],
    );
    expect(entries).toEqual([
      { run_id: 'run_1', input_index: 4, amount: 250 },
      { run_id: null, input_index: null, amount: 250 },
    ]);
  });

  it('checks the input before the provider, and the provider before the balance', async () => {
    const ctx = await orgWith(0);
    const without = runnerWith({ provider: null });
    expect(await refusal(without.runService(ctx, 'searchCompanies', { industries: ['no such'] }))).toBe(
      'validation_error',
    );
    expect(await refusal(without.runService(ctx, 'searchCompanies', FINTECH))).toBe('capability_error');
    expect(await refusal(runnerWith().runService(ctx, 'webSearch', { query: 'x' }))).toBe('capability_error');
    expect(await refusal(runnerWith().runService(ctx, 'noService', {}))).toBe('not_found');
    // Every validation_error has details, as the contract requires.
    await expect(runnerWith().runService(ctx, 'getEmail', {})).rejects.toMatchObject({
      code: 'validation_error',
      details: [{ path: [], message: expect.stringContaining('POST /v1/services/jobs/batch') }],
    });
  });
});

describe('exclusions', () => {
  it('do not shorten an answer, even if they cover whole pages of matches', async () => {
    const ctx = await orgWith(10_000);
    const all = await directory.searchCompanies({}, { limit: 1300 });
    const excluded = new Set(all.items.slice(0, 1200).map(({ domain }) => domain));
    const exclusions: ExclusionPort = {
      excludedAmong: (_ctx, kind, candidates) =>
        Promise.resolve(
          new Set(
            candidates.flatMap(({ domain }, i) => (kind === 'companies' && excluded.has(domain!) ? [i] : [])),
          ),
        ),
    };
    const everywhere = { headcount_min: 1, limit: 20 };
    const companies = await runnerWith({ exclusions }).runService(ctx, 'searchCompanies', everywhere);
    expect(itemsOf<{ domain: string }>(companies).map(({ domain }) => domain)).toEqual(
      all.items.slice(1200, 1220).map(({ domain }) => domain),
    );
    expect(companies.credits.charged).toBe(5);
    const people = await runnerWith({ exclusions }).runService(ctx, 'searchPeople', everywhere);
    expect(people.output.items).toHaveLength(20);
    for (const { company_domain: domain } of itemsOf<{ company_domain: string }>(people))
      expect(excluded.has(domain)).toBe(false);
  });
});

describe('a direct call with an Idempotency-Key', () => {
  it('is replayed and charged once, even if nothing could be bought any more', async () => {
    const ctx = await orgWith(1000);
    let calls = 0;
    const provider: DirectorySearchProvider = {
      ...providerThat(() => Promise.reject(new Error('unused'))),
      answerCall: (call) => {
        calls += 1;
        return sandbox.answerCall(call);
      },
    };
    const send = () =>
      runnerWith({ provider }).runService(ctx, 'searchCompanies', { ...FINTECH, limit: 4 }, 'call-1');
    const first = await send();
    expect(await send()).toEqual(first);
    expect(
      await runnerWith({ provider: null }).runService(
        ctx,
        'searchCompanies',
        { limit: 4, ...FINTECH },
        'call-1',
      ),
    ).toEqual(first);
    expect(calls).toBe(1);
    expect(await sums(ctx)).toEqual({ available: 0, reserved: 0, spent: 1000 });
    expect(
      await refusal(runnerWith().runService(ctx, 'searchCompanies', { ...FINTECH, limit: 3 }, 'call-1')),
    ).toBe('idempotency_conflict');
  });

  it('that is refused is not charged, and its key can be used again', async () => {
    const ctx = await orgWith(900);
    const send = () => runnerWith().runService(ctx, 'searchCompanies', { ...FINTECH, limit: 4 }, 'poor');
    expect(await refusal(send())).toBe('insufficient_credits');
    await ledger.grantCredits(ctx, { id: `more-${ctx.orgId}`, amount: 100, reason: 'top-up' });
    expect((await send()).credits).toEqual({ charged: 1, remaining: 0 });
  });

  it('whose commit stands but whose answer was lost is replayed, and charged once', async () => {
    const proxy = await TcpFaultProxy.before(test.url);
    const database = await Database.open({ url: proxy.through(test.url), applicationName: 'spec-proxy' });
    try {
      const ctx = await orgWith(10_000);
      const runner = runnerWith({ database });
      for (let i = 0; i < 5; i += 1) {
        const send = () => runner.runService(ctx, 'searchCompanies', { ...FINTECH, limit: 4 }, `lost-${i}`);
        await proxy.set({ kind: 'drop-answer', to: 'COMMIT' });
        const first = await refusal(send());
        expect(proxy.answersDropped).toBe(i + 1);
        const again = await waitFor('the repeated call to be answered', () => send().catch(() => null));
        expect({ first, credits: again.credits }).toEqual({
          first: 'answered',
          credits: { charged: 1, remaining: 9 - i },
        });
        expect(await sums(ctx)).toEqual({ available: 9000 - i * 1000, reserved: 0, spent: (i + 1) * 1000 });
      }
    } finally {
      await database.close();
      await proxy.close();
    }
  });

  it('of a process that died can be repeated after its lease expires, and is charged once', async () => {
    const ctx = await orgWith(10_000);
    const provider = providerThat(async () => {
      // The first process is suspended while its lease expires, and another process takes the key over.
      await test.database.query(
        ctx,
        `UPDATE requests.keys SET lease_until = now() - interval '1 second' WHERE key = 'late'`,
      );
      await runnerWith().runService(ctx, 'searchCompanies', { ...FINTECH, limit: 4 }, 'late');
      const { items } = await directory.searchCompanies({}, { limit: 4 });
      const output = { items: items.map(companyValues) };
      return { found: true, deep: false, provider: 'spec', output, isLast: true };
    });
    const late = runnerWith({ provider }).runService(
      ctx,
      'searchCompanies',
      { ...FINTECH, limit: 4 },
      'late',
    );
    expect(await refusal(late)).toBe('idempotency_conflict');
    expect(await sums(ctx)).toEqual({ available: 9000, reserved: 0, spent: 1000 });
  });
});

describe('a process that dies between hold and charge', () => {
  it('leaves a hold that is released once after it expires, and no other hold is', async () => {
    const ctx = await orgWith(10_000);
    const hold = (id: string) => ({ id: `${ctx.orgId}-${id}`, service: 'searchCompanies' });
    const holdFor = (id: string, amount: number, expiresInMs: number) =>
      ledger.holdAllFor(ctx, [{ ...hold(id), amount, keyId: ctx.keyId }], expiresInMs);
    // A job's hold of the same age, one that has not expired, one that was posted, and the lost one.
    await ledger.holdCredits(ctx, { ...hold('line'), amount: 1000, jobId: 'svcjob_x' });
    await holdFor('young', 2000, 600_000);
    await holdFor('posted', 500, 1);
    await ledger.postHold(ctx, hold('posted').id, 250);
    await holdFor('lost', 4000, 1);
    expect(await sums(ctx)).toEqual({ available: 2750, reserved: 7000, spent: 250 });
    const reapers = [new HoldReaper(ledger, logger), new HoldReaper(ledger, logger)];
    await waitFor('the lost hold to be freed', async () => {
      await Promise.all(reapers.map((reaper) => reaper.reapHolds()));
      return (await sums(ctx)).reserved <= 3000;
    });
    expect(await sums(ctx)).toEqual({ available: 6750, reserved: 3000, spent: 250 });
    expect(await ledger.voidExpired(testCtx(''))).toEqual([]);
  });

  it('cannot charge or answer any more if it was only suspended', async () => {
    const ctx = await orgWith(2500);
    const provider = providerThat(async () => {
      await test.database.query(
        ctx,
        `UPDATE credits.hold_expiries SET expires_at = now() - interval '1 second'`,
      );
      expect(await ledger.voidExpired(testCtx(''))).toContainEqual(expect.stringMatching(/^hold_/));
      const { items } = await directory.searchCompanies({}, { limit: 5 });
      const output = { items: items.map(companyValues) };
      return { found: true, deep: false, provider: 'spec', output, isLast: true };
    });
    expect(await refusal(runnerWith({ provider }).runService(ctx, 'searchCompanies', FINTECH))).toBe(
      'provider_error',
    );
    expect(await sums(ctx)).toEqual({ available: 2500, reserved: 0, spent: 0 });
  });

  it('does not affect the hold of a batch line, which never expires', async () => {
    const ctx = await orgWith(1000);
    const line = { id: `${ctx.orgId}-line`, amount: 100, jobId: 'svcjob_x', keyId: ctx.keyId };
    await expect(ledger.holdAllFor(ctx, [line], 1)).rejects.toThrow('ends with its job');
  });
});
