import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { copyLine } from './copy-text.js';
import type { Cell } from '@quarry/extraction';

const COLUMNS = ['a', 'b', 'c'];

/** Parses a line as documented by PostgreSQL: COPY, text format; arrays, input of values. */
function readLine(line: string): Array<string | string[] | null> {
  expect(line.endsWith('\n')).toBe(true);
  return line
    .slice(0, -1)
    .split('\t')
    .map((field) => {
      if (field === '\\N') return null;
      const text = field.replace(
        /\\(.)/g,
        (_, mark: string) => ({ t: '\t', n: '\n', r: '\r' })[mark] ?? mark,
      );
      if (!text.startsWith('{')) return text;
      return [...text.slice(1, -1).matchAll(/"((?:[^"\\]|\\.)*)"(?:,|$)/gs)].map(([, entry]) =>
        entry!.replace(/\\(.)/gs, '$1'),
      );
    });
}

const special = fc.array(
  fc.constantFrom('\\', '\t', '\n', '\r', '"', '{', '}', ',', 'N', '\\N', '\\.', ' ', 'é😀', ''),
  { maxLength: 8 },
);
const text = special.map((parts) => parts.join('')).filter((each) => !each.startsWith('{'));
const entry = special.map((parts) => parts.join(''));

describe("a row for PostgreSQL's COPY", () => {
  it('keeps every cell in its column, whatever its text', () => {
    const cell = fc.oneof(text, fc.constant(null), fc.array(entry, { maxLength: 3 }));
    fc.assert(
      fc.property(cell, cell, cell, (a, b, c) => {
        const line = copyLine(COLUMNS, { a, b, c });
        expect(line.split('\n')).toHaveLength(2);
        expect(readLine(line)).toEqual([a, b, c]);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each<[Record<string, Cell>, string]>([
    [{ a: '', b: '', c: '' }, '\t\t\n'],
    [{ a: '', b: 'x' }, '\tx\t\\N\n'],
    [{}, '\\N\t\\N\t\\N\n'],
    [{ a: 5, b: true, c: false }, '5\ttrue\tfalse\n'],
    [{ a: [], b: 'x', c: null }, '{}\tx\t\\N\n'],
  ])('has as many fields as there are columns: %j', (cells, line) => {
    expect(copyLine(COLUMNS, cells)).toBe(line);
  });
});
