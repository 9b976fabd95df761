import type { CompanyDirectory, PeopleDirectory } from '@quarry/directory';
import type { Directories } from '../providers.port.js';
import { IMPORTED } from '../settings/directory-names.js';
import { CompanyDirectoryChain, PeopleDirectoryChain } from './directory-chain.js';

/** Directories of each kind, in the order in which they are asked. */
export interface DirectoryLists {
  readonly companies: readonly CompanyDirectory[];
  readonly people: readonly PeopleDirectory[];
}

/**
 * @param imported as the order has them already
 * @param others vendors and the web
 * @param names of the file; left out, what was imported comes first
 * @returns those that are asked. Others that no name speaks of are left out, but for an organisation's own, which come behind
 */
export function inOrder<Directory extends { provider: string; isOwn?: boolean }>(
  imported: readonly Directory[],
  others: readonly Directory[],
  names: readonly string[] | undefined,
): Directory[] {
  if (!names) return [...imported, ...others];
  const named = names.flatMap((name) => [
    ...imported.filter(({ provider }) => provider === IMPORTED + name),
    ...others.filter(({ provider }) => provider === name),
  ]);
  return [...named, ...others.filter((each) => each.isOwn && !named.includes(each))];
}

/** @returns one directory of each kind over all of its list; null where the list is empty */
export function chainsOf({ companies, people }: DirectoryLists): Directories {
  return {
    companies: companies.length > 0 ? new CompanyDirectoryChain(companies) : null,
    people: people.length > 0 ? new PeopleDirectoryChain(people) : null,
  };
}
