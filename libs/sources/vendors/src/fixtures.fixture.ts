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

const EMAIL = 'ada.okafor@halbrook.example';
/** Input and output of getEmail when a vendor has verified the address. */
export const ADA_VERIFIED = { input: ADA, output: { email: EMAIL, status: 'verified', confidence: 'high' } };

/** @returns the output of getPhoneNumber for one mobile number */
export const mobileFrom = (source: string) => ({
  phone_number: '+12125550143',
  phones: [{ number: '+12125550143', country: 'US', line_type: 'mobile', line_status: 'unknown', source }],
});

/** @returns a call with a query, or without one */
export function got(path: string, query: VendorExchange['query'], answer: unknown): VendorExchange {
  return { method: 'GET', path, ...(query ? { query } : {}), reply: { body: answer } };
}

/** @returns a call that sends JSON */
export function posted(path: string, body: unknown, answer: unknown): VendorExchange {
  return { method: 'POST', path, body, reply: { body: answer } };
}
