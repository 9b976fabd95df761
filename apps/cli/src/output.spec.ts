import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { csvLine, formatOf, Output } from './output.js';

describe('the output file of a command', () => {
  it('gets its format from its extension or an option', () => {
    expect(['a.csv', 'a.JSON', 'a.jsonl'].map((output) => formatOf({ output }))).toEqual([
      'csv',
      'json',
      'jsonl',
    ]);
    expect(formatOf({ output: 'a.txt', csv: true })).toBe('csv');
  });

  it('is refused with an unknown extension, or in a missing folder', () => {
    expect(() => formatOf({ output: 'a.xlsx' })).toThrow(
      '--output must end with .csv, .json or .jsonl, not .xlsx',
    );
    expect(() => formatOf({ output: '/no/such/folder/a.csv' })).toThrow('/no/such/folder');
  });
});

describe('an existing output file', () => {
  let folder: string;
  let output: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'quarry-output-'));
    output = join(folder, 'rows.csv');
    writeFileSync(output, 'of before\n');
    chmodSync(output, 0o600);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const rows = async function* (isCut: boolean) {
    yield { a: 1 };
    const hasBefore = () => readFileSync(output, 'utf8') === 'of before\n';
    // Waits until either the part file or the output itself has been opened.
    while (!existsSync(`${output}.part`) && hasBefore()) await setImmediate();
    expect(hasBefore()).toBe(true);
    if (isCut) throw new Error('The connection broke.');
    yield { a: 2 };
  };

  it('is unchanged until the answer is complete', async () => {
    await expect(new Output({ output }).writeRows(rows(true))).rejects.toThrow('broke');
    expect(readFileSync(output, 'utf8')).toBe('of before\n');
    await new Output({ output }).writeRows(rows(false));
    expect(readFileSync(output, 'utf8')).toBe('a\r\n1\r\n2\r\n');
    expect([statSync(output).mode & 0o777, existsSync(`${output}.part`)]).toEqual([0o600, false]);
  });

  it('is written through a symbolic link, which remains a link', async () => {
    const link = join(folder, 'link.json');
    symlinkSync(output, link);
    await new Output({ output: link }).writeDocument({ a: 3 });
    expect(JSON.parse(readFileSync(output, 'utf8'))).toEqual({ a: 3 });
  });
});

describe('the output of a command', () => {
  it('as CSV contains no formula, and keeps numbers and quotes', () => {
    expect(csvLine(['=1+1', '+49 30 1', '-5', '-1.5', '@a', 'a,"b"\n', ''])).toBe(
      `'=1+1,'+49 30 1,-5,-1.5,'@a,"a,""b""\n",\r\n`,
    );
    expect(csvLine([' =1', '\n=1', '＝1', '\u00a0@a', '-1e5', ' a', '+4915112345'])).toBe(
      `' =1,"'\n=1",'＝1,'\u00a0@a,-1e5, a,+4915112345\r\n`,
    );
  });
});
