import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AppError } from '@quarry/error-codes';
import fc from 'fast-check';
import { RequestFaults } from '../import/request-faults.js';
import { columnsOf } from './csv-columns.js';
import { CsvSource, type CsvRecord } from './csv-source.js';
import { fileAt, fileInMemory } from './file-bytes.js';
import { findEncoding } from './text-encoding.js';

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'quarry-csv-source-'))));
afterAll(() => rm(folder, { recursive: true }));

async function fileOf(content: string | Buffer): Promise<string> {
  const path = join(folder, 'file.csv');
  await writeFile(path, content);
  return path;
}

async function read(content: string | Buffer) {
  const source = await CsvSource.open(await fileOf(content));
  const records: CsvRecord[] = [];
  const parts: number[] = [];
  for await (const batch of source.batches((part) => parts.push(part))) records.push(...batch);
  return {
    header: source.header,
    width: source.width,
    records,
    parts,
    rows: records.map(({ fields }) => fields),
  };
}

const utf16 = (text: string, isBig: boolean): Buffer => {
  const bytes = Buffer.from(text, 'utf16le');
  return isBig ? bytes.swap16() : bytes;
};
const TEXT = 'name,city\r\nÅsa Öberg,Malmö\r\nAda,London\r\n';

describe('the encoding of a CSV file', () => {
  it.each<[string, Buffer, string]>([
    ['nothing', Buffer.alloc(0), 'utf-8'],
    ['plain letters', Buffer.from('name,city\nAda,London\n'), 'utf-8'],
    ['letters of UTF-8', Buffer.from(TEXT), 'utf-8'],
    ['a mark of UTF-8', Buffer.from(`\ufeff${TEXT}`), 'utf-8'],
    ['a mark of UTF-16', utf16(`\ufeff${TEXT}`, false), 'utf-16le'],
    ['a mark of big-endian UTF-16', utf16(`\ufeff${TEXT}`, true), 'utf-16be'],
    ['UTF-16 without a mark', utf16(TEXT, false), 'utf-16le'],
    ['big-endian UTF-16 without a mark', utf16(TEXT, true), 'utf-16be'],
    ['Windows-1252 letters', Buffer.from(TEXT, 'latin1'), 'windows-1252'],
    ['UTF-8 that is cut', Buffer.from(TEXT).subarray(0, 12), 'windows-1252'],
    [
      'an invalid character far into the file',
      Buffer.concat([Buffer.alloc(200_000, 'a'), Buffer.from([0xff])]),
      'windows-1252',
    ],
    ['a character split between two chunks', Buffer.from(`${'a'.repeat(65_535)}é`), 'utf-8'],
    ['zeros in both places', Buffer.from([0, 0, 65, 0, 0, 66]), 'utf-8'],
  ])('is detected for %s', async (_, content, encoding) => {
    expect(await findEncoding(fileAt(await fileOf(content)))).toBe(encoding);
    expect(await findEncoding(fileInMemory(content))).toBe(encoding);
  });
});

describe('a CSV file', () => {
  it.each<[string, Buffer]>([
    ['UTF-8', Buffer.from(TEXT)],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${TEXT}`)],
    ['UTF-16', utf16(`\ufeff${TEXT}`, false)],
    ['big-endian UTF-16', utf16(TEXT, true)],
    ['Windows-1252', Buffer.from(TEXT, 'latin1')],
  ])('gives the same rows in %s', async (_, content) => {
    const { header, rows, width } = await read(content);
    expect([header, rows, width]).toEqual([
      ['name', 'city'],
      [
        ['Åsa Öberg', 'Malmö'],
        ['Ada', 'London'],
      ],
      2,
    ]);
  });

  it('is read back as it was written, whatever its cells contain', async () => {
    const cell = fc
      .string({ unit: 'grapheme', maxLength: 12 })
      .map((text) => text.replaceAll('\0', '').replace(/^\ufeff/, ''));
    const special = fc.constantFrom(
      '',
      ',',
      ';',
      '"',
      '""',
      'a\nb',
      'a\r\nb',
      '\t',
      '|',
      ' x ',
      "'=1",
      'é',
      '😀',
    );
    const row = fc.tuple(fc.oneof(cell, special), fc.oneof(cell, special), fc.oneof(cell, special));
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 20 }), async (rows) => {
        const quoted = [['first', 'second', 'third'], ...rows].map((fields) =>
          fields.map((field) => `"${field.replaceAll('"', '""')}"`).join(','),
        );
        const { header, rows: back } = await read(`${quoted.join('\r\n')}\r\n`);
        const filled = rows.filter((fields) => fields.some((field) => field !== ''));
        expect([header, back]).toEqual([['first', 'second', 'third'], filled]);
      }),
      { numRuns: 25 },
    );
  });

  it('reports row and line of its records, so that errors can be located', async () => {
    const { records } = await read('name,note\nAda,"two\nlines"\n\nBob,one\n');
    expect(records).toEqual([
      { row: 2, line: 3, fields: ['Ada', 'two\nlines'] },
      { row: 3, line: 5, fields: ['Bob', 'one'] },
    ]);
  });

  it.each(['\n', '\r\n', '\r'])(
    'uses the delimiter that a leading "sep=" line names, and does not read that line as a row: %j',
    async (end) => {
      const text = ['\ufeffsep=;', 'name,x;city', 'Ada,y;London', 'Bob,z;Rome', ''].join(end);
      const { header, records } = await read(text);
      expect(header).toEqual(['name,x', 'city']);
      expect(records.map(({ row, line, fields }) => [row, line, fields])).toEqual([
        [2, 3, ['Ada,y', 'London']],
        [3, 4, ['Bob,z', 'Rome']],
      ]);
    },
  );

  it('skips lines of delimiters only, also above its header, and counts them as rows', async () => {
    const { header, records } = await read(',,\nname,city,n\n,,\nAda,London,1\n"","",\nBob,,\n,\n');
    expect(header).toEqual(['name', 'city', 'n']);
    expect(records).toEqual([
      { row: 4, line: 4, fields: ['Ada', 'London', '1'] },
      { row: 6, line: 6, fields: ['Bob', '', ''] },
    ]);
  });

  it('is read in batches that report progress from 0 to 1', async () => {
    const { records, parts } = await read(
      `name,n\n${Array.from({ length: 1_200 }, (_, i) => `row ${i},${i}`).join('\n')}`,
    );
    expect([records.length, records.at(-1)!.fields]).toEqual([1_200, ['row 1199', '1199']]);
    expect([parts.length, parts.at(-1), parts.every((part) => part > 0 && part <= 1)]).toEqual([3, 1, true]);
  });

  it.each<[string, string | Buffer, RegExp]>([
    ['is empty', '', /^The file is empty\.$/],
    ['has only empty lines', '\n\r\n\n', /^The file is empty\.$/],
    ['has only separators', ',,\n,,\n', /^The file is empty\.$/],
    ['has only white space', '  \n \t\n', /^The file is empty\.$/],
    [
      'has one JSON object per line',
      '{"name":"Ada","city":"London"}\n{"name":"Bo"}\n',
      /^The file is JSON: /,
    ],
    ['is a JSON list of objects', '\ufeff[\n  { "name": "Ada" }\n]', /^The file is JSON: /],
    ['ends within quotes', 'name,note\nAda,"never closed\n', /^The file cannot be read as CSV\./],
    [
      'is half of a UTF-16 letter',
      Buffer.concat([utf16('\ufeffname,a\nAda,', false), Buffer.from([0x00, 0xd8, 0x41, 0x00])]),
      /UTF-16/,
    ],
  ])('is refused with a clear message if it %s', async (_, content, message) => {
    const refusal = await read(content).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(AppError);
    expect(refusal).toMatchObject({ code: 'invalid_request', message: expect.stringMatching(message) });
    expect((refusal as AppError).message).not.toContain(folder);
  });
});

describe('the columns of a CSV file', () => {
  const named = (header: string[], width = header.length) => {
    const faults = new RequestFaults('The file');
    const columns = columnsOf(header, width, faults);
    return { keys: columns.map(({ key }) => key), names: columns.map(({ name }) => name), faults };
  };

  it('are named by its header, each with a unique key', () => {
    expect(named([' Name ', '', 'Name', 'name', 'Name', "'=sum"]).keys).toEqual([
      'Name',
      'column_2',
      'Name (2)',
      'name',
      'Name (3)',
      '=sum',
    ]);
    expect(named([], 3).keys).toEqual(['column_1', 'column_2', 'column_3']);
    expect(named(['a'], 3).keys).toEqual(['a', 'column_2', 'column_3']);
    // No client could send a request for such a column.
    expect(named(['.', 'a', '..'])).toMatchObject({
      keys: ['column_1', 'a', 'column_3'],
      names: ['.', 'a', '..'],
    });
    // Headers that equal the generated name of another column.
    expect(named(['x', 'x (2)', 'x', 'column_5', '']).keys).toEqual([
      'x',
      'x (2)',
      'x (3)',
      'column_5',
      'column_5 (2)',
    ]);
  });

  it('have different keys even if only the Unicode form of an accent differs', () => {
    const { keys } = named(['é', 'e\u0301']);
    expect(new Set(keys.map((key) => key.normalize('NFC'))).size).toBe(2);
  });

  it('have keys of up to 64 and names of up to 200 whole characters, and keys stay unique', () => {
    const long = '😀'.repeat(300);
    const { keys, names } = named([long, long, long]);
    expect(keys.map((key) => [...key].length)).toEqual([64, 64, 64]);
    expect(new Set(keys).size).toBe(3);
    expect(names.map((name) => [...name].length)).toEqual([200, 200, 200]);
    expect([...keys, ...names].every((text) => text.isWellFormed())).toBe(true);
  });

  it.each([
    [['__proto__'], 'header, column 1 cannot be a column key'],
    [['a', 'b\0'], 'header, column 2 cannot be a column key'],
    [Array.from({ length: 201 }, (_, i) => `c${i}`), 'It has 201 columns; 200 are allowed'],
  ])('are refused if they cannot be stored', (header, message) => {
    const { faults } = named(header);
    expect(() => faults.throwIfAny()).toThrow(message);
  });
});
