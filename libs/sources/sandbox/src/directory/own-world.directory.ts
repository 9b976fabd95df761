import {
  nameKeyOf,
  type CompanyDirectory,
  type CompanyQuery,
  type CompanyRecord,
  type DirectoryAnswer,
  type DirectorySearchOptions,
  type PeopleDirectory,
  type PeopleQuery,
  type PersonRecord,
} from '@quarry/directory';
import { ProviderFailure, isReservedName } from '@quarry/engine';
import type { SandboxDirectory } from './sandbox-directory.provider.js';

/**
 * The sandbox's directory for live keys: a query may only name people and companies that exist in the sandbox. For a real
 * one “No match” would be false, since nothing was searched.
 */
export class OwnWorldDirectory implements CompanyDirectory, PeopleDirectory {
  readonly provider: string;

  constructor(private readonly sandbox: SandboxDirectory) {
    this.provider = sandbox.provider;
  }

  /** @throws ProviderFailure provider_unavailable */
  async searchCompanies(
    query: CompanyQuery,
    options: DirectorySearchOptions<CompanyRecord>,
  ): Promise<DirectoryAnswer<CompanyRecord>> {
    this.requireOwnCompanies(query);
    return this.sandbox.searchCompanies(query, options);
  }

  /** @throws ProviderFailure provider_unavailable */
  async searchPeople(
    query: PeopleQuery,
    options: DirectorySearchOptions<PersonRecord>,
  ): Promise<DirectoryAnswer<PersonRecord>> {
    this.requireOwnCompanies(query.company ?? {});
    this.requireOwnNames(query.names, () => this.sandbox.people().map(({ full_name }) => full_name));
    return this.sandbox.searchPeople(query, options);
  }

  private requireOwnCompanies({ names, domains = [] }: CompanyQuery): void {
    this.requireOwnNames(names, () => this.sandbox.companies().map(({ name }) => name));
    for (const domain of domains) this.requireOwn(domain, isReservedName(domain));
  }

  private requireOwnNames(names: readonly string[] = [], readOwn: () => readonly string[]): void {
    if (names.length === 0) return;
    const own = new Set(readOwn().map(nameKeyOf));
    for (const name of names) this.requireOwn(name, own.has(nameKeyOf(name)));
  }

  private requireOwn(named: string, isOwn: boolean): void {
    if (isOwn) return;
    throw new ProviderFailure(
      'provider_unavailable',
      `No provider is configured that could look up “${named}”: the sandbox knows only its own fictional companies and people. Import a directory, or set the key of a vendor that lists them.`,
      { provider: this.provider },
    );
  }
}
