import { z } from 'zod';
import { nameIn, textIn, phonesOf } from '@quarry/extraction';
import { domainIn, profileIn } from './vendor-words.js';
import { defineService, defineVendor, type Meaning } from './vendor.js';

const contact = z.object({ email: z.string().nullish() }).nullish();
/** Some refusals have status 200 and `error` instead of the data; one of the two must be present. */
const isAnswer = (body: object, ...fields: string[]): boolean =>
  [...fields, 'error'].some((field) => (body as Record<string, unknown>)[field] !== undefined);

const stateOf = ({ error }: { error?: string | undefined }): 'done' | Meaning => {
  if (error === undefined) return 'done';
  return /credit/i.test(error) ? 'credits' : 'failed';
};

export const findymail = defineVendor({
  id: 'findymail',
  title: 'Findymail',
  base: 'https://app.findymail.com',
  docs: 'https://app.findymail.com/docs/',
  key: { env: 'FINDYMAIL_KEY', header: 'Authorization', prefix: 'Bearer ' },
  // The vendor allows 300 concurrent calls and has no rate limit.
  limits: { concurrency: 20 },
  services: {
    getEmail: defineService('getEmail', {
      needs: 'first and last name with a domain or company; or a LinkedIn profile',
      price: '1 Findymail credit for a verified address',
      statuses: ['verified'],
      request: (input) => {
        const name = nameIn(input);
        const domain = domainIn(input) ?? textIn(input.company);
        if (name && domain)
          return {
            method: 'POST',
            path: '/api/search/name',
            body: { name: `${name.first} ${name.last}`, domain },
          };
        const profile = profileIn(input.linkedin_url);
        if (profile === undefined) return null;
        return { method: 'POST', path: '/api/search/business-profile', body: { linkedin_url: profile } };
      },
      answer: z
        .object({ error: z.string().optional(), contact, payload: z.object({ contact }).nullish() })
        .refine((body) => isAnswer(body, 'contact', 'payload')),
      state: stateOf,
      map: (found) => {
        const email = (found.contact ?? found.payload?.contact)?.email;
        // The vendor only returns verified addresses.
        return email ? { email, status: 'verified', confidence: 'high' } : null;
      },
      cost: (found) => ({
        unit: 'findymail_credit',
        amount: (found.contact ?? found.payload?.contact)?.email ? 1 : 0,
      }),
    }),
    getPhoneNumber: defineService('getPhoneNumber', {
      needs: 'a LinkedIn profile; no numbers of citizens of the EU',
      price: '10 Findymail credits for a number',
      request: ({ linkedin_url: url }) => {
        const profile = profileIn(url);
        return profile === undefined
          ? null
          : { method: 'POST', path: '/api/search/phone', body: { linkedin_url: profile } };
      },
      answer: z
        .object({
          error: z.string().optional(),
          phone: z.string().nullish(),
          line_type: z.string().nullish(),
        })
        .refine((body) => isAnswer(body, 'phone')),
      state: stateOf,
      map: ({ phone, line_type: type }) =>
        phone
          ? phonesOf([{ number: phone, isMobile: /mobile|wireless/i.test(type ?? '') }], 'findymail')
          : null,
      cost: ({ phone }) => ({ unit: 'findymail_credit', amount: phone ? 10 : 0 }),
    }),
  },
  meaning: { 404: 'miss', 423: 'credits' },
});
