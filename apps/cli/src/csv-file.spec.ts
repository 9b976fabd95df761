import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { numberDuplicates, openCsvFile } from './csv-file.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quarry-cli-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function read(bytes: Buffer | string): Promise<[string[], string[][]]> {
  const path = join(folder, 'leads.csv');
  await writeFile(path, bytes);
  const file = await openCsvFile(path);
  const records: string[][] = [];
  for await (const record of file.records()) records.push(record);
  return [file.header, records];
}

describe('a CSV file', () => {
  const text = '\ufeffName;Site;Name;\r\n"Ada; ""Al""";a.example;x\r\n\r\nBöb;b.example;;\r\n';

  it.each([
    ['UTF-8', Buffer.from(text)],
    ['UTF-16 LE', Buffer.from(text, 'utf16le')],
    ['UTF-16 BE', Buffer.from(text, 'utf16le').swap16()],
    ['Windows-1252', Buffer.from(text.slice(1), 'latin1')],
  ])('in %s is read with the delimiter of its first line, and unique headers', async (_what, bytes) => {
    expect(await read(bytes)).toEqual([
      ['Name', 'Site', 'Name 2', 'Column 4'],
      [
        ['Ada; "Al"', 'a.example', 'x'],
        ['Böb', 'b.example', '', ''],
      ],
    ]);
  });

  it.each([
    ['mixed line endings', 'a;b\r\n1;2\n3;4\r5;6'],
    ['a line that names the separator', 'sep=;\r\na;b\r\n1;2\r\n3;4\r\n5;6\r\n'],
  ])('with %s is read row by row', async (_what, rows) => {
    expect(await read(rows)).toEqual([
      ['a', 'b'],
      [
        ['1', '2'],
        ['3', '4'],
        ['5', '6'],
      ],
    ]);
  });

  it('ignores delimiters within quoted headers', async () => {
    expect(await read('"Name, first, last";Site\nAda;a.example\n')).toEqual([
      ['Name, first, last', 'Site'],
      [['Ada', 'a.example']],
    ]);
  });

  it('may contain a quote within a cell', async () => {
    expect(await read('a,b\n5" pipe,2\n')).toEqual([['a', 'b'], [['5" pipe', '2']]]);
  });

  it.each([
    ['is empty', ''],
    ['is a workbook', 'PK\x03\x04\x14,\n'],
    ['has an unterminated quote', 'a,b\n"1,2\n'],
  ])('that %s is refused with its name', async (_what, bytes) => {
    await expect(read(bytes)).rejects.toThrow(/leads\.csv (is empty|is a workbook|cannot be read as CSV)/);
  });
});

it('duplicate column names get an unused number', () => {
  const names = ['email', 'email 2', 'status', 'email', 'status', 'email'];
  expect(numberDuplicates(names)).toEqual(['email', 'email 2', 'status', 'email 3', 'status 2', 'email 4']);
});
