import { describe, expect, it } from '@jest/globals';
import { AppError } from './app-error.js';
import { excerpt } from './excerpt.js';

describe('an excerpt of a request in an error', () => {
  it('has at most 200 complete characters', () => {
    expect(excerpt('a'.repeat(200))).toBe('a'.repeat(200));
    expect(excerpt('a'.repeat(201))).toBe(`${'a'.repeat(199)}…`);
    expect(excerpt(`${'a'.repeat(198)}😀${'a'.repeat(9)}`)).toBe(`${'a'.repeat(198)}…`);
  });

  it('is truncated in every detail of an error, however it was made', () => {
    const long = 'k'.repeat(10_000);
    const error = new AppError('invalid_request', 'The request is not valid.', {
      details: [
        { path: `rows[0].${long}`, message: 'is not declared' },
        { path: ['inputs', '0', long], message: `Unknown word: ${long}` },
      ],
    });
    for (const { path, message } of error.details!) {
      for (const step of [path].flat()) expect(step.length).toBeLessThanOrEqual(200);
      expect(message.length).toBeLessThanOrEqual(200);
    }
  });
});
