import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { newApiKey, parseApiKey } from './api-key.format.js';
import { toBase62 } from './base62.js';

const key = fc
  .constantFrom('live' as const, 'test' as const)
  .map((mode) => ({ mode, text: newApiKey(mode) }));

describe('an API key', () => {
  it('has the documented format and parses to what it was made from', () => {
    fc.assert(
      fc.property(key, ({ mode, text }) => {
        expect(text).toMatch(new RegExp(`^qk_${mode}_[0-9A-Za-z]{10}_[0-9A-Za-z]{38}$`));
        expect(parseApiKey(text)).toEqual({ mode, publicId: text.slice(8, 18), secret: text.slice(19, 51) });
      }),
    );
  });

  it('is refused after any change of one character', () => {
    fc.assert(
      fc.property(key, fc.nat(56), fc.string({ minLength: 1, maxLength: 1 }), ({ text }, at, other) => {
        fc.pre(text[at] !== other);
        expect(parseApiKey(text.slice(0, at) + other + text.slice(at + 1))).toBeNull();
      }),
    );
  });

  it('is never recognised within other text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => parseApiKey(text) === null));
  });

  it('never repeats a public id or a secret', () => {
    const parsed = Array.from({ length: 500 }, () => parseApiKey(newApiKey('live')));
    expect(new Set(parsed.map((one) => one?.publicId)).size).toBe(500);
    expect(new Set(parsed.map((one) => one?.secret)).size).toBe(500);
  });
});

describe('base62 of a checksum', () => {
  it('has six characters for every 32-bit number, all different', () => {
    expect(toBase62(0xffffffff, 6)).toBe('4gfFC3');
    fc.assert(
      fc.property(fc.nat(0xffffffff), fc.nat(0xffffffff), (a, b) => {
        expect(toBase62(a, 6)).toHaveLength(6);
        expect(toBase62(a, 6) === toBase62(b, 6)).toBe(a === b);
      }),
    );
  });
});
