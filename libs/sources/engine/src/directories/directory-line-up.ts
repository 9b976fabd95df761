import type { CompanyDirectory, PeopleDirectory } from '@quarry/directory';
import type { Directories } from '../providers.port.js';
import { CompanyDirectoryChain, PeopleDirectoryChain } from './directory-chain.js';

/** Directories of each kind, in the order in which they are asked. */
export interface DirectoryLists {
  readonly companies: readonly CompanyDirectory[];
  readonly people: readonly PeopleDirectory[];
}

/** @returns one directory of each kind over all of its list; null where the list is empty */
export function chainsOf({ companies, people }: DirectoryLists): Directories {
  return {
    companies: companies.length > 0 ? new CompanyDirectoryChain(companies) : null,
    people: people.length > 0 ? new PeopleDirectoryChain(people) : null,
  };
}
