import { companyValues, personValues } from '@quarry/directory';
import type {
  DirectorySearchCall,
  DirectorySearchProvider,
  FoundPage,
} from '../../ports/directory-search.port.js';
import type { Directories } from '../../providers.port.js';

/** searchCompanies and searchPeople over what the operator has imported. Each answer names the directory that it is from. */
export class ImportedSearchProvider implements DirectorySearchProvider {
  readonly id = 'directory';
  readonly services: readonly string[];

  constructor(private readonly directories: Directories) {
    this.services = [
      ...(directories.companies ? ['searchCompanies'] : []),
      ...(directories.people ? ['searchPeople'] : []),
    ];
  }

  async run({ wanted, limit, offset, signal }: DirectorySearchCall): Promise<FoundPage> {
    signal.throwIfAborted();
    const { companies, people } = this.directories;
    if (wanted.entity === 'company') {
      const { provider, items, total } = await companies!.searchCompanies(wanted.query, { limit, offset });
      return pageOf(provider, items.map(companyValues), offset + limit >= total);
    }
    const { provider, items, total } = await people!.searchPeople(wanted.query, { limit, offset });
    return pageOf(provider, items.map(personValues), offset + limit >= total);
  }
}

function pageOf(provider: string, items: FoundPage['output']['items'], isLast: boolean): FoundPage {
  return { found: items.length > 0, deep: false, provider, output: { items }, isLast };
}
