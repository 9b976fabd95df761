import type {
  CompanyDirectory,
  CompanyKey,
  CompanyQuery,
  CompanyRecord,
  DirectoryAnswer,
  DirectorySearchOptions,
  PeopleDirectory,
  PeopleQuery,
  PersonKey,
  PersonRecord,
} from '@quarry/directory';

/** @returns the answer of the first that has a match at all, so that every page comes from the same one */
async function firstWithMatch<Directory, T>(
  directories: readonly Directory[],
  search: (directory: Directory) => Promise<DirectoryAnswer<T>>,
): Promise<DirectoryAnswer<T>> {
  let answer = await search(directories[0]!);
  for (const directory of directories.slice(1)) {
    if (answer.total > 0) break;
    answer = await search(directory);
  }
  return answer;
}

async function firstFound<Directory, T>(
  directories: readonly Directory[],
  find: (directory: Directory) => Promise<T | null>,
): Promise<T | null> {
  for (const directory of directories) {
    const found = await find(directory);
    if (found !== null) return found;
  }
  return null;
}

/** Several directories of companies, at least one, asked in order: the first that has a match answers the search. */
export class CompanyDirectoryChain implements CompanyDirectory {
  readonly provider: string;

  constructor(private readonly directories: readonly CompanyDirectory[]) {
    this.provider = directories[0]!.provider;
  }

  searchCompanies(
    query: CompanyQuery,
    options: DirectorySearchOptions<CompanyRecord>,
  ): Promise<DirectoryAnswer<CompanyRecord>> {
    return firstWithMatch(this.directories, (each) => each.searchCompanies(query, options));
  }

  findCompany(key: CompanyKey): Promise<CompanyRecord | null> {
    return firstFound(this.directories, (each) => each.findCompany(key));
  }
}

/** Several directories of people, as {@link CompanyDirectoryChain}. */
export class PeopleDirectoryChain implements PeopleDirectory {
  readonly provider: string;

  constructor(private readonly directories: readonly PeopleDirectory[]) {
    this.provider = directories[0]!.provider;
  }

  searchPeople(
    query: PeopleQuery,
    options: DirectorySearchOptions<PersonRecord>,
  ): Promise<DirectoryAnswer<PersonRecord>> {
    return firstWithMatch(this.directories, (each) => each.searchPeople(query, options));
  }

  findPerson(key: PersonKey): Promise<PersonRecord | null> {
    return firstFound(this.directories, (each) => each.findPerson(key));
  }
}
