import type { Api } from '@quarry/sdk';
import { describe, expect, it } from '@jest/globals';
import { describeService } from './service-text.js';

const SERVICE = {
  name: 'findDomain',
  title: 'Find a domain',
  description: 'Finds it.',
  mode: 'fast',
  charge_rule: 'A find is charged.',
  input_schema: {
    properties: {
      company: { type: 'string', description: 'Its name' },
      countries: { type: 'array', items: { type: ['string', 'null'] } },
      kind: { enum: ['a', 'b'] },
    },
    required: ['company'],
  },
  output_schema: { properties: { domain: {}, provider: {} } },
  examples: [{ company: "O'Neill Ltd", countries: ['FR'], limit: 2 }],
} as unknown as Api.Service;

describe('the description of a service', () => {
  it('names each input with its type, the output, and a call for the shell', () => {
    expect(describeService(SERVICE)).toBe(`findDomain: Find a domain
Finds it.
A find is charged.

Input (* required):
  company*   text          Its name
  countries  list of text
  kind       a or b

Answer: domain, provider

Example:
  $ quarry call findDomain 'company=O'\\''Neill Ltd' 'countries=["FR"]' limit=2
`);
  });

  it('says why a service is unavailable, and that a slow one takes a file', () => {
    const slow = { ...SERVICE, mode: 'slow', unavailable_reason: 'No key.' } as const;
    expect(describeService(slow)).toMatch(/Not available: No key\.[\s\S]*quarry list findDomain FILE\.csv/);
  });
});
