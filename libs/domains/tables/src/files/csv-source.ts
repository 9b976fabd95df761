import { pipeline } from 'node:stream';
import { CsvError, parse, type Info } from 'csv-parse';
import { AppError } from '@quarry/error-codes';
import { CSV_OPTIONS, findDialect, isBlank, type CsvDialect } from './csv-dialect.js';
import { fileAt, type FileBytes } from './file-bytes.js';
import { findEncoding, isBrokenText, type TextEncoding } from './text-encoding.js';

// Holds several rows of any usual file. The dialect is detected within 50 ms.
const SAMPLE_BYTES = 128 * 1024;
/** More than any table may have, and few enough to be buffered before they are counted. */
const CELLS_MAX = 65_536;
const BATCH_RECORDS = 500;
/** Beginning of a list of objects, or of JSON lines: read as CSV they would become a table of fragments. */
const JSON_OBJECTS = /^\s*(\[\s*)?\{\s*"[^"\n]*"\s*:/;

/** One record with its place: the row number as a spreadsheet counts, from 1, and the line on which it ends. */
export interface CsvRecord {
  row: number;
  line: number;
  fields: string[];
}

/** A CSV file with a known encoding, delimiter and header. It can be read several times. */
export class CsvSource {
  private constructor(
    private readonly file: FileBytes,
    private readonly encoding: TextEncoding,
    private readonly dialect: CsvDialect,
    /** Fields of the header; empty when the file has none. */
    readonly header: string[],
    /** Number of fields of the first record, which is the width of the table. */
    readonly width: number,
  ) {}

  /**
   * @param hasHeader whether the first row is the header; detected when left out
   * @throws AppError invalid_request when the file is empty; the system's error when it cannot be read
   */
  static async open(source: string | FileBytes, hasHeader?: boolean): Promise<CsvSource> {
    const file = typeof source === 'string' ? fileAt(source) : source;
    const encoding = await findEncoding(file);
    const { text, isWhole } = await sampleOf(file, encoding);
    if (JSON_OBJECTS.test(text))
      throw new AppError(
        'invalid_request',
        'The file is JSON: send CSV or XLSX, or its rows to POST /v1/workspaces/{id}/tables.',
      );
    const found = findDialect(text, isWhole);
    const dialect = { ...found, hasHeader: hasHeader ?? found.hasHeader };
    const plain = new CsvSource(file, encoding, { ...dialect, hasHeader: false }, [], 0);
    const first = await plain.firstRecord();
    if (!first || (isWhole && text.trim() === ''))
      throw new AppError('invalid_request', 'The file is empty.');
    const header = dialect.hasHeader ? first.fields : [];
    return new CsvSource(file, encoding, dialect, header, first.fields.length);
  }

  get hasHeader(): boolean {
    return this.dialect.hasHeader;
  }

  /**
   * Reads all records below the header in batches, skipping blank ones; only a few batches are in memory.
   * @param onProgress called after each batch with the part read so far, 0 to 1
   * @throws AppError invalid_request when the file is not CSV
   */
  async *batches(onProgress: (part: number) => void = () => undefined): AsyncGenerator<CsvRecord[]> {
    const size = await this.file.size();
    let batch: CsvRecord[] = [];
    let bytesRead = 0;
    const input = (bytes: number): void => void (bytesRead += bytes);
    for await (const record of this.readRecords(input)) {
      if (batch.push(record) < BATCH_RECORDS) continue;
      yield batch;
      batch = [];
      onProgress(bytesRead / size);
    }
    if (batch.length > 0) yield batch;
    onProgress(1);
  }

  private async *readRecords(onRead: (bytes: number) => void): AsyncGenerator<CsvRecord> {
    const { delimiter, firstLine } = this.dialect;
    const parser = parse({ ...CSV_OPTIONS, delimiter, from_line: firstLine, info: true });
    // An error in any part ends the parser, and surfaces in the loop below.
    pipeline(
      this.file.read(),
      (bytes: AsyncIterable<Buffer>) => decodeChunks(bytes, this.encoding, onRead),
      (texts: AsyncIterable<string>) => withinCells(texts, delimiter),
      parser,
      () => undefined,
    );
    try {
      let row = 0;
      let isBelowHeader = !this.dialect.hasHeader;
      for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: Info }>) {
        row += 1;
        if (isBlank(record)) continue;
        if (isBelowHeader) yield { row, line: info.lines, fields: record };
        isBelowHeader = true;
      }
    } catch (error) {
      throw faultOf(error);
    }
  }

  private async firstRecord(): Promise<CsvRecord | null> {
    for await (const record of this.readRecords(() => undefined)) return record;
    return null;
  }
}

async function* decodeChunks(
  chunks: AsyncIterable<Buffer>,
  encoding: TextEncoding,
  onRead: (bytes: number) => void,
): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  for await (const bytes of chunks) {
    onRead(bytes.length);
    yield decoder.decode(bytes, { stream: true });
  }
  yield decoder.decode();
}

/**
 * Passes a text through while no line has more cells than a table could, because the parser buffers the cells of a row, even
 * empty ones, until it ends.
 * @throws AppError invalid_request
 */
async function* withinCells(texts: AsyncIterable<string>, delimiter: string): AsyncGenerator<string> {
  let cells = 0;
  for await (const text of texts) {
    const end = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r'));
    // Before the end of a line there are fewer than a piece has characters.
    cells = (end < 0 ? cells : 0) + text.slice(end + 1).split(delimiter).length - 1;
    if (cells > CELLS_MAX)
      throw new AppError('invalid_request', `A row of the file has more than ${CELLS_MAX} cells.`);
    yield text;
  }
}

async function sampleOf(
  file: FileBytes,
  encoding: TextEncoding,
): Promise<{ text: string; isWhole: boolean }> {
  const pieces: Buffer[] = [];
  let bytesRead = 0;
  for await (const bytes of file.read()) {
    pieces.push(bytes);
    bytesRead += bytes.length;
    if (bytesRead >= SAMPLE_BYTES) break;
  }
  // Not to the end of the text: the last character of a sample may be cut.
  const text = new TextDecoder(encoding).decode(Buffer.concat(pieces).subarray(0, SAMPLE_BYTES), {
    stream: true,
  });
  return { text, isWhole: bytesRead < SAMPLE_BYTES };
}

function faultOf(error: unknown): unknown {
  if (error instanceof CsvError)
    return new AppError('invalid_request', `The file cannot be read as CSV. ${error.message}`, {
      cause: error,
    });
  if (isBrokenText(error))
    return new AppError('invalid_request', 'The file cannot be read as UTF-16: it has broken characters.', {
      cause: error,
    });
  return error;
}
