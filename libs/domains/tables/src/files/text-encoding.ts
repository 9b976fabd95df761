import type { FileBytes } from './file-bytes.js';

/** Encodings that are detected, by the names that TextDecoder knows. */
export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

const UTF16_SHARE = 0.3;

/**
 * Detects the encoding of a file: by its byte order mark; by the NUL bytes that UTF-16 leaves in Western text; as UTF-8 if all of
 * it is valid; otherwise Windows-1252, which also reads Latin-1 and accepts every byte.
 */
export async function findEncoding(file: FileBytes): Promise<TextEncoding> {
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  let isFirst = true;
  try {
    for await (const bytes of file.read()) {
      const wide = isFirst ? wideEncoding(bytes) : null;
      if (wide) return wide;
      isFirst = false;
      utf8.decode(bytes, { stream: true });
    }
    utf8.decode();
    return 'utf-8';
  } catch (error) {
    if (isBrokenText(error)) return 'windows-1252';
    throw error;
  }
}

/** @returns whether a decoder has met bytes that its encoding does not have */
export function isBrokenText(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === 'ERR_ENCODING_INVALID_ENCODED_DATA';
}

/** @returns the kind of UTF-16 that the beginning of a file shows, or null */
function wideEncoding(bytes: Buffer): TextEncoding | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  const zeros = [0, 0];
  for (const [at, byte] of bytes.entries()) if (byte === 0) zeros[at % 2]! += 1;
  const share = (part: 0 | 1) => zeros[part]! / (bytes.length / 2);
  if (share(1) > UTF16_SHARE && share(0) === 0) return 'utf-16le';
  return share(0) > UTF16_SHARE && share(1) === 0 ? 'utf-16be' : null;
}
