import type { CompanyDirectory, PeopleDirectory } from '@quarry/directory';
import type { Mode } from '@quarry/platform';
import { keylessProviders, type WebSettings } from './keyless/keyless-providers.js';
import { HttpVendorProvider, type HttpVendorOptions } from './http-vendor/http-vendor.provider.js';
import { offering } from './offering.js';
import { PolicedProvider } from './policy/policed.provider.js';
import type { ProviderFigures } from './policy/provider-figures.js';
import { SANDBOX_POLICY, VENDOR_POLICY } from './policy/provider-policy.js';
import type { DirectorySearchProvider } from './ports/directory-search.port.js';
import { Providers } from './providers.port.js';
import { SandboxDirectory } from './sandbox/directory/index.js';
import { SandboxActivityProvider } from './sandbox/services/sandbox-activity.provider.js';
import { SandboxContactProvider } from './sandbox/services/sandbox-contact.provider.js';
import { SandboxResearchProvider } from './sandbox/services/sandbox-research.provider.js';
import { SandboxSearchProvider } from './sandbox/services/sandbox-search.provider.js';
import { Waterfall } from './waterfall.js';

/** The operator's vendor, and how many calls it may get at once. */
export interface VendorSettings extends HttpVendorOptions {
  concurrency: number;
}

export interface ProviderSettings {
  /** Whether the sandbox serves live keys. */
  sandbox: boolean;
  vendor?: VendorSettings | null;
  /** How the web is read; without it nobody answers what needs no key. */
  web?: WebSettings;
}

/**
 * Providers by mode: test keys always meet the sandbox. Live keys meet the operator's vendor, and the sandbox only
 * where it is switched on, for what the vendor does not offer: fiction must never follow a real vendor's miss.
 */
export class ConfiguredProviders extends Providers {
  private readonly directory = new SandboxDirectory();
  private readonly vendors: PolicedProvider[];
  private readonly fast: DirectorySearchProvider;
  /** Of fast services that are no search of a directory. */
  private readonly lookups: Waterfall;
  private readonly waterfalls: Record<Mode, Waterfall>;

  constructor(private readonly settings: ProviderSettings) {
    super();
    const { sandbox, vendor = null, web } = settings;
    this.lookups = new Waterfall(web ? keylessProviders(web) : []);
    const sources = [
      new SandboxContactProvider({ directory: this.directory }),
      new SandboxActivityProvider(),
      new SandboxResearchProvider(),
    ];
    const sandboxes = sources.map((source) => new PolicedProvider(source, SANDBOX_POLICY));
    const isLeft = (service: string): boolean => !vendor?.services.includes(service);
    this.vendors = vendor ? [vendorAt(vendor)] : [];
    this.fast = new PolicedProvider(new SandboxSearchProvider(this.directory), SANDBOX_POLICY);
    this.waterfalls = {
      test: new Waterfall(sandboxes),
      live: new Waterfall([
        ...this.vendors,
        ...(sandbox ? sandboxes.map((each) => offering(each, isLeft)) : []),
      ]),
    };
  }

  searcherFor(mode: Mode): Waterfall {
    return this.waterfalls[mode];
  }

  directorySearchFor(service: string, mode: Mode): DirectorySearchProvider | null {
    return this.isSandboxed(mode) && this.fast.services.includes(service) ? this.fast : null;
  }

  lookupFor(service: string, mode: Mode): Waterfall | null {
    // Test keys meet fiction only, and a real site is none.
    return mode === 'live' && this.lookups.providersOf(service).length > 0 ? this.lookups : null;
  }

  providersOf(service: string, mode: Mode): string[] {
    const direct = this.directorySearchFor(service, mode);
    return [
      ...this.searcherFor(mode).providersOf(service),
      ...(this.lookupFor(service, mode)?.providersOf(service) ?? []),
      ...(direct ? [direct.id] : []),
    ];
  }

  directoryFor(mode: Mode): (CompanyDirectory & PeopleDirectory) | null {
    return this.isSandboxed(mode) ? this.directory : null;
  }

  figures(): ProviderFigures[] {
    return this.vendors.map((each) => each.figures());
  }

  private isSandboxed(mode: Mode): boolean {
    return mode === 'test' || this.settings.sandbox;
  }
}

function vendorAt({ concurrency, ...options }: VendorSettings): PolicedProvider {
  return new PolicedProvider(new HttpVendorProvider(options), { ...VENDOR_POLICY, concurrency });
}
