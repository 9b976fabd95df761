import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { JSON_DEPTH_MAX, JsonScan, type JsonFault } from './json-scan.js';

function scan(text: string, options: { slice?: number; nodesMax?: number } = {}): true | JsonFault {
  const reading = new JsonScan(text, options.nodesMax ?? 1_000_000);
  for (;;) {
    const state = reading.advance(options.slice ?? Infinity);
    if (state !== false) return state;
  }
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const RUNS = { numRuns: 3_000 };
const document = fc.json({ maxDepth: 6 });
/** Valid documents with a few characters changed, which is where parsers differ. */
const damaged = fc
  .tuple(
    document,
    fc.array(fc.tuple(fc.nat(), fc.constantFrom(...'{}[]",:\\u0019-.eE+ \n\t\u0001aftn')), { maxLength: 3 }),
  )
  .map(([text, edits]) =>
    edits.reduce((now, [at, put]) => {
      const place = at % (now.length + 1);
      return now.slice(0, place) + put + now.slice(place + (at % 2));
    }, text),
  );
const isUnreadable = (state: true | JsonFault) =>
  state !== true && state.message === 'The body must be valid JSON.';

describe('scanning JSON', () => {
  it('rejects exactly the texts that JSON.parse rejects', () => {
    fc.assert(
      fc.property(fc.oneof(damaged, document, fc.string({ unit: 'binary' })), (text) => {
        const state = scan(text);
        // A forbidden value that ends the scan says nothing about the rest of the text.
        if (state === true || isUnreadable(state)) expect(state === true).toBe(parses(text));
      }),
      RUNS,
    );
  });

  it('gives the same result in one piece and in chunks', () => {
    fc.assert(
      fc.property(damaged, fc.integer({ min: 1, max: 7 }), (text, slice) => {
        expect(scan(text, { slice })).toEqual(scan(text));
      }),
      RUNS,
    );
  });

  it('accepts every document with unique keys, even if objects share their keys', () => {
    const rows = fc.array(
      fc.dictionary(fc.constantFrom('a', 'b', 'c', 'é', '"'), fc.integer(), { noNullPrototype: true }),
    );
    fc.assert(
      fc.property(rows, (value) => scan(JSON.stringify(value)) === true),
      RUNS,
    );
  });

  it('reports the path of a duplicate key anywhere', () => {
    const before = fc.array(
      fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.nat(), { noNullPrototype: true }),
    );
    const keys = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1 });
    fc.assert(
      fc.property(before, keys, fc.nat(), (rows, names, pick) => {
        const twice = names[pick % names.length]!;
        const last = [...names, twice].map((name) => `${JSON.stringify(name)}:1`).join();
        const text = `[${[...rows.map((row) => JSON.stringify(row)), `{${last}}`].join()}]`;
        expect(scan(text)).toMatchObject({ kind: 'unreadable', path: [rows.length, twice] });
      }),
      RUNS,
    );
  });

  it('recognises a duplicate key that is written with an escape', () => {
    expect(scan('{"a":1,"\\u0061":2}')).toMatchObject({ path: ['a'] });
    expect(scan('[{"\\u0061":1},{"\\u0061":1,"a":2}]')).toMatchObject({ path: [1, 'a'] });
  });

  it('allows 32 levels of nesting and no more', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect(scan(nested(JSON_DEPTH_MAX))).toBe(true);
    expect(scan(nested(JSON_DEPTH_MAX + 1))).toMatchObject({ kind: 'unreadable' });
    expect(scan('['.repeat(1_000_000))).toMatchObject({ kind: 'unreadable' });
  });

  it('counts values, not characters', () => {
    expect(scan('[1,2,3]', { nodesMax: 4 })).toBe(true);
    expect(scan('[1,2,3]', { nodesMax: 3 })).toMatchObject({ kind: 'unreadable' });
  });

  it.each([
    ['{"a":{"b":["x","\\u0000"]}}', ['a', 'b', 1]],
    ['{"a":"\\ud800"}', ['a']],
    ['{"a":"\\ud800\\u0061"}', ['a']],
    ['{"a":"\\udc00\\ud800"}', ['a']],
    ['{"a":{"\\u0000":1}}', ['a']],
    ['[1,1e400]', [1]],
    ['[-1e999]', [0]],
  ])('forbids values that cannot be stored, and reports their path: %s', (text, path) => {
    expect(scan(text)).toMatchObject({ kind: 'forbidden', path });
  });

  it('reports the decoded key in a path, even if an earlier object had it', () => {
    expect(scan('[{"\\n\\"":1},{"\\n\\"":"\\u0000"}]')).toMatchObject({ path: [1, '\n"'] });
  });

  it('accepts surrogate pairs, and tiny and long numbers', () => {
    expect(scan('["\\ud83d\\ude00","😀",1e-400,-0,9007199254740993,1.5E+3]')).toBe(true);
  });

  it('rejects the key __proto__, however it is written', () => {
    expect(scan('{"a":{"__proto__":1}}')).toMatchObject({ kind: 'unrecognized', path: ['a'] });
    expect(scan('{"\\u005f_proto__":1}')).toMatchObject({ kind: 'unrecognized', path: [] });
  });
});
