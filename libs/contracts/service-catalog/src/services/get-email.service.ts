import { z } from 'zod';
import {
  CONTACT_REUSE_SECONDS,
  contactInput,
  contactKey,
  contactTooThin,
  type ContactInput,
} from '../contact.js';
import type { SlowService } from '../service-definition.js';

const emailResult = z.strictObject({
  found: z.boolean(),
  email: z.string().nullable(),
  status: z.enum(['verified', 'catch_all', 'unverified']).nullable(),
  confidence: z.enum(['low', 'medium', 'high']).nullable(),
  provider: z.string(),
});

export const getEmail: SlowService<ContactInput> = {
  name: 'getEmail',
  mode: 'slow',
  title: 'Find a work e-mail',
  description:
    'Finds the work e-mail address of a person from a LinkedIn profile, or from a name and a company.',
  category: 'contact',
  queue: 'service-get-email',
  input: contactInput,
  output: emailResult,
  examples: [{ first_name: 'Ada', last_name: 'Lovelace', domain: 'analytical.example' }],
  cellField: 'email',
  promptPattern: null,
  chargeRule:
    '1 credit for each address found, nothing when none is found. With deep: 3 for an address found by the Deep agent, 0.5 when it finds none.',
  reuseSeconds: CONTACT_REUSE_SECONDS,
  pricedBy: ['deep'],
  price: { unit: 'call', hit: 1000, miss: 0, max: 3000 },
  worstCase: (input) => (input.deep ? 3000 : 1000),
  charge: (input, { found, deep }) => {
    if (!input.deep) return found ? 1000 : 0;
    if (found) return deep ? 3000 : 1000;
    return deep ? 500 : 0;
  },
  tooThin: contactTooThin,
  reuseKey: contactKey,
  deadlineMs: 150_000,
};
