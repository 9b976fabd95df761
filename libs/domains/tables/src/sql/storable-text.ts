import { AppError } from '@quarry/error-codes';

/** Characters that PostgreSQL refuses in text: NUL, and halves of surrogate pairs, which have no UTF-8. */
// eslint-disable-next-line no-control-regex
const UNSTORABLE = /[\u0000\p{Surrogate}]/u;

/** @returns whether PostgreSQL can store a text */
export function isStorableText(text: string): boolean {
  return !UNSTORABLE.test(text);
}

/** @throws AppError invalid_request naming `path` when the text cannot be stored */
export function requireStorableText(path: string, text: string): void {
  if (isStorableText(text)) return;
  const message = 'must not contain NUL or half of a surrogate pair';
  throw new AppError('invalid_request', `${path} ${message}`, { details: [{ path, message }] });
}

/** @returns the text as PostgreSQL can store it: without NUL, and with U+FFFD for broken surrogate pairs */
export function storableText(text: string): string {
  return text.replaceAll('\0', '').replace(/\p{Surrogate}/gu, '\ufffd');
}
