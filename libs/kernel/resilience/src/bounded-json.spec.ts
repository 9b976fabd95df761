import { describe, expect, it } from '@jest/globals';
import { parseBoundedJson } from './bounded-json.js';

describe('JSON of somebody else', () => {
  it('is parsed, whatever marks its strings have', () => {
    const value = { a: [1, { b: 'x' }], text: '[{,"\\'.repeat(1_000), '\\"[': null };
    expect(parseBoundedJson(JSON.stringify(value))).toEqual(value);
    expect(() => parseBoundedJson('{"a":')).toThrow(SyntaxError);
  });

  it.each([
    ['lists without end', '['.repeat(500_000)],
    ['objects without end', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    ['a list of half a million', `[${'1,'.repeat(500_000)}1]`],
  ])('is refused before anything is made of it: %s', (_, text) => {
    expect(() => parseBoundedJson(text)).toThrow('too deep or has too many');
  });
});
