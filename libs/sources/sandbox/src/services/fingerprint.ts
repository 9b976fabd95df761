import { createHash } from 'node:crypto';

/** @returns a whole number from 0 to 2^32 - 1 that is always the same for a text, ignoring case */
export function fingerprintOf(value: string): number {
  return createHash('sha256').update(value.toLowerCase()).digest().readUInt32BE(0);
}
