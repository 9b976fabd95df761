import { ADA_VERIFIED, got, posted, type VendorFixture } from './fixtures.fixture.js';

const READ = '/email/find/single/search-1';
const pending = { id: 'search-1', status: 'pending' };
const completed = { id: 'search-1', status: 'completed' };

export const enrow: VendorFixture = {
  services: {
    getEmail: {
      ...ADA_VERIFIED,
      cost: { unit: 'enrow_credit', amount: 1 },
      found: [
        posted(
          '/email/find/single',
          { first_name: 'Ada', last_name: 'Okafor', company_domain: 'halbrook.example' },
          pending,
        ),
        got(READ, undefined, pending),
        got(READ, undefined, { ...completed, email: 'ada.okafor@halbrook.example', qualification: 'valid' }),
      ],
      miss: { body: { ...completed, email: null } },
      skipped: { first_name: 'Ada', last_name: 'Okafor' },
    },
  },
  badKey: { status: 401, body: { error: 'Unauthorized' } },
  noCredits: { status: 402, body: { error: 'InsufficientBalance' } },
  rate: { status: 429, body: { error: 'RateLimitExceeded' } },
};
