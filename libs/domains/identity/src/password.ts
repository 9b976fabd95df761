import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { randomBase62 } from './keys/base62.js';

// OWASP's recommendation for scrypt: N 2^17, r 8, p 1 (128 MiB and some tenths of a second per guess).
const COST = { N: 2 ** 17, r: 8, p: 1 };
const HASH_BYTES = 32;
const SALT_BYTES = 16;

/** @returns a password of 20 base62 characters, about 119 bits */
export function newPassword(): string {
  return randomBase62(20);
}

/** @returns `scrypt$N$r$p$salt$hash`, salt and hash in base64url */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await deriveKey(password, salt, COST);
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), hash.toString('base64url')].join('$');
}

/** @returns whether a password matches a result of {@link hashPassword}; compares in constant time */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [scheme, N, r, p, salt, hash] = stored.split('$');
  if (scheme !== 'scrypt' || !salt || !hash) return false;
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  const derived = await deriveKey(password, Buffer.from(salt, 'base64url'), cost);
  return timingSafeEqual(derived, Buffer.from(hash, 'base64url'));
}

function deriveKey(password: string, salt: Buffer, cost: typeof COST): Promise<Buffer> {
  // Node's default limit is 32 MiB; this needs a little more than 128 × N × r bytes.
  const maxmem = 130 * cost.N * cost.r;
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFC'), salt, HASH_BYTES, { ...cost, maxmem }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}
