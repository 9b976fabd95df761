import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { AppError } from '@quarry/error-codes';
import type { DirectoryFile, FileRecord } from './directory-file.js';

/** Number of lines from which the columns are determined: members that only occur later are not read. */
const SAMPLE_LINES = 1000;
const BATCH_RECORDS = 500;
/** Far more than a company or person has; a list of all of them in one line would have to fit into the memory. */
const LINE_CHARACTERS_MAX = 16 * 1024 * 1024;

/** File with one JSON object per line. A member of a nested object becomes the column `outer.inner`. */
export class JsonLinesFile implements DirectoryFile {
  private constructor(
    private readonly path: string,
    readonly header: readonly string[],
  ) {}

  /**
   * @throws AppError invalid_request when the file is empty or a line is not a JSON object; the system's error when it cannot
   *   be read
   */
  static async open(path: string): Promise<JsonLinesFile> {
    const header = new Set<string>();
    let count = 0;
    for await (const { members } of objectsOf(path)) {
      for (const name of members.keys()) header.add(name);
      count += 1;
      if (count === SAMPLE_LINES) break;
    }
    if (count === 0) throw new AppError('invalid_request', 'The file is empty.');
    return new JsonLinesFile(path, [...header]);
  }

  async *batches(onProgress: (part: number) => void = () => undefined): AsyncGenerator<FileRecord[]> {
    const { size } = await stat(this.path);
    let batch: FileRecord[] = [];
    for await (const { members, line, bytesRead } of objectsOf(this.path)) {
      const fields = this.header.map((name) => members.get(name) ?? '');
      if (batch.push({ line, fields }) < BATCH_RECORDS) continue;
      yield batch;
      batch = [];
      onProgress(bytesRead / size);
    }
    if (batch.length > 0) yield batch;
    onProgress(1);
  }
}

interface JsonLine {
  members: Map<string, string>;
  line: number;
  bytesRead: number;
}

async function* objectsOf(path: string): AsyncGenerator<JsonLine> {
  const input = createReadStream(path);
  try {
    let line = 0;
    for await (const text of linesOf(decodeChunks(input))) {
      line += 1;
      if (text.trim() === '') continue;
      const members = new Map<string, string>();
      flattenValue(objectIn(text, line), '', members);
      yield { members, line, bytesRead: input.bytesRead };
    }
  } finally {
    input.destroy();
  }
}

/** @throws AppError invalid_request for another encoding: its letters would be replaced, and names would be wrong */
async function* decodeChunks(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const bytes of chunks) yield decoder.decode(bytes, { stream: true });
    yield decoder.decode();
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw error;
    throw new AppError('invalid_request', 'The file is not text in UTF-8.', { cause: error });
  }
}

/** Splits at line feeds only: node:readline also splits at U+2028 and U+2029, which are valid within a JSON string. */
async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let parts: string[] = [];
  let length = 0;
  for await (const piece of pieces) {
    const [first = '', ...more] = piece.split('\n');
    parts.push(first);
    for (const next of more) {
      yield parts.join('');
      parts = [next];
      length = 0;
    }
    length += parts.at(-1)!.length;
    if (length > LINE_CHARACTERS_MAX)
      throw new AppError('invalid_request', 'A line of the file is too long for one JSON object.');
  }
  yield parts.join('');
}

function objectIn(text: string, line: number): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch (cause) {
    throw new AppError('invalid_request', `Line ${line} is not JSON.`, { cause });
  }
  throw new AppError('invalid_request', `Line ${line} is not a JSON object.`);
}

function flattenValue(value: Record<string, unknown>, prefix: string, members: Map<string, string>): void {
  for (const [name, member] of Object.entries(value)) {
    if (typeof member === 'object' && member !== null && !Array.isArray(member))
      flattenValue(member as Record<string, unknown>, `${prefix}${name}.`, members);
    else members.set(prefix + name, textOf(member));
  }
}

function textOf(member: unknown): string {
  if (member === null || member === undefined) return '';
  if (!Array.isArray(member)) return String(member as string | number | boolean);
  // A list of strings is joined as other files write lists; any other list stays JSON.
  return member.every((each) => typeof each === 'string') ? member.join('; ') : JSON.stringify(member);
}
