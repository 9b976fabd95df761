import type { ContactInput } from '@quarry/service-catalog';
import { z } from 'zod';
import { nameIn, textIn, phonesOf } from '@quarry/extraction';
import { domainIn, profileIn } from './vendor-words.js';
import { defineService, defineVendor, type Meaning, type VendorRequest } from './vendor.js';

/** Error codes, which all have status 400. Source: the vendor's error page. */
const REFUSALS: Readonly<Record<string, Meaning>> = {
  NO_MATCH: 'miss',
  NO_RESULTS: 'miss',
  INVALID_DATAPOINTS: 'rejected',
  INVALID_REQUEST: 'rejected',
  INVALID_API_KEY: 'auth',
  ACCOUNT_RESTRICTED: 'auth',
  INSUFFICIENT_CREDITS: 'credits',
  RATE_LIMITED: 'rate',
  RATE_LIMIT_EXCEEDED: 'rate',
  INTERNAL_ERROR: 'transient',
};
const refusal = z.object({ error_code: z.string() });

const email = z.object({ email: z.string().nullish(), status: z.string().nullish() });
const mobile = z.object({
  mobile: z.string().nullish(),
  mobile_international: z.string().nullish(),
  mobile_country_code: z.string().nullish(),
});
const answer = z.object({
  free_enrichment: z.boolean().optional(),
  person: z.object({ email: email.nullish(), mobile: mobile.nullish() }).nullable(),
});

function personRequest(input: ContactInput, wanted: Record<string, boolean>): VendorRequest | null {
  const name = nameIn(input);
  const [website, company] = [domainIn(input), textIn(input.company)];
  const profile = profileIn(input.linkedin_url);
  if (!profile && !(name && (website ?? company))) return null;
  const data = {
    ...(name ? { first_name: name.first, last_name: name.last } : {}),
    ...(profile ? { linkedin_url: profile } : {}),
    ...(website ? { company_website: website } : {}),
    ...(company ? { company_name: company } : {}),
  };
  return { method: 'POST', path: '/enrich-person', body: { ...wanted, data } };
}

export const prospeo = defineVendor({
  id: 'prospeo',
  title: 'Prospeo',
  base: 'https://api.prospeo.io',
  docs: 'https://prospeo.io/api-docs/enrich-person',
  key: { env: 'PROSPEO_KEY', header: 'X-KEY', check: { method: 'GET', path: '/account-information' } },
  // Highest limits of any plan. On a smaller plan the vendor responds with 429, and the call waits.
  limits: { perSecond: 5, perMinute: 300, concurrency: 10 },
  services: {
    getEmail: defineService('getEmail', {
      needs: 'a LinkedIn profile; or first and last name with a domain or company',
      price: '1 Prospeo credit for a match, once for each person',
      request: (input) => personRequest(input, { only_verified_email: false, enrich_mobile: false }),
      answer,
      map: (found) => {
        const { email: address, status } = found.person?.email ?? {};
        if (!address || status === 'UNAVAILABLE') return null;
        const isVerified = status === 'VERIFIED';
        return {
          email: address,
          status: isVerified ? 'verified' : status === 'CATCH_ALL' ? 'catch_all' : 'unverified',
          confidence: isVerified ? 'high' : 'low',
        };
      },
      cost: (found) => ({ unit: 'prospeo_credit', amount: found.free_enrichment || !found.person ? 0 : 1 }),
    }),
    getPhoneNumber: defineService('getPhoneNumber', {
      needs: 'a LinkedIn profile; or first and last name with a domain or company',
      price: '10 Prospeo credits for a mobile number, once for each person',
      request: (input) => personRequest(input, { only_verified_mobile: true, enrich_mobile: true }),
      answer,
      map: (found) => {
        const {
          mobile: number,
          mobile_international: whole,
          mobile_country_code: country,
        } = found.person?.mobile ?? {};
        const text = whole || number;
        return text
          ? phonesOf([{ number: text, isMobile: true, ...(country ? { country } : {}) }], 'prospeo')
          : null;
      },
      cost: (found) => ({
        unit: 'prospeo_credit',
        amount: found.free_enrichment || !found.person?.mobile ? 0 : 10,
      }),
    }),
  },
  meaningOf: (_status, body) => REFUSALS[refusal.safeParse(body).data?.error_code ?? ''] ?? null,
});
