import type { CompanyDirectory, PeopleDirectory } from '@quarry/directory';
import { OwnVocabulary } from '@quarry/vocabulary';
import { systemCtx, type Ctx } from '@quarry/app';
import { sqlState, type Database } from '@quarry/postgres';
import { LRUCache } from 'lru-cache';
import { ProviderFailure, type DirectoryLists, type LookupProvider, IMPORTED } from '@quarry/engine';
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
  async directoriesOf(tenant: Tenant): Promise<DirectoryLists> {
    const reader = this.readerFor(tenant);
    const heads = await this.readKnown();
    const companies = this.namesOf('companies', heads).map(async (head): Promise<CompanyDirectory> => {
      const empty = await this.emptyColumns(reader, head);
      return {
        provider: providerOf(head.name),
        cannotTell: (query, sort) => emptyOfCompanies(query, empty, sort),
        searchCompanies: (query, options) =>
          this.askCompanies(reader, head.name, (table) => table.searchCompanies(query, options)),
      };
    });
    const people = this.namesOf('people', heads).map(async (head): Promise<PeopleDirectory> => {
      const empty = await this.emptyColumns(reader, head);
      return {
        provider: providerOf(head.name),
        cannotTell: (query, sort) => emptyOfPeople(query, empty, sort),
        searchPeople: (query, options) =>
          this.askPeople(reader, head.name, (table) => table.searchPeople(query, options)),
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
        ({ name }) =>
          new ImportedCompanyLookup(providerOf(name), (key) =>
            this.askCompanies(reader, name, (table) => table.findCompany(key)),
          ),
      ),
      ...this.namesOf('people', heads).map(
        ({ name }) =>
          new ImportedPersonLookup(providerOf(name), (key) =>
            this.askPeople(reader, name, (table) => table.findPerson(key)),
          ),
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

  private askCompanies<T>(
    reader: DirectoryReader,
    name: string,
    ask: (table: ImportedCompanies) => Promise<T>,
  ): Promise<T> {
    return this.asNow('companies', name, (number) => ask(new ImportedCompanies(reader, name, number)));
  }

  private askPeople<T>(
    reader: DirectoryReader,
    name: string,
    ask: (table: ImportedPeople) => Promise<T>,
  ): Promise<T> {
    return this.asNow('people', name, (number) => ask(new ImportedPeople(reader, name, number)));
  }

  /** Runs `ask` with the table of the newest import; if it no longer exists, reads the list again and retries once. */
  private async asNow<T>(kind: DirectoryKind, name: string, ask: (number: number) => Promise<T>): Promise<T> {
    try {
      return await ask(await this.numberOf(kind, name));
    } catch (error) {
      if (sqlState(error) !== UNDEFINED_TABLE) throw error;
      this.heads = null;
      return ask(await this.numberOf(kind, name));
    }
  }

  /** @throws ProviderFailure when the directory has been dropped since its name was read: "no match" would be false */
  private async numberOf(kind: DirectoryKind, name: string): Promise<number> {
    const heads = await this.readKnown();
    const head = heads.find((each) => each.kind === kind && each.name === name);
    if (head) return head.number;
    const message = 'This directory has just been dropped.';
    throw new ProviderFailure('provider_unavailable', message, { provider: providerOf(name) });
  }

  private namesOf(kind: DirectoryKind, heads: readonly DirectoryHead[]): DirectoryHead[] {
    const ofKind = heads.filter((head) => head.kind === kind);
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
