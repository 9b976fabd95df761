import type { VendorExchange, VendorReply } from '@quarry/test-servers';
import type { Cost } from '@quarry/engine';
import type { VendorServiceName } from './vendor.js';

/** One service of a vendor as its reference describes it, with people and companies that do not exist. */
export interface ServiceFixture {
  input: Record<string, unknown>;
  /** Answer of the service, without `found` and `provider`. */
  output: Record<string, unknown>;
  cost: Cost | null;
  /** Calls in their order; the last one brings the answer. */
  found: readonly VendorExchange[];
  /** Reply to the last call when nothing is there. */
  miss: VendorReply;
  /** Names too little for this vendor; null where it takes every input. */
  skipped: Record<string, unknown> | null;
}

/** One call of a search: a page of it, or the records behind keys (`searchPeople reveal`). */
export interface SearchFixture extends ServiceFixture {
  /** Result of the call when nothing is there. */
  missed: Record<string, unknown>;
}

export interface VendorFixture {
  services: Partial<Record<VendorServiceName, ServiceFixture>>;
  searches?: Readonly<Record<string, SearchFixture>>;
  /** To a call with a wrong key. */
  badKey: VendorReply;
  /** To a call whose account is empty; null where there is no account. */
  noCredits: VendorReply | null;
  /** To too many calls; the spec adds Retry-After. */
  rate: VendorReply;
}

export const ADA = { first_name: 'Ada', last_name: 'Okafor', domain: 'https://www.halbrook.example/about' };
export const ADA_PROFILE = 'https://www.linkedin.com/in/ada-okafor-halbrook';
