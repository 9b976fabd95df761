import { ADA_PROFILE, ADA_VERIFIED, got, type VendorFixture } from './fixtures.fixture.js';

const query = { domain: 'halbrook.example', first_name: 'Ada', last_name: 'Okafor' };
const FINDER = '/v2/email-finder';

export const hunter: VendorFixture = {
  services: {
    getEmail: {
      ...ADA_VERIFIED,
      cost: { unit: 'hunter_credit', amount: 1 },
      found: [
        got(FINDER, query, {
          data: {
            ...query,
            email: 'ada.okafor@halbrook.example',
            score: 96,
            accept_all: false,
            position: null,
            company: 'Halbrook Pumps',
            sources: [{ uri: 'https://halbrook.example/team', still_on_page: true }],
            verification: { date: '2026-05-02', status: 'valid' },
          },
          meta: { params: query },
        }),
      ],
      miss: {
        body: { data: { email: null, score: null, verification: { date: null, status: null }, sources: [] } },
      },
      skipped: { first_name: 'Ada', linkedin_url: 'https://halbrook.example/ada' },
    },
    verifyEmail: {
      input: { email: 'ada@halbrook.example' },
      output: {
        email: 'ada@halbrook.example',
        status: 'catch_all',
        reason: 'The mail server accepts every address of the domain (catch-all).',
        mx_host: null,
      },
      cost: { unit: 'hunter_credit', amount: 0.5 },
      found: [
        got(
          '/v2/email-verifier',
          { email: 'ada@halbrook.example' },
          { data: { status: 'accept_all', score: 68, email: 'ada@halbrook.example', smtp_check: true } },
        ),
      ],
      miss: {
        body: { data: { status: 'unknown', score: 0, email: 'ada@halbrook.example', smtp_check: false } },
      },
      skipped: null,
    },
    findEmailPattern: {
      input: { domain: 'halbrook.example' },
      output: {
        pattern: '{first}.{last}',
        confidence: 'medium',
        examples: ['ada.okafor@halbrook.example', 'tom.reyes@halbrook.example'],
      },
      cost: { unit: 'hunter_credit', amount: 1 },
      found: [
        got(
          '/v2/domain-search',
          { domain: 'halbrook.example', limit: '10', type: 'personal' },
          {
            data: {
              domain: 'halbrook.example',
              pattern: '{first}.{last}',
              organization: 'Halbrook Pumps',
              emails: [
                { value: 'ada.okafor@halbrook.example', type: 'personal', confidence: 94 },
                { value: 'tom.reyes@halbrook.example', type: 'personal', confidence: 91 },
              ],
            },
            meta: { results: 2 },
          },
        ),
      ],
      miss: {
        body: { data: { domain: 'halbrook.example', pattern: null, emails: [] }, meta: { results: 0 } },
      },
      skipped: null,
    },
  },
  badKey: {
    status: 401,
    body: { errors: [{ id: 'authentication_failed', code: 401, details: 'No user found.' }] },
  },
  noCredits: {
    status: 429,
    body: { errors: [{ id: 'usage_exceeded', code: 429, details: 'You have used it all.' }] },
  },
  rate: { status: 403, body: { errors: [{ id: 'rate_limited', code: 403, details: 'Too fast.' }] } },
};

/** Alternative request: with the profile only. */
export const hunterByProfile = {
  input: { linkedin_url: ADA_PROFILE },
  exchange: { method: 'GET', path: FINDER, query: { linkedin_handle: 'ada-okafor-halbrook' } } as const,
};
