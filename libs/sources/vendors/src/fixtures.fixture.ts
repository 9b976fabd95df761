import type { VendorExchange, VendorReply } from '@quarry/test-servers';
import type { Cost } from '@quarry/engine';
import type { VendorServiceName } from './vendor.js';

/** One service of a vendor as in its reference, with invented people and companies. */
export interface ServiceFixture {
  input: Record<string, unknown>;
  /** Output of the service, without `found` and `provider`. */
  output: Record<string, unknown>;
  cost: Cost | null;
  /** Calls in order; the last one returns the result. */
  found: readonly VendorExchange[];
  /** Reply to the last call for a miss. */
  miss: VendorReply;
  /** Input that is not sufficient for this vendor; null when it accepts every input. */
  skipped: Record<string, unknown> | null;
}

/** One call of a search: a page, or the records of keys (`searchPeople reveal`). */
export interface SearchFixture extends ServiceFixture {
  /** Result of the call for a miss. */
  missed: Record<string, unknown>;
}

export interface VendorFixture {
  services: Partial<Record<VendorServiceName, ServiceFixture>>;
  searches?: Readonly<Record<string, SearchFixture>>;
  /** Reply to a call with a wrong key. */
  badKey: VendorReply;
  /** Reply when the account has no credits; null when there is no account. */
  noCredits: VendorReply | null;
  /** Reply to too many calls; the spec adds Retry-After. */
  rate: VendorReply;
}

export const ADA = { first_name: 'Ada', last_name: 'Okafor', domain: 'https://www.halbrook.example/about' };
export const ADA_PROFILE = 'https://www.linkedin.com/in/ada-okafor-halbrook';
