import { createHash, randomBytes } from 'node:crypto';

/** Prefixes of public identifiers. Source: docs/contract.md#1-identifiers-keys-numbers. */
export type IdPrefix =
  | 'org'
  | 'usr'
  | 'key'
  | 'ws'
  | 'conv'
  | 'run'
  | 'plan'
  | 'tbl'
  | 'row'
  | 'exp'
  | 'svcbatch'
  | 'svcjob'
  | 'hold'
  | 'gorun'
  | 'led'
  | 'excl'
  | 'step'
  | 'erasure'
  | 'session'
  | 'inv'
  | 'view'
  | 'enr'
  | 'evt'
  | 'wh'
  | 'whd'
  | 'mon'
  | 'dst'
  | 'psh'
  | 'mbx'
  | 'seq'
  | 'enl'
  | 'apr'
  | 'thr'
  | 'msg'
  | 'drf'
  | 'sup';

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';
let lastMs = 0;
let sequence = 0;

/**
 * Creates an opaque identifier: prefix, `_`, 26 characters of lower-case Crockford base32 over a UUIDv7.
 * Ids of one process sort in the order of creation (12-bit sequence within a millisecond, RFC 9562 method 1), so they
 * index like a counter.
 */
export function newId<P extends IdPrefix>(prefix: P): `${P}_${string}` {
  return `${prefix}_${encodeBytes(uuidV7())}`;
}

/**
 * Derives an identifier from a text: the same text gives the same id, so that a repeated write conflicts with the
 * first one. 128 bits of SHA-256.
 */
export function derivedId<P extends IdPrefix>(prefix: P, text: string): `${P}_${string}` {
  return `${prefix}_${encodeBytes(createHash('sha256').update(text).digest().subarray(0, 16))}`;
}

/** @returns whether a string has the format of {@link newId} for this prefix */
export function isId(prefix: IdPrefix, value: string): boolean {
  return (
    value.length === prefix.length + 27 &&
    value.startsWith(`${prefix}_`) &&
    /^[0-9a-hjkmnp-tv-z]{26}$/.test(value.slice(prefix.length + 1))
  );
}

function uuidV7(): Buffer {
  const now = Date.now();
  if (now > lastMs) {
    lastMs = now;
    sequence = 0;
  } else if (++sequence > 0xfff) {
    lastMs += 1;
    sequence = 0;
  }
  const bytes = randomBytes(16);
  bytes.writeUIntBE(lastMs, 0, 6);
  bytes[6] = 0x70 | (sequence >> 8);
  bytes[7] = sequence & 0xff;
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  return bytes;
}

/** Encodes five bits per character. Does not use BigInt, because an import creates a hundred thousand ids. */
function encodeBytes(bytes: Buffer): string {
  let text = '';
  // 26 characters hold 130 bits, so the first two bits are zero.
  let [bits, pending] = [0, 2];
  for (const byte of bytes) {
    bits = (bits << 8) | byte;
    for (pending += 8; pending >= 5;) {
      pending -= 5;
      text += CROCKFORD[(bits >> pending) & 31];
    }
    bits &= (1 << pending) - 1;
  }
  return text;
}
