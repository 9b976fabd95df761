import { ADA, ADA_VERIFIED, mobileFrom, posted, type VendorFixture } from './fixtures.fixture.js';

const data = { first_name: 'Ada', last_name: 'Okafor', company_website: 'halbrook.example' };
const CALL = '/enrich-person';
const miss = { status: 400, body: { error: true, error_code: 'NO_MATCH', filter_error: null } };
const person = { person_id: 'aaaa0001', first_name: 'Ada', last_name: 'Okafor', full_name: 'Ada Okafor' };

export const prospeo: VendorFixture = {
  services: {
    getEmail: {
      ...ADA_VERIFIED,
      cost: { unit: 'prospeo_credit', amount: 1 },
      found: [
        posted(
          CALL,
          { only_verified_email: false, enrich_mobile: false, data },
          {
            error: false,
            free_enrichment: false,
            person: {
              ...person,
              email: { status: 'VERIFIED', revealed: true, email: 'ada.okafor@halbrook.example' },
              mobile: { status: 'UNAVAILABLE', revealed: false, mobile: null },
            },
            company: { name: 'Halbrook Pumps' },
          },
        ),
      ],
      miss,
      skipped: { first_name: 'Ada', last_name: 'Okafor' },
    },
    getPhoneNumber: {
      input: ADA,
      output: mobileFrom('prospeo'),
      cost: { unit: 'prospeo_credit', amount: 10 },
      found: [
        posted(
          CALL,
          { only_verified_mobile: true, enrich_mobile: true, data },
          {
            error: false,
            free_enrichment: false,
            person: {
              ...person,
              email: null,
              mobile: {
                status: 'VERIFIED',
                revealed: true,
                mobile: '+1 212-555-0143',
                mobile_international: '+1 212-555-0143',
                mobile_country_code: 'US',
              },
            },
          },
        ),
      ],
      miss,
      skipped: { company: 'Halbrook Pumps' },
    },
  },
  badKey: { status: 401, body: { error: true, error_code: 'INVALID_API_KEY' } },
  noCredits: { status: 400, body: { error: true, error_code: 'INSUFFICIENT_CREDITS' } },
  rate: { status: 429, body: { error: true, error_code: 'RATE_LIMITED' } },
};
