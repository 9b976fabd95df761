import {
  COMPANY_FILTERS,
  PERSON_FILTERS,
  type CompanyDirectory,
  type DirectoryAnswer,
  type DirectorySearchOptions,
  type PeopleDirectory,
} from '@quarry/directory';
import { ProviderFailure } from '../ports/lookup.port.js';
import type { Directories } from '../providers.port.js';
import { IMPORTED } from '../settings/directory-names.js';

/** Name of a chain as a provider; its answers name the directory that they come from. */
const CHAIN = 'directory';

interface ChainQuery<Directory, T> {
  readonly directories: readonly Directory[];
  readonly options: DirectorySearchOptions<T>;
  /** Returns the filters of the query that a directory cannot answer. */
  readonly cannotTell: (directory: Directory) => readonly string[];
  readonly search: (directory: Directory) => Promise<DirectoryAnswer<T>>;
}

/**
 * Searches the directories in order until one has a match. A directory that cannot answer the query is skipped, and a
 * failure moves on to the next one. Later pages come from the directory that returned the first page.
 * @throws ProviderFailure `provider_rejected` when no directory can answer the query, or when an imported directory cannot
 *   and no other has a match; the first failure when all other directories found nothing
 */
async function firstWithMatch<Directory extends { provider: string }, T>({
  directories,
  options: { from, signal },
  cannotTell,
  search,
}: ChainQuery<Directory, T>): Promise<DirectoryAnswer<T>> {
  const untold = directories.map((each) => cannotTell(each));
  const able = directories.filter((_, i) => untold[i]!.length === 0);
  if (able.length === 0) {
    // An imported directory supports every filter whose column is filled in at least one row.
    const areImported = directories.every(({ provider }) => provider.startsWith(IMPORTED));
    throw nobodyCanTell(areImported, untold);
  }
  let nothing: DirectoryAnswer<T> = { provider: able[0]!.provider, items: [], total: 0 };
  let failure: ProviderFailure | null = null;
  let isAnswered = false;
  for (const directory of able) {
    if (from !== undefined && directory.provider !== from) continue;
    try {
      const answer = await search(directory);
      if (answer.total > 0) return answer;
      if (!isAnswered) nothing = answer;
      isAnswered = true;
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof ProviderFailure)) throw error;
      failure ??= error;
    }
  }
  if (failure) throw failure;
  // The skipped imported directories may hold matches, so "no match" would not be certain.
  const ownUntold = untold.filter(
    (names, at) => names.length > 0 && directories[at]!.provider.startsWith(IMPORTED),
  );
  if (ownUntold.length > 0 && from === undefined) throw nobodyCanTell(true, ownUntold, nothing.provider);
  return nothing;
}

const LABELS = new Map([
  ...PERSON_FILTERS.map(({ name, label }) => [name as string, label] as const),
  ...COMPANY_FILTERS.flatMap(({ name, label }) => [
    [name as string, label] as const,
    [`company_${name}`, `${label} of the company`] as const,
  ]),
]);

/**
 * Creates the failure for a query that no directory can answer. It names the filters that the closest directory lacks.
 * @param areImported true when the rows of an imported directory lack the values
 * @param without provider that can answer the query and has no match
 */
function nobodyCanTell(
  areImported: boolean,
  untold: ReadonlyArray<readonly string[]>,
  without?: string,
): ProviderFailure {
  const [least = []] = [...untold].sort((a, b) => a.length - b.length);
  const what = [...new Set(least.map((name) => LABELS.get(name) ?? name))];
  const message = areImported
    ? `No row of the directory has ${what.map(withArticle).join(' or ')}, so it cannot be searched by it.`
    : `No directory can be searched by: ${what.join(', ')}.`;
  const others = without === undefined ? '' : ` ${without} can be, and has no match.`;
  return new ProviderFailure('provider_rejected', message + others, { provider: null });
}

function withArticle(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
}

/** Directories of each kind, in search order. */
export interface DirectoryLists {
  readonly companies: readonly CompanyDirectory[];
  readonly people: readonly PeopleDirectory[];
}

/** @returns one directory per kind that covers its whole list; null for an empty list */
export function chainsOf({ companies, people }: DirectoryLists): Directories {
  return {
    companies:
      companies.length === 0
        ? null
        : {
            provider: CHAIN,
            searchCompanies: (query, options) =>
              firstWithMatch({
                directories: companies,
                options,
                cannotTell: (each) => each.cannotTell?.(query, options.sort) ?? [],
                search: (each) => each.searchCompanies(query, options),
              }),
          },
    people:
      people.length === 0
        ? null
        : {
            provider: CHAIN,
            searchPeople: (query, options) =>
              firstWithMatch({
                directories: people,
                options,
                cannotTell: (each) => each.cannotTell?.(query, options.sort) ?? [],
                search: (each) => each.searchPeople(query, options),
              }),
          },
  };
}
