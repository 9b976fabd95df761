import { ADA_VERIFIED, got, posted, type VendorFixture } from './fixtures.fixture.js';

const READ = '/v1/enrich/all/req-0001';

export const dropcontact: VendorFixture = {
  services: {
    getEmail: {
      ...ADA_VERIFIED,
      cost: { unit: 'dropcontact_credit', amount: 1 },
      found: [
        posted(
          '/v1/enrich/all',
          { data: [{ first_name: 'Ada', last_name: 'Okafor', website: 'halbrook.example' }], siren: false },
          { error: false, success: true, request_id: 'req-0001', credits_left: 99 },
        ),
        got(READ, undefined, { error: false, success: false, reason: 'Request not ready yet.' }),
        got(READ, undefined, {
          error: false,
          success: true,
          data: [
            {
              first_name: 'Ada',
              email: [
                { email: 'hello@halbrook.example', qualification: 'generic@pro' },
                { email: 'ada.okafor@halbrook.example', qualification: 'nominative@pro' },
              ],
            },
          ],
        }),
      ],
      miss: { body: { error: false, success: true, data: [{ first_name: 'Ada' }] } },
      skipped: { first_name: 'Ada', last_name: 'Okafor' },
    },
  },
  badKey: { status: 401, body: { error: true, reason: 'Wrong token' } },
  noCredits: { status: 403, body: { error: true, reason: 'Not enough credits' } },
  rate: { status: 429, body: { error: true } },
};
