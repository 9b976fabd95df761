/**
 * Content of a backup, before compression: frames of a kind (one byte), a length (four) and that many bytes. A note is
 * JSON; rows are in the binary format of COPY.
 */
const NOTE = 0x4e;
const ROWS = 0x52;
const HEAD_BYTES = 5;
/** Far above any frame: PostgreSQL sends chunks of some kilobytes, and notes are small. */
const FRAME_BYTES_MAX = 256 * 1024 * 1024;

/** Records of a backup other than its data. */
export type BackupNote =
  | { kind: 'head'; format: number; at: string; migrations: string[] }
  | { kind: 'table'; table: string; columns: string[] }
  | { kind: 'table-end'; table: string; rows: number; sha256: string }
  | { kind: 'sequences'; values: Record<string, string> }
  | { kind: 'end' };

export class BackupFileError extends Error {
  override readonly name = 'BackupFileError';
}

export function noteFrame(note: BackupNote): Buffer {
  return encodeFrame(NOTE, Buffer.from(JSON.stringify(note)));
}

export function rowsFrame(bytes: Buffer): Buffer {
  return encodeFrame(ROWS, bytes);
}

function encodeFrame(kind: number, bytes: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(kind, 0);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

/** @throws BackupFileError if the bytes are not those of a complete backup */
export async function* framesOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<BackupNote | Buffer, void> {
  let left: Buffer = Buffer.alloc(0);
  for await (const piece of bytes) {
    left = left.length === 0 ? piece : Buffer.concat([left, piece]);
    while (left.length >= HEAD_BYTES) {
      const [kind, length] = [left.readUInt8(0), left.readUInt32BE(1)];
      if ((kind !== NOTE && kind !== ROWS) || length > FRAME_BYTES_MAX) throw notABackup();
      if (left.length < HEAD_BYTES + length) break;
      const body = left.subarray(HEAD_BYTES, HEAD_BYTES + length);
      left = left.subarray(HEAD_BYTES + length);
      yield kind === ROWS ? body : (JSON.parse(body.toString('utf8')) as BackupNote);
    }
  }
  if (left.length > 0) throw notABackup();
}

export function notABackup(): BackupFileError {
  return new BackupFileError(
    'The file is not a complete backup: it was cut off or changed, or is another kind of file.',
  );
}
