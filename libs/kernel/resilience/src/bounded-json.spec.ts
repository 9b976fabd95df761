import { describe, expect, it } from '@jest/globals';
import { parseBoundedJson } from './bounded-json.js';

describe('JSON from outside', () => {
  it('is parsed, whatever characters its strings contain', () => {
    const value = { a: [1, { b: 'x' }], text: '[{,"\\'.repeat(1_000), '\\"[': null };
    expect(parseBoundedJson(JSON.stringify(value))).toEqual(value);
    expect(() => parseBoundedJson('{"a":')).toThrow(SyntaxError);
  });

  it.each([
    ['endlessly nested lists', '['.repeat(500_000)],
    ['endlessly nested objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    ['a list of half a million items', `[${'1,'.repeat(500_000)}1]`],
  ])('is refused before it is parsed: %s', (_, text) => {
    expect(() => parseBoundedJson(text)).toThrow('too deep or has too many');
  });
});
