import {
  ADA,
  ADA_PROFILE,
  ADA_VERIFIED,
  mobileFrom,
  posted,
  type VendorFixture,
} from './fixtures.fixture.js';

const named = { name: 'Ada Okafor', domain: 'halbrook.example' };

export const findymail: VendorFixture = {
  services: {
    getEmail: {
      ...ADA_VERIFIED,
      cost: { unit: 'findymail_credit', amount: 1 },
      found: [
        posted('/api/search/name', named, { contact: { ...named, email: 'ada.okafor@halbrook.example' } }),
      ],
      miss: { body: { contact: null } },
      skipped: { first_name: 'Ada', domain: 'halbrook.example' },
    },
    getPhoneNumber: {
      input: { linkedin_url: ADA_PROFILE },
      output: mobileFrom('findymail'),
      cost: { unit: 'findymail_credit', amount: 10 },
      found: [
        posted(
          '/api/search/phone',
          { linkedin_url: ADA_PROFILE },
          { phone: '+12125550143', line_type: 'Mobile' },
        ),
      ],
      miss: { body: { phone: null, line_type: null } },
      skipped: ADA,
    },
  },
  badKey: { status: 401, body: { message: 'Unauthenticated.' } },
  noCredits: { status: 402, body: { error: 'Not enough credits' } },
  rate: { status: 429, body: { message: 'Too Many Attempts.' } },
};
