import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, jest } from '@jest/globals';
import type { CompanyQuery } from '@quarry/directory';
import { placeNamed } from '@quarry/vocabulary';
import { ProviderFailure, type ProviderAnswer, type ProviderCall, missOutput } from '@quarry/engine';
import { WebCompanies } from './web-companies.js';

const BERLIN = placeNamed('Berlin')!;
const failure = new ProviderFailure('provider_unavailable', 'The site cannot be reached.', {
  provider: 'web',
});

/** Creates a search engine with these results, and sites with these pages; other sites cannot be read. */
function open(urls: string[], pages: Record<string, object> = {}) {
  const [requests, read] = [[] as unknown[], [] as unknown[]];
  const answer = (output: Record<string, unknown>): ProviderAnswer => ({
    found: true,
    deep: false,
    provider: 'web',
    output,
  });
  const web = new WebCompanies({
    answerCall: async ({ input: { domain } }: ProviderCall) => {
      read.push(domain);
      const values = pages[String(domain)];
      if (!values) throw failure;
      return answer({ ...missOutput('enrichCompany', {}), domain, ...values });
    },
  });
  const engineOf = (account: string, paidBy?: 'organisation') => ({
    account,
    answerCall: async ({ input }: ProviderCall) => {
      requests.push(input);
      return { ...answer({ items: urls.map((url) => ({ url })) }), ...(paidBy ? { paidBy } : {}) };
    },
  });
  const as = (...engine: Parameters<typeof engineOf>) => web.directoryFor(async () => engineOf(...engine));
  const directory = as('operator');
  const search = (query: CompanyQuery, limit = 10, offset = 0) =>
    directory.searchCompanies(query, { limit, offset });
  return { as, directory, search, requests, read };
}

describe('companies found on the web', () => {
  it('are those whose own websites prove every filter', async () => {
    const { search, requests } = open(
      [
        'https://www.halbrook.example/jobs',
        'https://blog.feldmark.example/',
        'https://stillwasser.example/',
        'https://gone.example/',
        'not an address',
      ],
      {
        'https://www.halbrook.example': {
          name: 'Halbrook',
          city: 'Berlin',
          country: 'Germany',
          industry: 'Fintech',
          headcount: 40,
        },
        'feldmark.example': {
          name: 'Feldmark',
          city: 'Berlin',
          country: 'Germany',
          industry: 'Fintech',
          headcount: 90,
        },
        'https://stillwasser.example': { name: 'Stillwasser', city: 'Berlin', country: 'Germany' },
      },
    );
    const query = { industries: ['fintech'], places: [BERLIN], headcount: [{ min: 10, max: null }] };
    const { items, total, provider, isTotalEstimated } = await search(query);
    expect(items.map(({ name }) => name)).toEqual(['Feldmark', 'Halbrook']);
    expect([provider, total, isTotalEstimated, items[0]!.revenue_usd]).toEqual(['web', 2, true, null]);
    expect(requests).toEqual([{ query: 'Fintech companies in Berlin', limit: 20 }]);
    // A further page reads no site again.
    expect((await search(query, 1, 1)).items.map(({ name }) => name)).toEqual(['Halbrook']);
    expect(requests.length).toBe(1);
  });

  it("found with an organisation's own key are billed to it, and not shared", async () => {
    const { as, requests } = open(['https://halbrook.example/'], {
      'https://halbrook.example': { name: 'Halbrook', city: 'Berlin', country: 'Germany' },
    });
    const found = async (...engine: Parameters<typeof as>) => {
      const answer = await as(...engine).searchCompanies({ places: [BERLIN] }, { limit: 1 });
      return [answer.items.length, answer.paidBy, requests.length];
    };
    expect(await found('org_a live', 'organisation')).toEqual([1, 'organisation', 1]);
    expect(await found('org_a live', 'organisation')).toEqual([1, 'organisation', 1]);
    expect(await found('org_b live', 'organisation')).toEqual([1, 'organisation', 2]);
    expect(await found('searxng')).toEqual([1, undefined, 3]);
    expect(await found('searxng')).toEqual([1, undefined, 3]);
  });

  it('are searched again if a site was unreadable: at once if nothing was found, else soon', async () => {
    const page = { city: 'Berlin', country: 'Germany' };
    const pages: Record<string, object> = {};
    const { search, requests } = open(['https://halbrook.example/', 'https://feldmark.example/'], pages);
    const found = async () => {
      const { total } = await search({ places: [BERLIN] });
      return [total, requests.length];
    };
    expect(await found()).toEqual([0, 1]);
    pages['https://halbrook.example'] = { name: 'Halbrook', ...page };
    expect(await found()).toEqual([1, 2]);
    pages['https://feldmark.example'] = { name: 'Feldmark', ...page };
    expect(await found()).toEqual([1, 2]);
    const after = async (ms: number) => {
      // The cache reads its clock again when a timer of one millisecond has fired.
      await delay(2);
      const now = performance.now() + ms;
      const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
      return found().finally(() => clock.mockRestore());
    };
    expect(await after(61_000)).toEqual([2, 3]);
    expect(await after(500_000)).toEqual([2, 3]);
  });

  it('are searched on at most twenty sites, and on none about other companies', async () => {
    const many = Array.from({ length: 30 }, (_, i) => `https://firm-${i}.example/`);
    const { search, read } = open([
      'https://www.linkedin.com/company/x',
      'https://amazon.de/x',
      many[0]!,
      ...many,
    ]);
    expect(await search({ names: ['Firm "0"'] })).toMatchObject({ items: [], total: 0 });
    expect(read.length).toBe(20);
    expect(read).not.toContain('linkedin.com');
  });

  it('are read without a search if the domain is given', async () => {
    const { search, requests } = open([], { 'halbrook.example': { name: 'Halbrook' } });
    expect((await search({ domains: ['halbrook.example'] })).items).toMatchObject([{ name: 'Halbrook' }]);
    expect(requests).toEqual([]);
  });

  it.each<[string, CompanyQuery, string[]]>([
    ['money', { places: [BERLIN], revenue_usd: [{ min: 1, max: null }] }, ['revenue_usd']],
    ['an exclusion', { places: [BERLIN], not: [{ is_hiring: true }] }, ['is_hiring']],
    ['only a number', { headcount: [{ min: 1, max: 9 }] }, ['headcount']],
    ['an empty filter', {}, ['names']],
  ])('are not searched by %s', async (_, query, cannot) => {
    const { directory, search, requests } = open(['https://halbrook.example/']);
    expect(directory.cannotTell!(query)).toEqual(cannot);
    expect((await search(query)).total).toBe(0);
    expect(requests).toEqual([]);
  });

  it('are not reported as missing if the search engine fails or is gone', async () => {
    const web = new WebCompanies({ answerCall: () => Promise.reject(failure) });
    const nobody = web.directoryFor(() => Promise.resolve(null));
    await expect(nobody.searchCompanies({ places: [BERLIN] }, { limit: 1 })).rejects.toThrow(ProviderFailure);
    const broken = web.directoryFor(() =>
      Promise.resolve({ account: 'operator', answerCall: () => Promise.reject(failure) }),
    );
    await expect(broken.searchCompanies({ places: [BERLIN] }, { limit: 1 })).rejects.toBe(failure);
    const abort = AbortSignal.abort(new Error('too late'));
    const late = web.directoryFor(() => Promise.resolve(null));
    await expect(
      late.searchCompanies({ domains: ['halbrook.example'] }, { limit: 1, signal: abort }),
    ).rejects.toThrow('too late');
  });
});
