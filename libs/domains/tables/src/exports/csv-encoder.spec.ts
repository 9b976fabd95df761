import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { column } from '../spec-kit.js';
import { CsvEncoder } from './csv-encoder.js';
import { JsonEncoder } from './json-encoder.js';
import type { RowEncoder } from './row-encoder.js';

/** Encodes bytes in chunks that end at the given positions. */
function encoded(encoder: RowEncoder, copied: Buffer, cuts: readonly number[] = []): string {
  const ends = [...cuts.map((cut) => cut % (copied.length + 1)).sort((a, b) => a - b), copied.length];
  const parts = ends.map((end, at) => copied.subarray(at === 0 ? 0 : ends[at - 1]!, end));
  // The encoder reuses its output buffer.
  return Buffer.concat(parts.map((part) => Buffer.from(encoder.encode(part)))).toString();
}

/** Returns rows as COPY writes them with every field quoted. */
const copyCsv = (rows: string[][]) =>
  Buffer.from(
    rows.map((row) => `${row.map((field) => `"${field.replaceAll('"', '""')}"`).join(',')}\n`).join(''),
  );

const columns = [column('a'), column('n', 'number'), column('tags', 'list')];

describe("CSV encoded from PostgreSQL's COPY output", () => {
  it('ends records with CRLF, keeps line breaks and quotes of cells, and neutralises spreadsheet formulas', () => {
    const rows = copyCsv([
      ['say "hi"', '1', '["a", "b"]'],
      ['x,\r\ny\n', '', ''],
      ['=1+1', '-2.5', '["=1"]'],
      ['"', '', '[]'],
    ]);
    expect(encoded(new CsvEncoder(columns), rows)).toBe(
      '"say ""hi""","1","a; b"\r\n"x,\r\ny\n","",""\r\n"\'=1+1","-2.5","\'=1"\r\n"""","",""\r\n',
    );
  });

  it('formats numbers as JSON does', () => {
    const rows = copyCsv([0.0000001, 1e21, 123456789.25, -1e-7].map((n) => ['', plain(n), '']));
    expect(encoded(new CsvEncoder(columns), rows)).toBe(
      '"","1e-7",""\r\n"","1e+21",""\r\n"","123456789.25",""\r\n"","-1e-7",""\r\n',
    );
  });

  it('does not depend on chunk boundaries', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('=1', '"', '""', '\n', '"\n"', ',"', 'é=', '+4712345678'),
    );
    const row = fc.tuple(
      text,
      fc.integer().map(String),
      fc.array(text).map((items) => JSON.stringify(items)),
    );
    fc.assert(
      fc.property(fc.array(row), fc.array(fc.nat(), { maxLength: 12 }), (rows, cuts) => {
        const copied = copyCsv(rows);
        expect(encoded(new CsvEncoder(columns), copied, cuts)).toBe(encoded(new CsvEncoder(columns), copied));
      }),
      { numRuns: 500 },
    );
  });

  it('counts its rows', () => {
    const encoder = new CsvEncoder(columns);
    encoded(encoder, copyCsv([['a\nb', '1', '']]));
    expect(encoder.rows).toBe(1);
  });
});

describe("JSON encoded from PostgreSQL's COPY output", () => {
  it('is the array of the rows, for any chunk boundaries', () => {
    const rows = fc.array(fc.dictionary(fc.string(), fc.string({ unit: 'grapheme' })), { maxLength: 6 });
    fc.assert(
      fc.property(rows, fc.array(fc.nat(), { maxLength: 12 }), (values, cuts) => {
        const lines = values.map((value) => `${JSON.stringify(value).replaceAll('\\', '\\\\')}\n`);
        const encoder = new JsonEncoder();
        const body = encoded(encoder, Buffer.from(lines.join('')), cuts);
        const text = encoder.head().toString() + body + encoder.tail().toString();
        // Texts are compared, not values: JSON.parse of Node 24 confuses keys that contain escapes.
        expect(text).toBe(
          values.length === 0
            ? '[\n]\n'
            : `[\n${values.map((value) => JSON.stringify(value)).join(',\n')}\n]\n`,
        );
        expect(encoder.rows).toBe(values.length);
      }),
      { numRuns: 500 },
    );
  });
});

/** @returns a number without an exponent, as PostgreSQL writes it */
function plain(value: number): string {
  return value.toLocaleString('en', { useGrouping: false, maximumFractionDigits: 20 });
}
