import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { parse } from 'csv-parse';
import { UsageError } from './exit-codes.js';
import { unreadableFile } from './files.js';

const SAMPLE_BYTES = 64 * 1024;
const DELIMITERS = [',', ';', '\t', '|'];

export interface CsvFile {
  header: string[];
  /** Reads the records below the header, one at a time. */
  records(): AsyncGenerator<string[]>;
}

interface CsvForm {
  encoding: string;
  delimiter: string;
  /** The line of the header, from 1. */
  firstLine: number;
}

/**
 * Opens a CSV file with a header: UTF-8, UTF-16 with a byte order mark, or else Windows-1252, as Excel writes it. The delimiter
 * is declared (`sep=;`), or the most frequent one in the first line.
 * @throws UsageError when it cannot be read
 */
export async function openCsvFile(path: string): Promise<CsvFile> {
  const sample = await readSample(path);
  // An XLSX file is an archive of ZIP.
  if (sample.toString('latin1', 0, 4) === 'PK\x03\x04')
    throw new UsageError(`${path} is a workbook: save the sheet as CSV first.`);
  const encoding = await encodingOf(path, sample);
  const [firstLine = ''] = new TextDecoder(encoding).decode(sample, { stream: true }).split(/\r\n|\n|\r/);
  // Excel's declaration of the delimiter, which it does not show as a row.
  const declared = /^sep=([,;\t|])$/i.exec(firstLine)?.[1];
  const unquoted = firstLine.replace(/"[^"]*("|$)/g, '');
  const count = (delimiter: string): number => unquoted.split(delimiter).length;
  const delimiter = declared ?? DELIMITERS.reduce((best, each) => (count(each) > count(best) ? each : best));
  const form: CsvForm = { encoding, delimiter, firstLine: declared === undefined ? 1 : 2 };
  const header = await firstOf(recordsOf(path, form));
  if (!header) throw new UsageError(`${path} is empty.`);
  return {
    header: numberDuplicates(header.map((name, at) => name.trim() || `Column ${at + 1}`)),
    records: async function* () {
      let isHeader = true;
      for await (const record of recordsOf(path, form)) {
        if (!isHeader) yield record;
        isHeader = false;
      }
    },
  };
}

async function readSample(path: string): Promise<Buffer> {
  try {
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(SAMPLE_BYTES) });
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    throw unreadableFile(path, error);
  }
}

/** Reads a whole file without a byte order mark: its first invalid UTF-8 may be at its end. */
async function encodingOf(path: string, [first, second]: Buffer): Promise<string> {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const bytes of createReadStream(path) as AsyncIterable<Buffer>)
      decoder.decode(bytes, { stream: true });
    decoder.decode();
    return 'utf-8';
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return 'windows-1252';
    throw unreadableFile(path, error);
  }
}

async function* recordsOf(
  path: string,
  { encoding, delimiter, firstLine }: CsvForm,
): AsyncGenerator<string[]> {
  const parser = parse({
    delimiter,
    from_line: firstLine,
    // All three, because a file that was pasted together may mix line endings.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
  });
  const decoder = new TextDecoder(encoding);
  const texts = async function* (): AsyncGenerator<string> {
    for await (const bytes of createReadStream(path) as AsyncIterable<Buffer>)
      yield decoder.decode(bytes, { stream: true });
    yield decoder.decode();
  };
  try {
    for await (const record of Readable.from(texts()).pipe(parser)) yield record as string[];
  } catch (error) {
    throw new UsageError(`${path} cannot be read as CSV: ${(error as Error).message}`);
  }
}

async function firstOf<T>(items: AsyncIterable<T>): Promise<T | undefined> {
  for await (const item of items) return item;
  return undefined;
}

/** Numbers repeated names, so that none hides another. */
export function numberDuplicates(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let number = 2; taken.has(unique); number += 1) unique = `${name} ${number}`;
    taken.add(unique);
    return unique;
  });
}
