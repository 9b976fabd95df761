import { setTimeout as delay } from 'node:timers/promises';
import type { CompanyDirectory } from '@quarry/directory';
import type { OwnVocabulary } from '@quarry/vocabulary';
import { readForOrganisation } from '@quarry/safe-http';
import { systemCtx, type Logger, type Mode, type SealedSecrets } from '@quarry/app';
import { isDatabaseUnavailable } from '@quarry/postgres';
import { entriesAtMost } from '@quarry/resilience';
import { LRUCache } from 'lru-cache';
import type { WebCompanies, WebEngine } from '../directories/web-companies.js';
import type { ConfiguredProviders } from '../operator/configured-providers.js';
import { lookupOffer, offerOf, type Offer } from '../routes/offer.js';
import { NO_CHOICES, type TenantChoices } from '../routes/service-route.js';
import {
  type ProviderMetrics,
  type DirectorySearchProvider,
  chainsOf,
  DirectoryLineSearch,
  Providers,
  type Directories,
  unavailableReason,
  type Waterfall,
} from '@quarry/engine';
import type { ImportedDirectories } from '@quarry/imported';
import { vendorsOf } from '@quarry/vendors';
import { bindingOf, type Tenant } from './vendor-choices.js';
import type { VendorChoice, VendorChoiceStore } from './vendor-choice.store.js';

/** Milliseconds that choices are cached: a change made in another process takes effect within this time. */
const CHOICES_KEPT_MS = 5_000;
const TENANTS_KEPT = 10_000;
/**
 * Maximum number of vendors with an organisation's own key whose rates and breakers are cached; an evicted one starts
 * afresh.
 */
const OWN_VENDORS_KEPT = 1_000;
const READ_AGAIN_MS = 500;

interface KeptVendor {
  /** Encrypted key; different for each key that is set. */
  sealed: string;
  vendor: Offer;
}

type Chosen = Pick<TenantChoices<Offer>, 'own' | 'off'>;

/**
 * The operator's providers as each organisation sees them: with its own vendor keys instead of or in addition to the
 * operator's, and without the vendors it has disabled. Each own key has its own limits and breaker, so that an invalid key
 * does not pause the vendor for others. Test keys always use the sandbox, whatever is chosen.
 */
export class TenantProviders extends Providers {
  private readonly chosen = new LRUCache<string, Promise<Chosen>>({
    ...entriesAtMost(TENANTS_KEPT),
    ttl: CHOICES_KEPT_MS,
  });
  private readonly own = new LRUCache<string, KeptVendor>({ max: OWN_VENDORS_KEPT });

  constructor(
    private readonly operator: ConfiguredProviders,
    private readonly store: Pick<VendorChoiceStore, 'listChoices'>,
    private readonly secrets: SealedSecrets,
    private readonly logger: Pick<Logger, 'warn'>,
    private readonly imported: Pick<
      ImportedDirectories,
      'directoriesOf' | 'listLookups' | 'hasHadAny' | 'vocabularyOf'
    >,
  ) {
    super(operator.pages);
  }

  searcherFor(tenant: Tenant): Pick<Waterfall, 'answerCall'> {
    return {
      answerCall: async (call) => {
        const { signal } = call;
        const waterfall = await retryWhileUnavailable(() => this.waterfallFor(tenant), signal);
        const lookupFor = (service: string) =>
          retryWhileUnavailable(() => this.lookupFor(service, tenant), signal);
        return readForOrganisation(tenant.orgId, () => waterfall.answerCall({ ...call, lookupFor }));
      },
    };
  }

  async lookupFor(service: string, tenant: Tenant): Promise<Pick<Waterfall, 'answerCall'> | null> {
    const waterfall = await this.waterfallFor(tenant);
    if (waterfall.providersOf(service).length === 0) return null;
    return { answerCall: (call) => readForOrganisation(tenant.orgId, () => waterfall.answerCall(call)) };
  }

  async providersFor(tenant: Tenant): Promise<(service: string) => string[]> {
    const choices = await this.choicesFor(tenant, async () => [
      ...(await this.importedLookups(tenant)),
      ...(await this.importedDirectories(tenant)),
    ]);
    return (service) =>
      this.operator.routeOf(service, tenant.mode, choices).map(({ provider }) => provider.id);
  }

  unavailableReason(service: string, mode: Mode): string {
    return unavailableReason(service, mode, vendorsOf);
  }

  async directorySearchFor(service: string, tenant: Tenant): Promise<DirectorySearchProvider | null> {
    const choices = await this.choicesFor(tenant, () => this.importedDirectories(tenant));
    const [first] = this.operator.routeOf(service, tenant.mode, choices);
    if (!first) return null;
    if (first.provider.kind === 'sandbox') return this.operator.sandboxSearch[tenant.mode];
    return new DirectoryLineSearch(this.directoriesOf(tenant, choices));
  }

  async directoriesFor(tenant: Tenant): Promise<Directories> {
    return this.directoriesOf(tenant, await this.choicesFor(tenant, () => this.importedDirectories(tenant)));
  }

  private directoriesOf(tenant: Tenant, choices: TenantChoices<Offer>): Directories {
    const route = (service: string) => this.operator.routeOf(service, tenant.mode, choices);
    const web = this.operator.webCompanies;
    return chainsOf({
      companies: route('searchCompanies').map(
        ({ provider }) => provider.companies ?? this.webDirectory(web!, tenant),
      ),
      people: route('searchPeople').map(({ provider }) => provider.people!),
    });
  }

  private webDirectory(companies: WebCompanies, tenant: Tenant): CompanyDirectory {
    const directory = companies.directoryFor(() => this.engineFor(tenant));
    return {
      ...directory,
      searchCompanies: (query, options) =>
        readForOrganisation(tenant.orgId, () => directory.searchCompanies(query, options)),
    };
  }

  private async engineFor(tenant: Tenant): Promise<WebEngine | null> {
    const choices = await this.choicesFor(tenant, () => this.importedLookups(tenant));
    const route = this.operator.routeOf('webSearch', tenant.mode, choices);
    if (route.length === 0) return null;
    const isOwn = route.some(({ paidBy }) => paidBy === 'organisation');
    const account = isOwn ? nameOf(tenant) : route.map(({ provider }) => provider.id).join();
    const waterfall = this.operator.waterfallFor(tenant.mode, choices);
    return { account, answerCall: (call) => waterfall.answerCall(call) };
  }

  async vocabularyFor(tenant: Tenant): Promise<OwnVocabulary | null> {
    return tenant.mode === 'test' ? null : this.imported.vocabularyOf(tenant);
  }

  readMetrics(): ProviderMetrics[] {
    return this.operator.readMetrics();
  }

  /** Drops the cached choices of an organisation, so that they are read again on the next use. */
  forgetTenant(tenant: Tenant): void {
    this.chosen.delete(nameOf(tenant));
  }

  private async waterfallFor(tenant: Tenant): Promise<Waterfall> {
    const choices = await this.choicesFor(tenant, () => this.importedLookups(tenant));
    return this.operator.waterfallFor(tenant.mode, choices);
  }

  private async importedLookups(tenant: Tenant): Promise<Offer[]> {
    return (await this.imported.listLookups(tenant)).map((lookup) => lookupOffer('imported', lookup));
  }

  private async importedDirectories(tenant: Tenant): Promise<Offer[]> {
    const { companies, people } = await this.imported.directoriesOf(tenant);
    return [
      ...companies.map((each) => offerOf('imported', each.provider, { companies: each })),
      ...people.map((each) => offerOf('imported', each.provider, { people: each })),
    ];
  }

  /** @param readImported reads the imported directories, either as lookups or as directories */
  private async choicesFor(
    tenant: Tenant,
    readImported: () => Promise<Offer[]>,
  ): Promise<TenantChoices<Offer>> {
    if (tenant.mode === 'test') return NO_CHOICES;
    const chosen = await this.choicesOf(tenant);
    const hasHadDirectory = await this.imported.hasHadAny();
    return { ...chosen, imported: await readImported(), hasHadDirectory };
  }

  private choicesOf(tenant: Tenant): Promise<Chosen> {
    const name = nameOf(tenant);
    const known = this.chosen.get(name);
    if (known) return known;
    const read = this.readChosen(tenant);
    this.chosen.set(name, read);
    read.catch(() => {
      if (this.chosen.peek(name) === read) this.chosen.delete(name);
    });
    return read;
  }

  private async readChosen(tenant: Tenant): Promise<Chosen> {
    const { orgId, mode } = tenant;
    const choices = await this.store.listChoices({ ...systemCtx('vendor-choices', orgId), mode });
    const own = choices.flatMap((choice) => this.vendorOf(tenant, choice) ?? []);
    const off = new Set(choices.filter((choice) => this.isOut(choice, own)).map(({ vendor }) => vendor));
    return { own, off };
  }

  /**
   * Returns whether a vendor is disabled. A key that cannot be decrypted disables it: the operator's key must not be used in
   * its place, at another price.
   */
  private isOut({ vendor, enabled, key }: VendorChoice, own: readonly Offer[]): boolean {
    return !enabled || (key !== null && !own.some(({ id }) => id === vendor));
  }

  /** @returns the vendor with the organisation's key; null when there is no usable key */
  private vendorOf(tenant: Tenant, { vendor, enabled, key }: VendorChoice): Offer | null {
    const place = `${nameOf(tenant)} ${vendor}`;
    if (!enabled || key === null) {
      this.own.delete(place);
      return null;
    }
    const known = this.own.get(place);
    if (known?.sealed === key.sealed) return known.vendor;
    const opened = this.secrets.openSecret(bindingOf(tenant, vendor), key.sealed);
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

/**
 * Retries a read until the database is available: a running job would have to wait for it anyway. Its lease and deadline
 * keep running.
 */
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
