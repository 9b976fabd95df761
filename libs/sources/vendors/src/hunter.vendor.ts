import { linkedInSlug } from '@quarry/dto';
import { z } from 'zod';
import { listOf } from '@quarry/engine';
import { nameIn, textIn } from '@quarry/extraction';
import { confidenceOf, domainIn } from './vendor-words.js';
import { defineService, defineVendor } from './vendor.js';

const VERIFICATIONS = ['valid', 'invalid', 'accept_all', 'webmail', 'disposable', 'unknown'] as const;
const verification = z.enum(VERIFICATIONS).nullish().catch('unknown');

const STATUSES = { valid: 'verified', accept_all: 'catch_all' } as const;
/**
 * Verdicts. `webmail` describes the mailbox provider and not whether the mailbox exists: the check of the mail server
 * decides.
 */
const VERDICTS = {
  valid: ['valid', 'The mail server accepts mail for this address.'],
  invalid: ['invalid', 'The mail server rejects this address.'],
  accept_all: ['catch_all', 'The mail server accepts every address of the domain (catch-all).'],
  disposable: ['disposable', 'The domain provides disposable addresses.'],
} as const;

/** Placeholders of name parts, by the vendor's name for them. */
const PARTS: Readonly<Record<string, string>> = { f: '{f}', l: '{l}', first: '{first}', last: '{last}' };

export const hunter = defineVendor({
  id: 'hunter',
  title: 'Hunter',
  base: 'https://api.hunter.io',
  docs: 'https://hunter.io/api-documentation/v2',
  key: { env: 'HUNTER_KEY', header: 'X-API-KEY', check: { method: 'GET', path: '/v2/account' } },
  limits: { perSecond: 15, perMinute: 500, concurrency: 10 },
  services: {
    getEmail: defineService('getEmail', {
      needs: 'first and last name with a domain or company; or a LinkedIn profile',
      price: '1 Hunter credit for an address found',
      request: (input) => {
        const name = nameIn(input);
        const [domain, company] = [domainIn(input), textIn(input.company)];
        const handle = linkedInSlug('people', input.linkedin_url);
        const path = '/v2/email-finder';
        if (name && (domain ?? company) !== undefined) {
          const where = domain === undefined ? { company } : { domain };
          return { method: 'GET', path, query: { ...where, first_name: name.first, last_name: name.last } };
        }
        return handle ? { method: 'GET', path, query: { linkedin_handle: handle } } : null;
      },
      answer: z.object({
        data: z.object({
          email: z.string().nullish(),
          score: z.number().nullish(),
          verification: z.object({ status: verification }).nullish(),
        }),
      }),
      map: ({ data: { email, score, verification: checked } }) => {
        const status = checked?.status ?? 'unknown';
        if (!email || status === 'invalid') return null;
        return {
          email,
          status: status in STATUSES ? STATUSES[status as keyof typeof STATUSES] : 'unverified',
          confidence: confidenceOf(score ?? 0),
        };
      },
      cost: ({ data }) => ({ unit: 'hunter_credit', amount: data.email ? 1 : 0 }),
    }),
    verifyEmail: defineService('verifyEmail', {
      needs: 'an address',
      price: '0.5 Hunter credits',
      limits: { perSecond: 10, perMinute: 300 },
      request: ({ email }) => ({ method: 'GET', path: '/v2/email-verifier', query: { email } }),
      answer: z.object({ data: z.object({ status: verification, smtp_check: z.boolean().nullish() }) }),
      map: ({ data }, { email }) => {
        const mailboxStatus =
          data.status === 'webmail' ? (data.smtp_check ? 'valid' : 'unknown') : data.status;
        // Without a verdict it counts as a miss, so that the next provider is called.
        if (!mailboxStatus || mailboxStatus === 'unknown') return null;
        const [status, reason] = VERDICTS[mailboxStatus];
        return { email, status, reason, mx_host: null };
      },
      cost: () => ({ unit: 'hunter_credit', amount: 0.5 }),
    }),
    findEmailPattern: defineService('findEmailPattern', {
      needs: 'a domain',
      price: '1 Hunter credit for ten addresses',
      request: (input) => ({
        method: 'GET',
        path: '/v2/domain-search',
        query: { domain: domainIn(input), limit: 10, type: 'personal' },
      }),
      answer: z.object({
        data: z.object({
          pattern: z.string().nullish(),
          emails: listOf(z.object({ value: z.string() })).default([]),
        }),
      }),
      map: ({ data: { pattern, emails } }) => {
        if (!pattern) return null;
        const words = pattern.replace(/\{(\w+)\}/g, (whole, part: string) => PARTS[part] ?? whole);
        const examples = emails.map(({ value }) => value);
        const confidence = examples.length >= 5 ? 'high' : examples.length >= 2 ? 'medium' : 'low';
        return { pattern: words, confidence, examples };
      },
      cost: ({ data }) => ({ unit: 'hunter_credit', amount: data.emails.length > 0 ? 1 : 0 }),
    }),
  },
  // The reverse of the usual: 403 is too many calls at a time, 429 a used-up plan. 202 (not finished yet) and 222 (an
  // unexpected reply of the mail server) both come with the advice to retry.
  meaning: { 202: 'transient', 222: 'transient', 403: 'rate', 404: 'miss', 429: 'credits', 451: 'miss' },
});
