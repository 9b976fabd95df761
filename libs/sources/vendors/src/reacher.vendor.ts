import { z } from 'zod';
import { listOf } from '@quarry/engine';
import { defineService, defineVendor } from './vendor.js';

const answer = z.object({
  is_reachable: z.enum(['safe', 'risky', 'invalid', 'unknown']),
  misc: z
    .object({ is_disposable: z.boolean().nullish(), is_role_account: z.boolean().nullish() })
    .partial()
    .nullish(),
  mx: z
    .object({ records: listOf(z.string()) })
    .partial()
    .nullish(),
  smtp: z
    .object({
      is_catch_all: z.boolean(),
      is_deliverable: z.boolean(),
      has_full_inbox: z.boolean(),
      is_disabled: z.boolean(),
    })
    .partial()
    .nullish(),
  syntax: z.object({ is_valid_syntax: z.boolean() }).partial().nullish(),
});
type Answer = z.infer<typeof answer>;
type Verdict = readonly [status: 'valid' | 'invalid' | 'catch_all' | 'disposable' | 'role', reason: string];

/** Returns the most significant verdict; null when there is none. */
function verdictOf({ is_reachable: reach, misc, smtp, syntax, mx }: Answer): Verdict | null {
  if (syntax?.is_valid_syntax === false) return ['invalid', 'It is not an e-mail address.'];
  if (misc?.is_disposable) return ['disposable', 'The domain provides disposable addresses.'];
  if (reach === 'unknown') return null;
  if (reach === 'invalid')
    return [
      'invalid',
      mx?.records?.length === 0 ? 'The domain accepts no mail.' : 'The mail server rejects this address.',
    ];
  if (smtp?.is_disabled) return ['invalid', 'The mailbox is closed.'];
  if (smtp?.is_catch_all)
    return ['catch_all', 'The mail server accepts every address of the domain (catch-all).'];
  if (misc?.is_role_account) return ['role', 'This is a role address, not that of a person.'];
  if (smtp?.has_full_inbox) return ['valid', 'The mailbox exists, but is full.'];
  return reach === 'safe' || smtp?.is_deliverable
    ? ['valid', 'The mail server accepts mail for this address.']
    : null;
}

export const reacher = defineVendor({
  id: 'reacher',
  title: 'Reacher',
  base: 'https://api.reacher.email',
  docs: 'https://docs.reacher.email/advanced/openapi/v1-check_email',
  key: { env: 'REACHER_KEY', header: 'Authorization' },
  limits: { perMinute: 60, concurrency: 5 },
  services: {
    verifyEmail: defineService('verifyEmail', {
      needs: 'an address',
      price: '1 verification',
      request: ({ email }) => ({ method: 'POST', path: '/v1/check_email', body: { to_email: email } }),
      answer,
      map: (answer, { email }) => {
        const verdict = verdictOf(answer);
        if (!verdict) return null;
        const [status, reason] = verdict;
        return { email, status, reason, mx_host: answer.mx?.records?.[0]?.replace(/\.$/, '') ?? null };
      },
      cost: () => ({ unit: 'reacher_verification', amount: 1 }),
    }),
  },
});
