import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseJson } from './parse-json.js';

/** Keys that contain escapes, and the keys that V8 confuses with them. */
const key = fc.oneof(
  fc.constantFrom('\\', '"', '\n', '\\\\', '\\n', 'a\\', 'a"', 'a', '\ue0000:', '__proto__', 'constructor'),
  fc.string({ unit: fc.constantFrom('\\', '"', '\n', 'n', ':', '{', ' '), maxLength: 4 }),
);
const document = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    key,
    fc.constantFrom(null, 1, true),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 3 }).map((entries) => Object.fromEntries(entries)),
  ),
})).value;

/** Serialises a value without a parser, so that the comparison does not depend on one. */
const written = (value: unknown) => JSON.stringify(value);

describe('parsing JSON with the keys of untrusted input', () => {
  it('returns each key as it was written, whatever was parsed before', () => {
    for (const [first, second] of [
      ['{"\\\\":1}', '{"\\"":2}'],
      ['{"h":[],"\\\\":0}', '{"h":1,"\\"":2}'],
      ['{"k":0,"\\\\":0}', '{"k":1,"\\n":2}'],
    ] as const) {
      parseJson(first);
      expect(written(parseJson(second))).toBe(second);
    }
  });

  it('gives the original value for every document', () => {
    fc.assert(
      fc.property(fc.array(document, { minLength: 1, maxLength: 4 }), (values) => {
        for (const value of values) expect(written(parseJson(written(value)))).toBe(written(value));
      }),
      { numRuns: 3_000 },
    );
  });

  it('accepts needlessly escaped keys, and white space before the colon', () => {
    expect(parseJson('{"\\u0061" \n: {"x\\u005cy":["\\":", {"\\ud83d\\ude00":1}]}}')).toEqual({
      a: { 'x\\y': ['":', { '😀': 1 }] },
    });
  });

  it('refuses what JSON.parse refuses', () => {
    for (const text of ['', '{"\\":1}', '{"\\x":1}', '{"\\n":1', '{"\\n":}'])
      expect(() => parseJson(text)).toThrow(SyntaxError);
  });
});
