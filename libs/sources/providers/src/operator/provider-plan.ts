import { OutboundError, OutboundNetwork } from '@quarry/safe-http';
import {
  type LookupProvider,
  type ProviderOrder,
  ACCEPTED_STATUSES,
  IMPORTED,
  ProviderSettingsError,
  SANDBOX,
  type ProvidersFile,
} from '@quarry/engine';
import { servicesOf, type VendorSetup, type Vendor, type VendorSettings, VENDORS } from '@quarry/vendors';

type Named = Pick<LookupProvider, 'id' | 'services'>;

/** Keys that can be sent in a header. */
const KEY = /^[\x21-\x7e]{1,1000}$/;

export interface PlanParts {
  file: ProvidersFile;
  /** @returns the value of an environment variable; undefined when it is not set */
  variable: (name: string) => string | undefined;
  /** Providers that are not vendors of the catalogue: those without a key, and the operator's own. */
  others: readonly Named[];
  /** Provider of the sandbox when it serves live keys; null when it does not. */
  sandbox: Named | null;
}

/** Vendor of the catalogue, with the operator's configuration. */
export interface VendorPlace {
  vendor: Vendor;
  /**
   * Setup without the key; null when it cannot be called: it is disabled, its address is unknown, or another provider has its
   * name.
   */
  setup: Omit<VendorSetup, 'key'> | null;
  /** True when the operator has a key for it, or it needs none. */
  isOperators: boolean;
  /** True when the operator has disabled it. */
  isDisabled: boolean;
}

/** Providers for live keys, and their order. */
export interface ProviderPlan {
  /** All vendors of the catalogue, in catalogue order. */
  places: readonly VendorPlace[];
  vendors: readonly VendorSetup[];
  order: ProviderOrder;
  /** Ids of disabled providers. */
  disabled: ReadonlySet<string>;
}

/**
 * Combines the providers file and the environment.
 * @throws ProviderSettingsError that lists all faults with their position in the file
 */
export function planProviders(parts: PlanParts): ProviderPlan {
  const faults: string[] = [];
  const reader = new VendorReader(parts, faults);
  const vendors = reader.read();
  const { services = {}, providers = {} } = parts.file;
  const disabled = new Set(Object.keys(providers).filter((id) => providers[id]!.enabled === false));
  const order: Record<string, readonly string[]> = {};
  for (const [service, ids] of Object.entries(services)) {
    new OrderValidator(parts, disabled, faults).validate(service, ids);
    order[service] = ids.filter((id) => !disabled.has(id));
  }
  const { directories = {} } = parts.file;
  validateDirectories(directories, faults);
  for (const kind of ['companies', 'people'] as const) {
    const names = directories[kind];
    if (names) order[SEARCHES[kind]] = names.flatMap((name) => [IMPORTED + name, name]);
  }
  if (faults.length > 0) throw new ProviderSettingsError(faults);
  return { places: reader.places(vendors, disabled), vendors, order, disabled };
}

const SEARCHES = { companies: 'searchCompanies', people: 'searchPeople' } as const;

/**
 * Reports vendors without a directory, the sandbox and repeated names. Names of imported directories are only known at
 * runtime.
 */
function validateDirectories(directories: NonNullable<ProvidersFile['directories']>, faults: string[]): void {
  for (const kind of ['companies', 'people'] as const)
    directories[kind]?.forEach((id, i, ids) => {
      const place = `directories.${kind}[${i}]`;
      const vendor = VENDORS.find((each) => each.id === id);
      if (vendor && !vendor.searches?.[SEARCHES[kind]])
        faults.push(`${place} names ${id}, which has no directory of ${kind}`);
      else if (id === SANDBOX)
        faults.push(`${place} names the sandbox, which cannot be combined with others`);
      else if (ids.indexOf(id) !== i) faults.push(`${place} names ${id} again`);
    });
}

function acceptedOf({ accept }: ProvidersFile): readonly string[] {
  return accept?.getEmail ?? ACCEPTED_STATUSES;
}

/** Determines which vendors are fully configured. */
class VendorReader {
  private readonly providers: NonNullable<ProvidersFile['providers']>;
  private readonly setups = new Map<string, Omit<VendorSetup, 'key'>>();

  constructor(
    private readonly parts: PlanParts,
    private readonly faults: string[],
  ) {
    this.providers = parts.file.providers ?? {};
  }

  read(): VendorSetup[] {
    this.validateOthers();
    const setups = VENDORS.flatMap((vendor) => this.setUp(vendor) ?? []);
    for (const { vendor } of setups)
      if (this.parts.others.some(({ id }) => id === vendor.id))
        this.addFault('VENDOR_NAME', `is already the name of another vendor: ${vendor.id}`);
    return setups;
  }

  /** Requires a preceding `read()`. @param vendors for which the operator has keys */
  places(vendors: readonly VendorSetup[], disabled: ReadonlySet<string>): VendorPlace[] {
    const isOthers = (name: string): boolean => this.parts.others.some(({ id }) => id === name);
    return VENDORS.map((vendor) => ({
      vendor,
      setup: isOthers(vendor.id) ? null : (this.setups.get(vendor.id) ?? null),
      isOperators: vendors.some((each) => each.vendor === vendor),
      isDisabled: disabled.has(vendor.id),
    }));
  }

  /** Reports keys and addresses for providers outside the catalogue: those can only be disabled. */
  private validateOthers(): void {
    const others = [...this.parts.others.map(({ id }) => id), SANDBOX];
    const known = [...VENDORS.map(({ id }) => id), ...others];
    for (const [id, { enabled: _, ...rest }] of Object.entries(this.providers)) {
      if (!known.includes(id))
        this.addFault(`providers.${id}`, `is not a provider; use one of ${[...new Set(known)].join(', ')}`);
      else if (others.includes(id))
        for (const field of Object.keys(rest))
          this.addFault(`providers.${id}.${field}`, 'is for vendors only');
    }
  }

  private setUp(vendor: Vendor): VendorSetup | null {
    const given = this.providers[vendor.id];
    if (given?.enabled === false) return null;
    const isMeant = given !== undefined || this.isInOrder(vendor.id);
    const key = this.keyOf(vendor, isMeant);
    const baseUrl = this.baseOf(vendor, isMeant);
    const settings = this.settingsOf(vendor);
    if (baseUrl === undefined) return null;
    const setup = { vendor, baseUrl, settings, services: servicesOf(vendor, acceptedOf(this.parts.file)) };
    this.setups.set(vendor.id, setup);
    return key === undefined ? null : { ...setup, key };
  }

  private isInOrder(id: string): boolean {
    const { services = {}, directories = {} } = this.parts.file;
    return Object.values({ ...services, ...directories }).some((ids) => ids.includes(id));
  }

  /** @returns undefined when there is no key; that is a fault when the vendor is configured elsewhere */
  private keyOf({ id, key }: Vendor, isMeant: boolean): string | null | undefined {
    const given = this.providers[id]?.key_env;
    if (!key) {
      if (given !== undefined) this.addFault(`providers.${id}.key_env`, 'is for vendors that ask for a key');
      return null;
    }
    const name = given ?? key.env;
    const value = this.parts.variable(name);
    const place = given === undefined ? `providers.${id}` : `providers.${id}.key_env`;
    if (value === undefined && isMeant) this.addFault(place, `has no key: ${name} is not set`);
    if (value === undefined || KEY.test(value)) return value;
    this.addFault(place, `has no usable key: ${name} must be visible ASCII characters`);
    return undefined;
  }

  private baseOf({ id, base }: Vendor, isMeant: boolean): string | undefined {
    const given = this.providers[id]?.base_url;
    const address = given ?? (typeof base === 'string' ? base : this.parts.variable(base.env));
    if (address === undefined) {
      if (isMeant && typeof base !== 'string')
        this.addFault(`providers.${id}.base_url`, `is required where ${base.env} is not set`);
      return undefined;
    }
    const url = this.parseAddress(id, given === undefined, base, address);
    return url?.href.replace(/\/+$/, '');
  }

  private parseAddress(
    id: string,
    isVariable: boolean,
    base: Vendor['base'],
    address: string,
  ): URL | undefined {
    const place = isVariable && typeof base !== 'string' ? base.env : `providers.${id}.base_url`;
    try {
      // The operator configured it for calls to this vendor only, so it may be any address.
      const url = OutboundNetwork.clientFor(address).guard.parseUrl(address);
      if (url.search === '' && url.hash === '') return url;
      this.addFault(place, 'must have no query and no fragment');
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      this.addFault(place, `cannot be asked: ${error.message}`);
    }
    return undefined;
  }

  private settingsOf({ id, settings = {} }: Vendor): VendorSettings {
    const given = this.providers[id]?.settings ?? {};
    for (const [name, value] of Object.entries(given)) {
      const known = Object.hasOwn(settings, name) ? settings[name]! : null;
      const place = `providers.${id}.settings.${name}`;
      if (!known)
        this.addFault(
          place,
          `is not a setting; the settings are ${Object.keys(settings).join(', ') || 'none'}`,
        );
      else if (!known.pattern.test(value)) this.addFault(place, `is not valid: ${known.description}`);
    }
    return Object.fromEntries(
      Object.entries(settings).map(([name, each]) => [name, given[name] ?? each.default]),
    );
  }

  private addFault(place: string, what: string): void {
    this.faults.push(`${place} ${what}`);
  }
}

/** Validates the order of one service. */
class OrderValidator {
  constructor(
    private readonly parts: PlanParts,
    private readonly disabled: ReadonlySet<string>,
    private readonly faults: string[],
  ) {}

  validate(service: string, ids: readonly string[]): void {
    ids.forEach((id, i) => {
      const fault = this.faultOf(service, id, ids);
      if (fault) this.faults.push(`services.${service}[${i}] ${fault}`);
      else if (ids.indexOf(id) !== i) this.faults.push(`services.${service}[${i}] names ${id} again`);
    });
  }

  private faultOf(service: string, id: string, ids: readonly string[]): string | null {
    const offers = this.offersOf(id);
    if (offers === null) return `names an unknown provider: ${id}`;
    if (!offers.includes(service)) return this.whyNot(service, id);
    if (id !== SANDBOX) return null;
    if (!this.parts.sandbox && !this.disabled.has(SANDBOX))
      return 'names the sandbox, which is not on: SANDBOX';
    return ids.length > 1
      ? 'combines the sandbox with others: fictional data must not follow a miss of a real provider'
      : null;
  }

  private whyNot(service: string, id: string): string {
    const vendor = VENDORS.find((each) => each.id === id);
    const isOnlyUnaccepted = vendor !== undefined && Object.hasOwn(vendor.services, service);
    return isOnlyUnaccepted
      ? `names ${id}, which finds nothing of what accept.${service} counts as found`
      : `names ${id}, which does not answer this service`;
  }

  /** @returns the services of a provider, configured or not: missing configuration is reported elsewhere */
  private offersOf(id: string): readonly string[] | null {
    if (id === SANDBOX) return this.parts.sandbox?.services ?? Object.keys(this.parts.file.services ?? {});
    const same = this.parts.others.filter((each) => each.id === id);
    if (same.length > 0) return same.flatMap(({ services }) => services);
    const vendor = VENDORS.find((each) => each.id === id);
    if (!vendor) return null;
    return servicesOf(vendor, acceptedOf(this.parts.file));
  }
}
