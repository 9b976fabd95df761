import { setTimeout as delay } from 'node:timers/promises';
import type { CompanyDirectory, OwnVocabulary } from '@quarry/directory';
import { readForOrganisation } from '@quarry/safe-http';
import { systemCtx, type Logger, type Mode, type SealedSecrets } from '@quarry/app';
import { isDatabaseUnavailable } from '@quarry/postgres';
import { entriesAtMost } from '@quarry/resilience';
import { LRUCache } from 'lru-cache';
import type { ConfiguredProviders, OwnVendor } from '../operator/configured-providers.js';
import {
  type ProviderMetrics,
  OrganisationPages,
  type WebPages,
  type DirectorySearchProvider,
  type LookupProvider,
  type ProviderCall,
  chainsOf,
  inOrder,
  type DirectoryLists,
  DirectoryLineSearch,
  Providers,
  type Directories,
  unavailableReason,
  Waterfall,
} from '@quarry/engine';
import type { ImportedDirectories } from '@quarry/imported';
import type { WebCompanies, WebEngine } from '@quarry/web-sources';
import { vendorsOf } from '@quarry/vendors';
import { bindingOf, type Tenant } from './vendor-choices.js';
import type { VendorChoice, VendorChoiceStore } from './vendor-choice.store.js';

/** A choice that another process has taken reaches this one within this time. */
const CHOICES_KEPT_MS = 5_000;
const TENANTS_KEPT = 10_000;
/** Vendors of organisations that have their limits and breakers in mind at once; whoever is forgotten starts anew. */
const OWN_VENDORS_KEPT = 1_000;
const READ_AGAIN_MS = 500;

interface KeptVendor {
  /** The sealed text is another one for each key that is set. */
  sealed: string;
  vendor: OwnVendor;
}

/** Providers of an organisation. */
interface Chosen {
  waterfall: Waterfall;
  /** Those that were not imported. */
  directories: DirectoryLists;
  /** Account that pays for webSearch: the organisation in this mode where it has its own key, else the operator's engines. */
  searchAccount: string;
}

/**
 * The operator's providers as each organisation has them: its own key in place of the operator's, or beside it, and
 * without the vendors that it has switched off. Each own key has limits and a breaker of its own, so that a wrong one
 * rests nobody else's vendor. Test keys meet the sandbox, whatever is chosen.
 */
export class TenantProviders extends Providers {
  private readonly chosen = new LRUCache<string, Promise<Chosen>>({
    ...entriesAtMost(TENANTS_KEPT),
    ttl: CHOICES_KEPT_MS,
  });
  private readonly own = new LRUCache<string, KeptVendor>({ max: OWN_VENDORS_KEPT });
  /** Searches that somebody real of the operator answers where nobody has chosen: what a choice takes away is not replaced by fiction. */
  private readonly searched: ReadonlySet<string>;

  constructor(
    private readonly operator: ConfiguredProviders,
    private readonly store: Pick<VendorChoiceStore, 'listChoices'>,
    private readonly secrets: SealedSecrets,
    private readonly logger: Pick<Logger, 'warn'>,
    private readonly imported: Pick<ImportedDirectories, 'of' | 'lookups' | 'hasHadAny' | 'vocabularyOf'>,
  ) {
    super();
    const { directories, webCompanies, directoryOrder } = operator;
    const isSearched = operator.searcherFor('live').providersOf('webSearch').length > 0;
    const web = webCompanies && isSearched ? [{ provider: 'web' }] : [];
    const companies = inOrder([], [...directories.companies, ...web], directoryOrder.companies);
    const people = inOrder([], directories.people, directoryOrder.people);
    this.searched = new Set([
      ...(companies.length > 0 ? ['searchCompanies'] : []),
      ...(people.length > 0 ? ['searchPeople'] : []),
    ]);
  }

  searcherFor(tenant: Tenant): Pick<Waterfall, 'run'> {
    if (tenant.mode === 'test') return this.operator.searcherFor('test');
    return {
      run: async (call) => {
        const { signal } = call;
        const waterfall = await retryWhileUnavailable(() => this.waterfallOf(tenant), signal);
        const lookupFor = (service: string) =>
          retryWhileUnavailable(() => this.lookupFor(service, tenant), signal);
        return readForOrganisation(tenant.orgId, () => waterfall.run({ ...call, lookupFor }));
      },
    };
  }

  async lookupFor(service: string, tenant: Tenant): Promise<Pick<Waterfall, 'run'> | null> {
    if (tenant.mode === 'test') {
      const sandbox = this.operator.searcherFor('test');
      return sandbox.providersOf(service).length === 0 ? null : sandbox;
    }
    const [waterfall, behind] = [await this.waterfallOf(tenant), await this.behind(service, tenant)];
    const before = waterfall.providersOf(service);
    if (before.length === 0 && behind.length === 0) return null;
    const first = {
      id: before.join(),
      services: [service],
      run: (call: ProviderCall) => waterfall.run(call),
    };
    const all =
      behind.length === 0
        ? waterfall
        : new Waterfall([...(before.length > 0 ? [first] : []), ...behind], {}, vendorsOf);
    return { run: (call) => readForOrganisation(tenant.orgId, () => all.run(call)) };
  }

  async providersFor(tenant: Tenant): Promise<(service: string) => string[]> {
    if (tenant.mode === 'test') return (service) => this.operator.providersOf(service, 'test');
    const waterfall = await this.waterfallOf(tenant);
    const { companies, people } = await this.lineUp(tenant);
    const searching: Readonly<Record<string, readonly string[]>> = {
      searchCompanies: companies.map(({ provider }) => provider),
      searchPeople: people.map(({ provider }) => provider),
    };
    const lookups = await this.imported.lookups(tenant);
    const hadAny = await this.imported.hasHadAny();
    return (service) => {
      const real =
        searching[service] ?? lookups.filter((each) => each.services.includes(service)).map(({ id }) => id);
      // Fiction never stands beside a real directory, nor in the place of one that a choice has taken away.
      const isReal = real.length > 0 || this.searched.has(service) || hadAny;
      const sandbox = isReal ? null : this.operator.directorySearchFor(service, tenant.mode);
      return [...waterfall.providersOf(service), ...real, ...(sandbox ? [sandbox.id] : [])];
    };
  }

  unavailableReason(service: string, mode: Mode): string {
    return unavailableReason(service, mode, vendorsOf);
  }

  async directorySearchFor(service: string, tenant: Tenant): Promise<DirectorySearchProvider | null> {
    const sandbox = this.operator.directorySearchFor(service, tenant.mode);
    if (tenant.mode === 'test') return sandbox;
    const real = new DirectoryLineSearch(chainsOf(await this.lineUp(tenant)));
    if (real.services.includes(service)) return real;
    return this.searched.has(service) || (await this.imported.hasHadAny()) ? null : sandbox;
  }

  /**
   * Returns real directories for live keys; the sandbox for test keys, and for live ones where the operator has nobody and has
   * never imported a directory.
   */
  async directoriesFor(tenant: Tenant): Promise<Directories> {
    const sandbox = this.operator.directoryFor(tenant.mode);
    if (tenant.mode === 'test') return { companies: sandbox, people: sandbox };
    const real = chainsOf(await this.lineUp(tenant));
    const hadAny = await this.imported.hasHadAny();
    return {
      companies: real.companies ?? (hadAny || this.searched.has('searchCompanies') ? null : sandbox),
      people: real.people ?? (hadAny || this.searched.has('searchPeople') ? null : sandbox),
    };
  }

  /** Lines up the directories of companies and people: imported ones, vendors, the web; or as the file gives them. */
  private async lineUp(tenant: Tenant): Promise<DirectoryLists> {
    const imported = await this.imported.of(tenant);
    const { directories, waterfall } = await this.choicesOf(tenant);
    const { webCompanies } = this.operator;
    const isSearched = waterfall.providersOf('webSearch').length > 0;
    const web = webCompanies && isSearched ? [this.webDirectory(webCompanies, tenant)] : [];
    const { companies: ofCompanies, people: ofPeople } = this.operator.directoryOrder;
    return {
      companies: inOrder(imported.companies, [...directories.companies, ...web], ofCompanies),
      people: inOrder(imported.people, directories.people, ofPeople),
    };
  }

  private webDirectory(companies: WebCompanies, tenant: Tenant): CompanyDirectory {
    const directory = companies.directory(() => this.engineFor(tenant));
    return {
      ...directory,
      searchCompanies: (query, options) =>
        readForOrganisation(tenant.orgId, () => directory.searchCompanies(query, options)),
    };
  }

  private async engineFor(tenant: Tenant): Promise<WebEngine | null> {
    const { waterfall, searchAccount: account } = await this.choicesOf(tenant);
    if (waterfall.providersOf('webSearch').length === 0) return null;
    return { account, run: (call) => waterfall.run(call) };
  }

  pagesFor({ orgId, mode }: Tenant): WebPages | null {
    const { pages } = this.operator;
    return mode === 'test' || !pages ? null : new OrganisationPages(orgId, pages);
  }

  async vocabularyFor(tenant: Tenant): Promise<OwnVocabulary | null> {
    return tenant.mode === 'test' ? null : this.imported.vocabularyOf(tenant);
  }

  readMetrics(): ProviderMetrics[] {
    return this.operator.readMetrics();
  }

  /** Reads the choices of an organisation again when it is served next. */
  forget(tenant: Tenant): void {
    this.chosen.delete(nameOf(tenant));
  }

  /** Returns the imported providers, which come behind those that look now: an import is as old as its file. */
  private async behind(service: string, tenant: Tenant): Promise<LookupProvider[]> {
    return (await this.imported.lookups(tenant)).filter(({ services }) => services.includes(service));
  }

  private async waterfallOf(tenant: Tenant): Promise<Waterfall> {
    return (await this.choicesOf(tenant)).waterfall;
  }

  private choicesOf(tenant: Tenant): Promise<Chosen> {
    const name = nameOf(tenant);
    const known = this.chosen.get(name);
    if (known) return known;
    const read = this.read(tenant);
    this.chosen.set(name, read);
    read.catch(() => {
      if (this.chosen.peek(name) === read) this.chosen.delete(name);
    });
    return read;
  }

  private async read(tenant: Tenant): Promise<Chosen> {
    const { orgId, mode } = tenant;
    const choices = await this.store.listChoices({ ...systemCtx('vendor-choices', orgId), mode });
    const own = choices.flatMap((choice) => this.vendorOf(tenant, choice) ?? []);
    const off = new Set(choices.filter((choice) => this.isOut(choice, own)).map(({ vendor }) => vendor));
    const lookups = own.map(({ lookup }) => lookup);
    const hasSandbox = !(await this.imported.hasHadAny());
    const isOperators = choices.length === 0 && hasSandbox;
    const waterfall = isOperators
      ? this.operator.searcherFor(mode)
      : this.operator.waterfallWith(lookups, off, hasSandbox);
    const isOwn = lookups.some(({ services }) => services.includes('webSearch'));
    return {
      waterfall,
      directories: this.operator.directoriesWith(own, off),
      searchAccount: isOwn ? nameOf(tenant) : waterfall.providersOf('webSearch').join(),
    };
  }

  /** A key that does not open leaves its vendor out: the operator's must not be spent in its place, at another price. */
  private isOut({ vendor, enabled, key }: VendorChoice, own: readonly OwnVendor[]): boolean {
    return !enabled || (key !== null && !own.some(({ lookup }) => lookup.id === vendor));
  }

  /** @returns null where there is nothing to ask with */
  private vendorOf(tenant: Tenant, { vendor, enabled, key }: VendorChoice): OwnVendor | null {
    const place = `${nameOf(tenant)} ${vendor}`;
    if (!enabled || key === null) {
      this.own.delete(place);
      return null;
    }
    const known = this.own.get(place);
    if (known?.sealed === key.sealed) return known.vendor;
    const opened = this.secrets.open(bindingOf(tenant, vendor), key.sealed);
    if (opened === null)
      this.logger.warn(
        { orgId: tenant.orgId, provider: vendor },
        'the key of an organisation does not open with any of ENCRYPTION_KEYS; it is left out',
      );
    const own = opened === null ? null : this.operator.ownVendor(vendor, opened, tenant.orgId);
    if (own) this.own.set(place, { sealed: key.sealed, vendor: own });
    return own;
  }
}

function nameOf({ orgId, mode }: Tenant): string {
  return `${orgId} ${mode}`;
}

/** A line that is in hand waits for the database, as its end would: its lease and its deadline go on meanwhile. */
async function retryWhileUnavailable<T>(read: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      await delay(READ_AGAIN_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}
