import type { CompanyDirectory, PeopleDirectory } from '@quarry/directory';
import type { Directories } from '../providers.port.js';
import { CompanyDirectoryChain, PeopleDirectoryChain } from './directory-chain.js';

/** Directories of each kind, in search order. */
export interface DirectoryLists {
  readonly companies: readonly CompanyDirectory[];
  readonly people: readonly PeopleDirectory[];
}

/** @returns one directory per kind that covers its whole list; null for an empty list */
export function chainsOf({ companies, people }: DirectoryLists): Directories {
  return {
    companies: companies.length > 0 ? new CompanyDirectoryChain(companies) : null,
    people: people.length > 0 ? new PeopleDirectoryChain(people) : null,
  };
}
