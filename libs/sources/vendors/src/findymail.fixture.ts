import { ADA, ADA_PROFILE, type VendorFixture } from './fixtures.fixture.js';

export const findymail: VendorFixture = {
  services: {
    getEmail: {
      input: ADA,
      output: { email: 'ada.okafor@halbrook.example', status: 'verified', confidence: 'high' },
      cost: { unit: 'findymail_credit', amount: 1 },
      found: [
        {
          method: 'POST',
          path: '/api/search/name',
          body: { name: 'Ada Okafor', domain: 'halbrook.example' },
          reply: {
            body: {
              contact: {
                name: 'Ada Okafor',
                domain: 'halbrook.example',
                email: 'ada.okafor@halbrook.example',
              },
            },
          },
        },
      ],
      miss: { body: { contact: null } },
      skipped: { first_name: 'Ada', domain: 'halbrook.example' },
    },
    getPhoneNumber: {
      input: { linkedin_url: ADA_PROFILE },
      output: {
        phone_number: '+12125550143',
        phones: [
          {
            number: '+12125550143',
            country: 'US',
            line_type: 'mobile',
            line_status: 'unknown',
            source: 'findymail',
          },
        ],
      },
      cost: { unit: 'findymail_credit', amount: 10 },
      found: [
        {
          method: 'POST',
          path: '/api/search/phone',
          body: { linkedin_url: ADA_PROFILE },
          reply: { body: { phone: '+12125550143', line_type: 'Mobile' } },
        },
      ],
      miss: { body: { phone: null, line_type: null } },
      skipped: ADA,
    },
  },
  badKey: { status: 401, body: { message: 'Unauthenticated.' } },
  noCredits: { status: 402, body: { error: 'Not enough credits' } },
  rate: { status: 429, body: { message: 'Too Many Attempts.' } },
};
