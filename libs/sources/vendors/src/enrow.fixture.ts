import { ADA, type VendorFixture } from './fixtures.fixture.js';

const read = { method: 'GET', path: '/email/find/single/search-1' } as const;

export const enrow: VendorFixture = {
  services: {
    getEmail: {
      input: ADA,
      output: { email: 'ada.okafor@halbrook.example', status: 'verified', confidence: 'high' },
      cost: { unit: 'enrow_credit', amount: 1 },
      found: [
        {
          method: 'POST',
          path: '/email/find/single',
          body: { first_name: 'Ada', last_name: 'Okafor', company_domain: 'halbrook.example' },
          reply: { body: { id: 'search-1', status: 'pending' } },
        },
        { ...read, reply: { body: { id: 'search-1', status: 'pending' } } },
        {
          ...read,
          reply: {
            body: {
              id: 'search-1',
              status: 'completed',
              email: 'ada.okafor@halbrook.example',
              qualification: 'valid',
            },
          },
        },
      ],
      miss: { body: { id: 'search-1', status: 'completed', email: null } },
      skipped: { first_name: 'Ada', last_name: 'Okafor' },
    },
  },
  badKey: { status: 401, body: { error: 'Unauthorized' } },
  noCredits: { status: 402, body: { error: 'InsufficientBalance' } },
  rate: { status: 429, body: { error: 'RateLimitExceeded' } },
};
