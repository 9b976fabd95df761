import { z } from 'zod';
import {
  CONTACT_REUSE_SECONDS,
  contactInput,
  contactKey,
  contactTooThin,
  type ContactInput,
} from '../contact.js';
import type { SlowService } from '../service-definition.js';

const phoneResult = z.strictObject({
  found: z.boolean(),
  phone_number: z.string().nullable().describe('First entry of phones, in E.164'),
  phones: z.array(
    z.strictObject({
      number: z.string(),
      country: z.string(),
      line_type: z.enum(['mobile', 'landline', 'voip', 'unknown']),
      line_status: z.enum(['active', 'inactive', 'unknown']),
      source: z.string(),
    }),
  ),
  provider: z.string(),
});

export const getPhoneNumber: SlowService<ContactInput> = {
  name: 'getPhoneNumber',
  mode: 'slow',
  title: 'Find a phone number',
  description:
    'Finds the telephone numbers of a person, best first. Numbers of the company itself are not returned.',
  category: 'contact',
  queue: 'service-get-phone-number',
  input: contactInput,
  output: phoneResult,
  examples: [{ first_name: 'Ada', last_name: 'Lovelace', domain: 'analytical.example' }],
  cellField: 'phone_number',
  promptPattern: null,
  chargeRule:
    '10 credits when a number is found, nothing when none is found. With deep: 12 for a number found by the Deep agent, 1 when it finds none.',
  reuseSeconds: CONTACT_REUSE_SECONDS,
  pricedBy: ['deep'],
  price: { unit: 'call', hit: 10_000, miss: 0, max: 12_000 },
  worstCase: (input) => (input.deep ? 12_000 : 10_000),
  charge: (input, { found, deep }) => {
    if (!input.deep) return found ? 10_000 : 0;
    if (found) return deep ? 12_000 : 10_000;
    return deep ? 1000 : 0;
  },
  tooThin: contactTooThin,
  reuseKey: contactKey,
  deadlineMs: 150_000,
};
