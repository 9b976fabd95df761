import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FileRecord } from './directory-file.js';
import { JsonLinesFile } from './json-lines.file.js';

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'quarry-json-lines-'))));
afterAll(() => rm(folder, { recursive: true }));

async function opened(content: string | Buffer): Promise<JsonLinesFile> {
  const path = join(folder, 'file.jsonl');
  await writeFile(path, content);
  return JsonLinesFile.open(path);
}

async function read(content: string | Buffer) {
  const file = await opened(content);
  const records: FileRecord[] = [];
  const parts: number[] = [];
  for await (const batch of file.batches((part) => parts.push(part))) records.push(...batch);
  return { header: file.header, records, parts };
}

describe('a JSON Lines file', () => {
  it('has the keys of all objects as columns, nested ones by path, and empty cells for missing values', async () => {
    const { header, records } = await read(
      [
        '{"name":"Acme","hq":{"city":"Oslo","geo":{"lat":59.9}},"tags":["a","b"]}',
        '{"name":null,"size":5,"open":false,"rounds":[{"usd":1}],"none":[],"hq":{}}',
      ].join('\n'),
    );
    expect(header).toEqual(['name', 'hq.city', 'hq.geo.lat', 'tags', 'size', 'open', 'rounds', 'none']);
    expect(records).toEqual([
      { line: 1, fields: ['Acme', 'Oslo', '59.9', 'a; b', '', '', '', ''] },
      { line: 2, fields: ['', '', '', '', '5', 'false', '[{"usd":1}]', ''] },
    ]);
  });

  it.each([
    ['line feeds', '{"a":1}\n{"a":2}\n', [1, 2]],
    ['no line feed at its end', '{"a":1}\n{"a":2}', [1, 2]],
    ['carriage returns before them', '{"a":1}\r\n{"a":2}\r\n', [1, 2]],
    ['empty lines', '\n{"a":1}\n\n  \n{"a":2}\n\n', [2, 5]],
    ['a byte order mark', '\ufeff{"a":1}\n{"a":2}', [1, 2]],
  ])('may have %s', async (_, content, lines) => {
    const { records } = await read(content);
    expect(records).toEqual(lines.map((line, i) => ({ line, fields: [String(i + 1)] })));
  });

  it.each([
    ['a line separator', 'one\u2028two'],
    ['a paragraph separator', 'one\u2029two'],
    ['an escaped line feed', 'one\ntwo'],
    ['a next line', 'one\u0085two'],
    ['letters of several bytes', '株式会社 😀 é'],
    ['a mark in the middle', 'one\ufefftwo'],
  ])('keeps a text with %s whole', async (_, text) => {
    const { records } = await read(`${JSON.stringify({ a: text })}\n${JSON.stringify({ a: 'next' })}\n`);
    expect(records.map(({ fields }) => fields)).toEqual([[text], ['next']]);
  });

  it('is read completely for any chunk boundaries, in batches', async () => {
    const texts = Array.from({ length: 1_700 }, (_, i) => `${'é😀'.repeat(i % 50)} ${i}`);
    const { records, parts } = await read(texts.map((a) => JSON.stringify({ a })).join('\n'));
    expect(records.map(({ fields }) => fields[0])).toEqual(texts);
    expect(records.at(-1)!.line).toBe(1_700);
    expect(parts).toHaveLength(4);
    expect(parts).toEqual([...parts].sort((a, b) => a - b));
    expect(parts.at(-1)).toBe(1);
  });

  it('accepts keys that JavaScript objects inherit', async () => {
    const { header, records } = await read('{"__proto__":"a","constructor":"b"}\n{"x":1}');
    expect(header).toEqual(['__proto__', 'constructor', 'x']);
    expect(records.map(({ fields }) => fields)).toEqual([
      ['a', 'b', ''],
      ['', '', '1'],
    ]);
  });

  it.each([
    ['', 'The file is empty.'],
    [' \n\n', 'The file is empty.'],
    ['{"a":1}\n\n{"a":', 'Line 3 is not JSON.'],
    ['name,size\nAcme,5', 'Line 1 is not JSON.'],
    ['[1]', 'Line 1 is not a JSON object.'],
    ['{"a":1}\nnull', 'Line 2 is not a JSON object.'],
    ['5', 'Line 1 is not a JSON object.'],
  ])('is refused with the position of the error, and without its text: %j', async (content, message) => {
    await expect(opened(content)).rejects.toMatchObject({ code: 'invalid_request', message });
  });

  it.each([
    ['another encoding', Buffer.from('{"a":"Käse"}', 'latin1'), 'The file is not text in UTF-8.'],
    ['a compressed file', gzipSync('{"a":1}'), 'The file is not text in UTF-8.'],
    [
      'all objects in one line',
      `[${'{"a":1},'.repeat(2_200_000)}`,
      'A line of the file is too long for one JSON object.',
    ],
  ])('is refused for %s', async (_, content, message) => {
    await expect(opened(content)).rejects.toMatchObject({ code: 'invalid_request', message });
  });

  it('reports an invalid line after the sampled ones', async () => {
    const file = await opened(`${'{"a":1}\n'.repeat(1_000)}{"b":2}\n{"a"`);
    expect(file.header).toEqual(['a']);
    const reading = (async () => {
      for await (const batch of file.batches()) void batch;
    })();
    await expect(reading).rejects.toMatchObject({ message: 'Line 1002 is not JSON.' });
  });
});
