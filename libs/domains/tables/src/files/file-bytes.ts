import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';

/** Bytes per piece of a file in memory, small enough that other work gets its turn in between. */
const PIECE_BYTES = 64 * 1024;

/** A file that can be read several times. */
export interface FileBytes {
  size(): Promise<number>;
  /** Reads all of it, a piece at a time. */
  read(): AsyncIterable<Buffer>;
}

/** @returns the file at a path; errors of the system come when it is read */
export function fileAt(path: string): FileBytes {
  return { size: async () => (await stat(path)).size, read: () => createReadStream(path) };
}

/** @returns a file from the body of a request */
export function fileInMemory(bytes: Buffer): FileBytes {
  return {
    size: () => Promise.resolve(bytes.length),
    read: async function* () {
      for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
        yield bytes.subarray(at, at + PIECE_BYTES);
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}
