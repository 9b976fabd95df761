import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Mode } from '@quarry/app';
import { randomBase62, toBase62 } from './base62.js';

/** Parts of a well-formed key text. It contains the secret: never log or store it. */
export interface ParsedApiKey {
  mode: Mode;
  publicId: string;
  secret: string;
}

// Lengths of the parts. Source: docs/contract.md#1-identifiers-keys-numbers.
const PREFIX_LENGTH = 'qk_live_'.length;
const PUBLIC_ID_LENGTH = 10;
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const SECRET_AT = PREFIX_LENGTH + PUBLIC_ID_LENGTH + 1;
const CHECKSUM_AT = SECRET_AT + SECRET_LENGTH;
export const API_KEY_LENGTH = CHECKSUM_AT + CHECKSUM_LENGTH;
const SHAPE = /^qk_(live|test)_[0-9A-Za-z]{10}_[0-9A-Za-z]{38}$/;

/** Creates a new key: `qk_live_` + public id + `_` + secret + checksum. @returns its text, to be shown once */
export function newApiKey(mode: Mode): string {
  const body = `qk_${mode}_${randomBase62(PUBLIC_ID_LENGTH)}_${randomBase62(SECRET_LENGTH)}`;
  return body + checksumOf(body);
}

/** @returns the parts of a key text; null if the format or the checksum is wrong */
export function parseApiKey(text: string): ParsedApiKey | null {
  if (text.length !== API_KEY_LENGTH || !SHAPE.test(text)) return null;
  if (checksumOf(text.slice(0, CHECKSUM_AT)) !== text.slice(CHECKSUM_AT)) return null;
  return {
    mode: text.startsWith('qk_live_') ? 'live' : 'test',
    publicId: text.slice(PREFIX_LENGTH, PREFIX_LENGTH + PUBLIC_ID_LENGTH),
    secret: text.slice(SECRET_AT, CHECKSUM_AT),
  };
}

/** @returns the stored hash of a secret. A fast hash is sufficient for 190 random bits. */
export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

function checksumOf(body: string): string {
  return toBase62(crc32(body), CHECKSUM_LENGTH);
}
