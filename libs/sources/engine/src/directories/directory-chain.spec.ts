import { describe, expect, it } from '@jest/globals';
import type { CompanyDirectory, CompanyQuery, DirectoryAnswer } from '@quarry/directory';
import { ProviderFailure } from '../ports/lookup.port.js';
import { chainsOf } from './directory-chain.js';

type Answer = DirectoryAnswer<never>;

/** @param total number of matches, or the error it fails with. @param cannot filters it does not support */
function directory(provider: string, total: number | Error, cannot: string[] = []) {
  const requests: CompanyQuery[] = [];
  const search = async (query: CompanyQuery): Promise<Answer> => {
    requests.push(query);
    if (total instanceof Error) throw total;
    return { provider, items: [], total };
  };
  const self: CompanyDirectory = { provider, cannotTell: () => cannot, searchCompanies: search };
  return { self, requests };
}

const failure = new ProviderFailure('capacity', 'The provider is at its capacity.', { provider: 'busy' });
const chainOf = (...all: Array<{ self: CompanyDirectory }>) =>
  chainsOf({ companies: all.map(({ self }) => self), people: [] }).companies!;

describe('several directories', () => {
  it('are searched in order, until one has a match', async () => {
    const [first, second, third] = [directory('a', 0), directory('b', 7), directory('c', 9)];
    const answer = await chainOf(first, second, third).searchCompanies({}, { limit: 5 });
    expect([answer.provider, answer.total, third.requests.length]).toEqual(['b', 7, 0]);
  });

  it('report no match in the name of the first one searched', async () => {
    const chain = chainOf(directory('a', 3, ['names']), directory('b', 0), directory('c', 0));
    expect(await chain.searchCompanies({}, { limit: 5 })).toMatchObject({ provider: 'b', total: 0 });
  });

  it('fail instead of reporting no match if rows were skipped for missing data', async () => {
    const own = directory('directory:own', 5, ['state']);
    const chain = chainOf(own, directory('vendor', 0));
    await expect(chain.searchCompanies({}, { limit: 5 })).rejects.toMatchObject({
      code: 'provider_rejected',
      message:
        'No row of the directory has a state, so it cannot be searched by it. vendor can be, and has no match.',
    });
    expect((await chainOf(own, directory('vendor', 3)).searchCompanies({}, { limit: 5 })).provider).toBe(
      'vendor',
    );
  });

  it('fall through when one fails, and fail if no other has a match', async () => {
    const chain = chainOf(directory('busy', failure), directory('b', 2));
    expect((await chain.searchCompanies({}, { limit: 5 })).provider).toBe('b');
    const none = chainOf(directory('busy', failure), directory('b', 0));
    await expect(none.searchCompanies({}, { limit: 5 })).rejects.toBe(failure);
    const broken = chainOf(directory('a', new Error('a mistake of ours')), directory('b', 2));
    await expect(broken.searchCompanies({}, { limit: 5 })).rejects.toThrow('a mistake of ours');
  });

  it('continue with the directory that gave the first page, even if another could', async () => {
    const [first, second] = [directory('a', 5), directory('b', 7)];
    const options = { limit: 5, offset: 5, from: 'b' };
    expect((await chainOf(first, second).searchCompanies({}, options)).provider).toBe('b');
    expect(first.requests).toEqual([]);
    const failing = chainOf(directory('a', 5), directory('busy', failure));
    await expect(failing.searchCompanies({}, { ...options, from: 'busy' })).rejects.toBe(failure);
    expect((await chainOf(first).searchCompanies({}, { ...options, from: 'gone' })).total).toBe(0);
  });

  it('name the filter that none of them supports, from the one that lacks fewest', async () => {
    const chain = chainOf(
      directory('a', 5, ['revenue_usd', 'is_hiring']),
      directory('b', 5, ['company_business_models']),
    );
    await expect(chain.searchCompanies({}, { limit: 5 })).rejects.toMatchObject({
      code: 'provider_rejected',
      message: 'No directory can be searched by: business model of the company.',
    });
  });
});
