import { describe, expect, it, jest } from '@jest/globals';
import type { CompanyDirectory, CompanyRecord } from '@quarry/directory';
import { ANSWER_BYTES_MAX, ProviderFailure, type LookupProvider, type ProviderCall } from '@quarry/engine';
import { apollo } from './apollo.vendor.js';
import { peopleDataLabs } from './people-data-labs.vendor.js';
import { companyRecord } from './search-fixtures.fixture.js';
import { BoughtRecords, vendorDirectories } from './vendor-directory.js';
import type { SearchInput } from './vendor.provider.js';
import type { Vendor } from './vendor.js';

/** Vendor that returns its records in order, whatever the query. */
class CountingVendor implements LookupProvider {
  readonly services: readonly string[] = [];
  /** Page sizes, and ids of records that were paid for. */
  readonly pages: number[] = [];
  paid = 0;
  /** Ids for which a call for records fails. */
  readonly failing = new Set<string>();

  constructor(
    readonly id: string,
    private readonly records: readonly CompanyRecord[],
    /** True when the vendor has more records than it returns. */
    private readonly isCut: boolean,
  ) {}

  async answerCall({ input }: ProviderCall) {
    const search = input as SearchInput;
    const answer = { found: true, deep: false, provider: this.id };
    if (search.keys !== undefined) {
      if (search.keys.some((key) => this.failing.has(key)))
        throw new ProviderFailure('provider_error', 'The provider failed.', { provider: this.id });
      this.paid += search.keys.length;
      const found = search.keys.map((key) => this.records.find(({ domain }) => domain === key) ?? null);
      return { ...answer, output: { found, total: null, next: null } };
    }
    const from = Number(search.cursor ?? 0);
    const to = from + search.size;
    const records = this.records.slice(from, to);
    this.pages.push(search.size);
    if (this.id !== 'apollo') this.paid += records.length;
    const found = this.id === 'apollo' ? records.map(({ domain }) => domain) : records;
    const next = to < this.records.length ? String(to) : null;
    const isCut = this.isCut && next === null;
    return { ...answer, output: { found, total: this.records.length, next, isCut } };
  }
}

const records = Array.from({ length: 5000 }, (_, i) =>
  companyRecord({ id: `c_${i}`, name: `Firm ${i}`, domain: `firm${i}.example` }),
);
const opened = (
  vendor: Vendor,
  bought = new BoughtRecords(),
  { isCut = false, count = records.length } = {},
) => {
  const provider = new CountingVendor(vendor.id, records.slice(0, count), isCut);
  const directory: CompanyDirectory = vendorDirectories(vendor, provider, { bought }).companies!;
  return { provider, directory };
};
const NOBODY = { not: [{}] };

describe('spending of a vendor search', () => {
  it('is limited to the requested records, even if ids come in pages of fixed size', async () => {
    const { provider, directory } = opened(apollo);
    const one = await directory.searchCompanies({}, { limit: 1 });
    expect([one.items.length, one.total, provider.paid, provider.pages]).toEqual([1, 5000, 1, [100]]);
    const many = await directory.searchCompanies({}, { limit: 100 });
    expect([many.items.length, many.total, many.isTotalEstimated]).toEqual([100, 5000, undefined]);
    expect([provider.paid, provider.pages]).toEqual([100, [100]]);
    const next = await directory.searchCompanies({}, { limit: 1, offset: 100 });
    expect(next.items.map(({ id }) => id)).toEqual(['c_100']);
    expect([provider.paid, provider.pages]).toEqual([101, [100, 100]]);
  });

  it.each([apollo, peopleDataLabs])('has a limit for all repetitions together, for $id', async (vendor) => {
    const { provider, directory } = opened(vendor);
    for (let repeat = 0; repeat < 5; repeat += 1)
      await expect(directory.searchCompanies(NOBODY, { limit: 100 })).rejects.toBeInstanceOf(ProviderFailure);
    expect(provider.paid).toBe(500);
  });

  it.each([apollo, peopleDataLabs])(
    'ends at two thousand records for a caller that excludes all, for $id',
    async (vendor) => {
      const { provider, directory } = opened(vendor);
      let offset = 0;
      for (let limit = 1; ; limit = Math.min(limit * 2, 500)) {
        const { items, total, isTotalEstimated } = await directory.searchCompanies({}, { limit, offset });
        offset += items.length;
        if (items.length > 0 && offset < total) continue;
        expect([offset, total, isTotalEstimated]).toEqual([2000, 2000, true]);
        break;
      }
      expect(provider.paid).toBe(2000);
    },
  );

  it('is not lost if a concurrent call fails', async () => {
    const { provider, directory } = opened(apollo);
    provider.failing.add('firm15.example');
    await expect(directory.searchCompanies({}, { limit: 40 })).rejects.toMatchObject({
      code: 'provider_error',
    });
    expect(provider.paid).toBe(30);
    provider.failing.clear();
    const { items } = await directory.searchCompanies({}, { limit: 40 });
    // In the vendor's order, as if no call had failed.
    expect(items.map(({ id }) => id)).toEqual(records.slice(0, 40).map(({ id }) => id));
    expect([provider.paid, provider.pages]).toEqual([40, [100]]);
  });
});

describe('the search of Apollo', () => {
  const { query, page, pageMax } = apollo.searches!.searchCompanies!;
  const answerOf = (count: number, total: number) => ({
    organizations: Array.from({ length: count }, (_, i) => ({ primary_domain: `firm${i}.example` })),
    pagination: { total_entries: total },
  });

  it('leaves a range without bounds to the local filter', () => {
    const known = [{ min: null, max: null }];
    const filters = { revenue_usd: known, funding_amount_usd: known };
    expect(query(filters as never)).toMatchObject({ words: {}, exact: [] });
  });

  it.each([
    ['a short page goes on', '1', 97, 300, { next: '2' }],
    ['the last one ends', '3', 100, 300, { next: null }],
    ['an empty one ends', '1', 0, 300, { next: null }],
    ['page 500 ends with more behind it', '500', 100, 60_000, { next: null, isCut: true }],
  ])('%s', (_, cursor, count, total, end) => {
    const { found, ...rest } = page(answerOf(count, total), { size: pageMax, cursor });
    expect([found.length, rest]).toEqual([count, { total, ...end }]);
  });

  it('reports an estimated total if more results are behind the last page', async () => {
    const { provider, directory } = opened(apollo, new BoughtRecords(), { isCut: true, count: 30 });
    const { items, total, isTotalEstimated } = await directory.searchCompanies({}, { limit: 40 });
    expect([items.length, total, isTotalEstimated, provider.paid]).toEqual([30, 30, true, 30]);
  });
});

describe('people search of People Data Labs', () => {
  it('uses pages that fit into the response limit', () => {
    // 40 kB each, twice the size of the longest histories.
    expect(peopleDataLabs.searches!.searchPeople!.pageMax * 40_000).toBeLessThan(ANSWER_BYTES_MAX);
  });
});

describe('bought records', () => {
  it('are counted as they grow, and limited', async () => {
    const bought = new BoughtRecords();
    const { directory } = opened(peopleDataLabs, bought);
    await directory.searchCompanies({}, { limit: 100 });
    expect(bought.size).toBe(100);
    await directory.searchCompanies({}, { limit: 150 });
    expect(bought.size).toBe(150);
    for (let year = 1900; year < 1912; year += 1)
      await directory
        .searchCompanies({ founded: [{ min: year, max: year }] }, { limit: 2000 })
        .catch(() => undefined);
    expect(bought.size).toBeLessThanOrEqual(20_000);
    expect(bought.size).toBeGreaterThan(10_000);
  });

  it('are kept for ten minutes after the first one, however often they are requested', async () => {
    const clock = { time: 1, now: () => clock.time };
    const { provider, directory } = opened(peopleDataLabs, new BoughtRecords(clock));
    const ask = (limit: number) => directory.searchCompanies({}, { limit });
    await ask(10);
    clock.time += 599_000;
    await ask(20);
    expect(provider.paid).toBe(20);
    clock.time += 2000;
    await ask(20);
    expect(provider.paid).toBe(40);
  });

  it('are released after that, even if nobody asks again', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'], now: 1 });
    try {
      jest.advanceTimersByTime(1);
      const bought = new BoughtRecords();
      await opened(peopleDataLabs, bought).directory.searchCompanies({}, { limit: 10 });
      expect(bought.size).toBe(10);
      jest.advanceTimersByTime(600_010);
      expect(bought.size).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });
});
