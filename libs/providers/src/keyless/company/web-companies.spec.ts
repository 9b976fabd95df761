import { describe, expect, it } from '@jest/globals';
import { placeNamed, type CompanyQuery } from '@quarry/directory';
import { ProviderFailure, type ProviderAnswer, type ProviderCall } from '../../ports/lookup.port.js';
import { missOutput } from '../../vendors/miss-outputs.js';
import { WebCompanies } from './web-companies.js';

const BERLIN = placeNamed('Berlin')!;
const failure = new ProviderFailure('provider_unavailable', 'The site cannot be reached.', {
  provider: 'web',
});

/** A search engine with these results, and sites that say this; what is not there cannot be read. */
function open(urls: string[], said: Record<string, object> = {}) {
  const [asked, read] = [[] as unknown[], [] as unknown[]];
  const answer = (output: Record<string, unknown>): ProviderAnswer => ({
    ...{ found: true, deep: false, provider: 'web', output },
  });
  const web = new WebCompanies({
    run: async ({ input: { domain } }: ProviderCall) => {
      read.push(domain);
      const values = said[String(domain)];
      if (!values) throw failure;
      return answer({ ...missOutput('enrichCompany', {}), domain, ...values });
    },
  });
  const engine = {
    run: async ({ input }: ProviderCall) => {
      asked.push(input);
      return answer({ items: urls.map((url) => ({ url })) });
    },
  };
  const directory = web.directory(async () => engine);
  const search = (query: CompanyQuery, limit = 10, offset = 0) =>
    directory.searchCompanies(query, { limit, offset });
  return { directory, search, asked, read };
}

describe('companies of the web', () => {
  it('are those whose own sites prove every filter', async () => {
    const { search, asked } = open(
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
    expect(asked).toEqual([{ query: 'Fintech companies in Berlin', limit: 20 }]);
    // A further page reads nothing again.
    expect((await search(query, 1, 1)).items.map(({ name }) => name)).toEqual(['Halbrook']);
    expect(asked.length).toBe(1);
  });

  it('are looked for on twenty sites at most, and on none that is about others', async () => {
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

  it('are read without a search where the domain is given', async () => {
    const { search, asked } = open([], { 'halbrook.example': { name: 'Halbrook' } });
    expect((await search({ domains: ['halbrook.example'] })).items).toMatchObject([{ name: 'Halbrook' }]);
    expect(asked).toEqual([]);
  });

  it.each<[string, CompanyQuery, string[]]>([
    ['money', { places: [BERLIN], revenue_usd: [{ min: 1, max: null }] }, ['revenue_usd']],
    ['what is ruled out', { places: [BERLIN], not: [{ is_hiring: true }] }, ['is_hiring']],
    ['a number alone', { headcount: [{ min: 1, max: 9 }] }, ['headcount']],
    ['nothing at all', {}, ['names']],
  ])('are not looked for by %s', async (_, query, cannot) => {
    const { directory, search, asked } = open(['https://halbrook.example/']);
    expect(directory.cannotTell!(query)).toEqual(cannot);
    expect((await search(query)).total).toBe(0);
    expect(asked).toEqual([]);
  });

  it('are no answer when the search engine fails or nobody searches any more', async () => {
    const web = new WebCompanies({ run: () => Promise.reject(failure) });
    const nobody = web.directory(() => Promise.resolve(null));
    await expect(nobody.searchCompanies({ places: [BERLIN] }, { limit: 1 })).rejects.toThrow(ProviderFailure);
    const broken = web.directory(() => Promise.resolve({ run: () => Promise.reject(failure) }));
    await expect(broken.searchCompanies({ places: [BERLIN] }, { limit: 1 })).rejects.toBe(failure);
    const abort = AbortSignal.abort(new Error('too late'));
    const late = web.directory(() => Promise.resolve(null));
    await expect(
      late.searchCompanies({ domains: ['halbrook.example'] }, { limit: 1, signal: abort }),
    ).rejects.toThrow('too late');
  });
});
