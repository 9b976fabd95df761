import type { CompanyDirectory, PeopleDirectory } from '@quarry/directory';
import { OutboundNetwork, type OutboundClient } from '@quarry/safe-http';
import type { Logger, Mode } from '@quarry/app';
import {
  type DirectoryLists,
  HttpVendorProvider,
  type HttpVendorOptions,
  withServices,
  withInputFilter,
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
import { planProviders, type ProviderPlan, type VendorPlace } from './provider-plan.js';
import {
  BoughtRecords,
  vendorDirectories,
  type VendorDirectories,
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

/** A vendor that is asked with an organisation's own key. */
export interface OwnVendor {
  lookup: LookupProvider;
  directories: VendorDirectories;
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
 * Providers by mode: test keys always meet the sandbox. Live keys meet who needs no key, the operator's own vendor and those of
 * the catalogue, in the order of the file, and the sandbox only where it is switched on, for its own world, in services that no
 * vendor offers. Where the web answers a service as well, what is the sandbox's own goes to the sandbox alone.
 */
export class ConfiguredProviders {
  /** Every vendor of the catalogue, as the operator has it. */
  readonly places: readonly VendorPlace[];
  /** Vendors that search, for live keys, in the order of the catalogue. */
  readonly directories: DirectoryLists;
  /** Companies by their own sites; null where nobody reads them. */
  readonly webCompanies: WebCompanies | null;
  /** Reader of pages for live keys; null where there is none. */
  readonly pages: WebPages | null;
  private readonly directory = new SandboxDirectory();
  /** The part of it that live keys may search. */
  private readonly ownWorld = new OwnWorldDirectory(this.directory);
  /** For vendors at the addresses of the catalogue. */
  private readonly client: OutboundClient;
  /** For vendors at addresses that the operator has named, by address. */
  private readonly named = new Map<string, OutboundClient>();
  private readonly plan: ProviderPlan;
  /** Real providers of live keys, which take any input. */
  private readonly real: LookupProvider[];
  /** Returns true where the web answers a service for the real world and the sandbox for its own. */
  private readonly isShared: (service: string) => boolean;
  private readonly liveSandboxes: LookupProvider[];
  private readonly vendors: PolicedProvider[];
  private readonly bought = new BoughtRecords();
  private readonly searching: readonly VendorDirectories[];
  private readonly fast: Record<Mode, DirectorySearchProvider>;
  private readonly waterfalls: Record<Mode, Waterfall>;

  /** @throws ProviderSettingsError that names every fault of the file and of what it needs */
  constructor(private readonly settings: ProviderSettings) {
    const { vendor = null, web, catalogue = NO_CATALOGUE } = settings;
    const accepted = catalogue.file.accept?.getEmail ?? null;
    const builtIn = settings.web ? webProviders(settings.web, accepted) : { lookups: [], pages: null };
    const own = vendor ? [ownVendorAt(vendor)] : [];
    const sandboxes = this.sandboxes();
    const research = this.researcher(builtIn.pages);
    const reading = builtIn.pages && settings.reading ? [settings.reading(builtIn.pages)] : [];
    const plan = this.planFor([...reading, ...builtIn.lookups, ...own, ...research], sandboxes);
    this.plan = plan;
    this.places = plan.places;
    this.client = new OutboundNetwork(web).openClient();
    const ofCatalogue = plan.vendors.map((setup) => this.policed(setup));
    const { bought } = this;
    this.searching = plan.vendors.map(({ vendor }, i) =>
      vendorDirectories(vendor, ofCatalogue[i]!, { bought }),
    );
    this.directories = listsOf(this.searching);
    this.vendors = [...own.filter((each) => !plan.disabled.has(each.id)), ...ofCatalogue];
    // The web is read by the provider `web`, whatever it is read for.
    const sites = builtIn.lookups.find(({ services }) => services.includes('enrichCompany'));
    this.webCompanies = sites && !plan.disabled.has(sites.id) ? new WebCompanies(sites) : null;
    this.pages = plan.disabled.has('web') ? null : builtIn.pages;
    const free = [...reading, ...builtIn.lookups].filter((each) => !plan.disabled.has(each.id));
    const asked = [...free, ...this.vendors];
    // As the Deep agent it goes on where somebody real has found nothing; alone it would be no plain search.
    const isOffered = (service: string): boolean =>
      service === 'webResearch' || asked.some((each) => each.services.includes(service));
    const real = [
      ...asked,
      ...research.filter(({ id }) => !plan.disabled.has(id)).map((each) => withServices(each, isOffered)),
    ];
    this.real = real;
    this.isShared = this.sharing(real, plan);
    this.liveSandboxes = this.liveSandboxesOf(sandboxes, plan);
    this.fast = {
      test: new PolicedProvider(new SandboxSearchProvider(this.directory), SANDBOX_POLICY),
      live: new PolicedProvider(new SandboxSearchProvider(this.ownWorld), SANDBOX_POLICY),
    };
    this.waterfalls = {
      test: new Waterfall(sandboxes, {}, vendorsOf),
      live: new Waterfall([...this.live(this.isShared), ...this.liveSandboxes], plan.order, vendorsOf),
    };
  }

  searcherFor(mode: Mode): Waterfall {
    return this.waterfalls[mode];
  }

  /**
   * Returns the providers of live keys of an organisation that has chosen otherwise.
   * @param own vendors with keys of its own: each in the place of the operator's; behind all others where the operator has none,
   * or an order that does not name it
   * @param off ids of those that it does not want
   * @param hasSandbox false leaves the sandbox out, whatever an order says
   */
  waterfallWith(own: readonly LookupProvider[], off: ReadonlySet<string>, hasSandbox = true): Waterfall {
    const isWanted = ({ id }: LookupProvider): boolean => !off.has(id);
    // Fiction must not follow the miss of a real provider; and who is switched off is not replaced by fiction.
    const isLeft = (service: string): boolean => !own.some(({ services }) => services.includes(service));
    // Without the sandbox, its own inputs go to the other providers.
    const inPlace = this.live((service) => hasSandbox && this.isShared(service) && isLeft(service))
      .filter(isWanted)
      .map((each) => own.find(({ id }) => id === each.id) ?? each);
    const behind = own.filter((each) => !inPlace.includes(each));
    const fictional = hasSandbox ? this.liveSandboxes.map((each) => withServices(each, isLeft)) : [];
    const order = Object.entries(this.plan.order).map(([service, ids]) => {
      const unnamed = own.filter(({ id, services }) => services.includes(service) && !ids.includes(id));
      return [service, [...ids, ...unnamed.map(({ id }) => id)]] as const;
    });
    return new Waterfall([...inPlace, ...behind, ...fictional], Object.fromEntries(order), vendorsOf);
  }

  /**
   * @returns a vendor of the catalogue that is asked with an organisation's own key, under limits of its own; null where the
   *   operator has switched it off, or nobody knows its address
   */
  ownVendor(id: string, key: string, orgId: string): OwnVendor | null {
    const setup = this.places.find(({ vendor }) => vendor.id === id)?.setup;
    if (!setup?.vendor.key) return null;
    const lookup = this.policed({ ...setup, key, paidBy: 'organisation' }, orgId);
    const { bought } = this;
    return { lookup, directories: vendorDirectories(setup.vendor, lookup, { isOwn: true, bought }) };
  }

  /** @returns directories of an organisation that has chosen otherwise, by the rules of {@link waterfallWith} */
  directoriesWith(own: readonly OwnVendor[], off: ReadonlySet<string>): DirectoryLists {
    const idOf = ({ companies, people }: VendorDirectories): string | undefined =>
      (companies ?? people)?.provider;
    const kept = this.searching.filter((each) => !off.has(idOf(each) ?? ''));
    const inPlace = kept.map(
      (each) => own.find(({ lookup }) => lookup.id === idOf(each))?.directories ?? each,
    );
    const behind = own.flatMap(({ directories }) => (inPlace.includes(directories) ? [] : [directories]));
    return listsOf([...inPlace, ...behind]);
  }

  directorySearchFor(service: string, mode: Mode): DirectorySearchProvider | null {
    const fast = this.fast[mode];
    return this.isSandboxed(mode) && fast.services.includes(service) ? fast : null;
  }

  providersOf(service: string, mode: Mode): string[] {
    const direct = this.directorySearchFor(service, mode);
    return [...this.waterfalls[mode].providersOf(service), ...(direct ? [direct.id] : [])];
  }

  directoryFor(mode: Mode): (CompanyDirectory & PeopleDirectory) | null {
    if (mode === 'test') return this.directory;
    return this.isSandboxed(mode) ? this.ownWorld : null;
  }

  /** Names of imported directories in the order of the file; empty where it says nothing. */
  get directoryOrder(): DirectoryOrder {
    return this.settings.catalogue?.file.directories ?? {};
  }

  readMetrics(): ProviderMetrics[] {
    return this.vendors.map((each) => each.readMetrics());
  }

  private researcher(pages: WebPages | null): LookupProvider[] {
    const { research } = this.settings;
    if (!research || !pages) return [];
    return [research(pages)];
  }

  private sandboxes(): PolicedProvider[] {
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

  /** @param orgId whose key it is; left out, the operator's */
  private policed(setup: VendorSetup, orgId?: string): PolicedProvider {
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
    const client = OutboundNetwork.to(baseUrl, this.settings.web).openClient();
    this.named.set(baseUrl, client);
    return client;
  }

  /** @returns whether a service is answered by the web for what is real and by the sandbox for what is its own */
  private sharing(
    real: readonly LookupProvider[],
    { order, disabled }: ProviderPlan,
  ): (service: string) => boolean {
    if (!this.settings.sandbox || disabled.has(SANDBOX)) return () => false;
    const isVendor = ({ id }: LookupProvider): boolean => this.vendors.some((each) => each.id === id);
    return (service) => {
      const offered = real.filter(({ services }) => services.includes(service));
      return !Object.hasOwn(order, service) && offered.length > 0 && !offered.some(isVendor);
    };
  }

  /**
   * Returns the sandbox for its own world, in services that it shares with the web, that nobody real offers and no order speaks of, or
   * whose order is the sandbox alone.
   */
  private liveSandboxesOf(
    sandboxes: readonly LookupProvider[],
    { order, disabled }: ProviderPlan,
  ): LookupProvider[] {
    if (!this.settings.sandbox || disabled.has(SANDBOX)) return [];
    // The providers of webSearch decide about every search of the web: the sandbox would pass for an engine of the real web.
    const isLeft = (service: string): boolean =>
      Object.hasOwn(order, service) ||
      (service !== 'webSearch' &&
        (this.isShared(service) || !this.real.some((each) => each.services.includes(service))));
    return sandboxes.map((each) =>
      withInputFilter(withServices(each, isLeft), (call) =>
        isOfSandbox(call, this.directory, !this.isShared(call.service)),
      ),
    );
  }

  /** @returns who serves live keys, the real ones, without what is the sandbox's own in services that it shares */
  private live(isShared: (service: string) => boolean): LookupProvider[] {
    return this.real.map((each) =>
      each.services.some(isShared)
        ? withInputFilter(
            each,
            (call) => !isShared(call.service) || !isOfSandbox(call, this.directory, false),
          )
        : each,
    );
  }

  private isSandboxed(mode: Mode): boolean {
    return mode === 'test' || this.settings.sandbox;
  }
}

function listsOf(directories: readonly VendorDirectories[]): DirectoryLists {
  return {
    companies: directories.flatMap(({ companies }) => companies ?? []),
    people: directories.flatMap(({ people }) => people ?? []),
  };
}

function ownVendorAt({ concurrency, ...options }: OwnVendorSettings): PolicedProvider {
  return new PolicedProvider(new HttpVendorProvider(options), { ...VENDOR_POLICY, concurrency });
}
