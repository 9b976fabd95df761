import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ImportedRows } from './imported-rows.js';
import { sliceMembers } from './json-slices.js';

function slicesOf(
  text: string,
): ReturnType<typeof sliceMembers> extends Generator<void, infer T> ? T : never {
  const steps = sliceMembers(text);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Returns the same JSON with white space wherever it is allowed. */
function spaced(value: unknown, space: string): string {
  if (Array.isArray(value))
    return `[${space}${value.map((item) => spaced(item, space)).join(`${space},${space}`)}${space}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, item]) => `${JSON.stringify(key)}${space}:${space}${spaced(item, space)}`,
  );
  return `{${space}${members.join(`${space},${space}`)}${space}}`;
}

const tricky = fc.constantFrom('"', '\\', '\\"', '[', ']}', ',', '\\\\', '":', '\n');
const json = fc.jsonValue({ stringUnit: 'grapheme' });
const document = fc.dictionary(fc.oneof(fc.string(), tricky), fc.oneof(json, tricky, fc.array(tricky)));

describe('slices of a JSON text', () => {
  it('locate members and the items of lists, whatever is between them', () => {
    fc.assert(
      fc.property(document, fc.constantFrom('', ' ', '\n\t ', '\r\n'), (value, space) => {
        const text = space + spaced(value, space) + space;
        const found = slicesOf(text)!;
        // Texts are compared, not values: JSON.parse of Node 24 confuses keys that contain escapes.
        const slices = [...found].map(([key, { from, to }]) => [key, text.slice(from, to).trimEnd()]);
        expect(slices).toEqual(Object.entries(value).map(([key, item]) => [key, spaced(item, space)]));
        for (const [key, { items }] of found) {
          const texts =
            items &&
            items.flatMap((from, at) => (at % 2 === 0 ? text.slice(from, items[at + 1]).trim() : []));
          const list = value[key];
          expect(texts).toEqual(Array.isArray(list) ? list.map((item) => spaced(item, space)) : null);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it.each(['[]', '"{}"', '1', 'null', ' true '])('do not exist for %s', (text) => {
    expect(slicesOf(text)).toBeNull();
  });
});

describe('rows of an import', () => {
  it('are written with every column, with null for missing values', () => {
    const text = '{"rows":[{"a":1,"constructor":"x"}, { } ,{\n"constructor":null\n}]}';
    const rows = new ImportedRows(text, slicesOf(text)!.get('rows')!.items!, ['a', 'constructor']);
    for (let at = 0; at < rows.count; at += 1) rows.parseRows(at);
    expect([...rows.readTexts()].flat().map((row) => JSON.parse(row) as unknown)).toEqual([
      { a: 1, constructor: 'x' },
      { a: null, constructor: null },
      { constructor: null, a: null },
    ]);
  });
});
