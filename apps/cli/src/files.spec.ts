import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { EXIT, type UsageError } from './exit-codes.js';
import { openCsvFile } from './csv-file.js';
import { checkReadable, checkWritable, readBytes, readJson } from './files.js';

const folder = mkdtempSync(join(tmpdir(), 'quarry-files-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Returns the thrown error as one text, with its exit code. */
async function refusalOf(act: () => unknown): Promise<string> {
  try {
    await act();
  } catch (error) {
    return `${(error as UsageError).exitCode} ${(error as Error).message}`;
  }
  return 'nothing was thrown';
}

describe('an unreadable file', () => {
  it.each([
    ['bytes', readBytes],
    ['JSON', readJson],
    ['CSV', openCsvFile],
    ['a file to send', checkReadable],
  ])('with %s is reported with the reason in words', async (_what, read) => {
    const missing = join(folder, 'nowhere.csv');
    expect(await refusalOf(() => read(missing))).toBe(`${EXIT.usage} ${missing} does not exist.`);
    expect(await refusalOf(() => read(folder))).toBe(`${EXIT.usage} ${folder} is a folder, not a file.`);
  });
});

describe('a JSON file', () => {
  it('may begin with a byte order mark', () => {
    const path = join(folder, 'marked.json');
    writeFileSync(path, '\ufeff{"a":1}\r\n');
    expect(readJson(path)).toEqual({ a: 1 });
  });

  it.each(['[]', 'null', '"text"'])(
    'that contains %s is refused, since an object is required',
    async (text) => {
      const path = join(folder, 'value.json');
      writeFileSync(path, text);
      expect(await refusalOf(() => readJson(path))).toContain('must hold a JSON object');
    },
  );
});

describe('an output file', () => {
  it('is refused if it is a folder, before anything is charged', async () => {
    const path = join(folder, 'taken.csv');
    mkdirSync(path);
    expect(await refusalOf(() => checkWritable(path))).toContain(`${path} cannot be written: it is a folder`);
  });
});
