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
import { WebCompanies, webProviders, type WebSettings } from '@quarry/web-sources';
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

/** The operator's own vendor, and how many calls it may get at once. */
export interface OwnVendorSettings extends HttpVendorOptions {
  concurrency: number;
}

/** Vendors of the catalogue: what the operator says of them, and where their keys are. */
export interface CatalogueSettings {
  /** Empty where there is no file. */
  file: ProvidersFile;
  /** @returns the value of an environment variable; undefined when it is not set */
  variable: (name: string) => string | undefined;
}

export interface ProviderSettings {
  /** True where the sandbox serves live keys. */
  sandbox: boolean;
  vendor?: OwnVendorSettings | null;
  /** Settings of the web; without them no service without a key is answered. */
  web?: WebSettings;
  /** Left out, no vendor of the catalogue is asked. */
  catalogue?: CatalogueSettings;
  /** Makes who researches with a language model; left out, nobody does. */
  research?: (pages: WebPages) => LookupProvider;
  /** Makes who reads pages and texts with a language model, before those who go by rules; left out, the rules do. */
  reading?: (pages: WebPages) => LookupProvider;
  /** Told when only the operator can help a vendor. */
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

/** Makes the providers of the operator, by mode: test keys always meet the sandbox. {@link routeOf} says whom a service asks. */
export class ConfiguredProviders {
  /** Every vendor of the catalogue, as the operator has it. */
  readonly places: readonly VendorPlace[];
  /** Companies by their own sites; null where nobody reads them. */
  readonly webCompanies: WebCompanies | null;
  /** Reader of pages for live keys; null where there is none. */
  readonly pages: WebPages | null;
  /** Searches of the sandbox. */
  readonly sandboxSearch: Readonly<Record<Mode, DirectorySearchProvider>>;
  private readonly directory = new SandboxDirectory();
  /** For vendors at the addresses of the catalogue. */
  private readonly client: OutboundClient;
  /** For vendors at addresses that the operator has named, by address. */
  private readonly named = new Map<string, OutboundClient>();
  private readonly plan: ProviderPlan;
  private readonly vendors: PolicedProvider[];
  private readonly bought = new BoughtRecords();
  private readonly offers: Readonly<Record<Mode, readonly Offer[]>>;

  /** @throws ProviderSettingsError that names every fault of the file and of what it needs */
  constructor(private readonly settings: ProviderSettings) {
    const { vendor = null, web } = settings;
    const builtIn = settings.web ? webProviders(settings.web) : { lookups: [], pages: null };
    const own = vendor ? [ownVendorAt(vendor)] : [];
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
    // The web is read by the provider `web`, whatever it is read for.
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
        // Its directory is made for each organisation, whose search engine is asked.
        ...(this.webCompanies ? [{ id: 'web', kind: 'web' as const, services: ['searchCompanies'] }] : []),
        ...(settings.sandbox
          ? [...fictional, offerOf('sandbox', SANDBOX, { companies: ownWorld, people: ownWorld })].filter(
              isOn,
            )
          : []),
      ],
    };
  }

  /** @returns who answers a service, in the order in which they are asked */
  routeOf(service: string, mode: Mode, tenant: TenantChoices<Offer> = NO_CHOICES): Array<RouteStep<Offer>> {
    const accepted = this.settings.catalogue?.file.accept?.getEmail ?? null;
    return routeOf(service, { mode, operators: this.offers[mode], order: this.plan.order, accepted, tenant });
  }

  /** @returns what asks those who answer a service, one after the other */
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
   * @returns a vendor of the catalogue that is asked with an organisation's own key, under limits of its own; null where the
   *   operator has switched it off, or nobody knows its address
   */
  ownVendor(id: string, key: string, orgId: string): Offer | null {
    const setup = this.places.find(({ vendor }) => vendor.id === id)?.setup;
    if (!setup?.vendor.key) return null;
    return this.vendorOffer('own', setup.vendor, this.withPolicy({ ...setup, key }, orgId));
  }

  /** Names of imported directories in the order of the file; empty where it says nothing. */
  get directoryOrder(): DirectoryOrder {
    return this.settings.catalogue?.file.directories ?? {};
  }

  readMetrics(): ProviderMetrics[] {
    return this.vendors.map((each) => each.readMetrics());
  }

  private createSandboxes(): PolicedProvider[] {
    const sources = [
      new SandboxContactProvider({ directory: this.directory }),
      new SandboxActivityProvider(),
      new SandboxResearchProvider(),
      new SandboxLookupProvider(this.directory),
    ];
    return sources.map((source) => new PolicedProvider(source, SANDBOX_POLICY));
  }

  private planFor(others: readonly LookupProvider[], sandboxes: readonly LookupProvider[]): ProviderPlan {
    const { sandbox, catalogue = NO_CATALOGUE } = this.settings;
    const services = sandboxes.flatMap((each) => each.services);
    return planProviders({
      ...catalogue,
      others,
      sandbox: sandbox ? { id: SANDBOX, services } : null,
    });
  }

  private vendorOffer(kind: 'vendor' | 'own', vendor: Vendor, lookup: LookupProvider): Offer {
    const { bought } = this;
    const directories = vendorDirectories(vendor, lookup, { isOwn: kind === 'own', bought });
    return offerOf(kind, vendor.id, { lookup, ...directories });
  }

  /** @param orgId whose key it is; left out, the operator's */
  private withPolicy(setup: VendorSetup, orgId?: string): PolicedProvider {
    const { limits } = setup.vendor;
    const policy = { ...VENDOR_POLICY, concurrency: limits.concurrency, ratesOf: vendorRates(setup.vendor) };
    return new PolicedProvider(new VendorProvider(setup, this.clientFor(setup)), policy, {
      onOperatorNeeded: (provider, task, restMs) =>
        this.settings.logger?.warn(
          { provider, restMs, ...(orgId === undefined ? {} : { orgId }) },
          orgId === undefined ? TASKS[task] : OWN_TASKS[task],
        ),
    });
  }

  /**
   * An address that the operator has named may be private, for this vendor's calls alone: whoever reads what customers and pages
   * name has another guard, which refuses it.
   */
  private clientFor({ vendor, baseUrl }: VendorSetup): OutboundClient {
    if (baseUrl === vendor.base) return this.client;
    const known = this.named.get(baseUrl);
    if (known) return known;
    const client = OutboundNetwork.clientFor(baseUrl, this.settings.web).openClient();
    this.named.set(baseUrl, client);
    return client;
  }
}

function ownVendorAt({ concurrency, ...options }: OwnVendorSettings): PolicedProvider {
  return new PolicedProvider(new HttpVendorProvider(options), { ...VENDOR_POLICY, concurrency });
}
