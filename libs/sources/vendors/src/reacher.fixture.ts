import { posted, type VendorFixture } from './fixtures.fixture.js';

const answer = (reach: string) => ({
  input: 'ada@halbrook.example',
  is_reachable: reach,
  misc: { is_disposable: false, is_role_account: false },
  mx: { accepts_mail: true, records: ['mail.halbrook.example.'] },
  smtp: {
    can_connect_smtp: true,
    has_full_inbox: false,
    is_catch_all: false,
    is_deliverable: true,
    is_disabled: false,
  },
  syntax: { domain: 'halbrook.example', is_valid_syntax: true, username: 'ada' },
});

export const reacher: VendorFixture = {
  services: {
    verifyEmail: {
      input: { email: 'ada@halbrook.example' },
      output: {
        email: 'ada@halbrook.example',
        status: 'valid',
        reason: 'The mail server accepts mail for this address.',
        mx_host: 'mail.halbrook.example',
      },
      cost: { unit: 'reacher_verification', amount: 1 },
      found: [posted('/v1/check_email', { to_email: 'ada@halbrook.example' }, answer('safe'))],
      miss: { body: { ...answer('unknown'), smtp: { error: { type: 'SmtpError' } } } },
      skipped: null,
    },
  },
  badKey: { status: 401, body: { error: 'Unauthorized' } },
  noCredits: { status: 402, body: { error: 'No verifications left' } },
  rate: { status: 429, body: { error: 'Too many requests' } },
};
