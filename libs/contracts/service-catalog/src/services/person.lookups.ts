import { z } from 'zod';
import { answer, confidence, known, defineLookup, text } from './lookup.js';
import { PERSON_PROFILE } from './profile.outputs.js';

// Services about people and their addresses. Fields, and which are null: docs/contract.md#5-services-jobs-credits, Outputs
// of the fast services.

export const enrichPerson = defineLookup({
  title: 'Enrich a person',
  description: 'Returns what is known about a person.',
  category: 'person',
  input: {
    linkedin_url: text.optional(),
    first_name: text.optional(),
    last_name: text.optional(),
    domain: text.optional(),
  },
  output: answer(PERSON_PROFILE),
  example: { linkedin_url: 'https://www.linkedin.com/in/sandbox-ada-lovelace' },
  cellField: 'title',
  promptPattern: /\benrich\w*\b/i,
  hit: 1000,
  miss: 0,
});

export const findLinkedInUrl = defineLookup({
  title: 'Find a LinkedIn address',
  description: 'Finds the LinkedIn address of a person or a company.',
  category: 'linkedin',
  input: { name: text, company: text.optional(), domain: text.optional() },
  output: answer({ linkedin_url: known, confidence: confidence.nullable() }),
  example: { name: 'Ada Lovelace', domain: 'analytical.example' },
  cellField: 'linkedin_url',
  promptPattern: /\blinked ?in\b/i,
  hit: 500,
  miss: 0,
});

export const verifyEmail = defineLookup({
  title: 'Verify an e-mail address',
  description: 'Checks whether an address accepts mail.',
  category: 'validation',
  input: { email: text },
  output: answer({
    email: z.string(),
    status: z.enum(['valid', 'invalid', 'catch_all', 'disposable', 'role', 'unknown']),
    /** One sentence about the reason of the verdict. */
    reason: z.string(),
    mx_host: known,
  }),
  example: { email: 'ada@analytical.example' },
  cellField: 'status',
  promptPattern: /\b(?:verif\w*|valid\w*|deliverab\w*|bounc\w*)\b/i,
  chargeRule: 'A verdict is charged; unknown is free.',
  hit: 200,
  miss: 0,
});

export const validatePhone = defineLookup({
  title: 'Validate a phone number',
  description: 'Checks whether a telephone number can exist, and in which country.',
  category: 'validation',
  input: { phone: text, country: text.optional() },
  output: answer({
    /** E.164; null when it is not a possible number. */
    phone: known,
    valid: z.boolean(),
    /** ISO 3166-1 alpha-2. */
    country: known,
    line_type: known,
  }),
  example: { phone: '+12125550123' },
  cellField: 'phone',
  promptPattern: /\b(?:valid\w*|verif\w*)\b/i,
  hit: 50,
  miss: 50,
});
