import { EnvVar, toList, IsWholeNumber } from '@quarry/app';
import { SLOW_SERVICES } from '@quarry/service-catalog';
import { Transform } from 'class-transformer';
import { ArrayNotEmpty, IsIn, IsUrl, Matches, ValidateIf } from 'class-validator';
import type { OwnVendorSettings } from '../operator/configured-providers.js';

const SERVICE_NAMES = Object.keys(SLOW_SERVICES);

/** Variables below, as the validation conditions of each other read them. */
interface VendorVariables {
  VENDOR_URL?: string;
  VENDOR_KEY?: string;
  VENDOR_SERVICES: string[];
}

// All three or none: a partly configured vendor is a mistake that must be reported at startup.
const isMeant = (env: object): boolean => {
  const { VENDOR_URL, VENDOR_KEY, VENDOR_SERVICES } = env as VendorVariables;
  return VENDOR_URL !== undefined || VENDOR_KEY !== undefined || VENDOR_SERVICES.length > 0;
};

/**
 * Adds the variables of the operator's own vendor to an environment class. A mixin, because the apps that call vendors have
 * no common base class.
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the compiler takes mixins with these parameters only
export function withVendor<T extends new (...args: any[]) => object>(Base: T) {
  class VendorEnv extends Base {
    @EnvVar({
      group: 'providers',
      description: 'Address of your data vendor (docs/vendors.md); none when not set.',
    })
    @ValidateIf(isMeant)
    @IsUrl({
      require_tld: false,
      allow_underscores: true,
      require_protocol: true,
      protocols: ['http', 'https'],
      disallow_auth: true,
      allow_fragments: false,
      allow_query_components: false,
    })
    VENDOR_URL?: string;

    @EnvVar({ group: 'providers', description: 'Bearer token for the vendor.', secret: true })
    @ValidateIf(isMeant)
    @Matches(/^[\x21-\x7e]{1,1000}$/, { message: 'VENDOR_KEY must be visible ASCII characters' })
    VENDOR_KEY?: string;

    @EnvVar({
      group: 'providers',
      description: 'Slow services that the vendor answers for live keys, comma-separated.',
    })
    @ValidateIf(isMeant)
    @Transform(toList)
    @ArrayNotEmpty()
    @IsIn(SERVICE_NAMES, {
      each: true,
      message: `VENDOR_SERVICES must name services of: ${SERVICE_NAMES.join(', ')}`,
    })
    VENDOR_SERVICES: string[] = [];

    @EnvVar({ group: 'providers', description: 'Name of the vendor in answers and in the catalogue.' })
    @Matches(/^(?!sandbox$)[a-z0-9][a-z0-9-]{0,39}$/, {
      message: 'VENDOR_NAME must be 1 to 40 lower-case letters, digits and hyphens, and not "sandbox"',
    })
    VENDOR_NAME: string = 'vendor';

    @EnvVar({ group: 'providers', description: 'Maximum concurrent calls of one process to the vendor.' })
    @IsWholeNumber(1, 1000)
    VENDOR_CONCURRENCY: number = 20;
  }
  return VendorEnv;
}

/** @returns null when no vendor is configured */
export function vendorOf(env: InstanceType<ReturnType<typeof withVendor>>): OwnVendorSettings | null {
  if (env.VENDOR_URL === undefined) return null;
  return {
    id: env.VENDOR_NAME,
    baseUrl: env.VENDOR_URL,
    key: env.VENDOR_KEY!,
    services: env.VENDOR_SERVICES,
    concurrency: env.VENDOR_CONCURRENCY,
  };
}
