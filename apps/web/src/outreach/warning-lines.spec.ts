import { describe, expect, it } from '@jest/globals';
import type { SequencePreview } from '../api/resources';
import { warningLines } from './warning-lines';

type Warning = SequencePreview['warnings'][number];

const missing = (person: number, step: number | null = 0) =>
  ({ code: 'missing_variable', message: 'No name.', enrollment_id: `enl_${person}`, step }) as Warning;
const addresses = new Map([1, 2, 3, 4].map((person) => [`enl_${person}`, `${person}@acme.example`]));

describe('the warnings of a preview', () => {
  it('show each sentence once, with message and contacts', () => {
    const lines = warningLines({ warnings: [missing(1), missing(2, 1), missing(3)] }, addresses);
    expect(lines).toEqual([
      'Message 1: No name. (1@acme.example, 3@acme.example)',
      'Message 2: No name. (2@acme.example)',
    ]);
  });

  it('count contacts beyond three, and those with an unknown address', () => {
    const warnings = [1, 2, 3, 4, 5].map((person) => missing(person));
    const three = '1@acme.example, 2@acme.example, 3@acme.example';
    expect(warningLines({ warnings }, addresses)).toEqual([`Message 1: No name. (${three} and 2 more)`]);
    expect(warningLines({ warnings }, new Map())).toEqual(['Message 1: No name. (5 times)']);
  });

  it('without a message show only their sentence', () => {
    const warnings = [missing(1, null), missing(2, null)];
    expect(warningLines({ warnings }, addresses)).toEqual(['No name. (2 times)']);
  });
});
