/** Bytes from `from` to `to`, both included. */
export interface ByteRange {
  from: number;
  to: number;
}

/**
 * Parses a Range header for `size` bytes (RFC 9110, section 14.1.2).
 * @returns the range; `unsatisfiable` when it starts after the end; null to send everything, which is also the result for several
 * ranges and for units other than bytes
 */
export function byteRangeOf(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | null {
  const match = header === undefined ? null : /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header.trim());
  if (!match || (match[1] === '' && match[2] === '')) return null;
  const [, first = '', last = ''] = match;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { from: size - length, to: size - 1 };
  }
  const from = Number(first);
  const to = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < from) return null;
  return from >= size ? 'unsatisfiable' : { from, to };
}

/** @returns whether If-None-Match contains this tag (weak comparison, RFC 9110, section 13.1.2) */
export function isTagKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(etag);
}
