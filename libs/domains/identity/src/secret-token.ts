import { hash, randomBytes } from 'node:crypto';

/** @returns a secret of 256 random bits, in 43 characters of base64url */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** @returns the stored hash of a token. A fast hash is sufficient for 256 random bits. */
export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
