import { OutboundNetwork, type OutboundClient } from '@quarry/safe-http';
import type { Logger, Mode } from '@quarry/app';
import {
  HttpVendorProvider,
  type HttpVendorOptions,
  PolicedProvider,
  type ProviderMetrics,
  SANDBOX_POLICY,
  VENDOR_POLICY,
  type WebPages,
  type DirectorySearchProvider,
  type LookupProvider,
  type OperatorTask,
  SANDBOX,
  type ProvidersFile,
  type RouteStep,
  Waterfall,
} from '@quarry/engine';
import type { DirectoryOrder } from '@quarry/imported';
import { webProviders, type WebSettings } from '@quarry/web-sources';
import {
  OwnWorldDirectory,
  SandboxDirectory,
  SandboxActivityProvider,
  SandboxContactProvider,
  SandboxLookupProvider,
  SandboxResearchProvider,
  SandboxSearchProvider,
  isOfSandbox,
} from '@quarry/sandbox';
import { WebCompanies } from '../directories/web-companies.js';
import { lookupOffer, offerOf, type Offer } from '../routes/offer.js';
import { NO_CHOICES, routeOf, type TenantChoices } from '../routes/service-route.js';
import { planProviders, type ProviderPlan, type VendorPlace } from './provider-plan.js';
import {
  BoughtRecords,
  vendorDirectories,
  type Vendor,
  vendorRates,
  VendorProvider,
  type VendorSetup,
  vendorsOf,
} from '@quarry/vendors';

/** The operator's own vendor and its maximum number of concurrent calls. */
export interface OwnVendorSettings extends HttpVendorOptions {
  concurrency: number;
}

/** Vendors of the catalogue: the operator's file, and the source of their keys. */
export interface CatalogueSettings {
  /** Providers file; empty when there is none. */
  file: ProvidersFile;
  /** @returns the value of an environment variable; undefined when it is not set */
  variable: (name: string) => string | undefined;
}

export interface ProviderSettings {
  /** True when the sandbox serves live keys. */
  sandbox: boolean;
  vendor?: OwnVendorSettings | null;
  /** Settings of the web; if omitted, the services that need no key are not available. */
  web?: WebSettings;
  /** If omitted, no vendor of the catalogue is called. */
  catalogue?: CatalogueSettings;
  /** Creates the provider of research with a language model; if omitted, there is none. */
  research?: (pages: WebPages) => LookupProvider;
  /**
   * Creates the provider that reads pages and texts with a language model before the rule-based ones; if omitted, only rules
   * are used.
   */
  reading?: (pages: WebPages) => LookupProvider;
  /** Receives a warning when only the operator can correct a vendor's failure. */
  logger?: Pick<Logger, 'warn'>;
}

const NO_CATALOGUE: CatalogueSettings = { file: {}, variable: () => undefined };
const TASKS: Readonly<Record<OperatorTask, string>> = {
  key: 'a vendor refuses its key; it rests until that is put right',
  credits: 'the account at a vendor is empty; it rests until that is put right',
};
const OWN_TASKS: Readonly<Record<OperatorTask, string>> = {
  key: "a vendor refuses an organisation's own key; it rests for this organisation",
  credits: "an organisation's own account at a vendor is empty; it rests for this organisation",
};

/**
 * Creates the operator's providers, by mode: test keys always use the sandbox. {@link routeOf} decides which serve a
 * service.
 */
export class ConfiguredProviders {
  /** All vendors of the catalogue, with the operator's configuration. */
  readonly places: readonly VendorPlace[];
  /** Company search over the companies' own websites; null when websites are not read. */
  readonly webCompanies: WebCompanies | null;
  /** Reader of pages for live keys; null where there is none. */
  readonly pages: WebPages | null;
  /** Directory searches of the sandbox. */
  readonly sandboxSearch: Readonly<Record<Mode, DirectorySearchProvider>>;
  private readonly directory = new SandboxDirectory();
  /** Client for vendors at the addresses of the catalogue. */
  private readonly client: OutboundClient;
  /** Clients for vendors at addresses that the operator configured, by address. */
  private readonly named = new Map<string, OutboundClient>();
  private readonly plan: ProviderPlan;
  private readonly vendors: PolicedProvider[];
  private readonly bought = new BoughtRecords();
  private readonly offers: Readonly<Record<Mode, readonly Offer[]>>;

  /** @throws ProviderSettingsError that lists all faults of the file and of the settings it requires */
  constructor(private readonly settings: ProviderSettings) {
    const { vendor = null, web } = settings;
    const builtIn = settings.web ? webProviders(settings.web) : { lookups: [], pages: null };
    const own = vendor ? [this.createOwnVendor(vendor)] : [];
    const sandboxes = this.createSandboxes();
    const { pages } = builtIn;
    const research = pages && settings.research ? [settings.research(pages)] : [];
    const reading = pages && settings.reading ? [settings.reading(pages)] : [];
    const plan = this.planFor([...reading, ...builtIn.lookups, ...own, ...research], sandboxes);
    this.plan = plan;
    this.places = plan.places;
    this.client = new OutboundNetwork(web).openClient();
    const ofCatalogue = plan.vendors.map((setup) => this.withPolicy(setup));
    const isOn = ({ id }: { id: string }): boolean => !plan.disabled.has(id);
    this.vendors = [...own.filter(isOn), ...ofCatalogue];
    // All reading of the web belongs to the provider `web`.
    const sites = builtIn.lookups.find(({ services }) => services.includes('enrichCompany'));
    this.webCompanies = sites && isOn(sites) ? new WebCompanies(sites) : null;
    this.pages = plan.disabled.has('web') ? null : pages;
    // The part of the sandbox that live keys may search.
    const ownWorld = new OwnWorldDirectory(this.directory);
    this.sandboxSearch = {
      test: new PolicedProvider(new SandboxSearchProvider(this.directory), SANDBOX_POLICY),
      live: new PolicedProvider(new SandboxSearchProvider(ownWorld), SANDBOX_POLICY),
    };
    const fictional = sandboxes.map((each) => lookupOffer('sandbox', each));
    this.offers = {
      test: [
        ...fictional,
        offerOf('sandbox', SANDBOX, { companies: this.directory, people: this.directory }),
      ],
      live: [
        ...reading.filter(isOn).map((each) => lookupOffer('model', each)),
        ...builtIn.lookups.filter(isOn).map((each) => lookupOffer('web', each)),
        ...own.filter(isOn).map((each) => lookupOffer('operator', each)),
        ...plan.vendors.map(({ vendor }, i) => this.vendorOffer('vendor', vendor, ofCatalogue[i]!)),
        ...research.filter(isOn).map((each) => lookupOffer('research', each)),
        // Its directory is created per organisation, with the organisation's search engine.
        ...(this.webCompanies ? [{ id: 'web', kind: 'web' as const, services: ['searchCompanies'] }] : []),
        ...(settings.sandbox
          ? [...fictional, offerOf('sandbox', SANDBOX, { companies: ownWorld, people: ownWorld })].filter(
              isOn,
            )
          : []),
      ],
    };
  }

  /** @returns the providers of a service, in call order */
  routeOf(service: string, mode: Mode, tenant: TenantChoices<Offer> = NO_CHOICES): Array<RouteStep<Offer>> {
    const accepted = this.settings.catalogue?.file.accept?.getEmail ?? null;
    return routeOf(service, { mode, operators: this.offers[mode], order: this.plan.order, accepted, tenant });
  }

  /** @returns the waterfall that calls the providers of a service one after the other */
  waterfallFor(mode: Mode, tenant?: TenantChoices<Offer>): Waterfall {
    return new Waterfall(
      (service) =>
        this.routeOf(service, mode, tenant).flatMap(({ provider: { lookup }, ...step }) =>
          lookup ? [{ ...step, provider: lookup }] : [],
        ),
      { vendorsOf, isOfSandbox: (call, isAlone) => isOfSandbox(call, this.directory, isAlone) },
    );
  }

  /**
   * @returns a vendor of the catalogue with an organisation's own key and its own limits; null when the operator has
   *   disabled it, or its address is unknown
   */
  ownVendor(id: string, key: string, orgId: string): Offer | null {
    const setup = this.places.find(({ vendor }) => vendor.id === id)?.setup;
    if (!setup?.vendor.key) return null;
    return this.vendorOffer('own', setup.vendor, this.withPolicy({ ...setup, key }, orgId));
  }

  /** Asks a vendor of the catalogue about a key. @returns what {@link VendorProvider.checkKey} does */
  async checkKey(id: string, key: string): Promise<boolean | null> {
    const setup = this.places.find(({ vendor }) => vendor.id === id)?.setup;
    return setup ? new VendorProvider({ ...setup, key }, this.clientFor(setup)).checkKey() : null;
  }

  /** Names of imported directories in the order of the file; empty when it defines none. */
  get directoryOrder(): DirectoryOrder {
    return this.settings.catalogue?.file.directories ?? {};
  }

  readMetrics(): ProviderMetrics[] {
    return this.vendors.map((each) => each.readMetrics());
  }

  private createOwnVendor({ concurrency, ...options }: OwnVendorSettings): PolicedProvider {
    return this.limited(new HttpVendorProvider(options), { ...VENDOR_POLICY, concurrency });
  }

  private createSandboxes(): PolicedProvider[] {
    const sources = [
      new SandboxContactProvider(this.directory),
      new SandboxActivityProvider(),
      new SandboxResearchProvider(),
      new SandboxLookupProvider(this.directory),
    ];
    return sources.map((source) => new PolicedProvider(source, SANDBOX_POLICY));
  }

  private planFor(others: readonly LookupProvider[], sandboxes: readonly LookupProvider[]): ProviderPlan {
    const { sandbox, catalogue = NO_CATALOGUE } = this.settings;
    const services = sandboxes.flatMap((each) => each.services);
    return planProviders({ ...catalogue, others, sandbox: sandbox ? { id: SANDBOX, services } : null });
  }

  private vendorOffer(kind: 'vendor' | 'own', vendor: Vendor, lookup: LookupProvider): Offer {
    const { bought } = this;
    const directories = vendorDirectories(vendor, lookup, { isOwn: kind === 'own', bought });
    return offerOf(kind, vendor.id, { lookup, ...directories });
  }

  /** @param orgId owner of the key; if omitted, the operator */
  private withPolicy(setup: VendorSetup, orgId?: string): PolicedProvider {
    const { limits } = setup.vendor;
    const policy = { ...VENDOR_POLICY, concurrency: limits.concurrency, ratesOf: vendorRates(setup.vendor) };
    return this.limited(new VendorProvider(setup, this.clientFor(setup)), policy, orgId);
  }

  private limited(provider: LookupProvider, policy: typeof VENDOR_POLICY, orgId?: string): PolicedProvider {
    const { logger } = this.settings;
    const owner = orgId === undefined ? {} : { orgId };
    return new PolicedProvider(provider, policy, {
      onOperatorNeeded: (id, task, restMs) =>
        logger?.warn({ provider: id, restMs, ...owner }, orgId === undefined ? TASKS[task] : OWN_TASKS[task]),
      onOutage: (id, code) =>
        logger?.warn(
          { provider: id, code, ...owner },
          'most calls of a vendor fail; it rests between test calls',
        ),
    });
  }

  /**
   * Returns the client for a vendor. An address that the operator configured may be private, but only for calls to this
   * vendor: readers of addresses from customers and pages use another guard, which refuses it.
   */
  private clientFor({ vendor, baseUrl }: Omit<VendorSetup, 'key'>): OutboundClient {
    if (baseUrl === vendor.base) return this.client;
    const known = this.named.get(baseUrl);
    if (known) return known;
    const client = OutboundNetwork.clientFor(baseUrl, this.settings.web).openClient();
    this.named.set(baseUrl, client);
    return client;
  }
}
