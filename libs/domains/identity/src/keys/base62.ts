import { randomBytes } from 'node:crypto';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
// 248 = 4 × 62: larger bytes would favour the first characters, so they are rejected.
const UNBIASED_BELOW = 248;

/** @returns `length` random base62 characters, uniformly distributed */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length)) {
      if (byte < UNBIASED_BELOW) text += BASE62[byte % 62];
    }
  }
  return text;
}

/** @returns a whole number in base62, padded with zeros to `length` */
export function toBase62(value: number, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest = Math.floor(rest / 62)) text = BASE62[rest % 62] + text;
  return text;
}
