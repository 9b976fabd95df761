import { ADA_PROFILE, ADA_VERIFIED, posted, type VendorFixture } from './fixtures.fixture.js';

const item = (status: string, emails: object[] = []) => ({
  success: true,
  items: [{ _id: 'srch-0001', status, results: { firstname: 'Ada', lastname: 'Okafor', emails } }],
});

const read = (answer: object) => posted('/api/bulk-single-searchs/read', { id: 'srch-0001' }, answer);

export const icypeas: VendorFixture = {
  services: {
    getEmail: {
      ...ADA_VERIFIED,
      cost: { unit: 'icypeas_credit', amount: 1 },
      found: [
        posted(
          '/api/email-search',
          { firstname: 'Ada', lastname: 'Okafor', domainOrCompany: 'halbrook.example' },
          { success: true, item: { _id: 'srch-0001', status: 'NONE' } },
        ),
        read(item('IN_PROGRESS')),
        read(item('DEBITED', [{ email: 'ada.okafor@halbrook.example', certainty: 'ultra_sure' }])),
      ],
      miss: { body: item('DEBITED_NOT_FOUND') },
      skipped: { linkedin_url: ADA_PROFILE },
    },
  },
  badKey: { status: 401, body: { success: false } },
  noCredits: { status: 402, body: { success: false } },
  rate: { status: 429, body: { success: false } },
};
