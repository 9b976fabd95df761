import { ADA, type VendorFixture } from './fixtures.fixture.js';

const start = {
  method: 'POST',
  path: '/api/email-search',
  body: { firstname: 'Ada', lastname: 'Okafor', domainOrCompany: 'halbrook.example' },
  reply: { body: { success: true, item: { _id: 'srch-0001', status: 'NONE' } } },
} as const;
const read = { method: 'POST', path: '/api/bulk-single-searchs/read', body: { id: 'srch-0001' } } as const;
const item = (status: string, emails: object[] = []) => ({
  success: true,
  items: [{ _id: 'srch-0001', status, results: { firstname: 'Ada', lastname: 'Okafor', emails } }],
});

export const icypeas: VendorFixture = {
  services: {
    getEmail: {
      input: ADA,
      output: { email: 'ada.okafor@halbrook.example', status: 'verified', confidence: 'high' },
      cost: { unit: 'icypeas_credit', amount: 1 },
      found: [
        start,
        { ...read, reply: { body: item('IN_PROGRESS') } },
        {
          ...read,
          reply: {
            body: item('DEBITED', [{ email: 'ada.okafor@halbrook.example', certainty: 'ultra_sure' }]),
          },
        },
      ],
      miss: { body: item('DEBITED_NOT_FOUND') },
      skipped: { linkedin_url: 'https://www.linkedin.com/in/ada-okafor-halbrook' },
    },
  },
  badKey: { status: 401, body: { success: false } },
  noCredits: { status: 402, body: { success: false } },
  rate: { status: 429, body: { success: false } },
};
