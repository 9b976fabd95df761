import type {
  CompanyDirectory,
  CompanyQuery,
  DirectorySort,
  PeopleDirectory,
  PeopleQuery,
} from '@quarry/directory';
import { OwnVocabulary } from '@quarry/vocabulary';
import { systemCtx, type Ctx } from '@quarry/app';
import { sqlState, type Database } from '@quarry/postgres';
import { LRUCache } from 'lru-cache';
import {
  ProviderFailure,
  type LookupProvider,
  IMPORTED,
  CompanyDirectoryChain,
  PeopleDirectoryChain,
} from '@quarry/engine';
import { DirectoryStore, type DirectoryHead } from './tables/directory.store.js';
import {
  emptyOfCompanies,
  emptyOfPeople,
  readEmptyColumns,
  type EmptyColumns,
} from './search/empty-columns.js';
import { readOwnWords } from './search/own-vocabulary.js';
import type { DirectoryKind } from './tables/target-fields.catalogue.js';
import { ImportedCompanyLookup, ImportedPersonLookup } from './search/imported-lookup.provider.js';
import { ImportedCompanies, ImportedPeople, type DirectoryReader } from './search/imported-directory.js';

type Tenant = Pick<Ctx, 'orgId' | 'mode'>;

/** Milliseconds that the list of directories is cached; an import must be visible within 10 s. */
const HEADS_KEPT_MS = 5_000;
/** Milliseconds after which the words or empty columns of a directory are read again when reading failed. */
const WORDS_RETRY_MS = 300_000;
/** SQLSTATE of a table that no longer exists: its directory was imported again or dropped after the list was read. */
const UNDEFINED_TABLE = '42P01';

/** Names of directories by kind, in search order; omitted directories are not searched. */
export type DirectoryOrder = { readonly [Kind in DirectoryKind]?: readonly string[] | undefined };

/** Directories of each kind, in search order. */
export interface ImportedLists {
  readonly companies: readonly CompanyDirectory[];
  readonly people: readonly PeopleDirectory[];
}

/** Directories that the operator has imported. All organisations search them with live keys. */
export class ImportedDirectories {
  private heads: { read: Promise<DirectoryHead[]>; until: number } | null = null;
  /** Cached for good once it is true. */
  private hadAny: { read: Promise<boolean>; until: number } | null = null;
  private words: { key: string; read: Promise<OwnVocabulary | null>; until: number } | null = null;
  private readonly empty = new LRUCache<string, { read: Promise<EmptyColumns>; until: number }>({ max: 100 });
  private readonly store: Pick<DirectoryStore, 'listDirectories' | 'hasHadAny'>;

  constructor(
    private readonly database: Database,
    private readonly order: DirectoryOrder = {},
  ) {
    this.store = new DirectoryStore(database);
  }

  /**
   * @returns the current directories, in search order. Each of them uses the newest import at the time of a search
   */
  async directoriesOf(tenant: Tenant): Promise<ImportedLists> {
    const reader = this.readerFor(tenant);
    const heads = await this.readKnown();
    const companies = this.namesOf('companies', heads).map(async (head) => {
      const empty = await this.emptyColumns(reader, head);
      return {
        ...this.companiesOf(reader, head.name),
        cannotTell: (query: CompanyQuery, sort?: DirectorySort) => emptyOfCompanies(query, empty, sort),
      };
    });
    const people = this.namesOf('people', heads).map(async (head) => {
      const empty = await this.emptyColumns(reader, head);
      return {
        ...this.peopleOf(reader, head.name),
        cannotTell: (query: PeopleQuery, sort?: DirectorySort) => emptyOfPeople(query, empty, sort),
      };
    });
    return { companies: await Promise.all(companies), people: await Promise.all(people) };
  }

  /** @returns the providers that look up one company or person, in call order */
  async listLookups(tenant: Tenant): Promise<LookupProvider[]> {
    const heads = await this.readKnown();
    const reader = this.readerFor(tenant);
    return [
      ...this.namesOf('companies', heads).map(
        ({ name }) => new ImportedCompanyLookup(providerOf(name), this.companiesOf(reader, name)),
      ),
      ...this.namesOf('people', heads).map(
        ({ name }) => new ImportedPersonLookup(providerOf(name), this.peopleOf(reader, name)),
      ),
    ];
  }

  /** @returns whether this installation has ever had a directory; then the sandbox serves no live key */
  hasHadAny(): Promise<boolean> {
    const now = performance.now();
    if (this.hadAny && now < this.hadAny.until) return this.hadAny.read;
    const known = { read: this.store.hasHadAny(), until: now + HEADS_KEPT_MS };
    this.hadAny = known;
    known.read.then(
      (hadAny) => {
        if (!hadAny) return;
        known.until = Infinity;
        // The first import has just completed: the cached list is dropped, so that its directory is visible at once.
        this.heads = null;
      },
      () => {
        if (this.hadAny === known) this.hadAny = null;
      },
    );
    return known.read;
  }

  /**
   * @returns the words that only the directories contain; null when there is no directory, or they could not be read in time
   */
  async vocabularyOf(tenant: Tenant): Promise<OwnVocabulary | null> {
    const heads = await this.readKnown();
    const searched = (['companies', 'people'] as const).flatMap((kind) => this.namesOf(kind, heads));
    if (searched.length === 0) return null;
    const key = searched.map(({ kind, number }) => `${kind} ${number}`).join();
    if (this.words?.key === key && performance.now() < this.words.until) return this.words.read;
    const read = readOwnWords(this.readerFor(tenant), searched).then(
      (rows) => new OwnVocabulary(rows),
      () => {
        words.until = performance.now() + WORDS_RETRY_MS;
        return null;
      },
    );
    const words = { key, read, until: Infinity };
    this.words = words;
    return read;
  }

  /**
   * Reads and caches the empty columns: rows do not change, except that people may be erased. After a failure no column
   * counts as empty.
   */
  private emptyColumns(reader: DirectoryReader, head: DirectoryHead): Promise<EmptyColumns> {
    const key = `${head.kind} ${head.number}`;
    const known = this.empty.get(key);
    if (known && performance.now() < known.until) return known.read;
    const read = readEmptyColumns(reader, head).catch((): EmptyColumns => {
      columns.until = performance.now() + WORDS_RETRY_MS;
      return new Set();
    });
    const columns = { read, until: Infinity };
    this.empty.set(key, columns);
    return read;
  }

  private readerFor({ orgId, mode }: Tenant): DirectoryReader {
    return { database: this.database, ctx: { ...systemCtx('directory-search', orgId), mode } };
  }

  private companiesOf(reader: DirectoryReader, only: string): CompanyDirectory {
    const chain = async (): Promise<CompanyDirectory> => {
      const heads = this.requireStanding('companies', await this.readKnown(), only);
      return new CompanyDirectoryChain(
        heads.map(({ name, number }) => new ImportedCompanies(reader, name, number)),
      );
    };
    return {
      provider: providerOf(only),
      searchCompanies: (query, options) => this.asNow(chain, (each) => each.searchCompanies(query, options)),
      findCompany: (key) => this.asNow(chain, (each) => each.findCompany(key)),
    };
  }

  private peopleOf(reader: DirectoryReader, only: string): PeopleDirectory {
    const chain = async (): Promise<PeopleDirectory> => {
      const heads = this.requireStanding('people', await this.readKnown(), only);
      return new PeopleDirectoryChain(
        heads.map(({ name, number }) => new ImportedPeople(reader, name, number)),
      );
    };
    return {
      provider: providerOf(only),
      searchPeople: (query, options) => this.asNow(chain, (each) => each.searchPeople(query, options)),
      findPerson: (key) => this.asNow(chain, (each) => each.findPerson(key)),
    };
  }

  /** Runs `ask`; if a table no longer exists, reads the list again and retries once. */
  private async asNow<Directory, T>(
    directories: () => Promise<Directory>,
    ask: (directory: Directory) => Promise<T>,
  ): Promise<T> {
    try {
      return await ask(await directories());
    } catch (error) {
      if (sqlState(error) !== UNDEFINED_TABLE) throw error;
      this.heads = null;
      return ask(await directories());
    }
  }

  /** @throws ProviderFailure when the directory has been dropped since its name was read: "no match" would be false */
  private requireStanding(
    kind: DirectoryKind,
    heads: readonly DirectoryHead[],
    only: string,
  ): DirectoryHead[] {
    const standing = this.namesOf(kind, heads, only);
    if (standing.length > 0) return standing;
    const message = 'This directory has just been dropped.';
    throw new ProviderFailure('provider_unavailable', message, { provider: providerOf(only) });
  }

  private namesOf(kind: DirectoryKind, heads: readonly DirectoryHead[], only?: string): DirectoryHead[] {
    const ofKind = heads.filter((head) => head.kind === kind && (only === undefined || head.name === only));
    const order = this.order[kind];
    return order ? order.flatMap((name) => ofKind.filter((head) => head.name === name)) : ofKind;
  }

  private readKnown(): Promise<DirectoryHead[]> {
    const now = performance.now();
    if (this.heads && now < this.heads.until) return this.heads.read;
    const read = this.store.listDirectories();
    const heads = { read, until: now + HEADS_KEPT_MS };
    this.heads = heads;
    read.catch(() => {
      if (this.heads === heads) this.heads = null;
    });
    return read;
  }
}

/** Returns the name of an imported directory in responses. */
function providerOf(name: string): string {
  return IMPORTED + name;
}
