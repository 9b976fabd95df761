import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import {
  printMeasurement,
  measureMedian,
  measureThread,
  TEXT_CPU_MS_MAX,
  worstTexts,
} from '@quarry/test-servers';
import { findDialect } from './csv-dialect.js';
import { CsvSource } from './csv-source.js';
import { fileInMemory } from './file-bytes.js';

/** Length of the sample that `CsvSource` takes from the start of a file. */
const SAMPLE_CHARACTERS = 128 * 1024;
/** Length beyond the longest record that is read. */
const RECORD_CHARACTERS = 9 * 1024 * 1024;
/** Length of a file of complete rows: sixteen turns of the event loop. */
const ROWS_CHARACTERS = 1024 * 1024;
/** Separators and special values of customers' files. */
const UNITS = [
  ',',
  ';',
  '\t',
  '|',
  '"',
  '""',
  '"a',
  '"a",',
  'a',
  'a,',
  '1',
  '1,',
  '1.',
  '\n',
  '\r\n',
  '\r',
  ',\n',
  ' ',
  'é',
  '😀',
  '-',
  '2020-01-01,',
  'https://a.example,',
  'a@b.c,',
];

describe('an untrusted CSV file', () => {
  it('is checked for its delimiter without blocking the event loop', async () => {
    const spent: Array<{ cpuMs: number; name: string }> = [];
    for (const { name, text } of worstTexts(UNITS, SAMPLE_CHARACTERS))
      spent.push({ cpuMs: await measureMedian(() => findDialect(text, false), TEXT_CPU_MS_MAX), name });
    const [most] = spent.sort((a, b) => b.cpuMs - a.cpuMs);
    printMeasurement(
      `how a file is divided, the dearest of ${spent.length}: ${most!.cpuMs.toFixed(0)} ms, ${most!.name}`,
    );
    expect(spent.filter(({ cpuMs }) => cpuMs > TEXT_CPU_MS_MAX)).toEqual([]);
  });

  it.each([
    ['one unterminated cell', '"a', RECORD_CHARACTERS],
    ['one endless row', 'a,', RECORD_CHARACTERS],
    ['one row of empty cells', ',', RECORD_CHARACTERS],
    ['many empty rows', '\n', ROWS_CHARACTERS],
    ['quotes alone', '"', RECORD_CHARACTERS],
    ['quoted cells', '"a",', RECORD_CHARACTERS],
    ['many short rows', 'a,b\n', ROWS_CHARACTERS],
  ])('is read without blocking the event loop if it is %s', async (_what, unit, characters) => {
    const bytes = Buffer.from(`a,b\n${unit.repeat(characters / unit.length)}`);
    let turnMs = await longestTurnMs(bytes);
    // A turn may include a garbage collection of other specs' objects, but not twice.
    if (turnMs > TEXT_CPU_MS_MAX) turnMs = Math.min(turnMs, await longestTurnMs(bytes));
    printMeasurement(`the longest turn of a file of ${_what}: ${turnMs.toFixed(0)} ms`);
    expect(turnMs).toBeLessThan(TEXT_CPU_MS_MAX);
  });
});

/** @returns CPU milliseconds of the thread for the longest turn of the event loop while a file is read */
async function longestTurnMs(bytes: Buffer): Promise<number> {
  let turnMs = 0;
  let isOver = false;
  const reading = (async () => {
    const source = await CsvSource.open(fileInMemory(bytes));
    for await (const batch of source.batches()) void batch;
  })()
    .catch((error: unknown) => expect(error).toMatchObject({ code: 'invalid_request' }))
    .finally(() => (isOver = true));
  // Between two of these, the thread has run one turn of the event loop for others.
  while (!isOver) turnMs = Math.max(turnMs, (await measureThread(() => nextTurn())).cpuMs);
  await reading;
  return turnMs;
}
