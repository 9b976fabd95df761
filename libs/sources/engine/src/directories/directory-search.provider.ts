import { companyValues, personValues, type DirectoryAnswer } from '@quarry/directory';
import type {
  DirectorySearchCall,
  DirectorySearchProvider,
  FoundPage,
} from '../ports/directory-search.port.js';
import type { Directories } from '../providers.port.js';

/** Implements searchCompanies and searchPeople on directories. Each response names the directory it comes from. */
export class DirectoryLineSearch implements DirectorySearchProvider {
  readonly id = 'directory';
  readonly services: readonly string[];

  constructor(private readonly directories: Directories) {
    this.services = [
      ...(directories.companies ? ['searchCompanies'] : []),
      ...(directories.people ? ['searchPeople'] : []),
    ];
  }

  async answerCall({ wanted, limit, offset, from, signal }: DirectorySearchCall): Promise<FoundPage> {
    signal.throwIfAborted();
    const { companies, people } = this.directories;
    const options = { limit, offset, signal, ...(from === undefined ? {} : { from }) };
    return wanted.entity === 'company'
      ? pageOf(await companies!.searchCompanies(wanted.query, options), companyValues, offset)
      : pageOf(await people!.searchPeople(wanted.query, options), personValues, offset);
  }
}

function pageOf<T>(
  { provider, items, total, paidBy }: DirectoryAnswer<T>,
  valuesOf: (item: T) => FoundPage['output']['items'][number],
  offset: number,
): FoundPage {
  return {
    found: items.length > 0,
    deep: false,
    provider,
    output: { items: items.map(valuesOf) },
    isLast: items.length === 0 || offset + items.length >= total,
    ...(paidBy ? { paidBy } : {}),
  };
}
